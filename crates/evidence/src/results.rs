//! What a file states about its evidence: results with their properties, verdicts and readings.
//!
//! Nothing is looked up in a model here. The model has to be read in the readings that the file
//! states, and an SMV model for the properties that it names, so that this comes first; then
//! [`Results::evidence`] finds the states in the model. Both are linear in the file.

use crate::certificate::STRATEGY;
use crate::{AtExit, Certificate, Evidence, ProgramSettings, Unreadable};
use loris_base::{Budget, Diagnostic, Diagnostics};
use loris_json::{Document, Item};
use loris_rsm::{DeadEnds, EmptyCalls, Rsm};

/// The question that a piece of evidence answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum About {
    /// Evidence alone, without a result.
    Nothing,
    /// A verdict of `loris check`.
    Property {
        /// The property as it was written, or the name of an automaton.
        text: String,
        /// `ctl`, `ltl`, `ctl*` or `automaton`.
        logic: String,
        /// Whether it holds; else it fails.
        holds: bool,
        /// The file that the property comes from.
        file: Option<String>,
    },
    /// A target of `loris reach`, which is reachable.
    Reach {
        /// The target as it was given.
        target: String,
        /// Where runs start, if not in the initial nodes.
        from: Option<String>,
        /// The length of the path.
        steps: Option<usize>,
    },
}

/// The statement of a file about one piece of evidence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stated {
    /// The question it answers.
    pub about: About,
    /// How exits behave when the stack is empty.
    pub at_exit: Option<AtExit>,
    /// Which runs count: `all`, `bounded` or `unbounded`.
    pub runs: Option<String>,
    /// Which runs of a circuit count, if not those that are fair: `ending` or `endless`.
    pub counted_runs: Option<String>,
    /// The file of the peer that the model was composed with.
    pub with: Option<String>,
    /// The component where runs start, if not the initial one of the model: a module of an SMV
    /// file.
    pub module: Option<String>,
    /// The instance in that module which the property was written for.
    pub instance: Option<String>,
    /// the value that is the evidence
    pub(crate) evidence: u32,
}

/// A property that was asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AskedProperty {
    /// As it was written.
    pub text: String,
    /// Where runs start, as in [`Stated`].
    pub module: Option<String>,
    /// The instance it was written for, as in [`Stated`].
    pub instance: Option<String>,
}

/// The content of a file: evidence, with a statement about each.
pub struct Results<'t> {
    pub(crate) document: Document<'t>,
    /// In the order of the file.
    pub stated: Vec<Stated>,
    /// How dead ends and calls of empty procedures were read, as far as results state it, with
    /// evidence or without.
    pub readings: Vec<(Option<DeadEnds>, Option<EmptyCalls>)>,
    /// How the model was made of a program, for each result that states another way than the one
    /// before.
    pub programs: Vec<Option<ProgramSettings>>,
    /// How many results have no evidence.
    pub without: usize,
    /// The properties of these.
    pub asked: Vec<AskedProperty>,
}

impl<'t> Results<'t> {
    /// Whether the first evidence knows states by the values of their variables, and not by names.
    pub fn is_by_values(&self) -> bool {
        let Some(stated) = self.stated.first() else { return false };
        let evidence = self.document.item(stated.evidence);
        let state = evidence.get("states").and_then(|states| states.items().next());
        state.map_or(evidence.get("clauses").is_some(), |state| state.get("node").is_none())
    }

    /// Whether the first evidence is a strategy.
    pub fn is_by_strategy(&self) -> bool {
        let Some(stated) = self.stated.first() else { return false };
        let kind = self.document.item(stated.evidence).get("kind");
        kind.and_then(Item::text).is_some_and(|kind| kind == STRATEGY)
    }

    /// No results at all.
    pub fn nothing() -> Self {
        Self {
            document: Document::default(),
            stated: Vec::new(),
            readings: Vec::new(),
            programs: Vec::new(),
            without: 0,
            asked: Vec::new(),
        }
    }

    /// Reads evidence alone, an array of it, or the output of `loris check` and `loris reach`:
    /// `json`, `jsonl` and `--evidence-file`.
    ///
    /// ```
    /// use loris_base::Budget;
    /// use loris_evidence::{About, Results};
    /// let text = r#"{"results": [{"property": "A F p", "logic": "ctl", "verdict": "fails",
    ///     "evidence": {"shows": "E G !p", "states": []}}, {"property": "p", "verdict": "unknown"}]}"#;
    /// let results = Results::read(text, &mut Budget::unlimited()).unwrap();
    /// assert!(matches!(&results.stated[0].about, About::Property { text, holds: false, .. } if text == "A F p"));
    /// assert_eq!(results.without, 1);
    /// ```
    ///
    /// # Errors
    /// All that is wrong: the JSON, a key that an object has twice, a result with evidence that
    /// lacks its property, its logic or its verdict, and words that are unknown; or the limit that
    /// was reached.
    pub fn read(text: &'t str, budget: &mut Budget) -> Result<Self, Unreadable> {
        let document = Document::read(text, budget)?;
        let mut reader = Reader::default();
        if document.roots().next().is_none() {
            return Err(Diagnostic::global("the file is empty").into());
        }
        for root in document.roots() {
            match root.under("results") {
                Some(results) if !results.is_array() => {
                    reader.problem(results, "\"results\" should be an array");
                }
                Some(results) => {
                    let before = reader.counts;
                    for item in results.items() {
                        budget.spend(1)?;
                        reader.result(item, Some(root));
                    }
                    reader.summary(root, before);
                }
                None if root.is_array() => {
                    for item in root.items() {
                        budget.spend(1)?;
                        reader.result(item, None);
                    }
                }
                None => reader.result(root, None),
            }
        }
        let Reader { stated, readings, programs, without, asked, problems, .. } = reader;
        if problems.is_empty() {
            Ok(Self { document, stated, readings, programs, without, asked })
        } else {
            Err(Unreadable::Wrong(problems))
        }
    }
}

/// Evidence with what its file states about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replayable {
    /// The question it answers, and the readings.
    pub stated: Stated,
    /// The evidence.
    pub evidence: Evidence,
}

/// Reads the paths of a file about a machine, without limits; results without evidence are passed
/// over. [`Results::evidence`] reads evidence of other kinds, too.
///
/// # Errors
/// All that is wrong: the file, evidence that is not a path, or names that the machine does not
/// have.
pub fn read_json(text: &str, rsm: &Rsm) -> Result<Vec<Replayable>, Diagnostics> {
    let budget = &mut Budget::unlimited();
    let read = Results::read(text, budget).and_then(|results| {
        let evidence = results.evidence(rsm, budget)?;
        let pairs = results.stated.into_iter().zip(evidence);
        let paths = pairs.map(|(stated, evidence)| match evidence {
            Certificate::Paths(evidence) => Ok(Replayable { stated, evidence }),
            Certificate::Strategy(_) | Certificate::CallStrategy(_) => {
                Err(Diagnostic::global("expected paths, and this is a strategy"))
            }
            Certificate::Invariant(_) => Err(Diagnostic::global("expected paths, and this is an invariant")),
        });
        paths.collect::<Result<_, _>>().map_err(Unreadable::from)
    });
    read.map_err(|unreadable| match unreadable {
        Unreadable::Wrong(problems) => problems,
        Unreadable::Exhausted(exhausted) => Diagnostic::global(exhausted.to_string()).into(),
    })
}

/// How many properties hold, fail and are unknown.
type Counts = [usize; 3];

const VERDICTS: [&str; 3] = ["holds", "fails", "unknown"];
const REACHED: [&str; 3] = ["reachable", "unreachable", "unknown"];
const LOGICS: [&str; 5] = ["ctl", "ltl", "ctl*", "mu", "automaton"];
const COUNTED_RUNS: [&str; 2] = ["ending", "endless"];
const RUNS: [&str; 3] = ["all", "bounded", "unbounded"];
const AT_EXIT: [(&str, AtExit); 3] = [("loop", AtExit::Loop), ("sink", AtExit::Sink), ("stop", AtExit::Stop)];
/// `maximal` is the default for parallel processes, as `error` is for machines.
const DEAD_ENDS: [(&str, DeadEnds); 4] = [
    ("error", DeadEnds::Error),
    ("loop", DeadEnds::Loop),
    ("stop", DeadEnds::Stop),
    ("maximal", DeadEnds::Error),
];
const EMPTY_CALLS: [(&str, EmptyCalls); 2] = [("pass", EmptyCalls::Pass), ("stuck", EmptyCalls::Stuck)];

#[derive(Default)]
struct Reader {
    stated: Vec<Stated>,
    readings: Vec<(Option<DeadEnds>, Option<EmptyCalls>)>,
    programs: Vec<Option<ProgramSettings>>,
    counts: Counts,
    without: usize,
    asked: Vec<AskedProperty>,
    problems: Diagnostics,
}

impl Reader {
    fn problem(&mut self, item: Item<'_>, message: impl Into<String>) {
        self.problems.push(item.error(message));
    }

    /// A result or evidence alone; `around` is the document it stands in.
    fn result(&mut self, item: Item<'_>, around: Option<Item<'_>>) {
        let has = |key: &str| item.under(key).is_some();
        let is_evidence = has("shows") || has("states");
        let is_reach = has("target");
        let is_result = is_reach || ["property", "verdict", "evidence"].into_iter().any(has);
        let before = self.problems.len();
        let dead_ends = self.reading(item, around, "dead_ends", &DEAD_ENDS);
        let empty_calls = self.reading(item, around, "empty_calls", &EMPTY_CALLS);
        if self.readings.last() != Some(&(dead_ends, empty_calls)) {
            self.readings.push((dead_ends, empty_calls));
        }
        self.program(item, around);
        let (about, evidence) = match (is_evidence, is_result) {
            (true, false) if around.is_none() => (About::Nothing, item),
            (false, true) => {
                let about = if is_reach && !has("property") { self.reach(item) } else { self.property(item) };
                let evidence = item.under("evidence");
                match (about, evidence.filter(|evidence| !evidence.is_null())) {
                    (_, None) => {
                        self.without += 1;
                        let text = |key: &str| item.get(key).and_then(Item::text).map(String::from);
                        self.asked.extend(text("property").map(|property| AskedProperty {
                            text: property,
                            module: text("module"),
                            instance: text("instance"),
                        }));
                        return;
                    }
                    (None, Some(_)) => return,
                    (Some(about), Some(evidence)) => (about, evidence),
                }
            }
            (true, true) => {
                return self.problem(
                    item,
                    "this is a result and evidence at once; a result has it under \"evidence\"",
                );
            }
            _ if around.is_some() => {
                return self.problem(item, "expected a result: an object with \"property\" and \"verdict\"");
            }
            _ => return self.problem(item, "expected evidence: an object with \"shows\" and \"states\""),
        };
        let peer = item.get("with").or_else(|| around?.get("model")?.get("with"));
        let peer = peer.or_else(|| item.get("model")?.get("with"));
        let stated = Stated {
            about,
            at_exit: self.reading(item, around, "at_exit", &AT_EXIT),
            runs: self.reading(item, around, "runs", &RUNS.map(|word| (word, word))).map(str::to_owned),
            counted_runs: self
                .reading(item, None, "counted_runs", &COUNTED_RUNS.map(|word| (word, word)))
                .map(str::to_owned),
            with: peer.and_then(|peer| self.text(peer, "with")),
            module: item.get("module").and_then(|module| self.text(module, "module")),
            instance: item.get("instance").and_then(|instance| self.text(instance, "instance")),
            evidence: evidence.number_of_value(),
        };
        if self.problems.len() == before {
            self.stated.push(stated);
        }
    }

    /// How the model was made of a program: stated by a result itself, or by the description of the
    /// model in it or around it.
    fn program(&mut self, item: Item<'_>, around: Option<Item<'_>>) {
        let described = item.get("model").or_else(|| around?.get("model"));
        let stated = item.get("program").or_else(|| described?.get("program"));
        match stated.map(ProgramSettings::read).transpose() {
            Ok(program) if self.programs.last() != Some(&program) => self.programs.push(program),
            Ok(_) => {}
            Err(problem) => self.problems.push(problem),
        }
    }

    /// The question of a result of `loris check`. Without evidence, it is only counted.
    fn property(&mut self, item: Item<'_>) -> Option<About> {
        let verdict = self.word(item, "verdict", &VERDICTS)?;
        self.counts[verdict] += 1;
        let evidence = item.get("evidence")?;
        if item.under("target").is_some() {
            self.problem(item, "a result has a \"property\" or a \"target\", not both");
        }
        if verdict == 2 {
            self.problem(evidence, "there is no evidence for a verdict that is unknown");
        }
        let Some(property) = item.under("property") else {
            self.problem(item, "this result has evidence, but no \"property\" that it is for");
            return None;
        };
        let text = self.text(property, "property");
        let logic = self.word(item, "logic", &LOGICS);
        let file = item.get("file").and_then(|file| self.text(file, "file"));
        Some(About::Property { text: text?, logic: LOGICS[logic?].to_owned(), holds: verdict == 0, file })
    }

    /// The question of a result of `loris reach`.
    fn reach(&mut self, item: Item<'_>) -> Option<About> {
        let evidence = item.get("evidence")?;
        let verdict = self.word(item, "verdict", &REACHED)?;
        if verdict != 0 {
            self.problem(evidence, "only a path to what is reachable can be evidence");
        }
        let target = item.under("target").and_then(|target| self.text(target, "target"));
        let from = item.get("from").map(|from| self.text(from, "from"));
        let steps = item.get("steps").map(|steps| {
            if steps.number().is_none() {
                self.problem(steps, "\"steps\" should be a number");
            }
            steps.number()
        });
        Some(About::Reach { target: target?, from: from.flatten(), steps: steps.flatten() })
    }

    /// Compares the counts of a summary with the results.
    fn summary(&mut self, root: Item<'_>, before: Counts) {
        let Some(summary) = root.under("summary") else { return };
        for (i, verdict) in VERDICTS.into_iter().enumerate() {
            let count = self.counts[i] - before[i];
            let Some(stated) = summary.under(verdict) else { continue };
            if stated.number() != Some(count) {
                self.problem(stated, format!("of the results, {count} have the verdict \"{verdict}\""));
            }
        }
    }

    fn text(&mut self, item: Item<'_>, key: &str) -> Option<String> {
        if item.text().is_none() {
            self.problem(item, format!("\"{key}\" should be a string"));
        }
        item.text().map(String::from)
    }

    /// The place of a word that must be there among those that are known.
    fn word(&mut self, item: Item<'_>, key: &str, known: &[&str]) -> Option<usize> {
        let Some(word) = item.under(key) else {
            self.problem(item, format!("this result has no \"{key}\""));
            return None;
        };
        let found = word.text().and_then(|text| known.iter().position(|&word| word == text));
        if found.is_none() {
            self.problem(word, format!("\"{key}\" should be one of {}", known.join(", ")));
        }
        found
    }

    /// A reading, of a result or of the document around it; both may state it, if they agree.
    fn reading<T: Copy>(
        &mut self,
        item: Item<'_>,
        around: Option<Item<'_>>,
        key: &str,
        known: &[(&str, T)],
    ) -> Option<T> {
        let mut found = None;
        for stated in [around.and_then(|around| around.under(key)), item.under(key)].into_iter().flatten() {
            let place = stated.text().and_then(|text| known.iter().position(|(word, _)| *word == text));
            let Some(place) = place else {
                let words: Vec<&str> = known.iter().map(|(word, _)| *word).collect();
                self.problem(stated, format!("\"{key}\" should be one of {}", words.join(", ")));
                continue;
            };
            if found.is_some_and(|other| other != place) {
                self.problem(stated, format!("the document around this states another \"{key}\""));
            }
            found = Some(place);
        }
        found.map(|place| known[place].1)
    }
}
