//! What the state variables of an encoded structure mean.

use super::code::Code;
use crate::ir::{Domain, VariableId};
use crate::states::{Layout, parse, print};
use rustc_hash::FxHashMap;

/// Values of variables and the bits of states.
#[derive(Clone, Debug)]
pub struct StateLayout {
    /// Variables of states, as evidence lists them.
    pub(super) variables: Vec<Field>,
    /// Inputs that steps choose.
    pub(super) inputs: Vec<Field>,
    pub(super) symbols: Vec<String>,
    /// The same for explicit states, for problems in their words.
    pub(super) explicit: Layout,
}

/// A variable and its bits.
#[derive(Clone, Debug)]
pub(super) struct Field {
    pub(super) variable: VariableId,
    pub(super) name: String,
    pub(super) domain: Domain,
    pub(super) code: Code,
    /// Places among the state variables, or among the choices; the lowest bit first.
    pub(super) bits: Vec<usize>,
}

impl Field {
    pub(super) fn value(&self, bits: &[bool]) -> i64 {
        let code = self.bits.iter().rev().fold(0_u64, |code, &at| code << 1 | u64::from(bits[at]));
        self.code.value(code)
    }
}

impl StateLayout {
    /// The variables of a state with their values as text, given the values of the state variables.
    pub fn values(&self, state: &[bool]) -> Vec<(&str, String)> {
        Self::texts(&self.variables, &self.symbols, state)
    }

    /// The same for those variables that have a bit which matters.
    pub fn values_of(&self, state: &[bool], matters: &[bool]) -> Vec<(&str, String)> {
        let fields = self.variables.iter().filter(|field| field.bits.iter().any(|&bit| matters[bit]));
        fields.map(|field| (&*field.name, print(&self.symbols, &field.domain, field.value(state)))).collect()
    }

    /// The values of the state variables where variables have these values, as text; variables that
    /// are not listed have their first value.
    ///
    /// # Errors
    /// A name that is not a variable, or a text that is none of its values.
    pub fn bits<'v>(&self, values: impl Iterator<Item = (&'v str, &'v str)>) -> Result<Vec<bool>, String> {
        let count = self.variables.iter().map(|field| field.bits.len()).sum();
        let mut bits = vec![false; count];
        let places: FxHashMap<&str, &Field> =
            self.variables.iter().map(|field| (&*field.name, field)).collect();
        for (name, text) in values {
            let field = places.get(name).ok_or_else(|| format!("the model has no variable \"{name}\""))?;
            let value = parse(&self.symbols, &field.domain, text);
            let code = value.and_then(|value| field.code.of_value(value));
            let code = code.ok_or_else(|| format!("\"{name}\" cannot be {text}"))?;
            for (bit, &at) in field.bits.iter().enumerate() {
                bits[at] = code >> bit & 1 == 1;
            }
        }
        Ok(bits)
    }

    /// The inputs of a step with their values as text, given the values of the choices. Inputs that
    /// no equation or condition reads have none.
    pub fn inputs(&self, choices: &[bool]) -> Vec<(&str, String)> {
        Self::texts(&self.inputs, &self.symbols, choices)
    }

    fn texts<'a>(fields: &'a [Field], symbols: &[String], bits: &[bool]) -> Vec<(&'a str, String)> {
        let text = |field: &'a Field| (&*field.name, print(symbols, &field.domain, field.value(bits)));
        fields.iter().map(text).collect()
    }

    /// A name for each state variable: that of a variable of one bit, else with the number of the
    /// bit, from zero for the lowest: `x.0`.
    pub fn bit_names(&self) -> Vec<String> {
        Self::names(&self.variables)
    }

    /// The same for the choices of inputs, which come before all other choices.
    pub fn choice_names(&self) -> Vec<String> {
        Self::names(&self.inputs)
    }

    fn names(fields: &[Field]) -> Vec<String> {
        let count = fields.iter().map(|field| field.bits.len()).sum();
        let mut names = vec![String::new(); count];
        for field in fields {
            for (bit, &at) in field.bits.iter().enumerate() {
                names[at] =
                    if field.bits.len() == 1 { field.name.clone() } else { format!("{}.{bit}", field.name) };
            }
        }
        names
    }
}
