//! Questions about SMV models: for engines that list states, and for those that do not.

mod claims;
mod goal;
mod turns;

pub(crate) use claims::{Claimed, Claims, claimed};
pub(crate) use goal::goal;
use turns::Done;

use crate::Request;
use crate::asked::{Asked, Asking, Language};
use crate::inquiry::{Case, Inquiry, Planned, Subject};
use loris_base::{Budget, Diagnostic, Diagnostics, Exhausted};
use loris_check::{Choice, EngineName, Model, Options, Peer, Plan, Suggestions};
use loris_load::smv::{Blamed, MERGED, SmvFile, SmvMachine, SmvStates, Unsound, component};
use loris_load::{Input, Origin, Reading, composed, peer};
use loris_logic::Fairness;
use loris_rsm::DeadEnds;
use loris_smv::ir::StructureId;
use loris_smv::{Labels, Limits, Stopped};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;

/// The machines of an SMV model, one for each module that something is asked of; or its states as
/// equations, for engines that do not list them.
pub(crate) fn inquire(
    path: &Path,
    origin: &Origin,
    request: &Request<'_>,
    reading: &mut Reading,
) -> Option<Inquiry> {
    let mut file = SmvFile::read(path, origin.module.as_deref(), reading);
    let peer = peer(origin, reading);
    if let Some(file) = &mut file {
        file.goes_with(peer.as_ref());
    }
    let asked = Asking::new(request, Language::Smv(file.as_mut()), reading).all();
    if asked.is_empty() && reading.has_errors() {
        // nothing will be asked of the states
        return None;
    }
    let file = file?;
    let mut structures: Vec<StructureId> = asked.iter().filter_map(|asked| asked.structure).collect();
    structures.sort_unstable();
    structures.dedup();
    if peer.is_some() && structures.len() > 1 {
        let problem = Diagnostic::global("a peer is composed with runs of one module");
        reading.add(Input::named(reading.words.peer), problem.help(reading.words.one_module).into());
        return None;
    }
    let mut by_structure: Vec<Vec<Asked>> = structures.iter().map(|_| Vec::new()).collect();
    for one in asked {
        let number = one.structure.and_then(|structure| structures.binary_search(&structure).ok());
        by_structure[number.expect("every structure is listed")].push(one);
    }
    let smv = Modules { file, peer, origin, request };
    let mut cases = Vec::new();
    let mut stopped = None;
    let can_be_symbolic = !smv.file.is_recursive() && smv.peer.is_none();
    // a bound on states is about engines that list them; the solvers of the others need some memory
    let has_room = reading.budget.part().charge(SOLVERS).is_ok();
    let can_turn = can_be_symbolic && origin.max_states.is_none() && has_room;
    let mut listed = match request.options.engine {
        Choice::Auto if can_turn => match smv.in_turns(FEW_STEPS, &structures, &by_structure, reading)? {
            Done::Listed(listed) => listed,
            Done::Answered(cases) => return Some(Inquiry { model: None, cases, stopped: None }),
            Done::Wrong => return None,
        },
        Choice::Named(engine) if engine.is_symbolic() && can_be_symbolic => Listed::TooMany,
        _ => smv.listed(None, &by_structure, reading)?,
    };
    if matches!(listed, Listed::TooMany) {
        for (&structure, asked) in structures.iter().zip(&mut by_structure) {
            cases.extend(smv.symbolic(structure, asked, request.options, &mut stopped, reading)?);
        }
        if by_structure.iter().all(Vec::is_empty) {
            return Some(Inquiry { model: None, cases, stopped });
        }
        // the rest is for engines that list states
        listed = smv.listed(None, &by_structure, reading)?;
    }
    for (&structure, asked) in structures.iter().zip(by_structure) {
        if !asked.is_empty() {
            cases.push(smv.explicit(structure, asked, listed.machine(), reading)?);
        }
    }
    let model = match (cases.first(), listed) {
        (Some(case), _) if smv.peer.is_some() => case.model.clone(),
        (_, Listed::All(machine)) => Some(Model::machine(machine.rsm)),
        (_, Listed::Stopped(why)) => {
            stopped = Some(why);
            None
        }
        (_, Listed::TooMany) => None,
    };
    Some(Inquiry { model, cases, stopped })
}

/// How many steps of work listing states may take before `auto` turns to engines that do not list
/// them. Public models take 40 to 380 million steps a second, and nearly all that can be listed at
/// all are done by then.
const FEW_STEPS: u64 = 60_000_000;

/// Bytes that engines which do not list states take at least.
const SOLVERS: usize = 64 << 20;

/// The modules of a file, and how something is asked of them.
struct Modules<'a> {
    file: SmvFile,
    peer: Option<Peer>,
    origin: &'a Origin,
    request: &'a Request<'a>,
}

/// What became of listing states.
enum Listed {
    /// The machine of all modules.
    All(Box<SmvMachine>),
    /// A limit was reached.
    Stopped(Exhausted),
    /// It took more steps than it was to take.
    TooMany,
}

impl Listed {
    fn machine(&self) -> Option<&SmvMachine> {
        match self {
            Listed::All(machine) => Some(machine),
            Listed::Stopped(_) | Listed::TooMany => None,
        }
    }
}

impl Modules<'_> {
    /// Lists all states, in so many steps if that is bounded. Problems are added to the reading.
    fn listed(&self, steps: Option<u64>, asked: &[Vec<Asked>], reading: &mut Reading) -> Option<Listed> {
        let mut slice = reading.budget.slice(steps.unwrap_or(u64::MAX));
        let built = self.build(&Arc::default(), &mut slice);
        self.settled(built, &slice, steps, asked, reading)
    }

    /// What became of a machine that was made within this part of the budget.
    fn settled(
        &self,
        built: Result<SmvMachine, Stopped>,
        slice: &Budget,
        steps: Option<u64>,
        asked: &[Vec<Asked>],
        reading: &mut Reading,
    ) -> Option<Listed> {
        let joined = reading.budget.join(slice).and_then(|()| reading.budget.look());
        Some(match (built, joined) {
            (Ok(machine), _) => match reading.budget.charge(slice.used()) {
                Ok(()) => Listed::All(Box::new(machine)),
                Err(why) => Listed::Stopped(why),
            },
            (Err(Stopped::Wrong(found)), _) => {
                self.wrong(&found, &asked.iter().flatten(), reading);
                return None;
            }
            (Err(Stopped::Exhausted(_)), Ok(())) if steps.is_some() => Listed::TooMany,
            (Err(Stopped::Exhausted(_)), Err(why)) | (Err(Stopped::Exhausted(why)), Ok(())) => {
                Listed::Stopped(why)
            }
        })
    }

    /// Adds problems that states show to the reading: those of properties where these were written.
    fn wrong<'q>(
        &self,
        found: &Diagnostics,
        asked: &(impl Iterator<Item = &'q Asked> + Clone),
        reading: &mut Reading,
    ) {
        let Blamed { file, given } = self.file.blamed(found);
        reading.add(self.file.input.clone(), file);
        for (wanted, problems) in given {
            let Some((at, problems)) = asked.clone().find_map(|one| one.blamed(wanted, &problems)) else {
                continue;
            };
            reading.turn_to(Some(at.place));
            reading.add(at.input.clone(), problems);
            reading.turn_to(None);
        }
    }

    /// Makes the machine of all modules; `open` tells how many states were not looked at yet.
    fn build(&self, open: &Arc<AtomicUsize>, budget: &mut Budget) -> Result<SmvMachine, Stopped> {
        let labels = if self.peer.is_some() { Labels::All } else { Labels::Needed };
        // a peer may read any label
        let (merge, open) = (self.peer.is_none().then_some(MERGED), Arc::clone(open));
        let limits = Limits { merge, open, ..self.origin.limits() };
        self.file.build(labels, &limits, budget)
    }

    /// The questions about a module for engines that list states.
    fn explicit(
        &self,
        structure: StructureId,
        asked: Vec<Asked>,
        machine: Option<&SmvMachine>,
        reading: &mut Reading,
    ) -> Option<Case> {
        let rooted = machine.map(|machine| machine.rsm.rooted(component(structure)));
        let rsm = match (rooted, &self.peer) {
            (Some(rsm), Some(peer)) => Some(composed(&rsm, peer, self.origin, reading)?),
            (rooted, _) => rooted,
        };
        let model = rsm.map(Model::machine);
        let subject = Subject { model: model.as_ref(), machine, is_finite: !self.file.is_recursive() };
        let fairness = |one: &Asked| fairness(&self.file, machine, structure, one);
        let planned = subject.planned(asked, self.request, fairness, reading);
        Some(planned.case(model, Some(self.file.module(structure).to_owned())))
    }

    /// The questions about a module for engines that do not list states; the others stay in
    /// `asked`. Problems are added to the reading.
    fn symbolic(
        &self,
        structure: StructureId,
        asked: &mut Vec<Asked>,
        options: &Options,
        stopped: &mut Option<Exhausted>,
        reading: &mut Reading,
    ) -> Option<Vec<Case>> {
        let file = &self.file;
        let (taken, others) = asked.drain(..).partition(|one| one.is_symbolic(file, options.engine));
        *asked = others;
        let taken: Vec<Asked> = taken;
        if taken.is_empty() {
            return Some(Vec::new());
        }
        let states = match file.states(structure, &mut reading.budget) {
            Ok(states) => Some(Arc::new(states)),
            Err(Unsound::Stopped(Stopped::Exhausted(why))) => {
                *stopped = Some(why);
                None
            }
            Err(Unsound::Stopped(Stopped::Wrong(found))) => {
                self.wrong(&found, &taken.iter().chain(&*asked), reading);
                return None;
            }
            Err(Unsound::DeadEnd(problem)) if self.origin.semantics.dead_ends == DeadEnds::Error => {
                reading.add(file.input.clone(), (*problem).into());
                return None;
            }
            Err(Unsound::DeadEnd(_)) => {
                // what runs do that end is known to the others
                asked.extend(taken);
                return Some(Vec::new());
            }
        };
        let engine = match options.engine {
            Choice::Named(engine) => engine,
            Choice::Auto => EngineName::Bdd,
        };
        let model = states.as_ref().map(|states| Model::Symbolic(Arc::<SmvStates>::clone(states)));
        let suggestions = Suggestions::default();
        let planner = model.as_ref().map(|model| model.planner(options, &suggestions));
        let mut planned = Planned::new(self.request, None);
        for one in taken {
            let expected = one.expected;
            let fairness = fairness(file, None, structure, &one);
            let atoms = one.wanted().zip(states.as_ref());
            let atoms = atoms.map(|(wanted, states)| states.atoms(file, wanted)).unwrap_or_default();
            let (mut question, at) = one.question(None, fairness);
            question.functions = Some(atoms.into_iter().map(|(name, lit)| (name.to_owned(), lit)).collect());
            let plan =
                planner.as_ref().map_or_else(|| Ok(Plan::unmade(engine)), |planner| planner(&question));
            planned.add((question, at, expected), plan, reading);
        }
        drop(planner);
        Some(vec![planned.case(model, Some(file.module(structure).to_owned()))])
    }
}

/// Fairness conditions on the runs that a question is about.
fn fairness(file: &SmvFile, machine: Option<&SmvMachine>, structure: StructureId, one: &Asked) -> Fairness {
    match machine {
        _ if one.is_invariant(file) => Fairness::default(),
        Some(machine) => machine.fairness(structure).clone(),
        None => file.fairness(structure),
    }
}
