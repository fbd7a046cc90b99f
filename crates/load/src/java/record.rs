//! How a model was made of a Java program, as results state it for replay.
//!
//! The nodes of the machine depend on the labels that were asked for, and its runs on all the other
//! options, so that evidence can be found again only in a machine that was made in the same way.

use super::JavaOptions;
use crate::model::Origin;
use crate::reading::{Input, Reading};
use loris_base::{Diagnostic, json_quoted};
use loris_evidence::{ProgramSettings, Results};
use loris_java::calls::Calls;
use loris_java::extract::{Choice, Granularity, Pattern};
use std::path::PathBuf;

const CALLS: [(&str, Calls); 2] = [("cha", Calls::Hierarchy), ("rta", Calls::Created)];
const GRANULARITIES: [(&str, Granularity); 2] =
    [("instruction", Granularity::Instruction), ("block", Granularity::Block)];
const TRUTHS: [(&str, bool); 2] = [("false", false), ("true", true)];
const LABELS: [(&str, Choice); 3] = [("none", Choice::None), ("most", Choice::Most), ("all", Choice::All)];

impl JavaOptions {
    /// The options as a JSON object, without the files of the program.
    pub(super) fn record(&self) -> String {
        let list = |texts: &mut dyn Iterator<Item = String>| {
            format!("[{}]", texts.map(|text| json_quoted(&text)).collect::<Vec<_>>().join(", "))
        };
        let labels = match &self.labels {
            Choice::Matching(patterns) => {
                let texts = list(&mut patterns.iter().map(|pattern| pattern.text().to_owned()));
                format!("\"labels\": {texts}")
            }
            other => format!("\"label_set\": \"{}\"", word(&LABELS, other)),
        };
        format!(
            "{{\"library\": {}, \"entries\": {}, \"calls\": \"{}\", \"granularity\": \"{}\", \
             \"runtime_exceptions\": {}, {labels}}}",
            list(&mut self.library.iter().map(|path| path.display().to_string())),
            list(&mut self.entries.iter().cloned()),
            word(&CALLS, &self.calls),
            word(&GRANULARITIES, &self.granularity),
            self.runtime,
        )
    }

    /// Options as they were recorded; the message describes the first that is wrong.
    fn recorded(settings: &ProgramSettings) -> Result<Self, String> {
        let list = |key: &str| settings.get(key).unwrap_or_default().to_vec();
        let labels = match settings.get("labels") {
            Some(labels) => Choice::Matching(labels.iter().map(|text| Pattern::new(text)).collect()),
            None => found(settings, "label_set", &LABELS)?,
        };
        Ok(Self {
            library: list("library").into_iter().map(PathBuf::from).collect(),
            entries: list("entries"),
            calls: found(settings, "calls", &CALLS)?,
            granularity: found(settings, "granularity", &GRANULARITIES)?,
            runtime: found(settings, "runtime_exceptions", &TRUTHS)?,
            labels,
            ..Self::default()
        })
    }
}

fn word<T: PartialEq>(words: &[(&'static str, T)], value: &T) -> &'static str {
    words.iter().find(|(_, known)| known == value).map_or("", |(word, _)| *word)
}

fn found<T: Clone>(settings: &ProgramSettings, key: &str, words: &[(&str, T)]) -> Result<T, String> {
    let value = settings.get(key).unwrap_or_default();
    let known = words.iter().find(|(word, _)| *value == [*word]).map(|(_, value)| value.clone());
    known.ok_or_else(|| {
        let words: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
        format!("\"{key}\" of \"program\" should be one of {}", words.join(", "))
    })
}

/// The origin of the Java program that evidence is about, as the evidence states it: more files of
/// the program are given, and so are libraries, unless they are where the evidence states. Problems
/// are added to the reading.
pub fn program(
    results: &Results<'_>,
    input: &str,
    also: &[PathBuf],
    origin: &Origin,
    reading: &mut Reading,
) -> Option<Origin> {
    let recorded =
        match &results.programs[..] {
            [] | [None] => {
                let message = "the evidence does not state how the model was made of the program";
                Err(Diagnostic::global(message)
                    .help("replay the whole output of `loris check` or `loris reach`, which has \"program\""))
            }
            [Some(settings)] => JavaOptions::recorded(settings).map_err(Diagnostic::global),
            _ => Err(Diagnostic::global("the results differ in \"program\"")
                .help("replay those that agree together")),
        };
    match recorded {
        Ok(recorded) => {
            let given = &origin.java.library;
            let library = if given.is_empty() { recorded.library.clone() } else { given.clone() };
            let java = JavaOptions { also: also.to_vec(), library, ..recorded };
            Some(Origin { java, ..origin.clone() })
        }
        Err(problem) => {
            reading.add(Input::named(input), problem.into());
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::JavaOptions;
    use loris_base::Budget;
    use loris_evidence::Results;
    use loris_java::calls::Calls;
    use loris_java::extract::{Choice, Granularity, Pattern};

    #[test]
    fn records_are_read_as_they_were_written() {
        let pattern = |text: &str| Pattern::new(text);
        for labels in [
            Choice::None,
            Choice::Most,
            Choice::All,
            Choice::Matching(vec![pattern("call \"a\""), pattern("*")]),
        ] {
            for (calls, granularity, runtime) in [
                (Calls::Created, Granularity::Block, false),
                (Calls::Hierarchy, Granularity::Instruction, true),
            ] {
                let options = JavaOptions {
                    library: vec!["lib/a b.jar".into()],
                    entries: vec!["p.Main.main".to_owned(), "q.*".to_owned()],
                    calls,
                    granularity,
                    runtime,
                    labels: labels.clone(),
                    ..JavaOptions::default()
                };
                let text = format!(
                    "{{\"property\": \"p\", \"verdict\": \"holds\", \"program\": {}}}",
                    options.record()
                );
                let results = Results::read(&text, &mut Budget::unlimited()).expect("a result");
                let [Some(settings)] = &results.programs[..] else { panic!("{text}") };
                let read = JavaOptions::recorded(settings).expect("its options");
                assert_eq!(format!("{read:?}"), format!("{options:?}"));
            }
        }
    }
}
