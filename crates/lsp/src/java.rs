//! Findings of rules about the class files of a Java source: those of `loris java`, as of the last
//! build.
//!
//! The class files are looked for in the folders that were set, and where build tools put them,
//! beside the source root and in the folders above it. All classes of such a folder are judged
//! together, as a finding depends on who calls a method, and once for each build.

use crate::phrasing::words;
use loris_base::{Budget, Exhausted};
use loris_findings::{Confidence, Finding, Level};
use loris_load::Reading;
use loris_rules::{JavaRequest, Refused, configuration_of, judge};
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// Where build tools put class files, relative to a folder of the project.
const FOLDERS: [&str; 8] = [
    "target/classes",
    "target/test-classes",
    "build/classes/java/main",
    "build/classes/java/test",
    "build/classes",
    "out/production",
    "out",
    "bin",
];

/// A project is looked for in this many folders above the source root.
const ABOVE: usize = 4;

/// A finding in a source.
pub(crate) struct Reported {
    /// The bytes of its line, without the blanks around it.
    pub(crate) span: Range<usize>,
    /// In the numbers of the protocol: 1 error, 2 warning, 3 information.
    pub(crate) severity: u32,
    pub(crate) message: String,
    /// The identifier of the rule.
    pub(crate) rule: String,
    /// How certain it is.
    pub(crate) confidence: Option<Confidence>,
}

/// The findings of builds, kept until there is another build.
#[derive(Default)]
pub(crate) struct Builds {
    last: Option<(Build, Vec<Finding>)>,
}

/// A folder of class files as it was at some time.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Build {
    folder: PathBuf,
    root: PathBuf,
    files: usize,
    newest: Option<SystemTime>,
}

impl Builds {
    /// The findings in a source, if it was compiled. `set` are folders that were set.
    ///
    /// # Errors
    /// The limit that was reached, or what is wrong, in words.
    pub(crate) fn findings(
        &mut self,
        (path, text): (&Path, &str),
        set: &[PathBuf],
        budget: Budget,
    ) -> Result<Vec<Reported>, Result<Exhausted, String>> {
        let Some((root, file)) = located(path, text) else { return Ok(Vec::new()) };
        let Some(folder) = class_folder(&root, &file, set) else { return Ok(Vec::new()) };
        let build = Build::of(folder, root);
        if self.last.as_ref().is_none_or(|(last, _)| *last != build) {
            self.last = Some((build.clone(), build.judged(budget)?));
        }
        let findings = self.last.iter().flat_map(|(_, findings)| findings);
        Ok(findings
            .filter(|finding| finding.file() == Some(&*file))
            .filter_map(|one| reported(one, text))
            .collect())
    }
}

impl Build {
    fn of(folder: PathBuf, root: PathBuf) -> Self {
        let (mut files, mut newest, mut work) = (0, None, vec![folder.clone()]);
        while let Some(next) = work.pop() {
            for entry in fs::read_dir(next).into_iter().flatten().flatten() {
                match entry.file_type() {
                    Ok(kind) if kind.is_dir() => work.push(entry.path()),
                    _ => {
                        files += 1;
                        newest = newest.max(entry.metadata().and_then(|about| about.modified()).ok());
                    }
                }
            }
        }
        Self { folder, root, files, newest }
    }

    /// The findings that count.
    fn judged(&self, budget: Budget) -> Result<Vec<Finding>, Result<Exhausted, String>> {
        let request = JavaRequest {
            program: vec![self.folder.clone()],
            sources: vec![self.root.clone()],
            configuration: configuration_of(&self.root),
            ..JavaRequest::default()
        };
        let mut reading = Reading::new(budget, words());
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        match judge(request, threads, &mut reading) {
            Ok(judged) => {
                let findings = judged.report.findings.into_iter();
                Ok(findings.filter(|finding| finding.suppressed.is_none()).collect())
            }
            Err(Refused::Stopped(why)) => Err(Ok(why)),
            Err(Refused::Wrong(what)) => Err(Err(what)),
            Err(Refused::Problems) => {
                let found = reading.found();
                let first = found.iter().find(|(_, problems)| problems.has_errors());
                let first = first.and_then(|(input, problems)| Some((input, *problems.sorted().first()?)));
                Err(Err(first.map_or_else(
                    || "the class files cannot be read".to_owned(),
                    |(input, problem)| format!("{}: {}", input.name(), problem.message),
                )))
            }
        }
    }
}

/// The source root of a file, and the file with the path of its package.
fn located(path: &Path, text: &str) -> Option<(PathBuf, String)> {
    let name = path.file_name()?.to_str()?;
    let package = package(text);
    let file = match package {
        Some(package) => format!("{}/{name}", package.replace('.', "/")),
        None => name.to_owned(),
    };
    let depth = file.split('/').count();
    let root = path.ancestors().nth(depth)?;
    (root.join(&file) == path).then(|| (root.to_owned(), file))
}

/// The package that a source declares. A declaration in a comment counts, too, and leads nowhere.
fn package(text: &str) -> Option<&str> {
    let mut lines = text.lines().map(str::trim);
    let rest = lines.find_map(|line| line.strip_prefix("package "))?;
    rest.split(';').next().map(str::trim).filter(|name| !name.is_empty())
}

/// The folder with the class file of a source.
fn class_folder(root: &Path, file: &str, set: &[PathBuf]) -> Option<PathBuf> {
    let class = Path::new(file).with_extension("class");
    let usual = root.ancestors().take(ABOVE + 1).flat_map(|above| FOLDERS.map(|folder| above.join(folder)));
    // modules have folders of their own in `out/production`
    let modules = |folder: &PathBuf| {
        let inside = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
        let mut inside: Vec<PathBuf> = inside.filter(|path| path.is_dir()).collect();
        inside.sort_unstable();
        inside
    };
    let usual = usual.flat_map(|folder| {
        let inside = if folder.ends_with("production") { modules(&folder) } else { Vec::new() };
        std::iter::once(folder).chain(inside)
    });
    let mut folders = set.iter().cloned().chain(usual).chain([root.to_owned()]);
    folders.find(|folder| folder.join(&class).is_file())
}

/// A finding at its line, unless the text has become shorter since the build.
fn reported(finding: &Finding, text: &str) -> Option<Reported> {
    let number = finding.line().map_or(0, |line| line.saturating_sub(1) as usize);
    let line = text.split_inclusive('\n').nth(number)?.trim_end();
    let start: usize = text.split_inclusive('\n').take(number).map(str::len).sum();
    let start = start + (line.len() - line.trim_start().len());
    Some(Reported {
        span: start..start + line.trim_start().len(),
        severity: match finding.level {
            Level::Error => 1,
            Level::Warning => 2,
            Level::Note => 3,
        },
        message: finding.message.clone(),
        rule: finding.rule.clone(),
        confidence: finding.confidence,
    })
}

#[cfg(test)]
mod tests {
    use super::{located, package};
    use std::path::{Path, PathBuf};

    #[test]
    fn sources_are_below_their_roots() {
        let root = |path: &str, text: &str| located(Path::new(path), text);
        let found = |root: &str, file: &str| Some((PathBuf::from(root), file.to_owned()));
        assert_eq!(root("/p/src/a/b/C.java", "// C\npackage a.b;"), found("/p/src", "a/b/C.java"));
        assert_eq!(root("/p/src/C.java", "class C {}"), found("/p/src", "C.java"));
        // a file that is not where its package says has no root
        assert_eq!(root("/p/src/C.java", "package a.b;"), None);
        assert_eq!(
            (package("package a . b ;"), package("package ;"), package("x")),
            (Some("a . b"), None, None)
        );
    }
}
