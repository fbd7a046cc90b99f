//! Findings in what has changed: those whose place, or a step of whose trace, is in a class that
//! was compiled from a source file which is listed as changed.
//!
//! A class names its source file without a folder; its package is the folder, as compilers of Java
//! demand. A listed path fits if it ends with the two together. Sources of other languages may lie
//! elsewhere, so that their names alone count: more is reported rather than less. Of classes
//! without the name of a source file, and for class files that are listed, the outermost class
//! stands for the file.

use loris_findings::{Finding, Location};
use std::path::{Path, PathBuf};

/// Paths of files that have changed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Changed {
    paths: Vec<String>,
}

impl Changed {
    /// Files that have changed, by their paths: absolute, or relative to whatever folder.
    ///
    /// ```
    /// use loris_findings::{Finding, Level, Location, Outcome};
    /// use loris_rules::Changed;
    /// let changed = Changed::new(["core/src/main/java/com/acme/Main.java"]);
    /// let mut finding = Finding::new("leak", Level::Warning, Outcome::Fails, "a leak");
    /// finding.locations.push(Location::line("com/acme/Main.java", 7));
    /// assert!(changed.concern(&finding));
    /// finding.locations[0] = Location::line("acme/Main.java", 7);
    /// assert!(changed.concern(&finding));
    /// finding.locations[0] = Location::line("org/acme/Main.java", 7);
    /// assert!(!changed.concern(&finding));
    /// ```
    pub fn new<P: Into<PathBuf>>(paths: impl IntoIterator<Item = P>) -> Self {
        let slashed = |path: P| path.into().to_string_lossy().replace('\\', "/");
        Self { paths: paths.into_iter().map(slashed).collect() }
    }

    /// Whether a finding is about one of the files, or leads through one.
    pub fn concern(&self, finding: &Finding) -> bool {
        let steps = finding.traces.iter().flat_map(|trace| &trace.steps);
        let places = finding.locations.iter().chain(steps.filter_map(|step| step.location.as_ref()));
        self.have_class(finding.class(), finding.file()) || places.into_iter().any(|place| self.have(place))
    }

    fn have(&self, place: &Location) -> bool {
        let Some(file) = &place.file else { return false };
        let name = file.rsplit('/').next().unwrap_or(file);
        let is_java = has_extension(name, "java");
        self.paths.iter().any(|path| ends(path, file) || !is_java && ends(path, name))
    }

    /// Whether the class of a finding without a source file, or its class file, is among them.
    fn have_class(&self, class: &str, file: Option<&str>) -> bool {
        if class.is_empty() {
            return false;
        }
        let all = class.replace('.', "/");
        let (folder, simple) = all.rsplit_once('/').unwrap_or(("", &all));
        let outer = simple.split('$').next().filter(|outer| !outer.is_empty()).unwrap_or(simple);
        let outer = if folder.is_empty() { outer.to_owned() } else { format!("{folder}/{outer}") };
        self.paths.iter().any(|path| {
            let Some((stem, extension)) = path.rsplit_once('.') else { return false };
            match extension {
                "class" => ends(stem.split('$').next().unwrap_or(stem), &outer) || ends(stem, &all),
                _ => file.is_none() && ends(stem, &outer),
            }
        })
    }
}

fn has_extension(name: &str, extension: &str) -> bool {
    Path::new(name).extension().is_some_and(|found| found.eq_ignore_ascii_case(extension))
}

/// Whether a path ends with another one, whole names compared.
fn ends(path: &str, with: &str) -> bool {
    path.strip_suffix(with).is_some_and(|before| before.is_empty() || before.ends_with('/'))
}

#[cfg(test)]
mod tests {
    use super::Changed;
    use loris_findings::{Declaration, Finding, Level, Location, Outcome, TraceBuilder, TraceStep};

    fn check(paths: &[&str], class: &str, file: Option<&str>, expected: bool) {
        let mut finding = Finding::new("leak", Level::Warning, Outcome::Fails, "a leak");
        finding.declaration = Some(Declaration::of_method(class, "m", "()V"));
        finding.locations.extend(file.map(|file| Location::line(file, 7)));
        assert_eq!(Changed::new(paths).concern(&finding), expected, "{paths:?} {class} {file:?}");
    }

    #[test]
    fn files_of_classes() {
        check(&["src/a/B.java"], "a.B", Some("a/B.java"), true);
        check(&["B.java"], "a.B", Some("a/B.java"), false);
        check(&["src/xa/B.java"], "a.B", Some("a/B.java"), false);
        check(&["a/B.java"], "a.B$C", Some("a/B.java"), true);
        check(&["/home/src/a/B.java", "x"], "a.B", Some("a/B.java"), true);
        check(&["src\\a\\B.java"], "a.B", Some("a/B.java"), true);
        // folders of Kotlin leave out what all packages start with
        check(&["src/b/C.kt"], "com.acme.b.CKt", Some("com/acme/b/C.kt"), true);
        check(&["src/b/D.kt"], "com.acme.b.CKt", Some("com/acme/b/C.kt"), false);
        // classes without the name of a file
        check(&["src/a/B.java"], "a.B$C", None, true);
        check(&["src/a/C.java"], "a.B$C", None, false);
        check(&["out/a/B$1.class"], "a.B", Some("a/Other.java"), true);
        check(&["out/a/B.class"], "a.C", Some("a/B.java"), false);
        check(&[], "a.B", Some("a/B.java"), false);
    }

    #[test]
    fn steps_of_traces_count() {
        let mut trace = TraceBuilder::new("a leak", "a.B.m");
        trace.step(TraceStep::new("opened").at(Location::line("a/Helper.java", 3)));
        let mut finding = Finding::new("leak", Level::Warning, Outcome::Fails, "a leak");
        finding.locations.push(Location::line("a/B.java", 7));
        finding.traces.push(trace.finish());
        assert!(Changed::new(["src/a/Helper.java"]).concern(&finding));
        assert!(!Changed::new(["src/a/Other.java"]).concern(&finding));
    }
}
