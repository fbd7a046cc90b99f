//! The model that evidence is about, read as the evidence states it.

use super::confirmed::Unverified;
use crate::asked::{automaton, automaton_name, seen_by};
use crate::java::Labels;
use crate::smv::Claims;
use loris_base::{Budget, Diagnostic};
use loris_check::{Goal, GoalNames, Logic, core};
use loris_evidence::{About, Certificate, Results, Stated, Unreadable};
use loris_load::Format;
use loris_load::smv::SmvFile;
use loris_load::{Input, Reading};
use loris_load::{Origin, machine, peer};
use loris_logic::automaton::Hoa;
use loris_logic::{Formula, parse};
use loris_rsm::{Rsm, Semantics};
use loris_smv::Stopped;
use std::path::{Path, PathBuf};

/// The model that evidence is about.
pub(super) struct Subject {
    model: Model,
    /// the states of its peer
    states: Vec<String>,
    /// of a Java program, the labels that its nodes have, and what a node stands for
    labels: Option<Labels>,
    /// the labels that its peer reads
    heard: Vec<String>,
}

enum Model {
    Machine(Box<Rsm>),
    Smv(Box<Claims>),
}

/// An automaton that was given.
pub(super) struct Automaton {
    /// As results call it.
    pub(super) name: String,
    /// Its file, as it was given.
    pub(super) file: PathBuf,
    /// The automaton.
    pub(super) hoa: Hoa,
}

impl Subject {
    /// Reads the model that evidence is about. `origin` has the readings that the evidence does not
    /// state. Problems are added to the reading.
    pub(super) fn read(
        (path, format): (&Path, Format),
        origin: &Origin,
        results: &Results<'_>,
        automata: &mut [Automaton],
        reading: &mut Reading,
    ) -> Option<Self> {
        if format.kind().has_modules() {
            return Self::of_smv(path, origin, results, automata, reading);
        }
        let model = machine(path, format, origin, reading)?;
        let labels = Labels::of(format, origin);
        let (states, heard) = (model.states, model.heard);
        Some(Self { model: Model::Machine(Box::new(model.rsm)), states, labels, heard })
    }

    fn of_smv(
        path: &Path,
        origin: &Origin,
        results: &Results<'_>,
        automata: &mut [Automaton],
        reading: &mut Reading,
    ) -> Option<Self> {
        let file = SmvFile::read(path, origin.module.as_deref(), reading);
        let peer = peer(origin, reading);
        let hoas: Vec<&mut Hoa> = automata.iter_mut().map(|automaton| &mut automaton.hoa).collect();
        let file = file?;
        let whole = file.clone();
        let mut claims = Claims::new(file, results, false, hoas, peer.as_ref(), origin, reading)?;
        if claims.depends_on_asked()
            && let Err(Unreadable::Wrong(_)) = results.evidence(&claims.rsm, &mut reading.budget)
        {
            // the evidence may be about some of the properties of a call that asked all of the
            // file's
            let hoas: Vec<&mut Hoa> = automata.iter_mut().map(|automaton| &mut automaton.hoa).collect();
            claims = Claims::new(whole, results, true, hoas, peer.as_ref(), origin, reading)?;
        }
        let states = peer.map(|peer| peer.states().to_vec()).unwrap_or_default();
        Some(Self { model: Model::Smv(Box::new(claims)), states, labels: None, heard: Vec::new() })
    }

    /// The machine that evidence names states of.
    pub(super) fn rsm(&self) -> &Rsm {
        match &self.model {
            Model::Machine(rsm) => rsm,
            Model::Smv(claims) => &claims.rsm,
        }
    }

    /// The machine with runs that start where the evidence states.
    pub(super) fn rooted(&self, stated: &Stated) -> Rsm {
        match &self.model {
            Model::Machine(rsm) => (**rsm).clone(),
            Model::Smv(claims) => claims.rooted(stated.module.as_deref()),
        }
    }

    /// The names in a machine of it.
    pub(super) fn names<'a>(&self, rsm: &'a Rsm) -> GoalNames<'a> {
        GoalNames::new(rsm, &self.states)
    }

    /// Where a run was to get.
    pub(super) fn goal(
        &self,
        rsm: &Rsm,
        stated: &Stated,
        target: &str,
        budget: &mut Budget,
    ) -> Result<Goal, Unverified> {
        let names = self.names(rsm);
        let goal = match &self.model {
            Model::Smv(claims) => {
                let target = claims.target(stated, target);
                let target =
                    target.ok_or_else(|| Unverified::Refused("there is no such target".to_owned()))?;
                target.goal(claims.machine(), &names, rsm, budget)
            }
            Model::Machine(_) => names.goal(target).map_err(|problem| Stopped::Wrong(problem.into())),
        };
        goal.map_err(|stopped| match stopped {
            Stopped::Exhausted(exhausted) => Unverified::Exhausted(exhausted),
            Stopped::Wrong(found) => {
                let first = found.sorted().first().map(|problem| problem.message.clone());
                Unverified::Refused(first.unwrap_or_default())
            }
        })
    }

    /// The meaning of a property, and whether only fair runs count for it.
    pub(super) fn formulas(&self, stated: &Stated, property: &str, logic: Logic) -> Vec<(Formula, bool)> {
        match &self.model {
            Model::Smv(claims) => claims.formulas(stated, property, logic),
            Model::Machine(_) => {
                let formula = parse(property).and_then(|formula| core(logic, &formula).map(|_| formula));
                formula.into_iter().map(|formula| (formula, false)).collect()
            }
        }
    }

    /// A label of the program that a result is about, but that no node was given: without it, the
    /// result is about another question.
    pub(super) fn omitted(&self, stated: &Stated, automata: &[Automaton]) -> Option<String> {
        let labels = self.labels.as_ref()?;
        let mut names = self.heard.clone();
        match &stated.about {
            About::Nothing => {}
            About::Reach { target, .. } => names.push(target.clone()),
            About::Property { logic, .. } if logic == Logic::Automaton.name() => {
                names
                    .extend(automata.iter().flat_map(|automaton| automaton.hoa.propositions.iter().cloned()));
            }
            About::Property { text, .. } => {
                let formula = parse(text).ok();
                names.extend(formula.iter().flat_map(|formula| formula.atoms().iter()).map(str::to_owned));
            }
        }
        let is_omitted = |name: &String| labels.lack(name) && !self.states.contains(name);
        names.into_iter().find(is_omitted)
    }

    /// Whether a result is about a property that counts steps, and nodes of the program were cut by
    /// labels that are not its own: then it is about another machine.
    pub(super) fn is_cut_otherwise(&self, stated: &Stated, automata: &[Automaton]) -> bool {
        let Some(labels) = self.labels.as_ref().filter(|labels| labels.cut_nodes()) else { return false };
        let About::Property { text, logic, .. } = &stated.about else { return false };
        let (mut own, counts_steps) = if logic == Logic::Automaton.name() {
            let names = automata.iter().filter(|automaton| automaton.is_called(text));
            let names: Vec<String> = names.flat_map(|one| one.hoa.propositions.iter().cloned()).collect();
            // nothing is known of one that was not given
            let is_known = !names.is_empty();
            (names, is_known)
        } else {
            parse(text).map(|formula| seen_by(&formula)).unwrap_or_default()
        };
        own.retain(|name| !self.states.contains(name));
        own.extend(self.heard.iter().cloned());
        labels.differ_from(&own, counts_steps, !self.heard.is_empty())
    }

    pub(super) fn is_smv(&self) -> bool {
        matches!(self.model, Model::Smv(_))
    }
}

/// The evidence of results about several machines; `of` says for each statement which of them it is
/// about.
///
/// # Errors
/// All that is wrong with it, or the limit that was reached.
pub(super) fn evidence(
    results: &mut Results<'_>,
    subjects: &[Subject],
    of: &[usize],
    budget: &mut Budget,
) -> Result<Vec<Certificate>, Unreadable> {
    if let [subject] = subjects {
        return results.evidence(subject.rsm(), budget);
    }
    let all = std::mem::take(&mut results.stated);
    let mut placed: Vec<(usize, Certificate)> = Vec::with_capacity(all.len());
    let mut each = || {
        for (number, subject) in subjects.iter().enumerate() {
            let places: Vec<usize> = (0..all.len()).filter(|&place| of[place] == number).collect();
            results.stated = places.iter().map(|&place| all[place].clone()).collect();
            placed.extend(places.into_iter().zip(results.evidence(subject.rsm(), budget)?));
        }
        Ok(())
    };
    let found = each();
    results.stated = all;
    placed.sort_by_key(|(place, _)| *place);
    found.map(|()| placed.into_iter().map(|(_, evidence)| evidence).collect())
}

/// The readings of the model that evidence states, with defaults for those it does not state. There
/// is one model, and so one of each; results that differ are a problem of their input.
pub(super) fn semantics(results: &Results<'_>, input: &str, reading: &mut Reading) -> Semantics {
    let mut differ = |key: &str, all_agree: bool| {
        if !all_agree {
            let message = format!("the results differ in \"{key}\"");
            let problem = Diagnostic::global(message).help("replay those that agree together");
            reading.add(Input::named(input), problem.into());
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

/// Reads automata; problems are added to the reading.
pub(super) fn automata(paths: &[PathBuf], reading: &mut Reading) -> Vec<Automaton> {
    let read = |path: &PathBuf| {
        let (hoa, _) = automaton(path, reading)?;
        Some(Automaton { name: automaton_name(path, &hoa), file: path.clone(), hoa })
    };
    paths.iter().filter_map(read).collect()
}
