//! Makes a composition of a description and of the processes in its files.

use super::rules::{apply, unknown};
use super::{Description, Part};
use crate::{Modality, Process, ProcessBuilder, ProcessKind, TAU};
use loris_base::{Budget, Diagnostics, Idx, Names, Stopped, Truth, visible_name};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Processes that run in parallel. Labelled transition systems take an action together if they
/// know it; Kripke structures move together between states that agree on shared labels.
#[derive(Clone, Debug)]
pub struct Composition {
    /// The processes, named and with their actions and labels renamed.
    pub processes: Vec<Arc<Process>>,
    /// Actions that are silent to properties.
    pub hidden: Vec<String>,
}

impl Description {
    /// Applies names, renaming and rules to the processes, which are those of the parts, in order,
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
    /// assert_eq!(composition.processes[0].actions().iter().nth(1), Some("start"));
    /// ```
    ///
    /// # Errors
    /// All problems, with offsets in the file of the description, or that a limit was reached.
    ///
    /// # Panics
    /// If there are not as many processes as parts.
    pub fn assemble(&self, files: Vec<Process>, budget: &mut Budget) -> Result<Composition, Stopped> {
        assert_eq!(files.len(), self.parts.len(), "one process for each part");
        let mut problems = Diagnostics::default();
        let mut processes = Vec::with_capacity(files.len());
        for (part, process) in self.parts.iter().zip(files) {
            processes.push(renamed(part, process, &mut problems, budget)?);
        }
        if !self.rules.is_empty() {
            let applied = apply(self, &processes, &mut problems);
            if problems.has_errors() {
                return Err(problems.into());
            }
            for (process, actions) in processes.iter_mut().zip(&applied.actions) {
                let is_same = process
                    .action_ids()
                    .all(|action| actions[action.index()] == [process.action_name(action)]);
                if !is_same {
                    let atoms: Vec<String> = process.atoms().iter().map(str::to_owned).collect();
                    *process = rebuilt(process, actions, &atoms, budget)?;
                }
            }
            return self.checked(processes, applied.silent, problems);
        }
        self.checked(processes, Vec::new(), problems)
    }

    /// Checks what processes state of each other.
    fn checked(
        &self,
        processes: Vec<Process>,
        mut hidden: Vec<String>,
        mut problems: Diagnostics,
    ) -> Result<Composition, Stopped> {
        if let Some(first) = processes.first() {
            let other = processes.iter().position(|process| process.kind() != first.kind());
            if let Some(other) = other {
                let (kripke, lts) = if first.kind() == ProcessKind::Kripke { (0, other) } else { (other, 0) };
                let name = |number: usize| visible_name(processes[number].name());
                let message = format!(
                    "part {} is a Kripke structure and part {} a labelled transition system",
                    name(kripke),
                    name(lts)
                );
                problems.push(self.parts[other].name.error(message).help("all parts are of one kind"));
                return Err(problems.into());
            }
        }
        self.check_labels(&processes, &mut problems);
        let mut actions = Names::default();
        processes.iter().flat_map(|process| process.actions().iter().skip(1)).for_each(|name| {
            actions.intern(name);
        });
        for word in &self.hidden {
            if actions.find(&word.text).is_none() {
                problems.push(unknown(word, "no part knows the action", actions.iter()));
            }
            hidden.push(word.text.clone());
        }
        let processes = processes.into_iter().map(Arc::new).collect();
        problems.into_result(Composition { processes, hidden }).map_err(Stopped::Wrong)
    }

    /// Initial states agree on shared labels; labelled transition systems share none.
    fn check_labels(&self, processes: &[Process], problems: &mut Diagnostics) {
        let mut owners: FxHashMap<&str, (usize, Truth)> = FxHashMap::default();
        for (i, process) in processes.iter().enumerate() {
            for atom in process.atom_ids() {
                let (name, value) = (process.atom_name(atom), process.label(process.initial(), atom));
                let &mut (owner, other) = owners.entry(name).or_insert((i, value));
                if owner == i {
                    continue;
                }
                let (one, two) = (visible_name(processes[owner].name()), visible_name(process.name()));
                let label = visible_name(name);
                if process.kind() == ProcessKind::Lts {
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

/// The process under the name of its part, with new names of actions and labels.
fn renamed(
    part: &Part,
    mut process: Process,
    problems: &mut Diagnostics,
    budget: &mut Budget,
) -> Result<Process, Stopped> {
    let of = |name: &str| format!("part {} has no {name}", visible_name(&part.name.text));
    let mut actions: Vec<String> = process.actions().iter().map(str::to_owned).collect();
    let mut is_renamed = vec![false; actions.len()];
    for (old, new) in &part.renamed {
        match process.find_action(&old.text) {
            Some(TAU) => problems.push(old.error("silent steps have no other name")),
            Some(action) if std::mem::replace(&mut is_renamed[action.index()], true) => {
                problems.push(old.error(format!("{} is renamed twice", visible_name(&old.text))));
            }
            Some(action) => actions[action.index()].clone_from(&new.text),
            None => problems.push(unknown(old, &of("action"), process.actions().iter().skip(1))),
        }
    }
    let mut atoms: Vec<String> = process.atoms().iter().map(str::to_owned).collect();
    let mut is_relabelled = vec![false; atoms.len()];
    for (old, new) in &part.relabelled {
        match process.find_atom(&old.text) {
            Some(atom) if std::mem::replace(&mut is_relabelled[atom.index()], true) => {
                problems.push(old.error(format!("{} is renamed twice", visible_name(&old.text))));
            }
            Some(atom) => atoms[atom.index()].clone_from(&new.text),
            None => problems.push(unknown(old, &of("label"), process.atoms().iter())),
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
        process = rebuilt(&process, &actions, &atoms, budget)?;
    }
    process.name.clone_from(&part.name.text);
    for extra in &part.extra {
        if process.kind() == ProcessKind::Kripke {
            let name = visible_name(&part.name.text);
            problems.push(extra.error(format!("part {name} is a Kripke structure, which has no actions")));
        } else if extra.text == "tau" {
            problems.push(extra.error("silent steps do not synchronise"));
        } else {
            process.actions.intern(&extra.text);
        }
    }
    Ok(process)
}

/// The same process with other names: each action under all names that it is given.
fn rebuilt(
    process: &Process,
    actions: &[Vec<String>],
    atoms: &[String],
    budget: &mut Budget,
) -> Result<Process, Stopped> {
    let mut builder = ProcessBuilder::new(process.name(), process.kind());
    for state in process.states() {
        budget.spend(1)?;
        match process.state_name(state) {
            Some(name) => builder.named_state(name),
            None => builder.state(),
        };
    }
    builder.initial(process.initial());
    // in the order of the process, so that numbers stay the same where names do
    let actions: Vec<Vec<_>> =
        actions.iter().map(|names| names.iter().map(|name| builder.action(name)).collect()).collect();
    let atoms: Vec<_> = atoms.iter().map(|name| builder.atom(name)).collect();
    for state in process.states() {
        for step in process.steps(state) {
            for &action in &actions[step.action.index()] {
                budget.spend(1)?;
                builder.make_room(budget)?;
                let modality = if step.must { Modality::Both } else { Modality::May };
                builder.step(state, action, step.target, modality);
            }
        }
        for atom in process.atom_ids() {
            budget.spend(1)?;
            if let value @ (Truth::True | Truth::False) = process.label(state, atom) {
                builder.make_room(budget)?;
                builder.label(state, atoms[atom.index()], value == Truth::True);
            }
        }
    }
    let rebuilt = builder.finish(budget)?;
    budget.release(process.bytes());
    Ok(rebuilt)
}
