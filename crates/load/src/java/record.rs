//! How a model was made of a Java program, as results state it for replay.
//!
//! The nodes of the machine depend on the labels that were asked for, and its runs on all the other
//! options, so that evidence can be found again only in a machine that was made in the same way.

use crate::origin::{JavaOptions, Origin, Programs};
use crate::reading::{Input, Reading};
use loris_base::{Diagnostic, Stopped};
use loris_evidence::{ProgramSettings, Results};
use loris_java::calls::Calls;
use loris_java::extract::{Choice, Granularity, Pattern};
use loris_json::{Document, Item, json_quoted};
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

/// How the machines of a Java program were made that the evidence of a file is about, as the file
/// states it: more files of the program are given, and so are libraries, unless they are where the
/// evidence states. Problems are added to the reading.
pub fn programs(
    (results, text): (&Results<'_>, &str),
    input: &str,
    also: &[PathBuf],
    origin: &Origin,
    reading: &mut Reading,
) -> Option<Programs> {
    let input = Input::named(input);
    let settings = match stated(text, reading) {
        Ok(settings) => settings,
        Err(Stopped::Exhausted(why)) => {
            reading.stop(&input, why);
            return None;
        }
        Err(Stopped::Wrong(problems)) => {
            reading.add(input, problems);
            return None;
        }
    };
    let mut known: Vec<Option<ProgramSettings>> = Vec::new();
    let mut of = Vec::with_capacity(results.stated.len());
    for one in settings {
        of.push(known.iter().position(|known| *known == one).unwrap_or_else(|| {
            known.push(one);
            known.len() - 1
        }));
    }
    debug_assert_eq!(of.len(), results.stated.len(), "every statement is met");
    if known.is_empty() {
        // there is nothing to replay, but the model is read as results without evidence state it
        known.extend(results.programs.first().cloned());
    }
    let mut origins = Vec::new();
    for settings in known {
        let recorded = match settings {
            Some(settings) => JavaOptions::recorded(&settings).map_err(Diagnostic::global),
            None => {
                Err(Diagnostic::global("the evidence does not state how the model was made of the program")
                    .help("replay the whole output of `loris check` or `loris reach`, which has \"program\""))
            }
        };
        match recorded {
            Ok(recorded) => {
                let given = &origin.java.library;
                let library = if given.is_empty() { recorded.library.clone() } else { given.clone() };
                let java = JavaOptions { also: also.to_vec(), library, ..recorded };
                origins.push(Origin { java, ..origin.clone() });
            }
            Err(problem) => {
                reading.add(input, problem.into());
                return None;
            }
        }
    }
    Some(Programs { origins, of })
}

/// For each piece of evidence in a file, how the model was made: stated by its result, or by the
/// description of the model in it or around it.
fn stated(text: &str, reading: &mut Reading) -> Result<Vec<Option<ProgramSettings>>, Stopped> {
    let document = Document::read(text, &mut reading.budget)?;
    let mut found = Vec::new();
    for root in document.roots() {
        let (items, around) = match root.under("results") {
            Some(results) => (results.items().collect(), Some(root)),
            None if root.is_array() => (root.items().collect(), None),
            None => (vec![root], None),
        };
        for item in items {
            reading.budget.spend(1)?;
            let is_alone = item.under("shows").is_some() || item.under("states").is_some();
            if is_alone || item.get("evidence").is_some_and(|evidence| !evidence.is_null()) {
                let described = item.get("model").or_else(|| around?.get("model"));
                let program = item.get("program").or_else(|| described?.get("program"));
                found.push(program.map(settings));
            }
        }
    }
    Ok(found)
}

/// The object `program`, which was read before and is right.
fn settings(item: Item<'_>) -> ProgramSettings {
    let text = |value: Item<'_>| match value.truth() {
        Some(truth) => truth.to_string(),
        None => value.text().unwrap_or_default().into_owned(),
    };
    let values = item.items().map(|value| {
        let texts = if value.is_array() { value.items().map(text).collect() } else { vec![text(value)] };
        (value.key().into_owned(), texts)
    });
    ProgramSettings(values.collect())
}

#[cfg(test)]
mod tests {
    use crate::Words;
    use crate::origin::JavaOptions;
    use crate::reading::Reading;
    use loris_base::Budget;
    use loris_evidence::Results;
    use loris_java::calls::Calls;
    use loris_java::extract::{Choice, Granularity, Pattern};

    fn reading() -> Reading {
        Reading::new(Budget::unlimited(), Words::default())
    }

    #[test]
    fn each_result_states_how_its_machine_was_made() {
        let text = r#"{"model": {"program": {"labels": ["a"]}}, "results": [
            {"property": "p", "verdict": "holds", "evidence": {}},
            {"property": "p", "verdict": "holds", "program": {"labels": ["b"], "runtime_exceptions": true}},
            {"property": "p", "verdict": "holds", "evidence": {}, "program": {"labels": "b"}}]}
            {"shows": "p", "states": []}"#;
        let settings = |texts: &[&str]| {
            let texts = texts.iter().map(|&text| text.to_owned()).collect();
            Some(loris_evidence::ProgramSettings(vec![("labels".to_owned(), texts)]))
        };
        let found = super::stated(text, &mut reading()).expect("results");
        assert_eq!(found, [settings(&["a"]), settings(&["b"]), None]);
    }

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
                let stated = super::stated(&text.replace("}}", "}, \"evidence\": {}}"), &mut reading());
                assert_eq!(stated.expect("a result"), [Some(settings.clone())]);
                let read = JavaOptions::recorded(settings).expect("its options");
                assert_eq!(format!("{read:?}"), format!("{options:?}"));
            }
        }
    }
}
