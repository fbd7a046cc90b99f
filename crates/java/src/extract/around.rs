//! What is around the code of a program: where it starts, methods without code, and components that
//! choose among the targets of virtual calls.

use super::{Extract, Target, ValueKind};
use crate::calls::{is_main, of_class};
use crate::program::MethodId;
use loris_base::{Budget, Exhausted, Symbol};
use loris_rsm::Reference;

impl Extract<'_> {
    /// The component where runs start, unless a single method is enough: it calls one of the
    /// entries, then what library code may call later. Methods of libraries are called again and
    /// again.
    pub(super) fn start(&mut self, budget: &mut Budget) -> Result<(), Exhausted> {
        let (program, graph) = (self.program, self.graph);
        let entries = graph.entries().to_vec();
        let initializers = |entry: MethodId| {
            let mut found = of_class(program, program.owner(entry));
            found.retain(|&initializer| initializer != entry && graph.is_reachable(initializer));
            found
        };
        if let &[entry] = &*entries
            && graph.callbacks().is_empty()
            && initializers(entry).is_empty()
        {
            let component = self.components.of(entry);
            self.builder.initial_component(component, 0);
            return Ok(());
        }
        let start = self.builder.symbol("start");
        self.builder.initial_component(start, 0);
        self.draft.rename(start, 0);
        let (later, end) = (self.builder.symbol("later"), self.builder.symbol("end"));
        self.node(start, ValueKind::Entry, &[], None);
        self.node(later, ValueKind::Inner, &[], None);
        self.node(end, ValueKind::Inner, &[], None);
        let (start, later, end) =
            (Reference::node(start, 0), Reference::node(later, 0), Reference::node(end, 0));
        for (number, &entry) in entries.iter().enumerate() {
            budget.spend(1)?;
            let site = self.builder.symbol(&format!("entry {number}"));
            let target = self.target(entry);
            self.place_box(site, target, later);
            let call = Reference::port(site, self.enter, 0);
            let first = initializers(entry);
            if first.is_empty() {
                self.edge(start, call);
            } else {
                let before = self.builder.symbol(&format!("before entry {number}"));
                self.node(before, ValueKind::Inner, &[], None);
                self.edge(start, Reference::node(before, 0));
                self.entry_initializers(number, Reference::node(before, 0), &first, call);
            }
        }
        if !graph.callbacks().is_empty() {
            let callbacks = graph.callbacks().to_vec();
            let target = self.callbacks(callbacks);
            let site = self.builder.symbol("callbacks");
            self.place_box(site, target, later);
            self.edge(later, Reference::port(site, self.enter, 0));
        }
        let is_program = entries.len() == 1 || entries.iter().all(|&entry| is_main(program, entry));
        if !is_program {
            self.edge(later, start);
        }
        // without entries nothing runs
        if entries.is_empty() {
            self.edge(start, later);
        }
        self.edge(later, end);
        self.edge(end, end);
        self.add(budget)
    }

    fn entry_initializers(
        &mut self,
        number: usize,
        from: Reference,
        initializers: &[MethodId],
        next: Reference,
    ) {
        let sites: Vec<Symbol> = (0..initializers.len())
            .map(|place| self.builder.symbol(&format!("entry {number} initializer {place}")))
            .collect();
        let mut at = from;
        for (&site, &initializer) in sites.iter().zip(initializers) {
            self.draft.site(site, 0, self.components.of(initializer), 0);
            self.edge(at, Reference::port(site, self.enter, 0));
            at = Reference::port(site, self.exit, 0);
        }
        self.edge(at, next);
    }

    /// A box from which a run goes on at one place, however it returns.
    fn place_box(&mut self, site: Symbol, target: Target, next: Reference) {
        self.draft.site(site, 0, target.component, 0);
        self.edge(Reference::port(site, self.exit, 0), next);
        for number in 0..self.exits.of(target.set).len() {
            let exit = self.exits.of(target.set)[number].name;
            self.edge(Reference::port(site, exit, 0), next);
        }
    }

    /// A method without code: it may call what is passed to it, then it returns or throws what it
    /// declares. What these calls throw ends there.
    pub(super) fn without_code(&mut self, id: MethodId) {
        self.draft.rename(self.components.of(id), 0);
        let found = self.labels.of_entry(id).to_vec();
        self.node(self.enter, ValueKind::Entry, &found, None);
        self.exits(id, true);
        let mut ends = vec![self.exit];
        ends.extend(self.exits.of(self.throws.set_of(id)).iter().map(|exit| exit.name));
        let mut from = vec![Reference::node(self.enter, 0)];
        let callbacks = self.graph.callbacks_of(self.program, id);
        if !callbacks.is_empty() {
            let target = self.callbacks(callbacks);
            let site = self.builder.symbol("callbacks");
            self.draft.site(site, 0, target.component, 0);
            self.edge(Reference::node(self.enter, 0), Reference::port(site, self.enter, 0));
            from.push(Reference::port(site, self.exit, 0));
        }
        for from in from {
            for &end in &ends {
                self.edge(from, Reference::node(end, 0));
            }
        }
    }

    /// The component that calls some methods any number of times.
    fn callbacks(&mut self, methods: Vec<MethodId>) -> Target {
        let number = self.callback_lists.len();
        let known = self.callbacks.get(&methods).copied();
        let component = known.unwrap_or_else(|| {
            let component = self.builder.symbol(&format!("callbacks #{number}"));
            self.callbacks.insert(methods.clone(), component);
            self.callback_lists.push((methods, component));
            component
        });
        // what they throw ends in the component
        Target { component, set: 0 }
    }

    /// The components that others were found to need.
    pub(super) fn rest(&mut self, budget: &mut Budget) -> Result<(), Exhausted> {
        for (methods, component) in std::mem::take(&mut self.callback_lists) {
            budget.spend(methods.len())?;
            self.draft.rename(component, 0);
            self.node(self.enter, ValueKind::Entry, &[], None);
            self.node(self.exit, ValueKind::Exit, &[], None);
            let (enter, exit) = (Reference::node(self.enter, 0), Reference::node(self.exit, 0));
            self.edge(enter, exit);
            for (number, &method) in methods.iter().enumerate() {
                let site = self.builder.symbol(&format!("callback {number}"));
                let target = self.target(method);
                self.place_box(site, target, enter);
                self.edge(enter, Reference::port(site, self.enter, 0));
            }
            self.add(budget)?;
        }
        for number in 0..self.dispatched.len() {
            let Some(component) = self.dispatched[number] else { continue };
            let targets = self.graph.dispatch(number as u32).targets.clone();
            budget.spend(targets.len())?;
            self.draft.rename(component, 0);
            self.node(self.enter, ValueKind::Entry, &[], None);
            self.node(self.exit, ValueKind::Exit, &[], None);
            let set = self.throws.set_of_dispatch(number as u32);
            for exit in 0..self.exits.of(set).len() {
                let name = self.exits.of(set)[exit].name;
                self.node(name, ValueKind::Exit, &[], None);
            }
            for (place, &method) in targets.iter().enumerate() {
                let site = self.site(0, place as u32);
                let target = self.target(method);
                self.draft.site(site, 0, target.component, 0);
                self.edge(Reference::node(self.enter, 0), Reference::port(site, self.enter, 0));
                self.edge(Reference::port(site, self.exit, 0), Reference::node(self.exit, 0));
                for exit in 0..self.exits.of(target.set).len() {
                    let (name, kinds) = {
                        let exit = &self.exits.of(target.set)[exit];
                        (exit.name, exit.kinds.clone())
                    };
                    for end in self.exits.for_types(set, &kinds) {
                        self.edge(Reference::port(site, name, 0), Reference::node(end, 0));
                    }
                }
            }
            self.add(budget)?;
        }
        Ok(())
    }
}
