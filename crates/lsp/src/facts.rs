//! What is known about a model that was read: labels with the number of nodes that carry them, and
//! the values of variables.

use loris_load::ReadMachine;
use loris_rsm::Rsm;
use loris_smv::Smv;
use loris_smv::ir::{Domain, SYMBOLS, VariableKind};
use std::collections::BTreeMap;

/// What is known about a model.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Facts {
    /// Labels, with the number of nodes that carry each.
    pub(crate) labels: BTreeMap<String, usize>,
    /// How many nodes there are, if that is known.
    pub(crate) nodes: Option<usize>,
    /// The values of variables of an SMV file, by the offset of their declaration.
    pub(crate) variables: BTreeMap<usize, Values>,
}

/// The values of a variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Values {
    /// In words.
    pub(crate) text: String,
    /// How many there are.
    pub(crate) count: u64,
    /// `VAR`, `IVAR` or `FROZENVAR`.
    pub(crate) section: &'static str,
}

impl Facts {
    /// Adds what a machine shows.
    pub(crate) fn add_machine(&mut self, rsm: &Rsm) {
        self.nodes = Some(rsm.node_count());
        let names: Vec<&str> = rsm.labels().collect();
        for name in names {
            let count = rsm.label(name).map_or(0, |label| rsm.labelled(label).len());
            self.labels.insert(name.to_owned(), count);
        }
    }

    /// Adds what a model shows; labels that stand for conditions in properties are left out.
    pub(crate) fn add_model(&mut self, model: &ReadMachine, is_label: impl Fn(&str) -> bool) {
        self.add_machine(&model.rsm);
        self.labels.retain(|name, _| is_label(name));
    }

    /// Adds the variables of an SMV file.
    pub(crate) fn add_variables(&mut self, smv: &Smv) {
        let program = smv.program();
        for structure in &program.structures {
            for variable in structure.variables.iter().filter(|variable| !variable.is_monitor) {
                let (text, count) = values(&variable.domain, &program.symbols);
                let section = match variable.kind {
                    VariableKind::State => "VAR",
                    VariableKind::Frozen => "FROZENVAR",
                    VariableKind::Input => "IVAR",
                };
                let at = variable.span.0 as usize;
                self.variables.entry(at).or_insert(Values { text, count, section });
            }
        }
    }
}

/// The values of a domain in words, and how many they are.
fn values(domain: &Domain, symbols: &[String]) -> (String, u64) {
    match domain {
        Domain::Boolean => ("boolean".to_owned(), 2),
        Domain::Range(low, high) => (format!("{low}..{high}"), high.abs_diff(*low).saturating_add(1)),
        Domain::Enumeration(all) => {
            let name = |value: &i64| {
                let number = value.wrapping_sub(SYMBOLS);
                let symbol = usize::try_from(number).ok().and_then(|number| symbols.get(number));
                symbol.cloned().unwrap_or_else(|| value.to_string())
            };
            let mut names: Vec<String> = all.iter().take(LISTED).map(name).collect();
            if all.len() > LISTED {
                names.push("…".to_owned());
            }
            (format!("{{{}}}", names.join(", ")), all.len() as u64)
        }
        Domain::Word { signed, width } => {
            let sign = if *signed { "signed" } else { "unsigned" };
            (format!("{sign} word[{width}]"), 1u64.checked_shl(*width).unwrap_or(u64::MAX))
        }
    }
}

/// Values of an enumeration that are listed.
const LISTED: usize = 20;
