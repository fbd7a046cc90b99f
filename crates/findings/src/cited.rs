//! The text of source files, as far as findings refer to it.

use crate::location::Location;
use crate::report::Report;
use crate::source::{Excerpt, SourceText};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Files with at most this many lines are kept whole.
const WHOLE: usize = 2000;
/// Of longer ones, this many lines to either side of each place are kept.
const AROUND: usize = 20;
/// Files beyond this many are not shown.
const MOST_FILES: usize = 2000;
/// Longer lines are cut, at this many characters.
const WIDTH: usize = 500;

impl Report {
    /// The files that findings refer to, in the order of their names, with the lines.
    pub fn cited(&self) -> BTreeMap<String, BTreeSet<u32>> {
        let mut cited: BTreeMap<String, BTreeSet<u32>> = BTreeMap::new();
        let mut cite = |location: &Location| {
            if let Some(file) = &location.file {
                let lines = match cited.get_mut(&**file) {
                    Some(lines) => lines,
                    None => cited.entry(file.to_string()).or_default(),
                };
                lines.extend(location.line);
            }
        };
        for finding in &self.findings {
            finding.locations.iter().for_each(&mut cite);
            for trace in &finding.traces {
                trace.steps.iter().filter_map(|step| step.location.as_ref()).for_each(&mut cite);
                trace.frames.iter().filter_map(|frame| frame.call.location.as_ref()).for_each(&mut cite);
            }
        }
        cited
    }

    /// Adds the text of files that findings refer to, as far as `read` returns it; paths that do
    /// not lead anywhere by themselves may be relative to the folder of the model.
    pub fn add_sources(&mut self, read: impl Fn(&Path) -> Option<String>) {
        let mut cited = self.cited();
        // the text of the model itself, where people write it by hand
        let written = self
            .facts
            .iter()
            .any(|(key, value)| key == "format" && matches!(value.as_str(), Some("smv" | "pds" | "pdmu")));
        if let (true, Some(model)) = (written, self.inputs.first()) {
            cited.entry(model.clone()).or_default();
        }
        let beside = self.inputs.first().and_then(|model| Some(Path::new(model).parent()?.to_owned()));
        // a file that is named, but no line of it, is the model that a property is about
        let wanted = cited
            .into_iter()
            .filter(|(path, lines)| !lines.is_empty() || written && self.inputs.contains(path));
        let wanted: Vec<_> = wanted.take(MOST_FILES).collect();
        for (path, lines) in wanted {
            if self.sources.iter().any(|source| source.path == path) {
                continue;
            }
            let places = [Some(PathBuf::from(&path)), beside.as_ref().map(|folder| folder.join(&path))];
            if let Some(text) = places.iter().flatten().find_map(|place| read(place)) {
                self.add_source(&path, &text, &lines);
            }
        }
    }

    /// Adds the text of a file, of which long ones are kept around the lines that are cited.
    pub fn add_source(&mut self, path: &str, text: &str, cited: &BTreeSet<u32>) {
        let lines: Vec<&str> = text.lines().collect();
        let cut = |line: &&str| match line.char_indices().nth(WIDTH) {
            Some((end, _)) => format!("{}…", &line[..end]),
            None => (*line).to_owned(),
        };
        let excerpt = |first: usize, last: usize| Excerpt {
            first,
            lines: lines[first - 1..last].iter().map(cut).collect(),
        };
        let excerpts = if lines.len() <= WHOLE {
            vec![excerpt(1, lines.len())]
        } else {
            let mut ranges: Vec<(usize, usize)> = Vec::new();
            for line in cited.iter().map(|&line| line as usize).filter(|&line| line <= lines.len()) {
                let (first, last) = (line.saturating_sub(AROUND).max(1), (line + AROUND).min(lines.len()));
                match ranges.last_mut() {
                    Some(range) if first <= range.1 + 1 => range.1 = last,
                    _ => ranges.push((first, last)),
                }
            }
            ranges.into_iter().map(|(first, last)| excerpt(first, last)).collect()
        };
        self.sources.push(SourceText { path: path.to_owned(), excerpts, lines: lines.len() });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_files_are_kept_around_citations() {
        let text = (1..=3000).fold(String::new(), |text, line| text + &format!("line {line}\n"));
        let mut report = Report::new("");
        report.add_source("a", &text, &BTreeSet::from([1, 30, 1000, 2999, 5000]));
        let ranges: Vec<(usize, usize)> = report.sources[0]
            .excerpts
            .iter()
            .map(|excerpt| (excerpt.first, excerpt.first + excerpt.lines.len() - 1))
            .collect();
        assert_eq!(ranges, [(1, 50), (980, 1020), (2979, 3000)]);
        assert_eq!(report.sources[0].excerpts[1].lines[20], "line 1000");
        report.add_source("b", "one\ntwo", &BTreeSet::new());
        assert_eq!(report.sources[1].excerpts[0].lines, ["one", "two"]);
    }
}
