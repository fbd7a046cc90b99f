//! Contracts between methods: an event that does not happen to an object where it comes from is
//! another method's task.
//!
//! Of locks: `begin()` acquires and `end()` releases; a method gives back what its caller holds and
//! takes it again; it hands over `lock::unlock`. Objects are compared by the field that they come
//! from. Looked at is code of the classes around, above and below that of the site, and only once a
//! rule is broken there; linear in it.

use super::judge::{Judge, is_place};
use super::receivers::{Origin, Receivers};
use super::reduce::{Graph, Mask};
use super::table::ObjectRule;
use loris_base::{Budget, Exhausted, Symbol};
use loris_java::class::{Constant, Member, Op};
use loris_java::objects::{Site, SiteKind};
use loris_java::{ClassId, ClassOrigin, MethodId};

/// Subclasses beyond this many are not looked at.
const MOST_SUBTYPES: usize = 64;

impl Judge<'_, '_> {
    /// Whether an event that does not happen to the object is another method's task: one of the
    /// classes around makes it happen to what the same field holds, and has no site of its own.
    /// Where it does happen on some paths, the method tells its caller which, by what it returns or
    /// by an exception. A method that makes it happen before there is a site gives back what its
    /// caller had; one that names the method that makes it happen hands the task over. An object
    /// that is neither made here nor what a field holds is known elsewhere.
    pub(super) fn happens_elsewhere(
        &mut self,
        site: &Site,
        rule: usize,
        object: &ObjectRule,
        atoms: Mask,
        (machine, top): (&[Graph], usize),
        budget: &mut Budget,
    ) -> Result<bool, Exhausted> {
        let Some((event, happens)) = object.elsewhere.as_ref().zip(object.happens.as_ref()) else {
            return Ok(false);
        };
        let is_there = |name: &str| {
            let mut bits = object.atoms.iter().enumerate().filter(|(_, atom)| *atom == name);
            bits.any(|(bit, _)| atoms >> bit & 1 == 1)
        };
        // an object that the method made is its own task
        if is_there("fresh") {
            return Ok(false);
        }
        let program = self.context.program;
        if let SiteKind::Placed(_) = site.kind {
            // one that never makes it happen passes the task on; helpers may ask how it is held
            return Ok(!is_there(event)
                || self.asks_on_the_way(object, top)
                || self.is_left_to_callers(site, (rule, object, event), top)
                || !self.check(machine, rule, object, top, happens, budget)?);
        }
        let Some(receivers) = Receivers::new(program, site.method) else { return Ok(false) };
        let origin = receivers.origin(site.number);
        if self.comes_first(site, rule, object, (event, origin)) {
            return Ok(true);
        }
        let is_void = program.names[program.method(site.method).descriptor].ends_with(")V");
        // one that takes it back after an exception hands it over if there is none
        if is_there(event) && is_void && self.check(machine, rule, object, top, happens, budget)? {
            return Ok(false);
        }
        match origin {
            _ if is_there(event) => {}
            Origin::Field(Some(class), field, _) if self.is_made_here(class, field) => {}
            _ => return Ok(true),
        }
        let others = self.family(program.owner(site.method)).into_iter();
        let mut methods = others.flat_map(|class| program.methods_of(class)).filter(|&it| it != site.method);
        Ok(methods.any(|method| self.settles(method, rule, object, event, origin)))
    }

    /// Whether a method makes an event happen to what is, or may be, of one origin, and has no
    /// site of it.
    fn settles(
        &mut self,
        method: MethodId,
        rule: usize,
        object: &ObjectRule,
        event: &str,
        origin: Origin,
    ) -> bool {
        let program = self.context.program;
        let (mut happens, mut is_site) = (false, false);
        let calls = self.calls_on(method, origin, |judge, member| {
            let makes = !judge.labels.fits(rule, object, event, *member).on.is_empty();
            (makes, is_place(program, object, member))
        });
        for (_, (makes, place)) in calls {
            happens |= makes;
            is_site |= place;
        }
        happens && !is_site
    }

    /// The calls of a method that are of interest, on what may be of one origin, with what is known
    /// of each.
    fn calls_on(
        &mut self,
        method: MethodId,
        origin: Origin,
        mut interest: impl FnMut(&mut Self, &Member) -> (bool, bool),
    ) -> Vec<(usize, (bool, bool))> {
        let program = self.context.program;
        let Ok(Some(body)) = program.body(method) else { return Vec::new() };
        let pool = &program.class(program.owner(method)).pool;
        let mut calls = Vec::new();
        for (number, instruction) in body.instructions.iter().enumerate() {
            let Op::Invoke(_, constant) = instruction.op else { continue };
            let Some(member) = pool.member(constant) else { continue };
            let found = interest(self, &member);
            if found != (false, false) {
                calls.push((number, found));
            }
        }
        if !calls.is_empty()
            && let Some(receivers) = Receivers::new(program, method)
        {
            calls.retain(|&(number, _)| receivers.origin(number).may_be(origin));
        }
        calls
    }

    /// Whether all that is stored in a field is made where it is stored, so that its class and
    /// those around are the ones to look at.
    fn is_made_here(&self, class: ClassId, field: Symbol) -> bool {
        let program = self.context.program;
        let classes = self.family(class);
        let is_own = |method: MethodId| {
            let pool = &program.class(program.owner(method)).pool;
            let Ok(Some(body)) = program.body(method) else { return true };
            let stores = |op: Op| match op {
                Op::PutField(constant) | Op::PutStatic(constant) => {
                    pool.member(constant).is_some_and(|member| member.name == field)
                }
                _ => false,
            };
            let places = body.instructions.iter().enumerate().filter(|(_, it)| stores(it.op));
            let places: Vec<usize> = places.map(|(number, _)| number).collect();
            places.is_empty()
                || Receivers::new(program, method)
                    .is_some_and(|receivers| places.iter().all(|&number| receivers.stores_own(number)))
        };
        let mut fields = program.class(class).fields.iter();
        // others can get at one that is not private
        fields.any(|it| it.name == field && it.flags.is_private())
            && classes.into_iter().flat_map(|class| program.methods_of(class)).all(is_own)
    }

    /// The classes around, above and below a class.
    fn family(&self, class: ClassId) -> Vec<ClassId> {
        let program = self.context.program;
        let mut family: Vec<ClassId> = program.near(class).into_iter().collect();
        family.extend(program.supertypes(class));
        family.extend(program.all_subtypes(class).into_iter().take(MOST_SUBTYPES));
        family.retain(|&class| program.origin(class) != ClassOrigin::Platform);
        family.sort_unstable();
        family.dedup();
        family
    }

    /// Whether a method makes an event happen to what its caller had, and then has a site of it.
    pub(super) fn gives_back(&mut self, site: &Site, rule: usize, object: &ObjectRule, event: &str) -> bool {
        let Some(receivers) = Receivers::new(self.context.program, site.method) else { return true };
        let origin = match site.kind {
            SiteKind::Placed(_) => Origin::Unknown,
            _ => receivers.origin(site.number),
        };
        self.comes_first(site, rule, object, (event, origin))
    }

    /// Whether a method makes an event happen before the first site, or names the method that does
    /// in a reference such as `lock::unlock`.
    fn comes_first(
        &mut self,
        site: &Site,
        rule: usize,
        object: &ObjectRule,
        (event, origin): (&str, Origin),
    ) -> bool {
        let program = self.context.program;
        let calls = self.calls_on(site.method, origin, |judge, member| {
            let makes = !judge.labels.fits(rule, object, event, *member).on.is_empty();
            (makes, is_place(program, object, member))
        });
        // a place of this very instruction is the site itself
        if calls.first().is_some_and(|&(number, (makes, _))| makes && number < site.number) {
            return true;
        }
        let pool = &program.class(program.owner(site.method)).pool;
        let Ok(Some(body)) = program.body(site.method) else { return false };
        body.instructions.iter().any(|instruction| {
            let Op::InvokeDynamic(constant) = instruction.op else { return false };
            let Constant::InvokeDynamic(dynamic) = pool.get(constant) else { return false };
            let arguments = pool.bootstrap(dynamic.bootstrap).into_iter().flat_map(|it| &it.arguments);
            let mut named = arguments.filter_map(|&argument| match pool.get(argument) {
                Constant::Handle(_, reference) => pool.member(reference),
                _ => None,
            });
            named.any(|member| !self.labels.fits(rule, object, event, member).on.is_empty())
        })
    }
}
