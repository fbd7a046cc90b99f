//! Random SMV models with dead ends and fairness, in each way to read dead ends: verdicts, numbers
//! of steps and notes are those of the definitions, whether a property is asked alone or in
//! company.
//!
//! The oracle enumerates sets of states. A fair run from a state exists if the state leads to a
//! strongly connected set that meets every condition.
//!
//! `LORIS_CASES=5000 cargo test -p loris-load --test fair_ends` tries more models.

#![allow(clippy::unwrap_used)] // helpers of tests

use loris_base::{Budget, Rng};
use loris_check::{Answer, Distance, Logic, Note, Options, Runs};
use loris_evidence::Verdict;
use loris_load::{Format, Origin, Reading, Words};
use loris_rsm::{DeadEnds, Semantics};
use loris_session::{Request, inquire};
use std::fmt::Write;
use std::path::Path;
use std::time::Duration;

/// A set of states, a bit each.
type Set = u32;

/// A model over one variable: where runs start, where they go, and which of them are fair.
struct Table {
    count: u32,
    initial: Set,
    next: Vec<Set>,
    justice: Vec<Set>,
    compassion: Vec<(Set, Set)>,
}

impl Table {
    fn random(rng: &mut Rng) -> Self {
        let count = 2 + rng.below(4) as u32;
        let set = |rng: &mut Rng| rng.below(1 << count) as Set;
        let next = (0..count).map(|_| if rng.chance(0.25) { 0 } else { set(rng) & set(rng) }).collect();
        let initial = set(rng) | 1 << rng.below(count as usize);
        let justice = (0..rng.below(3)).map(|_| set(rng)).collect();
        let compassion = (0..rng.below(2)).map(|_| (set(rng), set(rng))).collect();
        Self { count, initial, next, justice, compassion }
    }

    fn all(&self) -> Set {
        (1 << self.count) - 1
    }

    fn all_are_fair(&self) -> bool {
        self.justice.is_empty() && self.compassion.is_empty()
    }

    /// As SMV, without properties.
    fn text(&self) -> String {
        let mut text =
            format!("MODULE main\nVAR x : 0..{};\nINIT {};\nTRANS\n", self.count - 1, is_in(self.initial));
        for (state, &next) in self.next.iter().enumerate() {
            let next = is_in(next).replace("x in", "next(x) in");
            writeln!(text, "  {}(x = {state} & {next})", if state > 0 { "| " } else { "" }).unwrap();
        }
        text += ";\n";
        self.justice.iter().for_each(|&set| writeln!(text, "FAIRNESS {};", is_in(set)).unwrap());
        for &(p, q) in &self.compassion {
            writeln!(text, "COMPASSION ({}, {});", is_in(p), is_in(q)).unwrap();
        }
        text
    }

    fn members(&self, set: Set) -> impl Iterator<Item = usize> + use<> {
        (0..self.count as usize).filter(move |state| set >> state & 1 == 1)
    }

    /// States with a successor in a set.
    fn before(&self, set: Set) -> Set {
        self.members(self.all()).filter(|&state| self.next[state] & set != 0).map(|state| 1 << state).sum()
    }

    /// States that lead to `to` through `within`, which need not hold there.
    fn leads(&self, within: Set, to: Set) -> Set {
        (0..self.count).fold(to, |found, _| found | within & self.before(found))
    }

    fn reached(&self) -> Set {
        let step = |set: Set| self.members(set).fold(set, |found, state| found | self.next[state]);
        (0..self.count).fold(self.initial, |found, _| step(found))
    }

    /// Where fair runs within a set start that meet one more set infinitely often.
    fn lasting(&self, within: Set, also: Set) -> Set {
        let mut found = 0;
        for set in (1..=within).filter(|set| set & !within == 0) {
            let members = || self.members(set);
            let is_connected = members().all(|from| {
                let ahead = (0..self.count).fold(self.next[from] & set, |seen, _| {
                    self.members(seen).fold(seen, |seen, state| seen | self.next[state] & set)
                });
                ahead == set
            });
            let is_just = self.justice.iter().chain([&also]).all(|&condition| condition & set != 0);
            let is_compassionate = self.compassion.iter().all(|&(p, q)| p & set == 0 || q & set != 0);
            if is_connected && is_just && is_compassionate {
                found |= self.leads(within, set);
            }
        }
        found
    }

    /// The states that quantifiers of CTL see.
    fn seen(&self) -> Set {
        if self.all_are_fair() { self.all() } else { self.lasting(self.all(), self.all()) }
    }
}

/// A condition.
fn is_in(set: Set) -> String {
    let members: Vec<String> =
        (0..32).filter(|state| set >> state & 1 == 1).map(|state| state.to_string()).collect();
    if members.is_empty() { "FALSE".to_owned() } else { format!("x in {{{}}}", members.join(", ")) }
}

/// A property as it is asked, and the states where it holds or the number of steps.
enum Expected {
    Where(Set),
    Steps(Distance),
}

type Asked = (Logic, String, Expected);

/// Properties of all logics, the names of which say what they mean.
fn properties(table: &Table, (p, q): (Set, Set)) -> Vec<Asked> {
    let (all, seen) = (table.all(), table.seen());
    let (in_p, in_q) = (is_in(p), is_in(q));
    let lasting = table.lasting(all, all);
    let mut asked = Vec::new();
    let mut ctl =
        |text: String, set: Set| asked.push((Logic::Ctl, format!("SPEC {text}"), Expected::Where(set)));
    ctl(format!("EX {in_p}"), table.before(p & seen));
    ctl(format!("AX {in_p}"), all & !table.before(!p & seen));
    ctl(format!("EF {in_p}"), table.leads(all, p & seen));
    ctl(format!("AG {in_p}"), all & !table.leads(all, !p & all & seen));
    ctl(format!("EG {in_p}"), table.lasting(p, all));
    ctl(format!("AF {in_p}"), all & !table.lasting(all & !p, all));
    ctl(format!("E [{in_p} U {in_q}]"), table.leads(p, q & seen));
    ctl(format!("AG ({in_p} -> EX {in_q})"), {
        let wrong = p & !table.before(q & seen);
        all & !table.leads(all, wrong & seen)
    });
    let mut ltl = |text: String, refuted: Set| {
        asked.push((Logic::Ltl, format!("LTLSPEC {text}"), Expected::Where(all & !refuted)));
    };
    ltl(format!("G {in_p}"), table.leads(all, all & !p & lasting));
    ltl(format!("F {in_p}"), table.lasting(all & !p, all));
    ltl(format!("X {in_p}"), table.before(all & !p & lasting));
    ltl(format!("G F {in_p}"), table.leads(all, table.lasting(all & !p, all)));
    ltl(format!("F G {in_p}"), table.lasting(all, all & !p));
    ltl(format!("{in_p} U {in_q}"), {
        let wrong = table.leads(all & !q, all & !p & !q & lasting);
        table.lasting(all & !q, all) | wrong
    });
    let within = table.reached() & seen;
    let steps = (0..=table.count).scan(p & within, |frontier, steps| {
        let here = *frontier;
        *frontier |= table.members(here).fold(0, |next, state| next | table.next[state]) & within;
        Some((here, steps))
    });
    let shortest = steps.into_iter().find(|(here, _)| here & q != 0);
    let shortest = shortest.map_or(Distance::Infinite, |(_, steps)| Distance::Steps(steps.into()));
    asked.push((Logic::Ctl, format!("COMPUTE MIN [{in_p}, {in_q}]"), Expected::Steps(shortest)));
    let mut star = |text: String, set: Set| asked.push((Logic::Star, text, Expected::Where(set)));
    star(format!("A (G F {in_p})"), all & !table.leads(all, table.lasting(all & !p, all)));
    star(format!("E (G F {in_p})"), table.lasting(all, p));
    star(format!("A G ({in_p} -> E G F {in_q})"), {
        let wrong = p & !table.lasting(all, q);
        all & !table.leads(all, wrong & seen)
    });
    asked
}

/// The answers, in the order of the properties; nothing if something is wrong or refused.
fn answers(path: &Path, dead_ends: DeadEnds, text: &str, asked: &[&Asked]) -> Option<Vec<Answer>> {
    let mut text = text.to_owned();
    let carried = asked.iter().filter(|(logic, ..)| *logic != Logic::Star);
    carried.for_each(|(_, property, _)| writeln!(text, "{property}").unwrap());
    std::fs::write(path, &text).unwrap();
    let formulas = asked.iter().filter(|(logic, ..)| *logic == Logic::Star);
    let formulas: Vec<String> = formulas.map(|(_, property, _)| property.clone()).collect();
    let options = Options { jobs: 1, evidence: true, ..Options::default() };
    let logic = (!formulas.is_empty()).then_some(Logic::Star);
    let request = Request { formulas: &formulas, logic, ..Request::new(&options) };
    let mut reading = Reading::new(Budget::unlimited(), Words::default());
    let semantics = Semantics { dead_ends, ..Semantics::default() };
    let origin = Origin { semantics, ..Origin::default() };
    let inquiry = inquire(&[path.to_owned()], Format::Smv, &origin, &request, &mut reading);
    let inquiry = inquiry.filter(|_| !reading.has_errors())?;
    let mut found: Vec<(usize, Answer)> = Vec::new();
    for case in &inquiry.cases {
        assert!(case.model.as_ref().is_some_and(|model| model.rsm().is_some()), "states are few:\n{text}");
        let answers = case.answers(&options, (None, Duration::ZERO), |_, _| ()).unwrap();
        let answers =
            answers.into_iter().map(|answer| answer.unwrap_or_else(|why| panic!("{why:?}:\n{text}")));
        found.extend(case.places.iter().map(|place| place.number).zip(answers));
    }
    found.sort_by_key(|&(number, _)| number);
    Some(found.into_iter().map(|(_, answer)| answer).collect())
}

/// What an answer has to be.
fn check(table: &Table, ends: bool, (logic, property, expected): &Asked, answer: &Answer, text: &str) {
    let holds = match expected {
        Expected::Where(set) => table.initial & !set == 0,
        Expected::Steps(steps) => {
            assert_eq!(answer.value.as_ref(), Some(steps), "{property}:\n{text}");
            true
        }
    };
    assert_eq!(answer.verdict, Verdict::from(holds), "{property}:\n{text}");
    let all = table.all();
    let plain = Table { justice: Vec::new(), compassion: Vec::new(), next: table.next.clone(), ..*table };
    let note = if ends && *logic == Logic::Ltl && plain.lasting(all, all) & table.initial == 0 {
        holds.then_some(Note::NoInfiniteRun(Runs::All))
    } else {
        let is_vacuous = !table.all_are_fair() && table.lasting(all, all) & table.initial == 0;
        is_vacuous.then_some(Note::NoFairRun)
    };
    assert_eq!(answer.note.as_ref().filter(|note| note.is_of_model()), note.as_ref(), "{property}:\n{text}");
}

#[test]
fn dead_ends_and_fairness() {
    let cases = loris_testing::cases(150);
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("fair_ends");
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join("model.smv");
    let (mut ending, mut refused, mut vacuous, mut held) = (0, 0, 0, 0);
    for seed in 0..cases {
        let rng = &mut Rng::new(seed);
        let mut table = Table::random(rng);
        let text = table.text();
        let (p, q) = (rng.below(1 << table.count) as Set, rng.below(1 << table.count) as Set);
        let is_dead_end = |state: &usize| table.next[*state] == 0;
        let dead_ends: Vec<usize> = table.members(table.reached()).filter(is_dead_end).collect();
        let none = dead_ends.is_empty();
        for mode in [DeadEnds::Error, DeadEnds::Stop, DeadEnds::Loop] {
            if mode == DeadEnds::Loop {
                for &state in &dead_ends {
                    table.next[state] = 1 << state;
                }
            }
            let ends = mode == DeadEnds::Stop && !none;
            ending += usize::from(ends && !table.all_are_fair());
            let asked = properties(&table, (p, q));
            let is_answered =
                |asked: &&Asked| none || mode == DeadEnds::Loop || ends && asked.0 != Logic::Star;
            for alone in &asked {
                let found = answers(&path, mode, &text, &[alone]);
                let found = found.filter(|answers| answers.len() == 1);
                assert_eq!(
                    found.is_some(),
                    is_answered(&alone),
                    "seed {seed}, {mode:?}, {}:\n{text}",
                    alone.1
                );
                if let Some(answers) = found {
                    check(&table, ends, alone, &answers[0], &text);
                    vacuous += usize::from(answers[0].note == Some(Note::NoFairRun));
                    held += usize::from(answers[0].verdict == Verdict::Holds);
                } else {
                    refused += 1;
                }
            }
            // with formulas of one's own, those that a model carries are not asked
            let (star, carried): (Vec<&Asked>, Vec<&Asked>) =
                asked.iter().partition(|asked| asked.0 == Logic::Star);
            for company in [star, carried] {
                let Some(answers) = answers(&path, mode, &text, &company) else { continue };
                assert_eq!(answers.len(), company.len());
                for (asked, answer) in company.iter().zip(&answers) {
                    check(&table, ends, asked, answer, &text);
                }
            }
        }
    }
    std::fs::remove_dir_all(&folder).unwrap();
    let enough = cases as usize / 10;
    println!("{ending} {refused} {vacuous} {held}");
    assert!(
        ending > enough && refused > enough && vacuous > enough && held > enough,
        "{ending} {refused} {vacuous} {held}"
    );
}
