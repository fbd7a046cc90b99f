//! What is asked about a Java program: which rules are decided, shipped ones and those of files, as
//! the request and `loris.toml` say.

use crate::cache::{Cache, CacheOptions, hash_of};
use crate::changed::Changed;
use crate::config::Config;
use crate::context::JudgeOptions;
use crate::objects::Resources;
use crate::questions::ProgramQuestion;
use crate::rule::{Rule, RuleBody, read_rules, shipped_rules};
use crate::suppress::Filter;
use crate::toml_text::toml_problem;
use loris_base::{Budget, Exhausted, nearest};
use loris_findings::{Baseline, Confidence, Level, RuleInfo};
use loris_load::{Reading, Text};
use std::fmt;
use std::path::{Path, PathBuf};

/// What is asked about a Java program.
#[derive(Clone, Debug, Default)]
pub struct JavaRequest {
    /// The program: jars, class files, and folders with these.
    pub program: Vec<PathBuf>,
    /// Jars and folders whose code is read but not reported on.
    pub library: Vec<PathBuf>,
    /// Folders and archives with sources.
    pub sources: Vec<PathBuf>,
    /// The rules to decide, by their identifiers; if there are none, those on by default.
    pub rules: Vec<String>,
    /// Files with rules of one's own.
    pub rules_files: Vec<PathBuf>,
    /// Properties of the whole program, in place of rules.
    pub properties: Vec<String>,
    /// The logic of these properties; without it, `ctl`.
    pub logic: Option<String>,
    /// Decides all rules, those that are off by default included.
    pub all_rules: bool,
    /// The configuration file, if there is one.
    pub configuration: Option<PathBuf>,
    /// Filter files of findings that do not count, as `SpotBugs` has them.
    pub suppress: Vec<PathBuf>,
    /// A file of findings that are known.
    pub baseline: Option<PathBuf>,
    /// Files that have changed, if only findings that concern them are to be reported.
    pub changed: Option<Changed>,
    /// Where results are kept for the next time, if they are.
    pub cache: Option<CacheOptions>,
    /// How the program is judged; models of resources come from the configuration.
    pub options: JudgeOptions,
}

/// Why nothing was decided.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refused {
    /// Inputs are wrong; the problems are in the reading.
    Problems,
    /// The request is wrong, in words.
    Wrong(String),
    /// A limit was reached.
    Stopped(Exhausted),
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refused::Problems => f.write_str("the inputs are wrong"),
            Refused::Wrong(what) => f.write_str(what),
            Refused::Stopped(why) => why.fmt(f),
        }
    }
}

impl std::error::Error for Refused {}

/// The name of configuration files.
const NAME: &str = "loris.toml";

/// The configuration file of a folder: the one in it, or in the nearest folder above it.
pub fn configuration_of(folder: &Path) -> Option<PathBuf> {
    folder.ancestors().map(|folder| folder.join(NAME)).find(|path| path.is_file())
}

/// A request with all that the files it names say.
#[derive(Clone, Debug)]
pub struct Asked {
    /// The request.
    pub request: JavaRequest,
    /// The rules to decide, in the order of files.
    pub rules: Vec<Rule>,
    /// All others, which these may name.
    pub(crate) known: Vec<Rule>,
    pub(crate) config: Config,
    /// filter files by their paths
    pub(crate) filters: Vec<(PathBuf, Filter)>,
    pub(crate) baseline: Option<Baseline>,
}

impl Asked {
    /// Reads the files that a request names, but for the program. Problems are added to the
    /// reading.
    ///
    /// # Errors
    /// Files or the request are wrong.
    pub fn read(mut request: JavaRequest, reading: &mut Reading) -> Result<Self, Refused> {
        let config = configuration(&request, reading);
        let rules = rules(&request, &config, reading);
        request.options.models = models(&request, &config, reading);
        let baseline = request.baseline.as_ref().and_then(|path| reading.text(path));
        let baseline = baseline.map(|text| Baseline::read(&text.content));
        let filters = match &rules {
            Ok((rules, known)) => filters(&request, &config, (rules, known), reading),
            Err(_) => Vec::new(),
        };
        if let Some(stopped) = reading.stopped() {
            return Err(Refused::Stopped(stopped));
        }
        if reading.has_errors() {
            return Err(Refused::Problems);
        }
        let (rules, known) = rules?;
        let resolve = |paths: &[String]| -> Vec<PathBuf> {
            paths.iter().map(|path| resolved(&request, path)).collect()
        };
        let (libraries, sources) = (resolve(&config.libraries), resolve(&config.sources));
        request.library.extend(libraries);
        request.sources.extend(sources);
        Ok(Self { request, rules, known, config, filters, baseline })
    }
}

impl Asked {
    /// How certain findings of a rule are at least, if they are reported. Who names a rule, or asks
    /// for a property, wants its findings even if none of them can be more certain.
    pub(crate) fn bar(&self, rule: &RuleInfo) -> Confidence {
        if self.request.options.strict {
            return Confidence::Possible;
        }
        let bar = self.config.confidence().unwrap_or(Confidence::Likely);
        let is_named = self.request.rules.contains(&rule.id)
            || !self.request.properties.is_empty()
            || self.config.enables(&rule.id);
        bar.min(rule.confidence.filter(|_| is_named).unwrap_or(bar))
    }
}

impl Asked {
    /// What was kept for the same request, if results are kept. Requests that differ have files of
    /// their own, so that they may be made in turn.
    pub(crate) fn cache(&self, budget: &mut Budget) -> Option<Cache> {
        let request = &self.request;
        let CacheOptions { folder, build } = request.cache.as_ref()?;
        let paths = (&request.program, &request.library, &request.configuration);
        let rules = (&request.rules, &request.rules_files, &request.properties, &request.logic);
        let options = &request.options;
        let entries = (options.strict, options.runtime_exceptions, options.all, &options.entries);
        let name = hash_of(&format!("{paths:?} {rules:?} {entries:?}"));
        // all that a result depends on but the program; these are data without anything that
        // differs between runs, such as addresses
        let question = hash_of(&format!("{build:?} {:?} {:?} {options:?}", self.rules, self.known));
        Some(Cache::open(folder, &name, question, budget))
    }
}

/// A path of the configuration file.
fn resolved(request: &JavaRequest, path: &str) -> PathBuf {
    let folder = request.configuration.as_deref().and_then(Path::parent);
    folder.unwrap_or(Path::new("")).join(path)
}

fn configuration(request: &JavaRequest, reading: &mut Reading) -> Config {
    let text = request.configuration.as_ref().and_then(|path| reading.text(path));
    let Some(Text { input, content, mut problems }) = text else { return Config::default() };
    let (config, wrong) = Config::read(&content);
    problems.append(&wrong);
    reading.add(input, problems);
    config
}

/// The resource models that the configuration names: their paths and texts.
fn models(request: &JavaRequest, config: &Config, reading: &mut Reading) -> Vec<(String, String)> {
    let mut models = request.options.models.clone();
    for path in config.models.iter().map(|path| resolved(request, path)) {
        let Some(Text { input, content, mut problems }) = reading.text(&path) else { continue };
        if let Err(wrong) = Resources::default().add(&content) {
            problems.push(toml_problem(&wrong));
        }
        reading.add(input, problems);
        models.push((path.display().to_string(), content.to_string()));
    }
    models
}

/// The filter files of the request and of the configuration.
fn filters(
    request: &JavaRequest,
    config: &Config,
    (rules, known): (&[Rule], &[Rule]),
    reading: &mut Reading,
) -> Vec<(PathBuf, Filter)> {
    let all: Vec<Rule> = rules.iter().chain(known).cloned().collect();
    let named = config.suppress.iter().map(|path| resolved(request, path));
    let mut filters = Vec::new();
    for path in named.chain(request.suppress.iter().cloned()) {
        let Some(Text { input, content, mut problems }) = reading.text(&path) else { continue };
        let (filter, wrong) = Filter::read(&content, &all);
        problems.append(&wrong);
        reading.add(input, problems);
        filters.push((path, filter));
    }
    filters
}

/// The rules to decide, in the order of files, and all others, which these may name.
fn rules(
    request: &JavaRequest,
    config: &Config,
    reading: &mut Reading,
) -> Result<(Vec<Rule>, Vec<Rule>), Refused> {
    if !request.properties.is_empty() {
        return Ok((questions(request)?, Vec::new()));
    }
    let mut rules = shipped_rules();
    let files = config.rules_files.iter().map(|path| resolved(request, path));
    for path in files.chain(request.rules_files.iter().cloned()) {
        let Some(Text { input, content, mut problems }) = reading.text(&path) else { continue };
        let (own, wrong) = read_rules(&content);
        problems.append(&wrong);
        reading.add(input, problems);
        // a rule of one's own replaces the shipped one
        rules.retain(|rule| own.iter().all(|other| other.info.id != rule.info.id));
        rules.extend(own);
    }
    let problems = config.apply(&mut rules);
    if let (Some(path), false) = (&request.configuration, problems.is_empty())
        && let Some(Text { input, .. }) = reading.text(path)
    {
        reading.add(input, problems);
    }
    if reading.has_errors() {
        return Ok((rules, Vec::new()));
    }
    let is_missing = |id: &str| rules.iter().all(|rule| rule.info.id != id);
    for rule in &rules {
        if let RuleBody::Object(object) = &rule.body
            && let Some(other) = object.unless()
            && is_missing(other)
        {
            let id = &rule.info.id;
            let message = format!("the rule {id} names the rule {other} under `unless`, and there is none");
            return Err(Refused::Wrong(message));
        }
    }
    if let Some(id) = request.rules.iter().find(|id| is_missing(id)) {
        let help = match nearest(id, rules.iter().map(|rule| &*rule.info.id)) {
            Some(near) => format!("did you mean {near}?"),
            None => reading.words.list_rules.to_owned(),
        };
        return Err(Refused::Wrong(format!("there is no rule {id}; {help}")));
    }
    Ok(rules.into_iter().partition(|rule| {
        if request.rules.is_empty() {
            request.all_rules || rule.on_by_default
        } else {
            request.rules.contains(&rule.info.id)
        }
    }))
}

/// The properties of a request as rules: each is reported under its number.
fn questions(request: &JavaRequest) -> Result<Vec<Rule>, Refused> {
    let mut rules = Vec::new();
    let logic = request.logic.as_deref().unwrap_or("ctl");
    for (number, text) in request.properties.iter().enumerate() {
        let question = ProgramQuestion::new(logic, text)
            .map_err(|problem| Refused::Wrong(format!("the property `{text}` is wrong: {problem}")))?;
        let is_alone = request.properties.len() == 1;
        let id = if is_alone { "property".to_owned() } else { format!("property-{}", number + 1) };
        rules.push(Rule {
            info: RuleInfo {
                help: format!("The property fails: {text}"),
                confidence: Some(Confidence::Likely),
                ..RuleInfo::new(id, Level::Error, "a property of the command line")
            },
            page: None,
            aliases: Vec::new(),
            on_by_default: true,
            body: RuleBody::Question(Box::new(question)),
        });
    }
    Ok(rules)
}
