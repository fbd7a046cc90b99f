//! Whether evidence shows what it says, and that of the property it came with.

use super::Stated;
use crate::flags::{AT_EXIT, RUNS, by_word};
use crate::smv::Claims;
use anyhow::{Context, bail};
use loris_base::{Diagnostic, Diagnostics};
use loris_check::{Goal, Logic, Names, Runs, core};
use loris_evidence::{
    AtExit, Reach, Replayable, Replayed, Start, Target, covers_initial, relates_formula, replay,
    replay_reach, replay_run,
};
use loris_logic::automaton::Hoa;
use loris_logic::{Formula, parse};
use loris_rsm::{LabelId, Rsm};

/// What evidence is about.
pub(super) enum Subject {
    Machine(Box<Rsm>, Vec<String>),
    Smv(Box<Claims>, Vec<String>),
}

impl Subject {
    pub(super) fn rsm(&self) -> &Rsm {
        match self {
            Subject::Machine(rsm, _) => rsm,
            Subject::Smv(claims, _) => &claims.rsm,
        }
    }

    /// The names in a machine of it.
    fn names<'a>(&self, rsm: &'a Rsm) -> Names<'a> {
        let (Subject::Machine(_, states) | Subject::Smv(_, states)) = self;
        Names::new(rsm, states)
    }

    /// Where a run was to get.
    fn goal(&self, rsm: &Rsm, name: &str) -> anyhow::Result<Goal> {
        let names = self.names(rsm);
        let goal = match self {
            Subject::Smv(claims, _) if claims.target.is_some() => {
                let target = claims.target.as_ref().context("there is no target")?;
                target.goal(claims.machine(), &names, rsm)
            }
            _ => names.goal(name).map_err(Diagnostics::from),
        };
        goal.map_err(|found| {
            let first = found.sorted().first().map(|problem| problem.message.clone());
            anyhow::anyhow!(first.unwrap_or_default())
        })
    }

    /// What a property may mean.
    fn formulas(&self, item: &Replayable, property: &str, logic: Logic) -> Vec<Formula> {
        match self {
            Subject::Smv(claims, _) => claims.formulas(item, property, logic),
            Subject::Machine(..) => {
                let formula = parse(property).and_then(|formula| core(logic, &formula).map(|_| formula));
                formula.into_iter().collect()
            }
        }
    }
}

/// What all evidence of a call has in common.
pub(super) struct Replay<'a> {
    pub(super) subject: &'a Subject,
    pub(super) at_exit: Option<AtExit>,
    pub(super) stated: &'a Stated,
    pub(super) automata: &'a [(String, Hoa)],
}

impl Replay<'_> {
    /// Replays evidence, and asks whether it is evidence for the verdict it came with.
    pub(super) fn verify(&self, item: &Replayable) -> anyhow::Result<Replayed> {
        let at_exit = self.at_exit(item)?;
        let rsm = &match self.subject {
            Subject::Machine(rsm, _) => (**rsm).clone(),
            Subject::Smv(claims, _) => claims.rooted(item.module.as_deref()),
        };
        let Some(verdict) = &item.verdict else { return Ok(replay(rsm, &item.evidence, at_exit)?) };
        if verdict == "reachable" {
            return self.verify_reach(rsm, item, at_exit);
        }
        let holds = match verdict.as_str() {
            "holds" => true,
            "fails" => false,
            _ => bail!("evidence is for a property that holds or fails, not for \"{verdict}\""),
        };
        if item.logic.as_deref() == Some(Logic::Automaton.name()) {
            if !holds {
                bail!("that an automaton accepts no run is shown by none");
            }
            return self.verify_automaton(rsm, item, at_exit);
        }
        let replayed = replay(rsm, &item.evidence, at_exit)?;
        covers_initial(rsm, &item.evidence, holds)?;
        let linear = item.logic.as_deref() == Some(Logic::Ltl.name());
        if linear {
            self.is_counted(rsm, item, at_exit)?;
        }
        if let (Some(property), Some(path)) = (&item.property, item.evidence.paths.iter().next()) {
            let logics = [Logic::Ctl, Logic::Ltl, Logic::Star];
            let named = item.logic.as_deref().unwrap_or(Logic::Ctl.name());
            let logic = logics.into_iter().find(|logic| logic.name() == named);
            let logic = logic.with_context(|| format!("\"{named}\" is no logic"))?;
            let formulas = self.subject.formulas(item, property, logic);
            if formulas.is_empty() {
                if matches!(self.subject, Subject::Smv(..)) {
                    bail!("the property \"{property}\" means nothing in this model, or is not {named}");
                }
                let article = if logic == Logic::Ltl { "an" } else { "a" };
                bail!("the property \"{property}\" is not {article} {} formula", named.to_uppercase());
            }
            if !formulas.iter().any(|formula| relates_formula(formula, holds, &path.shows, at_exit)) {
                bail!("it is not about the property \"{property}\", which {verdict}");
            }
        }
        Ok(replayed)
    }

    fn at_exit(&self, item: &Replayable) -> anyhow::Result<AtExit> {
        let stated = item.at_exit.as_deref().map(|word| {
            by_word(&AT_EXIT, word).with_context(|| format!("\"{word}\" is no way to go on at an exit"))
        });
        Ok(self.at_exit.or(stated.transpose()?).unwrap_or_default())
    }

    /// Replays a path to a target, and asks whether it was the one to get to.
    fn verify_reach(&self, rsm: &Rsm, item: &Replayable, at_exit: AtExit) -> anyhow::Result<Replayed> {
        let (shown, replayed) = replay_reach(rsm, &item.evidence, at_exit)?;
        let Some(name) = &self.stated.target else { return Ok(replayed) };
        let wrong = |problem: Diagnostic| anyhow::anyhow!(problem.message);
        let names = self.subject.names(rsm);
        let from = self.stated.from.as_ref().map(|from| names.nodes(from)).transpose().map_err(wrong)?;
        let goal = self.subject.goal(rsm, name)?;
        let Reach { target, start } = shown;
        let is_goal = match (target, goal) {
            (Target::Label(label), Goal::Label(goal)) => label == goal,
            (Target::Node(node), Goal::Nodes(nodes)) => nodes.contains(&node),
            _ => false,
        };
        let is_start = match (start, from) {
            (Start::Initial, None) => true,
            (Start::Node(node), Some(nodes)) => nodes.contains(&node),
            _ => false,
        };
        if !is_goal || !is_start {
            bail!("it is not about how to get to \"{name}\"");
        }
        Ok(replayed)
    }

    /// Replays a run, and asks its automaton, if that is at hand.
    fn verify_automaton(&self, rsm: &Rsm, item: &Replayable, at_exit: AtExit) -> anyhow::Result<Replayed> {
        self.is_counted(rsm, item, at_exit)?;
        // automata of the same name are told apart by what they accept
        let is_named = |(name, _): &&(String, Hoa)| Some(name) == item.property.as_ref();
        let mut asked: Vec<&(String, Hoa)> = self.automata.iter().filter(is_named).collect();
        if asked.is_empty() && self.automata.len() == 1 {
            asked.extend(self.automata.iter());
        }
        let Some((name, _)) = asked.first() else {
            return Ok(replay(rsm, &item.evidence, at_exit)?);
        };
        let run = replay_run(rsm, &item.evidence, at_exit)?;
        let accepts = |(_, hoa): &(String, Hoa)| {
            let labels: Vec<Option<LabelId>> = hoa.propositions.iter().map(|name| rsm.label(name)).collect();
            let letter = |state: &Vec<LabelId>| {
                labels.iter().map(|label| label.is_some_and(|label| state.contains(&label))).collect()
            };
            let word = |states: &[Vec<LabelId>]| states.iter().map(letter).collect::<Vec<Vec<bool>>>();
            hoa.buchi.accepts_lasso(&word(&run.prefix), &word(&run.cycle))
        };
        if !asked.into_iter().any(accepts) {
            bail!("the automaton \"{name}\" does not accept this run");
        }
        Ok(Replayed { steps: run.steps, claims: 1, ..Replayed::default() })
    }

    /// Whether a run is of those that count.
    fn is_counted(&self, rsm: &Rsm, item: &Replayable, at_exit: AtExit) -> anyhow::Result<()> {
        let runs = self.stated.runs.as_deref().and_then(|word| by_word(&RUNS, word)).unwrap_or_default();
        if runs == Runs::All {
            return Ok(());
        }
        let deeper = replay_run(rsm, &item.evidence, at_exit)?.deeper;
        match runs {
            Runs::Bounded if deeper > 0 => bail!("its stack grows for ever, and only bounded runs count"),
            Runs::Unbounded if deeper == 0 => bail!("its stack is bounded, and only unbounded runs count"),
            _ => Ok(()),
        }
    }
}
