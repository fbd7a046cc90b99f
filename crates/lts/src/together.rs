//! Models of several kinds, made processes that run beside each other.

use crate::from_machine::{ListedMachine, Values};
use crate::start::Started;
use crate::{Process, ProcessKind};
use loris_base::{Budget, Stopped};

/// What is to be a process.
#[derive(Debug)]
pub enum ProcessSource {
    /// A process as it was read.
    Process(Process),
    /// A process that may have several initial states.
    Started(Started),
    /// A machine, whose labels depend on the others.
    Machine(ListedMachine),
}

/// All sources as processes, and whether they begin with a step to their initial states: if one of
/// them has several. A variable of several sources has the same labels in all of them: those of all
/// values that it has in any, so that states agree on the labels if they agree on the variable.
///
/// # Errors
/// What is wrong with a source, or the limit that was reached there, with its number.
pub fn run_together(
    sources: Vec<ProcessSource>,
    budget: &mut Budget,
) -> Result<(Vec<Process>, bool), (usize, Stopped)> {
    let all = values(&sources);
    let mut made = Vec::with_capacity(sources.len());
    for (number, source) in sources.into_iter().enumerate() {
        made.push(match source {
            ProcessSource::Process(process) => {
                let initial = vec![process.initial()];
                Started { process, initial }
            }
            ProcessSource::Started(started) => started,
            ProcessSource::Machine(machine) => machine.process(&all, budget).map_err(|why| (number, why))?,
        });
    }
    if made.iter().all(|started| started.initial.len() == 1) {
        return Ok((made.into_iter().map(|started| started.process).collect(), false));
    }
    let mut processes = Vec::with_capacity(made.len());
    for (number, Started { process, initial }) in made.into_iter().enumerate() {
        // labelled transition systems do not compose with these
        processes.push(if process.kind() == ProcessKind::Kripke {
            process.with_start(&initial, budget).map_err(|why| (number, why))?
        } else {
            process
        });
    }
    Ok((processes, true))
}

/// All values of the variables of machines, those included that other sources label their states
/// with.
fn values(sources: &[ProcessSource]) -> Values {
    let mut all = Values::new();
    for source in sources {
        let ProcessSource::Machine(machine) = source else { continue };
        for (variable, values) in &machine.values {
            all.entry(variable.clone()).or_default().extend(values.iter().cloned());
        }
    }
    for source in sources {
        let labels: Vec<&str> = match source {
            ProcessSource::Process(process) | ProcessSource::Started(Started { process, .. }) => {
                process.atoms().iter().collect()
            }
            ProcessSource::Machine(machine) => machine.rsm.labels().collect(),
        };
        for (variable, value) in labels.into_iter().filter_map(|label| label.split_once(" = ")) {
            if let Some(values) = all.get_mut(variable) {
                values.insert(value.to_owned());
            }
        }
    }
    all
}
