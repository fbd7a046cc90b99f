//! Finite SMV modules as circuits, to be written as AIGER files.

use crate::origin::Origin;
use crate::reading::Reading;
use crate::smv::{SmvFile, Written, written, wrong};
use loris_base::Diagnostic;
use loris_circuit::Circuit;
use loris_smv::ir::SmvProperty;
use std::path::Path;

/// A circuit, with the properties of a file that are left out.
pub(crate) struct ToCircuit {
    pub(crate) circuit: Circuit,
    /// How many properties are kept as their atoms only.
    pub(crate) atoms_only: usize,
    /// How many properties are left out altogether: about other modules, about numbers, or not
    /// supported.
    pub(crate) left_out: usize,
    /// Whether there are pairs of conditions that make runs fair.
    pub(crate) has_compassion: bool,
    /// Whether states may have no successor.
    pub(crate) may_end: bool,
    /// Whether the model may be wrong in some state.
    pub(crate) has_trouble: bool,
}

impl ToCircuit {
    /// Makes a circuit of the module where runs start, without listing states.
    pub(crate) fn read(path: &Path, origin: &Origin, reading: &mut Reading) -> Option<Self> {
        let file = SmvFile::read(path, origin.module.as_deref(), reading)?;
        if origin.with.is_some() {
            let message = "a model with a peer cannot be written as a circuit";
            reading.add(file.input.clone(), Diagnostic::global(message).into());
            return None;
        }
        let all = written(&file);
        let here = all.iter().filter_map(|one| match one {
            Written::Property(property) if property.structure == file.root => Some(property),
            _ => None,
        });
        let properties: Vec<&SmvProperty> = here.collect();
        let encoded = file.encode(&properties, &mut reading.budget);
        let mut encoded = encoded.map_err(|stopped| wrong(stopped, &file.input, reading)).ok()?;
        let mut atoms_only = 0;
        for (number, property) in properties.iter().enumerate() {
            atoms_only += usize::from(encoded.invariant(number, property).is_none());
        }
        Some(Self {
            circuit: encoded.to_circuit(&properties),
            atoms_only,
            left_out: all.len() - properties.len(),
            has_compassion: !encoded.system.compassion.is_empty(),
            may_end: !encoded.is_total,
            has_trouble: !encoded.trouble.is_empty(),
        })
    }

    /// Notes for a reader of the file.
    pub(crate) fn notes(&self) -> Vec<String> {
        let properties = |count: usize| if count == 1 { "property is" } else { "properties are" };
        let mut notes = Vec::new();
        if self.atoms_only > 0 {
            let (count, word) = (self.atoms_only, properties(self.atoms_only));
            notes.push(format!(
                "{count} {word} left out: AIGER has a place for invariants only; their atoms are outputs"
            ));
        }
        if self.left_out > 0 {
            let (count, word) = (self.left_out, properties(self.left_out));
            notes.push(format!(
                "{count} {word} left out: about other modules, about numbers, or not supported"
            ));
        }
        if self.has_compassion {
            notes.push("COMPASSION is left out: AIGER has no place for it".to_owned());
        }
        if self.may_end {
            notes.push("runs of circuits do not end: a state without successor belongs to no run".to_owned());
        }
        if self.has_trouble {
            let what =
                "a value outside of its range, a case without a branch that applies, a division by zero";
            notes
                .push(format!("the bad-state property \"trouble\" shows whether the model is wrong: {what}"));
        }
        notes
    }
}
