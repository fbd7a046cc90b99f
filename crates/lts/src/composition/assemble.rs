//! Makes a composition of a description and of the components in its files.

use super::rules::{apply, unknown};
use super::{Description, Part};
use crate::{Component, ComponentBuilder, Kind, Modality, TAU};
use loris_base::{Budget, Diagnostics, Idx, Names, Stopped, Truth, visible_name};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Components that run in parallel. Labelled transition systems take an action together if they
/// know it; Kripke structures move together between states that agree on shared labels.
#[derive(Clone, Debug)]
pub struct Composition {
    /// The parts, named and with their actions and labels renamed.
    pub parts: Vec<Arc<Component>>,
    /// Actions that are silent to properties.
    pub hidden: Vec<String>,
}

impl Description {
    /// Applies names, renaming and rules to the components, which are those of the parts, in order,
    /// and checks that they compose.
    ///
    /// ```
    /// use loris_base::Budget;
    /// use loris_lts::{read_aut, read_composition};
    /// let budget = &mut Budget::unlimited();
    /// let text = b"part a = f.aut\n  rename go -> start\npart b = f.aut\nhide go\n";
    /// let description = read_composition(text, budget).expect("well-formed");
    /// let (file, _) = read_aut(b"des (0, 1, 1)\n(0, go, 0)", "f", budget).expect("well-formed");
    /// let composition = description.assemble(vec![file.clone(), file], budget).expect("it composes");
    /// assert_eq!(composition.parts[0].actions().iter().nth(1), Some("start"));
    /// ```
    ///
    /// # Errors
    /// All problems, with offsets in the file of the description, or that a limit was reached.
    ///
    /// # Panics
    /// If there are not as many components as parts.
    pub fn assemble(&self, components: Vec<Component>, budget: &mut Budget) -> Result<Composition, Stopped> {
        assert_eq!(components.len(), self.parts.len(), "one component for each part");
        let mut problems = Diagnostics::default();
        let mut parts = Vec::with_capacity(components.len());
        for (part, component) in self.parts.iter().zip(components) {
            parts.push(renamed(part, component, &mut problems, budget)?);
        }
        if !self.rules.is_empty() {
            let applied = apply(self, &parts, &mut problems);
            if problems.has_errors() {
                return Err(problems.into());
            }
            for (part, actions) in parts.iter_mut().zip(&applied.actions) {
                let is_same =
                    part.action_ids().all(|action| actions[action.index()] == [part.action_name(action)]);
                if !is_same {
                    let atoms: Vec<String> = part.atoms().iter().map(str::to_owned).collect();
                    *part = rebuilt(part, actions, &atoms, budget)?;
                }
            }
            return self.checked(parts, applied.silent, problems);
        }
        self.checked(parts, Vec::new(), problems)
    }

    /// Checks what parts state of each other.
    fn checked(
        &self,
        parts: Vec<Component>,
        mut hidden: Vec<String>,
        mut problems: Diagnostics,
    ) -> Result<Composition, Stopped> {
        if let Some(first) = parts.first() {
            let other = parts.iter().position(|part| part.kind() != first.kind());
            if let Some(other) = other {
                let (kripke, lts) = if first.kind() == Kind::Kripke { (0, other) } else { (other, 0) };
                let name = |part: usize| visible_name(parts[part].name());
                let message = format!(
                    "part {} is a Kripke structure and part {} a labelled transition system",
                    name(kripke),
                    name(lts)
                );
                problems.push(self.parts[other].name.error(message).help("all parts are of one kind"));
                return Err(problems.into());
            }
        }
        self.check_labels(&parts, &mut problems);
        let mut actions = Names::default();
        parts.iter().flat_map(|part| part.actions().iter().skip(1)).for_each(|name| {
            actions.intern(name);
        });
        for word in &self.hidden {
            if actions.find(&word.text).is_none() {
                problems.push(unknown(word, "no part knows the action", actions.iter()));
            }
            hidden.push(word.text.clone());
        }
        let parts = parts.into_iter().map(Arc::new).collect();
        problems.into_result(Composition { parts, hidden }).map_err(Stopped::Wrong)
    }

    /// Initial states agree on shared labels; labelled transition systems share none.
    fn check_labels(&self, parts: &[Component], problems: &mut Diagnostics) {
        let mut owners: FxHashMap<&str, (usize, Truth)> = FxHashMap::default();
        for (i, part) in parts.iter().enumerate() {
            for atom in part.atom_ids() {
                let (name, value) = (part.atom_name(atom), part.label(part.initial(), atom));
                let &mut (owner, other) = owners.entry(name).or_insert((i, value));
                if owner == i {
                    continue;
                }
                let (one, two) = (visible_name(parts[owner].name()), visible_name(part.name()));
                let label = visible_name(name);
                if part.kind() == Kind::Lts {
                    let message = format!("parts {one} and {two} both have the label {label}");
                    let problem = self.parts[i].name.error(message);
                    problems.push(problem.help("write `relabel` to give it another name in one of them"));
                } else if value != other {
                    problems.push(self.parts[i].name.error(format!(
                        "the initial states of parts {one} and {two} do not agree on {label}: it is {} in {one} \
                         and {} in {two}",
                        shown(other),
                        shown(value)
                    )));
                }
            }
        }
    }
}

fn shown(value: Truth) -> &'static str {
    match value {
        Truth::True => "true",
        Truth::False => "false",
        Truth::Unknown => "unknown",
    }
}

/// The component under the name of its part, with new names of actions and labels.
fn renamed(
    part: &Part,
    mut component: Component,
    problems: &mut Diagnostics,
    budget: &mut Budget,
) -> Result<Component, Stopped> {
    let of = |name: &str| format!("part {} has no {name}", visible_name(&part.name.text));
    let mut actions: Vec<String> = component.actions().iter().map(str::to_owned).collect();
    let mut is_renamed = vec![false; actions.len()];
    for (old, new) in &part.renamed {
        match component.find_action(&old.text) {
            Some(TAU) => problems.push(old.error("silent steps have no other name")),
            Some(action) if std::mem::replace(&mut is_renamed[action.index()], true) => {
                problems.push(old.error(format!("{} is renamed twice", visible_name(&old.text))));
            }
            Some(action) => actions[action.index()].clone_from(&new.text),
            None => problems.push(unknown(old, &of("action"), component.actions().iter().skip(1))),
        }
    }
    let mut atoms: Vec<String> = component.atoms().iter().map(str::to_owned).collect();
    let mut is_relabelled = vec![false; atoms.len()];
    for (old, new) in &part.relabelled {
        match component.find_atom(&old.text) {
            Some(atom) if std::mem::replace(&mut is_relabelled[atom.index()], true) => {
                problems.push(old.error(format!("{} is renamed twice", visible_name(&old.text))));
            }
            Some(atom) => atoms[atom.index()].clone_from(&new.text),
            None => problems.push(unknown(old, &of("label"), component.atoms().iter())),
        }
    }
    for (_, new) in &part.relabelled {
        if atoms.iter().filter(|name| **name == new.text).count() > 1 {
            problems.push(new.error(format!("two labels get the name {}", visible_name(&new.text))));
        }
    }
    if problems.has_errors() {
        // nothing is built, but the rest is checked
    } else if is_renamed.contains(&true) || is_relabelled.contains(&true) {
        let actions: Vec<Vec<String>> = actions.into_iter().map(|name| vec![name]).collect();
        component = rebuilt(&component, &actions, &atoms, budget)?;
    }
    component.name.clone_from(&part.name.text);
    for extra in &part.extra {
        if component.kind() == Kind::Kripke {
            let name = visible_name(&part.name.text);
            problems.push(extra.error(format!("part {name} is a Kripke structure, which has no actions")));
        } else if extra.text == "tau" {
            problems.push(extra.error("silent steps do not synchronise"));
        } else {
            component.actions.intern(&extra.text);
        }
    }
    Ok(component)
}

/// The same component with other names: each action under all names that it is given.
fn rebuilt(
    component: &Component,
    actions: &[Vec<String>],
    atoms: &[String],
    budget: &mut Budget,
) -> Result<Component, Stopped> {
    let mut builder = ComponentBuilder::new(component.name(), component.kind());
    for state in component.states() {
        budget.spend(1)?;
        match component.state_name(state) {
            Some(name) => builder.named_state(name),
            None => builder.state(),
        };
    }
    builder.initial(component.initial());
    // in the order of the component, so that numbers stay the same where names do
    let actions: Vec<Vec<_>> =
        actions.iter().map(|names| names.iter().map(|name| builder.action(name)).collect()).collect();
    let atoms: Vec<_> = atoms.iter().map(|name| builder.atom(name)).collect();
    for state in component.states() {
        for step in component.steps(state) {
            for &action in &actions[step.action.index()] {
                budget.spend(1)?;
                builder.make_room(budget)?;
                let modality = if step.must { Modality::Both } else { Modality::May };
                builder.step(state, action, step.target, modality);
            }
        }
        for atom in component.atom_ids() {
            budget.spend(1)?;
            if let value @ (Truth::True | Truth::False) = component.label(state, atom) {
                builder.make_room(budget)?;
                builder.label(state, atoms[atom.index()], value == Truth::True);
            }
        }
    }
    let rebuilt = builder.finish(budget)?;
    budget.release(component.bytes());
    Ok(rebuilt)
}
