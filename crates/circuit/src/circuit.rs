//! A circuit as an AIGER file describes it.

use crate::aig::Aig;
use crate::lit::Lit;

/// The value of a latch at the start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reset {
    /// It starts with this value.
    To(bool),
    /// It starts with either value: each is initial.
    Free,
}

/// A latch: a variable that holds, at every step, the value of a function of the step before.
#[derive(Clone, Debug)]
pub struct Latch {
    /// Its variable.
    pub state: Lit,
    /// Its next value.
    pub next: Lit,
    /// Its first value.
    pub reset: Reset,
    /// Its symbol, if it has one.
    pub name: Option<String>,
}

/// An input, an output or a property with its symbol, if it has one.
#[derive(Clone, Debug)]
pub struct Port {
    /// The function.
    pub lit: Lit,
    /// Its symbol.
    pub name: Option<String>,
}

/// A circuit.
#[derive(Clone, Debug, Default)]
pub struct Circuit {
    /// All functions.
    pub aig: Aig,
    /// The variables that are free at every step.
    pub inputs: Vec<Port>,
    /// The variables that remember.
    pub latches: Vec<Latch>,
    /// Functions that are seen from outside.
    pub outputs: Vec<Port>,
    /// Functions that are never to hold.
    pub bad: Vec<Port>,
    /// Functions that hold at every step of a run.
    pub constraints: Vec<Port>,
    /// Each is to hold infinitely often for one of these properties to be violated.
    pub justice: Vec<(Vec<Lit>, Option<String>)>,
    /// Functions that hold infinitely often on every run.
    pub fairness: Vec<Port>,
}

impl Circuit {
    /// The function that a name stands for: the symbol of a latch, an output, an input, a bad-state
    /// property, a constraint or a fairness constraint, in this order, or else its place in the
    /// file: `l3`, `o0`, `i2`, `b0`, `c0`, `f0`, from zero. Of a justice property, `j0` is its only
    /// function, and `j0.2` the third of several.
    pub fn atom(&self, name: &str) -> Option<Lit> {
        self.named().find(|(symbol, _)| *symbol == Some(name)).map(|(_, lit)| lit).or_else(|| {
            let kind = name.get(..1)?;
            let place = name.get(1..)?;
            if let ("j", Some((property, function))) = (kind, place.split_once('.')) {
                let (functions, _) = self.justice.get(number(property)?)?;
                return functions.get(number(function)?).copied();
            }
            let index = number(place)?;
            match kind {
                "l" => self.latches.get(index).map(|latch| latch.state),
                "o" => self.outputs.get(index).map(|port| port.lit),
                "i" => self.inputs.get(index).map(|port| port.lit),
                "b" => self.bad.get(index).map(|port| port.lit),
                "c" => self.constraints.get(index).map(|port| port.lit),
                "f" => self.fairness.get(index).map(|port| port.lit),
                "j" => self.justice.get(index).and_then(|(functions, _)| only(functions)),
                _ => None,
            }
        })
    }

    /// All symbols with their meanings, in the order of precedence.
    fn named(&self) -> impl Iterator<Item = (Option<&str>, Lit)> {
        let latches = self.latches.iter().map(|latch| (latch.name.as_deref(), latch.state));
        let ports = [&self.outputs, &self.inputs, &self.bad, &self.constraints, &self.fairness];
        latches.chain(ports.into_iter().flatten().map(|port| (port.name.as_deref(), port.lit)))
    }

    /// All names that properties can use, to suggest one.
    pub fn names(&self) -> impl Iterator<Item = String> + '_ {
        let latches = self.latches.iter().enumerate();
        let latches = latches.map(|(at, latch)| latch.name.clone().unwrap_or_else(|| format!("l{at}")));
        let ports = [
            ("o", &self.outputs),
            ("i", &self.inputs),
            ("b", &self.bad),
            ("c", &self.constraints),
            ("f", &self.fairness),
        ];
        let ports = ports.into_iter().flat_map(|(kind, ports)| {
            let name =
                move |(at, port): (usize, &Port)| port.name.clone().unwrap_or_else(|| format!("{kind}{at}"));
            ports.iter().enumerate().map(name)
        });
        let justice = (0..self.justice.len()).flat_map(|at| self.justice_names(at));
        latches.chain(ports).chain(justice)
    }

    /// The names of the functions of a justice property, by its place.
    pub fn justice_names(&self, at: usize) -> Vec<String> {
        match self.justice[at].0.len() {
            1 => vec![format!("j{at}")],
            several => (0..several).map(|function| format!("j{at}.{function}")).collect(),
        }
    }

    /// The name of a latch.
    pub fn latch_name(&self, at: usize) -> String {
        self.latches[at].name.clone().unwrap_or_else(|| format!("l{at}"))
    }

    /// The name of an input.
    pub fn input_name(&self, at: usize) -> String {
        self.inputs[at].name.clone().unwrap_or_else(|| format!("i{at}"))
    }

    /// The bytes it holds.
    pub fn bytes(&self) -> usize {
        let ports = [&self.inputs, &self.outputs, &self.bad, &self.constraints, &self.fairness];
        let names = ports
            .into_iter()
            .flatten()
            .map(|port| size_of::<Port>() + port.name.as_ref().map_or(0, String::len));
        let latches =
            self.latches.iter().map(|latch| size_of::<Latch>() + latch.name.as_ref().map_or(0, String::len));
        self.aig.bytes() + names.chain(latches).sum::<usize>()
    }
}

/// A number as places are written, without zeros in front.
fn number(text: &str) -> Option<usize> {
    let is_plain = text == "0" || !text.starts_with('0') && text.bytes().all(|b| b.is_ascii_digit());
    text.parse().ok().filter(|_| is_plain)
}

fn only(functions: &[Lit]) -> Option<Lit> {
    if let [function] = *functions { Some(function) } else { None }
}
