//! `bdd`: CTL by fixpoints over sets of states, which are decision diagrams (`McMillan` 1993).
//!
//! All states are handled at once, so that the number of states matters little; the size of the
//! diagrams does, and with it the order of the variables: a first one comes from the graph
//! (`order.rs`), and sifting changes it while diagrams grow. Steps forward and backward are images
//! under a partitioned relation (`images.rs`). Operators of CTL are fixpoints of steps backward
//! (`fixpoints.rs`), within the reachable states where these are known, and range over fair paths
//! if the system restricts them. A property `AG p` is decided by steps forward, which end at the
//! first state that violates it (`forward.rs`).
//!
//! CTL presumes that every run goes on. A system whose runs can end is refused with a run that
//! does.
//!
//! Oracle: `crates/symbolic/tests/oracle/`.

mod fixpoints;
mod forward;
mod functions;
mod images;
mod options;
mod order;
mod paths;
mod reached;
mod witness;

pub(crate) use self::images::Images;
pub use self::options::{DiagramOptions, FirstOrder, FixpointDirection};
use self::reached::Reached;
use crate::{Query, SystemOutcome};
use loris_base::{Budget, Exhausted, Idx};
use loris_circuit::{Lit, SystemRun, TransitionSystem};
use loris_logic::{CoreId, CoreNode, CtlCore};
use loris_solvers::bdd::Bdd;

/// Steps of work that the search for a witness may take at least; it may also take twice as long as
/// the verdict.
const WITNESS_STEPS: u64 = 100_000_000;

/// Why there is no answer.
#[derive(Clone, Debug, thiserror::Error)]
pub enum DiagramError {
    /// A limit was reached.
    #[error(transparent)]
    Exhausted(#[from] Exhausted),
    /// Runs can end, for which CTL has no meaning; this one does.
    #[error("a run of the system ends in a state without a step")]
    DeadEnd(Box<SystemRun>),
}

/// A system as decision diagrams, for any number of queries.
pub struct Diagrams<'s> {
    system: &'s TransitionSystem,
    options: DiagramOptions,
    images: Images,
    init: Bdd,
    justice: Vec<Bdd>,
    compassion: Vec<(Bdd, Bdd)>,
    /// the states that matter: the reachable ones once they are known, else all
    care: Bdd,
    reached: Reached,
    /// whether it is known that runs never end
    is_total: bool,
    fair: Option<Fair>,
    /// the last query, which may be asked again with a larger budget
    asked: Option<Asked>,
    steps: u64,
}

/// The states from which a fair path starts, and those of them that fair cycles visit, with some on
/// the way.
#[derive(Clone)]
struct Fair {
    states: Bdd,
    hull: Bdd,
}

impl<'s> Diagrams<'s> {
    /// Builds the relation.
    pub fn new(
        system: &'s TransitionSystem,
        options: DiagramOptions,
        budget: &mut Budget,
    ) -> Result<Self, Exhausted> {
        let mut images = Images::new(system, &options, budget)?;
        let mut init = images.store.constant(true);
        for set in images.sets(system, &system.init, budget)? {
            init = images.store.and(&init, &set, budget)?;
        }
        let justice = images.sets(system, &system.justice, budget)?;
        let (often, then): (Vec<_>, Vec<_>) = system.compassion.iter().copied().unzip();
        let often = images.sets(system, &often, budget)?;
        let then = images.sets(system, &then, budget)?;
        let compassion = often.into_iter().zip(then).collect();
        let care = images.store.constant(true);
        let reached = Reached::new(&init);
        Ok(Self {
            system,
            options,
            images,
            init,
            justice,
            compassion,
            care,
            reached,
            is_total: options.total || system.constraints.is_empty(),
            fair: None,
            asked: None,
            steps: 0,
        })
    }

    /// Decides a query. After [`DiagramError::Exhausted`], another call goes on with the results so
    /// far. A verdict is returned without its witness if the budget ends between them; another call
    /// goes on with the witness.
    pub fn check(&mut self, query: &Query, budget: &mut Budget) -> Result<SystemOutcome, DiagramError> {
        let mut asked = match self.asked.take() {
            Some(last) if (&last.core, &last.atoms[..]) == (query.core, query.atoms) => last,
            _ => Asked::new(query),
        };
        let checked = self.check_on(query, &mut asked, budget);
        self.asked = Some(asked);
        checked
    }

    fn check_on(
        &mut self,
        query: &Query,
        on: &mut Asked,
        budget: &mut Budget,
    ) -> Result<SystemOutcome, DiagramError> {
        self.ensure_total(budget)?;
        while let (None, Some(&conjunct)) = (on.failed, on.conjuncts.last()) {
            if self.holds(query, conjunct, &mut on.sets, budget)? {
                on.conjuncts.pop();
            } else {
                on.failed = Some(conjunct);
            }
        }
        let mut outcome = SystemOutcome { holds: on.failed.is_none(), ..SystemOutcome::default() };
        if self.options.witnesses {
            let mut slice = budget.slice(budget.spent().saturating_mul(2).saturating_add(WITNESS_STEPS));
            match self.witness(query, on.failed, &mut on.sets, &mut slice) {
                Ok(witness) => outcome.witness = witness,
                Err(_) => outcome.is_cut = true,
            }
            // the verdict stands, even if time is over
            let _ = budget.join(&slice);
        }
        outcome.counters.push(("steps of sets", self.steps));
        outcome.counters.push(("clusters", self.images.clusters() as u64));
        outcome.counters.extend(self.images.store.counters());
        Ok(outcome)
    }

    /// Whether all initial states satisfy a node.
    fn holds(
        &mut self,
        query: &Query,
        node: CoreId,
        sets: &mut Sets,
        budget: &mut Budget,
    ) -> Result<bool, Exhausted> {
        if !self.needs_fixpoints(query, node) {
            return self.holds_backward(query, node, sets, budget);
        }
        let first = match self.options.direction {
            FixpointDirection::Forward => return self.holds_forward(query, node, sets, budget),
            FixpointDirection::Backward => return self.holds_backward(query, node, sets, budget),
            FixpointDirection::InTurns { first } => first,
        };
        let mut steps = first;
        let mut is_full = [false; 2];
        loop {
            for forward in [true, false] {
                if is_full[usize::from(forward)] {
                    continue;
                }
                let turn = &mut budget.slice(steps);
                let done = if forward {
                    self.holds_forward(query, node, sets, turn)
                } else {
                    self.holds_backward(query, node, sets, turn)
                };
                budget.charge(turn.used())?;
                budget.join(turn)?;
                match done {
                    Err(Exhausted::Time) => budget.look()?,
                    // the other may need less
                    Err(Exhausted::Memory) if is_full == [false; 2] => is_full[usize::from(forward)] = true,
                    done => return done,
                }
            }
            steps = steps.saturating_mul(2);
        }
    }

    fn holds_forward(
        &mut self,
        query: &Query,
        node: CoreId,
        sets: &mut Sets,
        budget: &mut Budget,
    ) -> Result<bool, Exhausted> {
        let Some((_, bad)) = violation(query, node) else {
            self.reach_all(budget)?;
            return self.holds_backward(query, node, sets, budget);
        };
        if self.needs_fixpoints(query, bad) {
            self.reach_all(budget)?;
        }
        let bad = self.evaluate(query, bad, sets, budget)?;
        let bad = self.fairly(&bad, budget)?;
        Ok(!self.reaches(&bad, budget)?)
    }

    fn holds_backward(
        &mut self,
        query: &Query,
        node: CoreId,
        sets: &mut Sets,
        budget: &mut Budget,
    ) -> Result<bool, Exhausted> {
        let set = self.evaluate(query, node, sets, budget)?;
        Ok(self.images.store.and(&self.init, &!&set, budget)?.is_false())
    }

    /// Whether its value in a state depends on runs of any length.
    fn needs_fixpoints(&self, query: &Query, node: CoreId) -> bool {
        let nodes = &query.core.nodes()[..=node.index()];
        let has_fixpoint = nodes.iter().any(|node| matches!(node, CoreNode::Eg(_) | CoreNode::Eu(..)));
        has_fixpoint || self.has_fairness() && nodes.iter().any(|node| node.is_existential())
    }

    fn has_fairness(&self) -> bool {
        !self.justice.is_empty() || !self.compassion.is_empty()
    }

    /// The number of reachable states as a power of two, once they are known.
    pub fn log2_reachable(&self) -> Option<f64> {
        let known = self.reached.is_complete();
        known.then(|| self.images.store.log2_count(self.reached.states(), self.system.states.len()))
    }

    /// The bytes it holds, about.
    pub fn bytes(&self) -> usize {
        self.images.store.bytes()
    }
}

/// The states that satisfy each node, as far as they are known; of nodes `EG`, also the hull of
/// fair cycles.
struct Sets {
    of: Vec<Option<Bdd>>,
    hulls: Vec<Option<Bdd>>,
}

impl Sets {
    fn new(query: &Query) -> Self {
        let nodes = query.core.nodes().len();
        Self { of: vec![None; nodes], hulls: vec![None; nodes] }
    }
}

/// A query, as far as it is decided.
struct Asked {
    core: CtlCore,
    atoms: Vec<Lit>,
    sets: Sets,
    /// conjuncts of the property that are still to be decided, the next one last
    conjuncts: Vec<CoreId>,
    /// the one that fails
    failed: Option<CoreId>,
}

impl Asked {
    fn new(query: &Query) -> Self {
        let mut conjuncts = conjuncts(query);
        conjuncts.reverse();
        Self {
            core: query.core.clone(),
            atoms: query.atoms.to_vec(),
            sets: Sets::new(query),
            conjuncts,
            failed: None,
        }
    }
}

/// The operands of the conjunction that a property is.
fn conjuncts(query: &Query) -> Vec<CoreId> {
    let mut found = Vec::new();
    let mut work = vec![query.core.root()];
    while let Some(node) = work.pop() {
        match query.core.node(node) {
            CoreNode::And(a, b) => work.extend([b, a]),
            _ => found.push(node),
        }
    }
    found
}

/// For a node `!EF b`: the node `EF b`, and `b`.
fn violation(query: &Query, node: CoreId) -> Option<(CoreId, CoreId)> {
    let nodes = query.core.nodes();
    let CoreNode::Not(reach) = nodes[node.index()] else { return None };
    let CoreNode::Eu(along, bad) = nodes[reach.index()] else { return None };
    (nodes[along.index()] == CoreNode::True).then_some((reach, bad))
}
