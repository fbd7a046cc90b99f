//! Judges one site after the other: explores its machine and checks the rules' properties on it.

use super::atoms::Labels;
use super::doubt::{Seen, doubted};
use super::placed::Leaves;
use super::reduce::{Graph, GraphCall, GraphNode, Reducer, holds, rsm};
use super::sites::object_type;
use super::story::{self, Shown};
use super::table::{At, Condition, ESCAPED, Named, ObjectRule};
use super::thrown::without_unlikely;
use crate::ask::refutation;
use crate::context::ProgramContext;
use loris_base::{Budget, Exhausted, Symbol};
use loris_findings::{Confidence, Finding};
use loris_java::class::{Body, Member, Op, StackOp};
use loris_java::objects::{Model, ObjectMachine, Site, SiteKind, Tracker, ancestors, matches};
use loris_java::{MethodId, Program};
use rustc_hash::FxHashSet;

/// What a judge found.
#[derive(Default)]
pub(super) struct Judged {
    /// with the site and the rule of each
    pub(super) findings: Vec<(Site, usize, Finding)>,
    /// sites where rules are broken, those that are not asked for included
    pub(super) broken: Vec<(Site, usize)>,
    /// for each rule, the sites of objects that callers care for
    pub(super) helpers: Vec<Vec<Leaves>>,
    /// for each rule, the methods that return objects they made, with the types of these
    pub(super) returning: Vec<Vec<(MethodId, Symbol)>>,
    /// resources that went where they cannot be followed
    pub(super) escaped: usize,
    /// rules that are not decided at a site: there was too little memory, or it has too many states
    pub(super) left: Vec<(Site, usize, Exhausted)>,
}

/// The rules that are decided together.
pub(super) struct Rules<'a> {
    /// Those that are asked for, then those that others name under `unless`.
    pub(super) all: Vec<Named<'a>>,
    /// How many are asked for.
    pub(super) asked: usize,
    /// For each rule, the one that it names under `unless`.
    pub(super) unless: Vec<Option<usize>>,
    /// For each rule, how many others are decided before it at a site, as one waits for the other.
    pub(super) rank: Vec<usize>,
}

pub(super) struct Judge<'a, 'p> {
    pub(super) context: &'a ProgramContext<'p>,
    pub(super) rules: &'a Rules<'a>,
    pub(super) model: &'a Model,
    pub(super) tracker: Tracker<'a>,
    /// the same where every call may throw
    pub(super) unchecked: Tracker<'a>,
    pub(super) labels: Labels<'a>,
    /// for each rule the generation of its tracker, and reduced components
    pub(super) reducers: Vec<(usize, Reducer)>,
    pub(super) done: Judged,
    /// sites where rules were found broken before
    pub(super) broken: &'a FxHashSet<(Site, usize)>,
}

/// For each tracker the component of the site at hand, once it is explored.
type Tops = [Option<Result<Option<usize>, Exhausted>>; 2];

impl<'a> Judge<'a, '_> {
    /// Decides rules at a site. Where memory is too short for one, even without all that was kept
    /// to save work, or the object has too many states, it is left, and with it those that wait for
    /// it.
    pub(super) fn site(
        &mut self,
        site: &Site,
        asked: &[usize],
        budget: &mut Budget,
    ) -> Result<(), Exhausted> {
        let (mut tops, mut counted) = (Tops::default(), false);
        let mut asked = asked.to_vec();
        asked.sort_by_key(|&number| self.rules.rank[number]);
        for number in asked {
            let left = |other| self.done.left.iter().find(|left| (left.0, left.1) == (*site, other));
            if let Some(&(.., why)) = self.rules.unless[number].and_then(left) {
                self.done.left.push((*site, number, why));
                continue;
            }
            let mut decided = self.rule(site, number, &mut tops, &mut counted, budget);
            if decided == Err(Exhausted::Memory) {
                self.forget(budget);
                tops = Tops::default();
                decided = self.rule(site, number, &mut tops, &mut counted, budget);
            }
            match decided {
                Err(Exhausted::Memory) => {
                    self.forget(budget);
                    tops = Tops::default();
                    self.done.left.push((*site, number, Exhausted::Memory));
                }
                Err(Exhausted::States) => self.done.left.push((*site, number, Exhausted::States)),
                decided => decided?,
            }
        }
        Ok(())
    }

    fn rule(
        &mut self,
        site: &Site,
        number: usize,
        tops: &mut Tops,
        counted: &mut bool,
        budget: &mut Budget,
    ) -> Result<(), Exhausted> {
        let program = self.context.program;
        let enclosing = ancestors(program, program.class(program.owner(site.method)).name);
        let method = &program.names[program.method(site.method).name];
        let (_, object) = self.rules.all[number];
        let is_within = |pattern: &String| enclosing.iter().any(|class| matches(pattern, class));
        if !object.within.is_empty() && !object.within.iter().any(is_within) {
            return Ok(());
        }
        if object.except.iter().any(|pattern| pattern.fits(&enclosing, method)) {
            return Ok(());
        }
        if !object.asked.is_empty() && self.tracker(object).is_asked(site, &object.asked) {
            return Ok(());
        }
        let top = &mut tops[usize::from(object.unchecked)];
        if top.is_none() {
            *top = Some(match self.tracker(object).explore(site, budget) {
                // so it is for the other rules
                Err(Exhausted::States) => Err(Exhausted::States),
                explored => Ok(explored?),
            });
        }
        let Some(top) = top.transpose()?.flatten() else { return Ok(()) };
        let machine = self.reduced(number, object, top, budget)?;
        let atoms = machine.iter().fold(0, |all, graph| all | graph.atoms());
        let is_asked = number < self.rules.asked;
        if is_asked && !*counted && object.at.contains(&At::Resource) {
            *counted = true;
            self.done.escaped += usize::from(atoms >> ESCAPED & 1 == 1);
        }
        if self.rules.unless[number].is_some_and(|other| self.is_broken(site, other)) {
            return Ok(());
        }
        if let Some(returned) = &object.returned
            && self.check(&machine, number, object, top, returned, budget)?
            && !self.tracker(object).may_return_kept(site.method)
        {
            let owner = program.owner(site.method);
            let body = program.body(site.method).ok().flatten();
            let made = body.and_then(|body| object_type(program, owner, &body, site));
            self.done.returning[number].extend(made.map(|made| (site.method, made)));
        }
        if self.check(&machine, number, object, top, &object.property, budget)?
            || self.happens_elsewhere(site, number, object, atoms, (&machine, top), budget)?
        {
            self.note_helper(site, number, object, top, atoms);
            return Ok(());
        }
        self.done.broken.push((*site, number));
        if is_asked {
            // the story is told on a machine that depends on the site alone
            let top = if self.tracker(object).is_alone() {
                Some(top)
            } else {
                tops[usize::from(object.unchecked)] = None;
                self.tracker(object).explore_alone(site, budget)?
            };
            if let Some(top) = top {
                let finding = self.finding(site, number, object, top, budget)?;
                self.done.findings.push((*site, number, finding));
            }
        }
        Ok(())
    }

    /// Whether a rule was found broken at a site.
    fn is_broken(&self, site: &Site, rule: usize) -> bool {
        self.broken.contains(&(*site, rule)) || self.done.broken.contains(&(*site, rule))
    }

    /// Gives back the memory of all that is kept to save work.
    fn forget(&mut self, budget: &mut Budget) {
        self.tracker.forget(budget);
        self.unchecked.forget(budget);
        for (_, reducer) in &mut self.reducers {
            reducer.forget(budget);
        }
        self.labels.forget();
        // work that a limit ended gives nothing back itself
        budget.release(budget.used());
    }

    pub(super) fn tracker(&mut self, object: &ObjectRule) -> &mut Tracker<'a> {
        if object.unchecked { &mut self.unchecked } else { &mut self.tracker }
    }

    /// The machine of a site with the atoms of a rule, reduced.
    fn reduced(
        &mut self,
        rule: usize,
        object: &ObjectRule,
        top: usize,
        budget: &mut Budget,
    ) -> Result<Vec<Graph>, Exhausted> {
        if self.tracker(object).is_alone() {
            let (mut reducer, mut part) = (Reducer::default(), budget.part());
            let mut component = |number: usize| self.labelled(rule, object, number);
            let machine = reducer.machine(top, &mut component, &mut part);
            budget.join(&part)?;
            return machine;
        }
        let (generation, mut reducer) = std::mem::take(&mut self.reducers[rule]);
        let current = self.tracker(object).generation();
        if generation != current {
            reducer.forget(budget);
        }
        let mut component = |number: usize| self.labelled(rule, object, number);
        let machine = reducer.machine(top, &mut component, budget);
        self.reducers[rule] = (current, reducer);
        machine
    }

    /// A component with the atoms of a rule.
    fn labelled(&mut self, rule: usize, object: &ObjectRule, component: usize) -> Graph {
        let tracker = if object.unchecked { &self.unchecked } else { &self.tracker };
        let view = tracker.view(component);
        let mut graph = Graph { nodes: Vec::with_capacity(view.len()) };
        let mut moments = Vec::new();
        for place in 0..view.len() {
            let calls = view.calls(place);
            graph.nodes.push(GraphNode {
                mask: 0,
                next: view.next(place).to_vec(),
                calls: calls
                    .map(|(callee, returns)| GraphCall { callee, returns: returns.to_vec() })
                    .collect(),
                exit: view.is_exit(place),
            });
            if view.is_eventful(place) {
                moments.push((place, view.moment(place)));
            }
        }
        for (place, moment) in moments {
            graph.nodes[place].mask = self.labels.mask(&moment, rule, object);
        }
        graph
    }

    /// Whether a formula holds of the machine of a site.
    pub(super) fn check(
        &mut self,
        reduced: &[Graph],
        rule: usize,
        object: &ObjectRule,
        top: usize,
        question: &Condition,
        budget: &mut Budget,
    ) -> Result<bool, Exhausted> {
        let whole;
        let machine = if question.is_insensitive {
            reduced
        } else {
            let machine = self.tracker(object).machine(top);
            whole = self.graphs(&machine, rule, object);
            &whole
        };
        holds(machine, &question.core, &question.atoms, &object.atoms, budget)
    }

    /// A machine as it was explored, with the atoms of a rule.
    pub(super) fn graphs(&mut self, machine: &ObjectMachine, rule: usize, object: &ObjectRule) -> Vec<Graph> {
        let components = machine.components.iter();
        let graphs = components.map(|component| {
            let nodes = component.nodes.iter().map(|node| GraphNode {
                mask: self.labels.mask(&node.moment, rule, object),
                next: node.next.clone(),
                calls: node
                    .calls
                    .iter()
                    .map(|call| GraphCall { callee: call.callee, returns: call.returns.clone() })
                    .collect(),
                exit: node.exit,
            });
            Graph { nodes: nodes.collect() }
        });
        graphs.collect()
    }

    /// The finding of a broken rule, with its story.
    fn finding(
        &mut self,
        site: &Site,
        number: usize,
        object: &ObjectRule,
        top: usize,
        budget: &mut Budget,
    ) -> Result<Finding, Exhausted> {
        let machine = self.tracker(object).machine(top);
        let graphs = self.graphs(&machine, number, object);
        let tracker = if object.unchecked { &self.unchecked } else { &self.tracker };
        let fails = |method, body: &Body<'_>, number| tracker.is_likely_to_fail(method, body, number);
        let (program, question) = (self.context.program, &object.property);
        let placed = tracker.placing(site).map(|(_, placing)| placing);
        let (machine, graphs) = (&machine, &graphs);
        let mut seen = Seen { object, site, machine, graphs, shown: None, placed, fails: &fails };
        // of several ways to break the rule, the likely one counts
        let likely =
            without_unlikely(program, self.model, machine, graphs, (object.unchecked, &fails, site.method));
        let breaks = |graphs: &Vec<Graph>, budget: &mut Budget| {
            Ok(!holds(graphs, &question.core, &question.atoms, &object.atoms, budget)?)
        };
        let shown = match likely {
            Some(graphs) if breaks(&graphs, budget)? => shown(&graphs, object, budget)?,
            _ => shown(graphs, object, budget)?,
        };
        seen.shown = shown.as_ref();
        let finding = story::finding(self.context, self.rules.all[number].0, &seen);
        let finding = doubted(self.context, self.model, &seen, finding);
        Ok(match self.doubt_of_result(site, object) {
            Some(why) => finding.at_most(Confidence::Possible, why),
            None => finding,
        })
    }

    /// Why the result of a call may be nothing to close: a method that may run keeps what it
    /// returns, so that nobody knows who closes it; or null may be what it returns, and the caller,
    /// who drops the result at once, knows that it is.
    fn doubt_of_result(&mut self, site: &Site, object: &ObjectRule) -> Option<&'static str> {
        if site.kind != SiteKind::Result {
            return None;
        }
        let body = self.context.program.body(site.method).ok()??;
        let next = body.instructions.get(site.number + 1).map(|next| next.op);
        let is_dropped = matches!(next, Some(Op::Stack(StackOp::Pop(_))));
        let tracker = self.tracker(object);
        tracker.targets_of(site).into_iter().find_map(|run| {
            if tracker.may_return_kept(run) {
                Some("a method that the call may run returns what a field holds")
            } else if is_dropped && tracker.may_return_null(run) {
                Some("the method that returns it may return null, and its result is dropped at once")
            } else {
                None
            }
        })
    }
}

/// A run of a machine that breaks a rule, if there is one.
fn shown(graphs: &[Graph], object: &ObjectRule, budget: &mut Budget) -> Result<Option<Shown>, Exhausted> {
    let rsm = rsm(graphs, &object.atoms);
    let evidence = refutation(&rsm, &object.property.core, budget)?;
    Ok(evidence.map(|evidence| Shown { evidence, rsm }))
}

/// Whether a call of a method is a place that a rule looks at.
pub(super) fn is_place(program: &Program, object: &ObjectRule, member: &Member) -> bool {
    let (classes, name) = (ancestors(program, member.owner), &program.names[member.name]);
    object.at.iter().any(|place| match place {
        At::On(pattern) | At::OnTrue(pattern) | At::OnFalse(pattern) | At::OnThrow(pattern) => {
            pattern.fits(&classes, name)
        }
        _ => false,
    })
}
