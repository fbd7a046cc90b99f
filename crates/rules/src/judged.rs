//! A Java program that was judged: its findings as a report.

use crate::asked::{Asked, JavaRequest, Refused};
use crate::cache::{Cache, Hash, Whole, contents};
use crate::context::{ProgramContext, Progress};
use crate::questions::UnknownLabel;
use crate::run::{Judgement, run};
use crate::suppress::{by_annotation, by_source};
use loris_base::{Budget, Diagnostic, Severity};
use loris_findings::{Baseline, Confidence, Finding, Location, Report};
use loris_java::{ClassOrigin, Program};
use loris_load::{Input, JavaClasses, JavaFiles, JavaSources, Reading, methods, without_number};
use std::collections::{BTreeMap, BTreeSet};

/// The findings of rules about a Java program, those that are suppressed included.
pub struct Judged {
    /// The findings, the rules that were asked and those that were not decided. Files are named by
    /// the paths of their packages.
    pub report: Report,
    /// The sources.
    pub sources: JavaSources,
    /// The program; one without classes if all results were kept from an earlier run.
    pub program: Program,
    /// Findings that are less certain than was asked for, and not in the report.
    pub below_bar: Vec<Finding>,
}

/// Reads a program and decides rules on it, on some threads: all that `loris java` does, but for
/// the output. Problems are added to the reading, whose budget is that of the whole work.
///
/// # Errors
/// Why nothing was decided.
pub fn judge(request: JavaRequest, threads: usize, reading: &mut Reading) -> Result<Judged, Refused> {
    let asked = Asked::read(request, reading)?;
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    let pool = pool.map_err(|error| Refused::Wrong(format!("no threads can be started: {error}")))?;
    pool.install(|| asked.open(reading)?.judge(None, reading))
}

/// A Java program that was read, and what is asked about it.
pub struct Opened {
    asked: Asked,
    content: Content,
    sources: JavaSources,
    budget: Budget,
}

/// What is known of a program before it is judged.
enum Content {
    /// Its classes, with the cache and the hash of all files.
    Classes(JavaClasses, Option<(Cache, Option<Hash>)>),
    /// All that is to be found out.
    Known(Whole),
}

impl Asked {
    /// Reads the program. Problems are added to the reading.
    ///
    /// # Errors
    /// Files or names of methods are wrong, or a limit was reached.
    pub fn open(self, reading: &mut Reading) -> Result<Opened, Refused> {
        let sources = JavaSources::find(&self.request.sources, reading);
        if reading.has_errors() {
            return Err(Refused::Problems);
        }
        let refused = |reading: &Reading| reading.stopped().map_or(Refused::Problems, Refused::Stopped);
        let files = JavaFiles::read(&self.request.program, &self.request.library, reading);
        let Some(files) = files else { return Err(refused(reading)) };
        let cache = self.cache(&mut reading.budget);
        let contents = cache.as_ref().map(|_| contents(files.contents()));
        if let Some((cache, contents)) = cache.as_ref().zip(contents.as_ref())
            && let Some(whole) = cache.whole(contents)
        {
            let content = Content::Known(whole);
            return Ok(Opened { asked: self, content, sources, budget: reading.budget.clone() });
        }
        let Some(classes) = files.classes(reading) else { return Err(refused(reading)) };
        if methods(&classes.program, &self.request.options.entries, reading).is_none() {
            return Err(Refused::Problems);
        }
        // problems are to be reported every time
        let contents = contents.filter(|_| classes.unreadable == 0);
        let content = Content::Classes(classes, cache.map(|cache| (cache, contents)));
        Ok(Opened { asked: self, content, sources, budget: reading.budget.clone() })
    }
}

impl Opened {
    /// Decides the rules. Labels of properties that the program does not have are added to the
    /// reading.
    ///
    /// # Errors
    /// A property names such a label.
    pub fn judge(self, progress: Option<&Progress<'_>>, reading: &mut Reading) -> Result<Judged, Refused> {
        let Self { asked, content, mut sources, mut budget } = self;
        let (program, unreadable, found) = match content {
            Content::Known(whole) => (Program::default(), 0, whole),
            Content::Classes(JavaClasses { program, unreadable }, cache) => {
                let found = asked.judge(&program, (progress, cache), &mut budget, reading)?;
                (program, unreadable, found)
            }
        };
        let Whole { counts: [own, own_methods, library], escaped, undecided, mut findings } = found;
        asked.suppress(&mut sources, &mut findings);
        let bars: BTreeMap<&str, Confidence> =
            asked.rules.iter().map(|rule| (&*rule.info.id, asked.bar(&rule.info))).collect();
        let (mut findings, mut below_bar): (Vec<Finding>, Vec<Finding>) = findings
            .into_iter()
            .partition(|finding| bars.get(&*finding.rule).is_none_or(|&bar| finding.reaches(bar)));
        let counting =
            |findings: &[Finding]| findings.iter().filter(|finding| finding.suppressed.is_none()).count();
        let found = counting(&findings);
        if let Some(changed) = &asked.request.changed {
            findings.retain(|finding| changed.concern(finding));
            below_bar.retain(|finding| changed.concern(finding));
        }
        let elsewhere = asked.request.changed.as_ref();
        let elsewhere = elsewhere.map(|_| ("elsewhere", (found - counting(&findings)) as u64));
        let counts = [
            ("classes", own),
            ("methods", own_methods),
            ("library_classes", library),
            ("unreadable", unreadable as u64),
        ];
        let inputs: Vec<String> =
            asked.request.program.iter().map(|path| path.display().to_string()).collect();
        let report = Report {
            counters: counts
                .into_iter()
                .chain(elsewhere)
                .map(|(name, count)| (name.to_owned(), count))
                .collect(),
            rules: asked.rules.into_iter().map(|rule| rule.info).collect(),
            findings,
            undecided,
            escaped: escaped as usize,
            below_bar: below_bar.iter().filter(|finding| finding.suppressed.is_none()).count(),
            ..Report::new(format!("java {}", inputs.join(" ")))
        };
        Ok(Judged { report: Report { inputs, ..report }, sources, program, below_bar })
    }
}

impl Asked {
    /// Decides the rules on a program, as far as it is not known what comes of that, and keeps it
    /// for the next time.
    fn judge(
        &self,
        program: &Program,
        (progress, cache): (Option<&Progress<'_>>, Option<(Cache, Option<Hash>)>),
        budget: &mut Budget,
        reading: &mut Reading,
    ) -> Result<Whole, Refused> {
        let context = ProgramContext {
            progress,
            cache: cache.as_ref().map(|(cache, _)| cache),
            ..ProgramContext::new(program, &self.request.options)
        };
        let judgement = run(&context, &self.rules, &self.known, budget);
        if !self.request.properties.is_empty() && !judgement.unknown.is_empty() {
            self.add_unknown(&judgement.unknown, reading);
            return Err(Refused::Problems);
        }
        let is_limited = judgement.is_limited();
        let Judgement { mut findings, escaped, undecided, .. } = judgement;
        by_annotation(&context, &self.rules, &mut findings);
        let own: Vec<_> = context.reported().collect();
        let methods: usize = own.iter().map(|&class| program.class(class).methods.len()).sum();
        let libraries = program.classes().filter(|&class| program.origin(class) == ClassOrigin::Library);
        let counts = [own.len(), methods, libraries.count()].map(|count| count as u64);
        let whole = Whole { counts, escaped: escaped as u64, undecided, findings };
        if let Some((cache, contents)) = cache {
            let path = cache.path().to_owned();
            if let Err(error) = cache.save(contents.filter(|_| !is_limited).map(|hash| (hash, &whole))) {
                let message = format!("the cache cannot be written: {}", without_number(&error));
                let problem = Diagnostic { severity: Severity::Warning, ..Diagnostic::global(message) };
                reading.add(Input::named(&path.display().to_string()), problem.into());
            }
        }
        Ok(whole)
    }

    /// Marks findings that sources, the configuration or a baseline suppress.
    fn suppress(&self, sources: &mut JavaSources, findings: &mut [Finding]) {
        let files: BTreeSet<String> =
            findings.iter().filter_map(|finding| finding.file().map(str::to_owned)).collect();
        for file in &files {
            if let Some(text) = sources.text(file) {
                by_source(findings, file, text);
            }
        }
        if let Some(path) = &self.request.configuration {
            self.config.skip(findings, &path.display().to_string());
        }
        for (path, filter) in &self.filters {
            filter.apply(&self.rules, findings, &path.display().to_string());
        }
        if let (Some(baseline), Some(path)) = (&self.baseline, &self.request.baseline) {
            baseline.apply(findings, &path.display().to_string());
        }
    }

    /// Adds labels of properties that the program does not have.
    fn add_unknown(&self, unknown: &[UnknownLabel], reading: &mut Reading) {
        for UnknownLabel { rule, label, span: (start, end), nearest } in unknown {
            let asked = self.rules.iter().zip(&self.request.properties);
            let asked = asked.into_iter().find(|(asked, _)| asked.info.id == *rule);
            let message = format!("no node is labelled \"{label}\"");
            let problem = Diagnostic::error(u64::from(*start), (end - start) as usize, message);
            let help = match nearest {
                Some(nearest) => format!("did you mean \"{nearest}\"?"),
                None => "`loris labels` lists the labels of a program".to_owned(),
            };
            let input = Input::text(reading.words.formula, asked.map_or("", |(_, text)| text));
            reading.add(input, problem.help(help).into());
        }
    }
}

impl Judged {
    /// The findings as a baseline: those that are less certain than was asked for are known then,
    /// too.
    pub fn baseline(&self) -> Baseline {
        Baseline::of(self.report.findings.iter().chain(&self.below_bar))
    }

    /// Lets findings name the files of the sources, as far as these are known, for renderings that
    /// show them. Steps in which nothing happens show their lines.
    pub fn locate(&mut self) {
        let Self { report, sources, .. } = self;
        let mut files = Files { sources, paths: BTreeMap::new() };
        for finding in &mut report.findings {
            finding.locations.iter_mut().for_each(|location| files.locate(location));
            for trace in &mut finding.traces {
                for step in &mut trace.steps {
                    let Some(location) = &mut step.location else { continue };
                    if step.text.is_empty() {
                        step.text = files.line(location).unwrap_or_default();
                    }
                    files.locate(location);
                }
                let calls = trace.frames.iter_mut().filter_map(|frame| frame.call.location.as_mut());
                calls.for_each(|location| files.locate(location));
            }
        }
        // the text of archives, which pages cannot find by themselves
        let packed: Vec<String> =
            files.paths.into_iter().filter_map(|(file, path)| path.is_none().then_some(file)).collect();
        let cited = report.cited();
        for file in packed {
            if let (Some(lines), Some(text)) = (cited.get(&file), sources.text(&file)) {
                report.add_source(&file, text, lines);
            }
        }
    }
}

/// The paths of source files.
struct Files<'s> {
    sources: &'s mut JavaSources,
    paths: BTreeMap<String, Option<String>>,
}

impl Files<'_> {
    fn locate(&mut self, location: &mut Location) {
        let Some(file) = location.file.as_deref() else {
            // a line without a file leads nowhere
            location.line = None;
            return;
        };
        let sources = &self.sources;
        let path = self.paths.entry(file.to_owned()).or_insert_with(|| sources.path(file));
        if let Some(path) = path {
            location.file = Some(path.as_str().into());
        }
    }

    /// The text of a line, or its number.
    fn line(&mut self, location: &Location) -> Option<String> {
        let (file, line) = (location.file.as_deref()?, location.line?);
        let is_known = self.sources.text(file).is_some();
        let text = is_known.then(|| self.sources.line(file, line)).flatten();
        let text = text.map(|text| text.trim().to_owned()).filter(|text| !text.is_empty());
        Some(text.unwrap_or_else(|| format!("line {line}")))
    }
}
