//! Models of several kinds, made components that run beside each other.

use crate::from_machine::{ListedMachine, Values};
use crate::{Component, Kind, StateId};
use loris_base::{Budget, Stopped};

/// A component with all of its initial states.
#[derive(Debug)]
pub struct Started {
    /// The component.
    pub component: Component,
    /// Its initial states; constraints of a circuit may leave none.
    pub initial: Vec<StateId>,
}

/// What is to be a component.
#[derive(Debug)]
pub enum Source {
    /// A component as it was read.
    Component(Component),
    /// A component that may have several initial states.
    Started(Started),
    /// A machine, whose labels depend on the others.
    Machine(ListedMachine),
}

/// All sources as components, and whether they begin with a step to their initial states: if one of
/// them has several. A variable of several sources has the same labels in all of them: those of all
/// values that it has in any, so that states agree on the labels if they agree on the variable.
///
/// # Errors
/// What is wrong with a source, or the limit that was reached there, with its number.
pub fn run_together(
    sources: Vec<Source>,
    budget: &mut Budget,
) -> Result<(Vec<Component>, bool), (usize, Stopped)> {
    let all = values(&sources);
    let mut made = Vec::with_capacity(sources.len());
    for (number, source) in sources.into_iter().enumerate() {
        made.push(match source {
            Source::Component(component) => {
                let initial = vec![component.initial()];
                Started { component, initial }
            }
            Source::Started(started) => started,
            Source::Machine(machine) => machine.component(&all, budget).map_err(|why| (number, why))?,
        });
    }
    if made.iter().all(|started| started.initial.len() == 1) {
        return Ok((made.into_iter().map(|started| started.component).collect(), false));
    }
    let mut components = Vec::with_capacity(made.len());
    for (number, Started { component, initial }) in made.into_iter().enumerate() {
        // labelled transition systems do not compose with these
        components.push(if component.kind() == Kind::Kripke {
            component.with_start(&initial, budget).map_err(|why| (number, why))?
        } else {
            component
        });
    }
    Ok((components, true))
}

/// All values of the variables of machines, those included that other sources label their states with.
fn values(sources: &[Source]) -> Values {
    let mut all = Values::new();
    for source in sources {
        let Source::Machine(machine) = source else { continue };
        for (variable, values) in &machine.values {
            all.entry(variable.clone()).or_default().extend(values.iter().cloned());
        }
    }
    for source in sources {
        let labels: Vec<&str> = match source {
            Source::Component(component) | Source::Started(Started { component, .. }) => {
                component.atoms().iter().collect()
            }
            Source::Machine(machine) => machine.rsm.labels().collect(),
        };
        for (variable, value) in labels.into_iter().filter_map(|label| label.split_once(" = ")) {
            if let Some(values) = all.get_mut(variable) {
                values.insert(value.to_owned());
            }
        }
    }
    all
}
