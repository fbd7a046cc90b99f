//! The model that evidence is about, read as the evidence states it.

use super::Args;
use crate::input::{Input, Problems};
use crate::model::{self, Format};
use crate::questions::{automaton, automaton_name};
use crate::smv::{Claims, SmvFile};
use anyhow::Context;
use loris_base::{Budget, Diagnostic};
use loris_check::{Goal, Logic, Names, core};
use loris_evidence::{Results, Stated, Unreadable};
use loris_logic::automaton::Hoa;
use loris_logic::{Formula, parse};
use loris_rsm::{Rsm, Semantics};
use loris_smv::Stopped;
use std::path::PathBuf;

/// What evidence is about.
pub(super) enum Subject {
    Machine(Box<Rsm>, Vec<String>),
    Smv(Box<Claims>, Vec<String>),
}

/// An automaton that was given.
pub(super) struct Automaton {
    /// As results call it.
    pub(super) name: String,
    /// Its file, as it was given.
    pub(super) file: PathBuf,
    pub(super) hoa: Hoa,
}

impl Subject {
    /// Reads the model in the readings that the evidence states. What is wrong is added to the problems.
    pub(super) fn read(
        args: &Args,
        results: &Results<'_>,
        automata: &mut [Automaton],
        problems: &mut Problems,
    ) -> Option<Self> {
        let semantics = args.origin.readings.semantics(semantics(args, results, problems));
        let format = problems.format(&args.model, args.model_format)?;
        if format != Format::Smv {
            let model = model::model(&args.model, format, &args.origin, semantics, problems);
            return model.map(|model| Subject::Machine(Box::new(model.rsm), model.states));
        }
        let file = SmvFile::read(&args.model, args.origin.module.as_deref(), problems);
        let peer = model::peer(&args.origin, problems);
        let hoas: Vec<&mut Hoa> = automata.iter_mut().map(|automaton| &mut automaton.hoa).collect();
        let how = (&args.origin, semantics);
        let file = file?;
        let whole = file.clone();
        let mut claims = Claims::new(file, results, false, hoas, peer.as_ref(), how, problems)?;
        if claims.depends_on_asked()
            && let Err(Unreadable::Wrong(_)) = results.evidence(&claims.rsm, &mut problems.budget)
        {
            // a part of what was asked: where all that the file carries was, it can be replayed
            let hoas: Vec<&mut Hoa> = automata.iter_mut().map(|automaton| &mut automaton.hoa).collect();
            claims = Claims::new(whole, results, true, hoas, peer.as_ref(), how, problems)?;
        }
        let states = peer.map(|peer| peer.states().to_vec()).unwrap_or_default();
        Some(Subject::Smv(Box::new(claims), states))
    }

    pub(super) fn rsm(&self) -> &Rsm {
        match self {
            Subject::Machine(rsm, _) => rsm,
            Subject::Smv(claims, _) => &claims.rsm,
        }
    }

    /// The machine with runs that start where evidence says.
    pub(super) fn rooted(&self, stated: &Stated) -> Rsm {
        match self {
            Subject::Machine(rsm, _) => (**rsm).clone(),
            Subject::Smv(claims, _) => claims.rooted(stated.module.as_deref()),
        }
    }

    /// The names in a machine of it.
    pub(super) fn names<'a>(&self, rsm: &'a Rsm) -> Names<'a> {
        let (Subject::Machine(_, states) | Subject::Smv(_, states)) = self;
        Names::new(rsm, states)
    }

    /// Where a run was to get.
    pub(super) fn goal(
        &self,
        rsm: &Rsm,
        stated: &Stated,
        target: &str,
        budget: &mut Budget,
    ) -> anyhow::Result<Goal> {
        let names = self.names(rsm);
        let goal = match self {
            Subject::Smv(claims, _) => {
                let target = claims.target(stated, target).context("there is no such target")?;
                target.goal(claims.machine(), &names, rsm, budget)
            }
            Subject::Machine(..) => names.goal(target).map_err(|problem| Stopped::Wrong(problem.into())),
        };
        goal.map_err(|stopped| match stopped {
            Stopped::Exhausted(exhausted) => exhausted.into(),
            Stopped::Wrong(found) => {
                let first = found.sorted().first().map(|problem| problem.message.clone());
                anyhow::anyhow!(first.unwrap_or_default())
            }
        })
    }

    /// What a property may mean, and whether only fair runs count for it.
    pub(super) fn formulas(&self, stated: &Stated, property: &str, logic: Logic) -> Vec<(Formula, bool)> {
        match self {
            Subject::Smv(claims, _) => claims.formulas(stated, property, logic),
            Subject::Machine(..) => {
                let formula = parse(property).and_then(|formula| core(logic, &formula).map(|_| formula));
                formula.into_iter().map(|formula| (formula, false)).collect()
            }
        }
    }

    pub(super) fn is_smv(&self) -> bool {
        matches!(self, Subject::Smv(..))
    }
}

/// The readings of the model that the evidence states. There is one model, and so one of each.
fn semantics(args: &Args, results: &Results<'_>, problems: &mut Problems) -> Semantics {
    let mut differ = |key: &str, all_agree: bool| {
        if !all_agree {
            let message = format!("the results differ in \"{key}\"");
            let problem = Diagnostic::global(message).help("replay those that agree together");
            problems.add(Input::named(&args.evidence.display().to_string()), problem.into());
        }
    };
    let dead_ends: Vec<_> = results.readings.iter().filter_map(|&(dead_ends, _)| dead_ends).collect();
    let empty_calls: Vec<_> = results.readings.iter().filter_map(|&(_, calls)| calls).collect();
    differ("dead_ends", dead_ends.windows(2).all(|pair| pair[0] == pair[1]));
    differ("empty_calls", empty_calls.windows(2).all(|pair| pair[0] == pair[1]));
    Semantics {
        dead_ends: dead_ends.first().copied().unwrap_or_default(),
        empty_calls: empty_calls.first().copied().unwrap_or_default(),
    }
}

/// Reads the automata of a call.
pub(super) fn automata(args: &Args, problems: &mut Problems) -> Vec<Automaton> {
    let read = |path: &PathBuf| {
        let (hoa, _) = automaton(path, problems)?;
        Some(Automaton { name: automaton_name(path, &hoa), file: path.clone(), hoa })
    };
    args.automaton.iter().filter_map(read).collect()
}
