//! Names for the labels of a machine in an SMV file.

use super::names::Fresh;
use loris_rsm::Rsm;
use rustc_hash::FxHashMap;

/// The names that the labels of a machine have in its SMV file.
#[derive(Clone, Debug)]
pub struct LabelNames {
    pub(super) taken: Fresh,
    /// in the order of the labels
    pub(super) names: Vec<String>,
    pub(super) by_label: FxHashMap<String, u32>,
}

impl LabelNames {
    /// Those of a machine.
    pub fn of(rsm: &Rsm) -> Self {
        let mut labels = Self { taken: Fresh::default(), names: Vec::new(), by_label: FxHashMap::default() };
        for (i, label) in rsm.labels().enumerate() {
            labels.names.push(labels.taken.name(label, &format!("label{i}"), |_| false));
            labels.by_label.insert(label.to_owned(), i as u32);
        }
        labels
    }

    /// The name of a label; none if no node carries it.
    pub fn name(&self, label: &str) -> Option<&str> {
        self.by_label.get(label).map(|&i| &*self.names[i as usize])
    }
}
