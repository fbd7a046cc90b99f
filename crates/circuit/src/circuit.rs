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
    /// property or a constraint, in this order, or else its place in the file: `l3`, `o0`, `i2`,
    /// `b0`, `c0`, from zero.
    pub fn atom(&self, name: &str) -> Option<Lit> {
        self.named().find(|(symbol, _)| *symbol == Some(name)).map(|(_, lit)| lit).or_else(|| {
            let kind = name.get(..1)?;
            let index = name.get(1..)?;
            let decimal =
                index == "0" || !index.starts_with('0') && index.bytes().all(|b| b.is_ascii_digit());
            let index = index.parse::<usize>().ok().filter(|_| decimal)?;
            match kind {
                "l" => self.latches.get(index).map(|latch| latch.state),
                "o" => self.outputs.get(index).map(|port| port.lit),
                "i" => self.inputs.get(index).map(|port| port.lit),
                "b" => self.bad.get(index).map(|port| port.lit),
                "c" => self.constraints.get(index).map(|port| port.lit),
                _ => None,
            }
        })
    }

    /// All symbols with their meanings, in the order of precedence.
    fn named(&self) -> impl Iterator<Item = (Option<&str>, Lit)> {
        let latches = self.latches.iter().map(|latch| (latch.name.as_deref(), latch.state));
        let ports = [&self.outputs, &self.inputs, &self.bad, &self.constraints];
        latches.chain(ports.into_iter().flatten().map(|port| (port.name.as_deref(), port.lit)))
    }

    /// All names that properties can use, to suggest one.
    pub fn names(&self) -> impl Iterator<Item = String> + '_ {
        let latches = self.latches.iter().enumerate();
        let latches = latches.map(|(at, latch)| latch.name.clone().unwrap_or_else(|| format!("l{at}")));
        let ports = [("o", &self.outputs), ("i", &self.inputs), ("b", &self.bad), ("c", &self.constraints)];
        let ports = ports.into_iter().flat_map(|(kind, ports)| {
            let name =
                move |(at, port): (usize, &Port)| port.name.clone().unwrap_or_else(|| format!("{kind}{at}"));
            ports.iter().enumerate().map(name)
        });
        latches.chain(ports)
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
