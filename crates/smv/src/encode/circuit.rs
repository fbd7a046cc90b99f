//! An encoded structure as a circuit, for tools that read AIGER.

use super::{Encoded, Moment};
use crate::ir::{PropertyKind, SmvProperty};
use loris_circuit::{Circuit, Lit, Port, Ports};
use loris_logic::{FormulaId, Node};
use rustc_hash::FxHashMap;

/// The symbol of the bad-state property that says where the model is wrong.
const TROUBLE: &str = "trouble";

impl Encoded {
    /// The condition that an invariant claims of all states: `INVARSPEC p`, or `AG p` where all
    /// paths are fair; nothing for other properties. The property is that of this number among
    /// those that were encoded.
    pub fn invariant(&mut self, number: usize, property: &SmvProperty) -> Option<Lit> {
        let is_fair = self.system.justice.is_empty() && self.system.compassion.is_empty();
        if property.kind != PropertyKind::Invariant && !is_fair {
            return None;
        }
        let formula = &property.formula;
        let atoms: FxHashMap<&str, Lit> =
            formula.atoms().iter().zip(self.atoms[number].iter().copied()).collect();
        let aig = &mut self.system.aig;
        // of each subformula, its function, if it has no temporal operators
        let mut lits: Vec<Option<Lit>> = Vec::with_capacity(formula.len());
        let (mut always, mut claimed) = (Vec::with_capacity(formula.len()), None);
        for (_, node) in formula.nodes() {
            let of = |id: FormulaId| lits[loris_base::Idx::index(id)];
            let lit = match node {
                Node::True => Some(Lit::TRUE),
                Node::False => Some(Lit::FALSE),
                Node::Atom(symbol) => atoms.get(&formula.atoms()[symbol]).copied(),
                Node::Not(a) => of(a).map(|a| !a),
                Node::And(a, b) => of(a).zip(of(b)).map(|(a, b)| aig.and(a, b)),
                Node::Or(a, b) => of(a).zip(of(b)).map(|(a, b)| aig.or(a, b)),
                Node::Implies(a, b) => of(a).zip(of(b)).map(|(a, b)| aig.implies(a, b)),
                Node::Iff(a, b) => of(a).zip(of(b)).map(|(a, b)| aig.equal(a, b)),
                _ => None,
            };
            let of_always = match node {
                Node::G(a) => of(a),
                _ => None,
            };
            claimed = match node {
                Node::A(a) => always[loris_base::Idx::index(a)],
                _ => None,
            };
            lits.push(lit);
            always.push(of_always);
        }
        claimed
    }

    /// A circuit with the runs of the structure. Invariants become bad-state properties, the atoms
    /// of all other properties outputs, both with the text they were written as. If the model can
    /// have [trouble](super::Trouble), then a last bad-state property holds where it has.
    ///
    /// The properties are those that were encoded, in their order.
    pub fn to_circuit(&mut self, properties: &[&SmvProperty]) -> Circuit {
        let choices = self.layout.choice_names();
        let mut ports = Ports { states: self.layout.bit_names(), choices, ..Ports::default() };
        for (number, property) in properties.iter().enumerate() {
            if let Some(lit) = self.invariant(number, property) {
                ports.bad.push(Port { lit: !lit, name: Some(property.text.clone()) });
                continue;
            }
            for (name, &lit) in property.formula.atoms().iter().zip(&self.atoms[number]) {
                if !ports.outputs.iter().any(|port| port.name.as_deref() == Some(name)) {
                    ports.outputs.push(Port { lit, name: Some(name.to_owned()) });
                }
            }
        }
        if self.trouble.is_empty() {
            return self.system.to_circuit(&ports);
        }
        let mut system = self.system.clone();
        let trouble = |moments: &[Moment]| {
            let all = self.trouble.iter().filter(|trouble| moments.contains(&trouble.moment));
            all.map(|trouble| trouble.when).collect::<Vec<Lit>>()
        };
        let step = system.aig.any(trouble(&[Moment::Step]));
        let start = system.aig.any(trouble(&[Moment::Start]));
        let wrong = system.aig.any(trouble(&[Moment::State]));
        let mut wrong = system.aig.or(wrong, step);
        for constraint in &mut system.constraints {
            *constraint = system.aig.or(*constraint, step);
        }
        if start != Lit::FALSE {
            // a valuation with trouble counts as initial
            let first = system.aig.variable();
            let begins = system.aig.all(system.init.iter().copied());
            let begins = system.aig.or(begins, start);
            let at_start = system.aig.and(first, start);
            wrong = system.aig.or(wrong, at_start);
            system.init = vec![first, begins];
            system.states.push(loris_circuit::StateVar { now: first, next: Lit::FALSE });
            ports.states.push("first".to_owned());
        }
        ports.bad.push(Port { lit: wrong, name: Some(TROUBLE.to_owned()) });
        system.to_circuit(&ports)
    }
}
