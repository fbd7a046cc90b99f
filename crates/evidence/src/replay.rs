//! Decides whether evidence shows what it says, by the semantics alone (`docs/semantics.md`); it shares
//! no code with any engine.
//!
//! A path comes before those it relies on. So one loop from the last path to the first meets every
//! path after its claims were checked, and no recursion is needed. Linear in the size of the evidence
//! times the size of the formulas.
//!
//! `E X p` and `E [ p U q ]` over state formulas are shown by a path that ends where the operand does
//! its part. Every other `E ρ` of CTL*, and these too if the path has a loop, is shown by an endless run,
//! on which ρ is decided as on a word of labels and claims (`word.rs`).
//!
//! Two kinds of claims have no finite evidence and are listed as trusted, where the outcome depends on
//! them: that *no* path of some kind exists, and that a claim which looks below the stack where a growing
//! loop starts holds again in later rounds, where the stack below is another. In a growing loop, a claim
//! that is shown at a state of the round and does not look below counts for every round. For `E G p` the
//! state that closes such a loop has to show `p` as well; for other ρ it only has to be there, since what it
//! would show is what its first state shows, or is trusted. An outermost formula that rests on nothing but
//! trusted claims is refused: there is nothing to replay.

use crate::circuit::{Circuit, Leaf, Value};
use crate::formulas::{Formulas, Lit, Op, Reading};
use crate::run::{Start, is_reach, is_run, replay_reach, replay_run, starts};
use crate::steps::{Checked, Endless, Lap, carries, lowest_exit, walk};
use crate::word::Word;
use crate::{AtExit, Evidence, Path, PathId};
use loris_base::Idx;
use loris_logic::{Core, Formula};
use loris_rsm::{Rsm, Vertex};
use rustc_hash::FxHashSet;

/// What a replay did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Replayed {
    /// Steps taken.
    pub steps: usize,
    /// Existential claims that a path showed.
    pub claims: usize,
    /// How often a claim was relied on that no path can show.
    pub trusted: usize,
    /// These claims, each once, the first few of them.
    pub trusted_claims: Vec<String>,
}

/// More are counted, but not listed.
const LISTED: usize = 20;

/// Where evidence does not show what it says, and why.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("path {path}, state {state}: {message}")]
pub struct ReplayError {
    /// Index of the path, in the order the JSON lists them.
    pub path: usize,
    /// Index of the state on the path.
    pub state: usize,
    /// What is wrong there.
    pub message: String,
}

pub(crate) fn error(path: usize, state: usize, message: impl Into<String>) -> ReplayError {
    ReplayError { path, state, message: message.into() }
}

/// Checks every path, every step and every claim.
///
/// Where the first path shows `reach …`, this is [`replay_reach`]. Where it shows [`AUTOMATON`](crate::AUTOMATON)
/// and goes on for ever, the run is checked and that the automaton accepts it is trusted; [`replay_run`]
/// gives the labels to ask one.
///
/// # Errors
/// The first thing found that is not so.
pub fn replay(rsm: &Rsm, evidence: &Evidence, at_exit: AtExit) -> Result<Replayed, ReplayError> {
    match evidence.paths.iter().next() {
        Some(path) if is_reach(path) => return Ok(replay_reach(rsm, evidence, at_exit)?.1),
        Some(path) if is_run(path) => {
            let steps = replay_run(rsm, evidence, at_exit)?.steps;
            let trusted_claims = vec!["the automaton accepts this run".to_owned()];
            return Ok(Replayed { steps, claims: 0, trusted: 1, trusted_claims });
        }
        _ => {}
    }
    let count = evidence.paths.len();
    let mut replay = Replay {
        rsm,
        evidence,
        root: roots(evidence).collect(),
        at_exit,
        formulas: Formulas::new(at_exit != AtExit::Stop),
        shown: vec![Shown { formula: Lit::TRUE, lowest: usize::MAX }; count],
        listed: FxHashSet::default(),
        report: Replayed::default(),
    };
    for path in evidence.paths.ids().rev() {
        let at = &mut 0;
        replay.path(path, at).map_err(|message| error(path.index(), *at, message))?;
    }
    replay.roots()?;
    Ok(replay.report)
}

/// Checks that evidence that a property holds starts in every initial node; where it fails, one is
/// enough.
///
/// # Errors
/// Names an initial node that is missing.
pub fn covers_initial(rsm: &Rsm, evidence: &Evidence, holds: bool) -> Result<(), ReplayError> {
    let starts: FxHashSet<Vertex> = roots(evidence)
        .filter_map(|root| evidence.paths.as_slice().get(root.index())?.states.first()?.node)
        .collect();
    match rsm.initial().iter().find(|node| !starts.contains(node)) {
        Some(&node) if holds || starts.is_empty() => {
            let message = format!("nothing is shown of the initial node \"{}\"", rsm.vertex_name(node));
            Err(error(0, 0, message))
        }
        _ => Ok(()),
    }
}

/// Whether a formula is what evidence has to show: the property where it holds, its negation where it
/// fails.
pub fn relates(property: &Core, verdict_holds: bool, shows: &str) -> bool {
    same_claim(&property.to_formula(property.root()), verdict_holds, shows, AtExit::default())
}

/// The same for any property of LTL, which is about all paths, of CTL or of CTL*: formulas are compared
/// with negations pushed inward and `F`, `G`, `W` and implications spelled out, but not reordered. What
/// evidence shows may come from the property as it is written or from its [`Core`], which simplifies.
///
/// Where runs may stop, `E p` is more than `p`.
pub fn relates_formula(property: &Formula, verdict_holds: bool, shows: &str, at_exit: AtExit) -> bool {
    let related = |property: &Formula| same_claim(property, verdict_holds, shows, at_exit);
    related(property)
        || Core::linear(property)
            .or_else(|_| Core::star(property))
            .is_ok_and(|core| related(&core.to_formula(core.root())))
}

fn same_claim(property: &Formula, holds: bool, shows: &str, at_exit: AtExit) -> bool {
    let mut formulas = Formulas::new(at_exit != AtExit::Stop);
    let claim = formulas.on_all_paths(property);
    formulas.read(shows).is_ok_and(|shown| shown.claim == if holds { claim } else { !claim })
}

fn roots(evidence: &Evidence) -> impl Iterator<Item = PathId> + '_ {
    std::iter::once(PathId::new(0)).chain(evidence.also.iter().copied())
}

/// What is known of a checked path.
#[derive(Clone, Copy)]
struct Shown {
    formula: Lit,
    /// the lowest stack height at which it, or what it relies on, leaves an exit: frames further down
    /// do not matter
    lowest: usize,
}

struct Replay<'a> {
    rsm: &'a Rsm,
    evidence: &'a Evidence,
    root: FxHashSet<PathId>,
    at_exit: AtExit,
    formulas: Formulas<'a>,
    shown: Vec<Shown>,
    listed: FxHashSet<(Lit, bool)>,
    report: Replayed,
}

impl Replay<'_> {
    /// Checks one path; those it relies on were checked. `at` follows the state looked at.
    fn path(&mut self, id: PathId, at: &mut usize) -> Checked {
        let (rsm, evidence) = (self.rsm, self.evidence);
        let path = &evidence.paths[id];
        let reading = self.formulas.read(&path.shows)?;
        walk(rsm, self.at_exit, rsm.initial_component(), &path.states, at)?;
        let last = path.states.len() - 1;
        let mut lowest = lowest_exit(rsm, &path.states[..last]);
        let mut because = Vec::with_capacity(path.because.len());
        for claim in &path.because {
            *at = claim.state;
            let child = claim.evidence.index();
            if child <= id.index() || child >= self.shown.len() {
                return Err(format!("relies on path {child}, which does not come after it"));
            }
            let Some(state) = path.states.get(claim.state) else {
                *at = last;
                return Err(format!(
                    "relies on path {child} in state {}, but this state is the last",
                    claim.state
                ));
            };
            if evidence.paths[claim.evidence].states.first() != Some(state) {
                return Err(format!("relies on path {child}, which starts elsewhere"));
            }
            lowest = lowest.min(self.shown[child].lowest);
            because.push((claim.state, self.shown[child]));
        }
        because.sort_by_key(|&(state, _)| state);
        *at = 0;
        let along_run = self.shape(path, reading, &because, at)?;
        let formula = reading.claim;
        let existential = along_run.is_some() || self.formulas.is_existential(formula);
        if self.root.contains(&id) && !existential {
            self.grounded(formula, path.states[0].node, &because)?;
        }
        if along_run.is_some_and(|run| run.is_implied()) {
            // it goes on from the last exit
            lowest = 0;
        }
        self.shown[id.index()] = Shown { formula, lowest };
        self.report.steps += last;
        self.report.claims += usize::from(existential);
        Ok(())
    }

    /// Checks that the states are what the outermost operator asks for; an endless run is returned.
    fn shape<'p>(
        &mut self,
        path: &'p Path,
        Reading { claim, along }: Reading,
        because: &[(usize, Shown)],
        at: &mut usize,
    ) -> Result<Option<Endless<'p>>, String> {
        let (last, endless) = (path.states.len() - 1, path.repeats.is_some());
        let states = |lit| self.formulas.is_state(lit);
        let under = match self.formulas.op(claim) {
            Op::Exists(path) => Some(self.formulas.op(path)),
            _ => None,
        };
        let can_end = self.at_exit != AtExit::Stop;
        match (under, along) {
            (_, None) if endless => Err("only what E says of a path is shown by a loop".to_owned()),
            (Some(Op::Next(f)), _) if can_end && !endless && states(f) => {
                if last != 1 {
                    return Err("E X is shown by two states".to_owned());
                }
                self.all(f, path, 1..2, because, at)?;
                Ok(None)
            }
            (Some(Op::Until(f, g)), _) if can_end && !endless && states(f) && states(g) => {
                self.all(f, path, 0..last, because, at)?;
                self.all(g, path, last..last + 1, because, at)?;
                Ok(None)
            }
            (Some(Op::Release(Lit::FALSE, f)), _) if states(f) => {
                let run = Endless::new(self.rsm, path, self.at_exit)?;
                // a closed loop ends in the very state it starts from
                let end = run.len + usize::from(run.lap.is_some());
                let circuit = Circuit::new(&self.formulas, f, self.rsm);
                for i in 0..end {
                    *at = i.min(last);
                    self.holds(f, &circuit, (i, run.node(i)), because, run.lap.as_ref())?;
                }
                Ok(Some(run))
            }
            (Some(_), Some(along)) => self.along(path, along, because, at).map(Some),
            (None, Some(along)) if endless || last != 0 => self.along(path, along, because, at).map(Some),
            _ if last != 0 => Err("a formula that is no path's is shown by one state".to_owned()),
            _ => {
                self.all(claim, path, 0..1, because, at)?;
                Ok(None)
            }
        }
    }

    /// Checks that a path formula holds along an endless run.
    fn along<'p>(
        &mut self,
        path: &'p Path,
        along: Lit,
        because: &[(usize, Shown)],
        at: &mut usize,
    ) -> Result<Endless<'p>, String> {
        let last = path.states.len() - 1;
        let run = Endless::new(self.rsm, path, self.at_exit).inspect_err(|_| *at = last)?;
        let lap = run.lap.as_ref();
        let circuit = |lit| Circuit::new(&self.formulas, lit, self.rsm);
        let values = |circuit: &Circuit, i| self.values(circuit, (i, run.node(i)), because, lap);
        let word = Word::new(&self.formulas, along, (run.len, run.back), |lit| {
            let circuit = circuit(lit);
            let output = |i| *values(&circuit, i).last().expect("a circuit has an output");
            (0..run.len).map(output).collect()
        });
        let leaves = |(lit, i): (Lit, usize)| {
            let circuit = circuit(lit);
            let values = values(&circuit, i);
            circuit.reasons(&values)
        };
        match word.output() {
            Value::True => {}
            Value::Trusted => {
                let trusted: Vec<Leaf> = word.reasons().into_iter().flat_map(leaves).collect();
                for leaf in trusted {
                    self.trust(leaf);
                }
            }
            value => {
                let (part, position) = word.blame();
                *at = position.min(last);
                if self.formulas.is_state(part) {
                    return Err(self.refusal(part, &leaves((part, position))));
                }
                let part = self.formulas.print(part);
                let missing = word.reasons().into_iter().find_map(|(lit, i)| {
                    let claim = leaves((lit, i)).into_iter().find_map(claimed)?;
                    (value == Value::Unshown).then(|| (i.min(last), self.formulas.print(claim.0)))
                });
                return Err(match missing {
                    Some((i, claim)) => format!(
                        "`{part}` is not shown from here on: nothing shows `{claim}` in state {i}, for one"
                    ),
                    None => format!("`{part}` does not hold from here on"),
                });
            }
        }
        Ok(run)
    }

    /// Checks that a state formula holds in states of a path.
    fn all(
        &mut self,
        formula: Lit,
        path: &Path,
        states: std::ops::Range<usize>,
        because: &[(usize, Shown)],
        at: &mut usize,
    ) -> Checked {
        let circuit = Circuit::new(&self.formulas, formula, self.rsm);
        for i in states {
            *at = i;
            self.holds(formula, &circuit, (i, path.states[i].node), because, None)?;
        }
        Ok(())
    }

    /// Checks that a formula holds in a state by its labels and by claims that were shown.
    fn holds(
        &mut self,
        formula: Lit,
        circuit: &Circuit,
        state: (usize, Option<Vertex>),
        because: &[(usize, Shown)],
        lap: Option<&Lap>,
    ) -> Checked {
        let values = self.values(circuit, state, because, lap);
        match values.last() {
            Some(Value::True) => Ok(()),
            Some(Value::Trusted) => {
                circuit.reasons(&values).into_iter().for_each(|leaf| self.trust(leaf));
                Ok(())
            }
            _ => Err(self.refusal(formula, &circuit.reasons(&values))),
        }
    }

    /// The values of a circuit in a state, given as its index and its node.
    fn values(
        &self,
        circuit: &Circuit,
        (index, node): (usize, Option<Vertex>),
        because: &[(usize, Shown)],
        lap: Option<&Lap>,
    ) -> Vec<Value> {
        let start = because.partition_point(|&(at, _)| at < index);
        let here = &because[start..start + because[start..].partition_point(|&(at, _)| at == index)];
        let lap = lap.filter(|lap| (lap.from..lap.to).contains(&index));
        let claimed = |claim: Lit| {
            let shown = here.iter().filter(|(_, shown)| shown.formula == claim);
            let values = shown.map(|(_, shown)| match lap {
                Some(lap) if shown.lowest <= lap.height => Value::Trusted,
                _ => Value::True,
            });
            values.max().unwrap_or(Value::Unshown)
        };
        circuit.values(|label| carries(self.rsm, node, label), claimed)
    }

    /// Checks that a formula which holds in a state does so by some label or some claim that was shown,
    /// and not only by what is to be trusted.
    fn grounded(&self, formula: Lit, node: Option<Vertex>, because: &[(usize, Shown)]) -> Checked {
        let circuit = Circuit::new(&self.formulas, formula, self.rsm);
        // a claim that was shown may be true of every path, and then it is not asked for
        if !because.is_empty() || circuit.is_grounded(&self.values(&circuit, (0, node), because, None)) {
            return Ok(());
        }
        let formula = self.formulas.print(formula);
        Err(format!("`{formula}` shows nothing that can be replayed: it only says that no path exists"))
    }

    fn trust(&mut self, leaf: Leaf) {
        let Some((claim, positive)) = claimed(leaf) else { return };
        self.report.trusted += 1;
        if self.report.trusted_claims.len() < LISTED && self.listed.insert((claim, positive)) {
            let claim = self.formulas.print(claim);
            self.report.trusted_claims.push(if positive {
                format!("{claim}, again in every round of a growing loop")
            } else {
                format!("!{claim}")
            });
        }
    }

    fn refusal(&self, formula: Lit, reasons: &[Leaf]) -> String {
        let claim = reasons.iter().copied().find_map(claimed);
        let formula = self.formulas.print(formula);
        match claim {
            None => format!("`{formula}` does not hold here"),
            Some((claim, true)) => {
                format!("`{formula}` is not shown here: nothing shows `{}`", self.formulas.print(claim))
            }
            Some((claim, false)) => {
                format!("`{formula}` does not hold here: there is `{}`", self.formulas.print(claim))
            }
        }
    }

    /// Checks that the outermost paths show one formula and start in initial nodes, each in another.
    fn roots(&self) -> Result<(), ReplayError> {
        let mut nodes = FxHashSet::default();
        for root in roots(self.evidence) {
            let wrong = |message: &str| Err(error(root.index(), 0, message));
            let Some(path) = self.evidence.paths.as_slice().get(root.index()) else {
                return wrong("there is no such path");
            };
            let start = &path.states[0];
            starts(self.rsm, Start::Initial, start).map_err(|message| error(root.index(), 0, message))?;
            if !nodes.insert(start.node) {
                return wrong("starts in the same initial node as another path");
            }
            if self.shown[root.index()].formula != self.shown[0].formula {
                return wrong("shows another formula than the first path");
            }
        }
        Ok(())
    }
}

/// The claim of a leaf, and whether it is there or absent.
fn claimed(leaf: Leaf) -> Option<(Lit, bool)> {
    match leaf {
        Leaf::Claim(claim, positive) => Some((claim, positive)),
        Leaf::Constant(_) | Leaf::Label(..) => None,
    }
}
