//! Methods whose callers have an object to care for: `begin()` acquires a lock and `end()` releases
//! it, `open()` stores a stream in a field.
//!
//! By itself, such a method is right. If the object is at one place whenever it returns
//! (`this.lock`), each call of it is a site: the object is there from then on. Methods that return
//! an object are another matter. A call is looked at if it runs one method; calls are looked for
//! anew once there are more such methods, in one pass over the calls of the program.

use super::decide::Asked;
use super::judge::Judge;
use super::reduce::Mask;
use super::sites::object_type;
use super::table::{ESCAPED, ObjectRule};
use crate::context::ProgramContext;
use loris_base::{Budget, Exhausted};
use loris_java::calls::CallGraph;
use loris_java::class::{Descriptor, Op};
use loris_java::objects::{Placed, Placing, Placings, Site, SiteKind};
use loris_java::{MethodId, Program};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;

/// The site of an object that its method leaves at a place, and what is known of that object.
pub(super) type Leaves = (Site, Placed, Placing);

/// What the methods of a program place, and for which rules their callers are sites.
#[derive(Default)]
pub(super) struct Helpers {
    pub(super) placings: Placings,
    /// for each method what it places, with the rules
    rules: FxHashMap<MethodId, BTreeMap<Placed, Vec<usize>>>,
}

impl Helpers {
    /// Adds methods that were found for a rule; whether there is a new one.
    pub(super) fn add(&mut self, rule: usize, found: Vec<Leaves>) -> bool {
        let mut is_new = false;
        for (site, placed, placing) in found {
            let method = site.method;
            self.placings.entry((method, placed)).or_insert(placing);
            let rules = self.rules.entry(method).or_default().entry(placed).or_default();
            if !rules.contains(&rule) {
                rules.push(rule);
                is_new = true;
            }
        }
        is_new
    }

    /// All that is known of an object at a place, in words that depend on names and not on their
    /// numbers.
    pub(super) fn words(&self, program: &Program, (method, placed): (MethodId, Placed)) -> String {
        let placing = self.placings.get(&(method, placed));
        let places = placing.into_iter().flat_map(|placing| &placing.places);
        let places = places.map(|place| {
            let fields = place.fields.map(|field| field.map(|field| &program.names[field]));
            format!("{:?} {fields:?}", place.parameter)
        });
        let class = placing.and_then(|placing| placing.class).map(|class| &program.names[class]);
        format!("{} {class:?} {:?}", placed.owned, places.collect::<Vec<_>>())
    }

    /// The calls of these methods, as sites.
    pub(super) fn sites(
        &self,
        context: &ProgramContext<'_>,
        graph: &CallGraph,
        budget: &mut Budget,
    ) -> Result<Vec<Asked>, Exhausted> {
        let program = context.program;
        let mut sites = Vec::new();
        for method in context.reported().flat_map(|class| program.methods_of(class)) {
            for (number, callee) in graph.sites(method) {
                budget.spend(1)?;
                let [run] = graph.methods(callee) else { continue };
                let Some(placed) = self.rules.get(run).filter(|_| *run != method) else { continue };
                let Ok(Some(body)) = program.body(method) else { continue };
                let is_call =
                    matches!(body.instructions.get(number), Some(it) if matches!(it.op, Op::Invoke(..)));
                if !is_call || body.depth(number).is_none() {
                    continue;
                }
                sites.extend(placed.iter().map(|(&placed, rules)| {
                    (Site { method, number, kind: SiteKind::Placed(placed) }, rules.clone())
                }));
            }
        }
        Ok(sites)
    }
}

/// Whether calls of a method are looked at: a constructor makes what it holds, and what a method
/// with a result tells its caller is not known.
fn is_helper(program: &Program, site: &Site, object: &ObjectRule) -> bool {
    let method = program.method(site.method);
    let is_void = Descriptor::of(&program.names[method.descriptor]).is_some_and(|it| it.result == "V");
    !program.names[method.name].starts_with('<') && (is_void || object.elsewhere.is_none())
}

impl Judge<'_, '_> {
    /// Notes the method of a site if its callers have to care for the object. Rules with an event
    /// that may happen elsewhere leave it to callers if it does not happen in the method; those
    /// that look at what is overwritten, if the method has made the object and stored it.
    pub(super) fn note_helper(
        &mut self,
        site: &Site,
        rule: usize,
        object: &ObjectRule,
        top: usize,
        atoms: Mask,
    ) {
        let program = self.context.program;
        let is_there = |name: &str| {
            let mut bits = object.atoms.iter().enumerate().filter(|(_, atom)| *atom == name);
            bits.any(|(bit, _)| atoms >> bit & 1 == 1)
        };
        let owned = match site.kind {
            SiteKind::New | SiteKind::Result | SiteKind::Child | SiteKind::Made => true,
            SiteKind::Receiver => false,
            SiteKind::Placed(placed) => placed.owned,
            _ => return,
        };
        let may_be_one = match &object.elsewhere {
            Some(event) => !owned && !is_there(event) && !self.gives_back(site, rule, object, event),
            None => owned && is_there("owned") && object.atoms.iter().any(|atom| atom == "overwritten"),
        };
        if !may_be_one || atoms >> ESCAPED & 1 == 1 || !is_helper(program, site, object) {
            return;
        }
        let places = self.tracker(object).placed(top);
        let known = self.tracker(object).placing(site).map(|(_, placing)| placing.class);
        let made =
            || object_type(program, program.owner(site.method), &program.body(site.method).ok()??, site);
        let class = known.unwrap_or_else(made);
        let Some(&place) = places.first() else { return };
        self.done.helpers[rule].push((*site, Placed { place, owned }, Placing { places, class }));
    }

    /// Whether an object that a called method has placed is left to others: the method of the site
    /// never makes the event happen, or it tells by its result where it did, or the caller had the
    /// object already and has it again.
    pub(super) fn is_left_to_callers(
        &mut self,
        site: &Site,
        (rule, object, event): (usize, &ObjectRule, &str),
        top: usize,
    ) -> bool {
        let program = self.context.program;
        let is_void = program.names[program.method(site.method).descriptor].ends_with(")V");
        let machine = self.tracker(object).machine(top);
        let graphs = self.graphs(&machine, rule, object);
        let Some(bit) = object.atoms.iter().position(|atom| atom == event) else { return true };
        let makes = machine.components.iter().zip(&graphs).skip(1);
        let makes = makes.filter(|(_, graph)| graph.atoms() >> bit & 1 == 1);
        let releasing: FxHashSet<MethodId> = makes.map(|(component, _)| component.method).collect();
        let Ok(Some(body)) = program.body(site.method) else { return true };
        let tracker = self.tracker(object);
        let runs = |number: usize| tracker.targets_of(&Site { number, ..*site });
        let acquiring = runs(site.number);
        let first = (0..body.instructions.len()).find_map(|number| {
            let run = runs(number);
            let gives_back = run.iter().any(|run| releasing.contains(run));
            (gives_back || run == acquiring).then_some(gives_back)
        });
        let is_private = |method: &MethodId| program.method(*method).flags.is_private();
        let tells =
            !is_void && (!releasing.iter().all(is_private) || self.others_run(site, &releasing, &acquiring));
        first == Some(true) || tells || self.gives_back(site, rule, object, event)
    }

    /// Whether a method that the object is followed into asks how it is held.
    pub(super) fn asks_on_the_way(&mut self, object: &ObjectRule, top: usize) -> bool {
        let program = self.context.program;
        let machine = self.tracker(object).machine(top);
        machine.components.iter().skip(1).any(|component| {
            let pool = &program.class(program.owner(component.method)).pool;
            let body = program.body(component.method).ok().flatten();
            let asks = |op: Op| match op {
                Op::Invoke(_, constant) => pool.member(constant).is_some_and(|member| {
                    object.asked.iter().any(|known| known == &program.names[member.name])
                }),
                _ => false,
            };
            body.is_some_and(|body| body.instructions.iter().any(|it| asks(it.op)))
        })
    }

    /// Whether another method of the class runs one of some methods and none of some others.
    fn others_run(&self, site: &Site, some: &FxHashSet<MethodId>, others: &[MethodId]) -> bool {
        let program = self.context.program;
        let near = program.near(program.owner(site.method)).into_iter();
        let mut methods =
            near.flat_map(|class| program.methods_of(class)).filter(|method| *method != site.method);
        let tracker = &self.tracker;
        methods.any(|method| {
            let count = program.body(method).ok().flatten().map_or(0, |body| body.instructions.len());
            let runs =
                (0..count).flat_map(|number| tracker.targets_of(&Site { method, number, kind: site.kind }));
            let runs: Vec<MethodId> = runs.collect();
            runs.iter().any(|run| some.contains(run)) && !runs.iter().any(|run| others.contains(run))
        })
    }
}
