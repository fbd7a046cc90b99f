//! Pushdown systems: the rules of `.pds` and `.pdmu` files, and machines as such rules.
//!
//! A configuration is a control state and a stack of symbols, top first; its *head* is the control
//! state with the top symbol, and a rule rewrites a head in one step (rsm-analysis, section 2.5).
//! [`Pds`] is plain data. [`Pds::to_rsm`] finds the procedures in it, [`Pds::from_rsm`] is the way
//! back; both keep every step and every label, so that no CTL formula distinguishes the two.

mod atoms;
mod batch;
mod block;
mod from_rsm;
mod intern;
mod items;
mod local_names;
mod long;
mod mu;
mod pdmu;
mod read;
mod reader;
mod rules;
mod scan;
mod stream;
mod to_rsm;
mod write;

#[cfg(test)]
mod tests;

pub use pdmu::{read_pdmu, read_pdmu_from, read_pdmu_within};
pub use read::{read_pds, read_pds_from, read_pds_within};
pub use rules::Rules;
pub use to_rsm::Recovery;
pub use write::write_pds;

use loris_base::{Idx, Names, Symbol};

loris_base::id! {
    /// A control state.
    pub struct Control;
    /// A symbol of the stack.
    pub struct StackSymbol;
    /// A label of heads.
    pub struct HeadLabel;
}

/// A pushdown system with labelled heads.
///
/// ```
/// let text = "(q <main>)\nATOMS p q\nq <main> --> q <f main>\nq <f> --> q <>\n";
/// let pds = loris_rsm::read_pds(text).unwrap();
/// assert_eq!((pds.rules.len(), pds.symbols.len()), (2, 2));
/// let (rsm, _) = pds.to_rsm(&Default::default(), &Default::default()).unwrap();
/// assert_eq!((rsm.component_count(), rsm.node_count(), rsm.box_count()), (2, 2, 1));
/// ```
#[derive(Clone, Debug, Default)]
pub struct Pds {
    /// The names of control states; [`Control`] `i` is the `i`-th.
    pub controls: Names,
    /// The names of stack symbols; [`StackSymbol`] `i` is the `i`-th.
    pub symbols: Names,
    /// The names of labels; [`HeadLabel`] `i` is the `i`-th.
    pub labels: Names,
    /// The rules, in the order of the input.
    pub rules: Rules,
    /// Where runs start, at least one in a system that was read.
    pub initial: Vec<Configuration>,
    /// Labels of all heads with a control state.
    pub control_labels: Vec<(Control, HeadLabel)>,
    /// Labels of all heads with a symbol.
    pub symbol_labels: Vec<(StackSymbol, HeadLabel)>,
    /// Labels of single heads.
    pub head_labels: Vec<(Control, StackSymbol, HeadLabel)>,
    /// The properties that the input states.
    pub properties: Vec<CarriedProperty>,
}

/// A rule: a head is replaced by a control state and at most two symbols.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PdsRule {
    /// The control state of the head.
    pub control: Control,
    /// The symbol of the head.
    pub symbol: StackSymbol,
    /// The control state afterwards.
    pub to: Control,
    /// The symbols that take the symbol's place.
    pub word: StackWord,
    /// The place in the input; `u32::MAX` past 4 GiB.
    pub offset: u32,
}

/// The symbols that take the place of the top symbol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StackWord {
    /// Nothing: a return.
    Pop,
    /// Another symbol: a step.
    Swap(StackSymbol),
    /// Two symbols, the top one first: a call, and where to go on after it.
    Push(StackSymbol, StackSymbol),
}

/// A control state and a stack.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Configuration {
    /// The control state.
    pub control: Control,
    /// The stack, top first, not empty.
    pub stack: Vec<StackSymbol>,
    /// The place in the input.
    pub offset: u64,
}

/// A property that a file carries along.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CarriedProperty {
    /// `ctl`, `ltl`, `mu`, …
    pub logic: String,
    /// The formula.
    pub text: String,
    /// The place in the input.
    pub offset: u64,
}

impl Pds {
    /// Bytes held.
    pub fn bytes(&self) -> usize {
        let names = self.controls.bytes() + self.symbols.bytes() + self.labels.bytes();
        let labels = 8 * (self.control_labels.capacity() + self.symbol_labels.capacity())
            + 12 * self.head_labels.capacity();
        let initial = self.initial.iter().map(|start| size_of::<Configuration>() + 4 * start.stack.len());
        let properties =
            self.properties.iter().map(|property| size_of::<CarriedProperty>() + property.text.len());
        self.rules.bytes() + names + labels + initial.sum::<usize>() + properties.sum::<usize>()
    }

    /// The name of a control state.
    pub fn control_name(&self, control: Control) -> &str {
        &self.controls[Symbol::new(control.index())]
    }

    /// The name of a stack symbol.
    pub fn symbol_name(&self, symbol: StackSymbol) -> &str {
        &self.symbols[Symbol::new(symbol.index())]
    }

    /// The name of a label.
    pub fn label_name(&self, label: HeadLabel) -> &str {
        &self.labels[Symbol::new(label.index())]
    }
}
