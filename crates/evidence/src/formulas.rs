//! The formulas of all paths in one arena, so that equal claims have equal numbers.
//!
//! The form is of this crate's own: an and-inverter graph over atoms, `X`, `U` and `E`, in which a
//! formula and its negation are one gate. [`Formulas::op`] reads it as a formula with negations
//! pushed inward. CTL formulas that [`loris_logic::Core`] takes for equal are equal here, too.
//! Linear in the formulas.

use crate::Paths;
use loris_base::{Idx, Names, Symbol};
use loris_logic::{Formula, FormulaBuilder, FormulaId, Node, parse_printed};
use rustc_hash::{FxHashMap, FxHashSet};

/// A gate or its negation: twice the index of the gate, plus one if negated. Operands come before
/// operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Lit(u32);

impl Lit {
    pub(crate) const TRUE: Lit = Lit(0);
    pub(crate) const FALSE: Lit = Lit(1);

    fn gate(self) -> usize {
        (self.0 >> 1) as usize
    }

    fn is_negative(self) -> bool {
        self.0 & 1 == 1
    }

    fn is_constant(self) -> bool {
        self.0 <= 1
    }
}

impl std::ops::Not for Lit {
    type Output = Lit;
    fn not(self) -> Lit {
        Lit(self.0 ^ 1)
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Gate {
    True,
    Atom(Symbol),
    And(Lit, Lit),
    Next(Lit),
    Until(Lit, Lit),
    Exists(Lit),
    /// the run is fair
    Fair,
}

/// A literal as an operator over literals; negations stand at atoms and quantifiers only.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Op {
    Constant(bool),
    /// an atom, or its negation if false
    Atom(Symbol, bool),
    And(Lit, Lit),
    Or(Lit, Lit),
    Next(Lit),
    Until(Lit, Lit),
    Release(Lit, Lit),
    /// on some path
    Exists(Lit),
    /// on no path
    Absent(Lit),
    /// the run is fair, or it is not if false; it stands under quantifiers only
    Fair(bool),
}

impl Op {
    pub(crate) fn children(self) -> impl Iterator<Item = Lit> {
        let pair = match self {
            Op::Constant(_) | Op::Atom(..) | Op::Fair(_) => [None, None],
            Op::Next(a) | Op::Exists(a) | Op::Absent(a) => [Some(a), None],
            Op::And(a, b) | Op::Or(a, b) | Op::Until(a, b) | Op::Release(a, b) => [Some(a), Some(b)],
        };
        pair.into_iter().flatten()
    }
}

/// The meaning of a text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Reading {
    /// the state formula
    pub(crate) claim: Lit,
    /// if the text is `E ρ` or `!A ρ`, the path formula that the path has to satisfy
    pub(crate) along: Option<Lit>,
}

/// Subformulas, each once, operands before operators.
pub(crate) struct Formulas<'e> {
    gates: Vec<Gate>,
    /// for each gate, whether it is about a state alone
    states: Vec<bool>,
    table: FxHashMap<Gate, Lit>,
    names: Names,
    read: FxHashMap<&'e str, Reading>,
    paths: Paths,
    /// whether only fair runs count: quantifiers say so of each run
    are_fair: bool,
    /// the atom of states that have a successor, where some have none
    has_next: Option<Symbol>,
}

/// The name of the atom of states that have a successor; no label has it, as labels are not empty.
const HAS_NEXT: &str = "\u{1}has a next state";

/// Longer formulas are cut in messages.
const PRINTED: usize = 200;

/// A text that is short enough for a message.
pub(crate) fn shortened(text: &str, limit: usize) -> String {
    match text.char_indices().nth(limit) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

impl<'e> Formulas<'e> {
    /// No formulas yet. Where only infinite runs count, `E p` claims that there is one, too.
    pub(crate) fn new(paths: Paths) -> Self {
        Self {
            gates: vec![Gate::True],
            states: vec![true],
            table: FxHashMap::default(),
            names: Names::default(),
            read: FxHashMap::default(),
            paths,
            are_fair: false,
            has_next: None,
        }
    }

    /// The same where only fair runs count, if `are_fair`; these are infinite.
    pub(crate) fn of_fair_runs(self, are_fair: bool) -> Self {
        debug_assert!(!are_fair || self.paths.are_infinite(), "a fair run does not end");
        Self { are_fair, ..self }
    }

    /// How many different subformulas there are.
    pub(crate) fn len(&self) -> usize {
        self.gates.len()
    }

    /// The meaning of a text, or why it is not a state formula.
    pub(crate) fn read(&mut self, text: &'e str) -> Result<Reading, String> {
        if let Some(&reading) = self.read.get(text) {
            return Ok(reading);
        }
        let formula = parse_printed(text).map_err(|problems| {
            let why = problems.sorted().first().map_or_else(String::new, |first| first.message.clone());
            format!("`{}` is not a formula: {why}", shortened(text, PRINTED))
        })?;
        let lits = self.add(&formula);
        let claim = lits[formula.root().index()];
        if !self.is_state(claim) {
            return Err(format!("`{}` is about a path, and lacks a quantifier", shortened(text, PRINTED)));
        }
        let reading = Reading { claim, along: along(&formula, &lits).map(|path| self.fair(path)) };
        self.read.insert(text, reading);
        Ok(reading)
    }

    /// The claim that a formula holds on all paths; of a state formula, that it holds.
    pub(crate) fn on_all_paths(&mut self, formula: &Formula) -> Lit {
        let lits = self.add(formula);
        let path = lits[formula.root().index()];
        // where runs may end, only linear time takes a state for the first of a run
        if self.paths == Paths::Fair { path } else { !self.exists(!path) }
    }

    /// The literals of all subformulas.
    pub(crate) fn add(&mut self, formula: &Formula) -> Vec<Lit> {
        let mut lits: Vec<Lit> = Vec::with_capacity(formula.len());
        for (_, node) in formula.nodes() {
            let of = |child: FormulaId| lits[child.index()];
            let lit = match node {
                Node::True => Lit::TRUE,
                Node::False => Lit::FALSE,
                Node::Atom(atom) => {
                    let atom = self.names.intern(&formula.atoms()[atom]);
                    self.gate(Gate::Atom(atom))
                }
                Node::Not(a) => !of(a),
                Node::And(a, b) => self.and(of(a), of(b)),
                Node::Or(a, b) => self.or(of(a), of(b)),
                Node::Implies(a, b) => self.or(!of(a), of(b)),
                Node::Iff(a, b) => {
                    let both = self.and(of(a), of(b));
                    let none = self.and(!of(a), !of(b));
                    self.or(both, none)
                }
                Node::X(a) => self.next(of(a)),
                Node::F(a) => self.until(Lit::TRUE, of(a)),
                Node::G(a) => self.always(of(a)),
                Node::U(a, b) => self.until(of(a), of(b)),
                Node::W(a, b) => {
                    let neither = self.and(!of(a), !of(b));
                    !self.until(!of(b), neither)
                }
                Node::R(a, b) => !self.until(!of(a), !of(b)),
                Node::E(path) => match formula.node(path) {
                    Node::W(a, b) if self.is_state(of(a)) && self.is_state(of(b)) => {
                        let until = self.until(of(a), of(b));
                        let always = self.always(of(a));
                        let (until, always) = (self.exists(until), self.exists(always));
                        self.or(until, always)
                    }
                    _ => self.exists(of(path)),
                },
                Node::A(path) => !self.exists(!of(path)),
            };
            lits.push(lit);
        }
        lits
    }

    fn gate(&mut self, gate: Gate) -> Lit {
        if let Some(&lit) = self.table.get(&gate) {
            return lit;
        }
        let state = match gate {
            Gate::True | Gate::Atom(_) | Gate::Exists(_) => true,
            Gate::And(a, b) => self.is_state(a) && self.is_state(b),
            Gate::Next(_) | Gate::Until(..) | Gate::Fair => false,
        };
        let lit = Lit(2 * self.gates.len() as u32);
        self.gates.push(gate);
        self.states.push(state);
        self.table.insert(gate, lit);
        lit
    }

    fn and(&mut self, a: Lit, b: Lit) -> Lit {
        match (a, b) {
            (Lit::TRUE, _) => b,
            (_, Lit::TRUE) => a,
            (Lit::FALSE, _) | (_, Lit::FALSE) => Lit::FALSE,
            _ if a == b => a,
            _ if a == !b => Lit::FALSE,
            _ => self.gate(Gate::And(a, b)),
        }
    }

    fn or(&mut self, a: Lit, b: Lit) -> Lit {
        !self.and(!a, !b)
    }

    /// An endless run has one next state, so that negations pass. Where runs may end, `X true` is
    /// not a tautology.
    fn next(&mut self, a: Lit) -> Lit {
        match a {
            _ if a.is_constant() && self.paths != Paths::Ending => a,
            _ if a.is_negative() => !self.gate(Gate::Next(!a)),
            _ => self.gate(Gate::Next(a)),
        }
    }

    /// Where runs may end, what does not come is not the same as `false`: `A F false` holds if all
    /// runs end.
    fn until(&mut self, a: Lit, b: Lit) -> Lit {
        let is_constant = b == Lit::TRUE || b == Lit::FALSE && self.paths != Paths::Ending;
        if is_constant || a == Lit::FALSE || a == b { b } else { self.gate(Gate::Until(a, b)) }
    }

    fn always(&mut self, a: Lit) -> Lit {
        !self.until(Lit::TRUE, !a)
    }

    /// E over a path formula. As in the core of CTL, `E [ p R q ]` is `E [ q U (p & q) ] | E G q`.
    fn exists(&mut self, path: Lit) -> Lit {
        match self.op(path) {
            _ if !self.paths.are_infinite() && self.is_state(path) => path,
            Op::Next(Lit::TRUE) => self.goes_on(),
            Op::Next(Lit::FALSE) | Op::Until(_, Lit::FALSE) => Lit::FALSE,
            Op::Release(p, q) if p != Lit::FALSE && self.is_state(p) && self.is_state(q) => {
                let both = self.and(p, q);
                let (until, always) = (self.until(q, both), self.always(q));
                let (until, always) = (self.exists(until), self.exists(always));
                self.or(until, always)
            }
            _ => match self.fair(path) {
                Lit::FALSE => Lit::FALSE,
                path => self.gate(Gate::Exists(path)),
            },
        }
    }

    /// A path formula of a run that counts.
    fn fair(&mut self, path: Lit) -> Lit {
        if !self.are_fair {
            return path;
        }
        let fair = self.gate(Gate::Fair);
        self.and(path, fair)
    }

    /// The path formula under a quantifier without the condition that the run is fair, and whether
    /// it had one.
    pub(crate) fn without_fairness(&self, path: Lit) -> (Lit, bool) {
        match self.op(path) {
            Op::Fair(true) => (Lit::TRUE, true),
            Op::And(a, b) if self.op(b) == Op::Fair(true) => (a, true),
            _ => (path, false),
        }
    }

    /// `E X true` where runs may end: something that is seen in the state.
    fn goes_on(&mut self) -> Lit {
        let atom = self.names.intern(HAS_NEXT);
        self.has_next = Some(atom);
        self.gate(Gate::Atom(atom))
    }

    /// Whether an atom means that a state has a successor.
    pub(crate) fn is_has_next(&self, atom: Symbol) -> bool {
        self.has_next == Some(atom)
    }

    pub(crate) fn op(&self, lit: Lit) -> Op {
        let positive = !lit.is_negative();
        match self.gates[lit.gate()] {
            Gate::True => Op::Constant(positive),
            Gate::Atom(atom) => Op::Atom(atom, positive),
            Gate::And(a, b) if positive => Op::And(a, b),
            Gate::And(a, b) => Op::Or(!a, !b),
            Gate::Next(a) => Op::Next(if positive { a } else { !a }),
            Gate::Until(a, b) if positive => Op::Until(a, b),
            Gate::Until(a, b) => Op::Release(!a, !b),
            Gate::Exists(path) if positive => Op::Exists(path),
            Gate::Exists(path) => Op::Absent(path),
            Gate::Fair => Op::Fair(positive),
        }
    }

    /// Whether a formula is about a state alone, and not about a path.
    pub(crate) fn is_state(&self, lit: Lit) -> bool {
        self.states[lit.gate()]
    }

    pub(crate) fn is_existential(&self, lit: Lit) -> bool {
        matches!(self.op(lit), Op::Exists(_))
    }

    pub(crate) fn name(&self, atom: Symbol) -> &str {
        &self.names[atom]
    }

    /// The subformulas of a formula, itself included, down to those where `stop` is true; operands
    /// come first.
    pub(crate) fn parts(&self, root: Lit, stop: impl Fn(Lit) -> bool) -> Vec<Lit> {
        let mut seen = FxHashSet::default();
        let mut parts = Vec::new();
        let mut work = vec![root];
        while let Some(lit) = work.pop() {
            if seen.insert(lit) {
                parts.push(lit);
                if !stop(lit) {
                    work.extend(self.op(lit).children());
                }
            }
        }
        parts.sort_unstable();
        parts
    }

    /// A formula for a message.
    pub(crate) fn print(&self, formula: Lit) -> String {
        let parts = self.parts(formula, |_| false);
        let mut build = FormulaBuilder::default();
        let mut ids: FxHashMap<Lit, FormulaId> = FxHashMap::default();
        for lit in parts {
            let of = |lit: Lit| ids[&lit];
            let node = match self.op(lit) {
                Op::Constant(true) => Node::True,
                Op::Constant(false) => Node::False,
                Op::Atom(atom, positive) => {
                    let atom = if self.is_has_next(atom) {
                        let anything = build.add(Node::True);
                        let next = build.add(Node::X(anything));
                        build.add(Node::E(next))
                    } else {
                        build.atom(&self.names[atom])
                    };
                    ids.insert(lit, atom);
                    if positive {
                        continue;
                    }
                    Node::Not(atom)
                }
                // that only fair runs count is understood
                Op::Fair(value) => {
                    if value {
                        Node::True
                    } else {
                        Node::False
                    }
                }
                Op::And(a, b) if self.op(b) == Op::Fair(true) => {
                    ids.insert(lit, of(a));
                    continue;
                }
                Op::And(a, b) => Node::And(of(a), of(b)),
                Op::Or(a, b) => Node::Or(of(a), of(b)),
                Op::Next(a) => Node::X(of(a)),
                Op::Until(Lit::TRUE, b) => Node::F(of(b)),
                Op::Until(a, b) => Node::U(of(a), of(b)),
                Op::Release(Lit::FALSE, b) => Node::G(of(b)),
                Op::Release(a, b) => match self.op(b) {
                    Op::Or(weak, release) if release == a => Node::W(of(weak), of(a)),
                    _ => Node::R(of(a), of(b)),
                },
                Op::Exists(path) | Op::Absent(path) => {
                    let exists = Node::E(of(path));
                    if self.is_existential(lit) { exists } else { Node::Not(build.add(exists)) }
                }
            };
            ids.insert(lit, build.add(node));
        }
        let root = ids[&formula];
        let formula = build.finish(root);
        formula.print(formula.root(), PRINTED)
    }
}

/// The path formula under the outermost quantifier, if that is existential.
fn along(formula: &Formula, lits: &[Lit]) -> Option<Lit> {
    let (mut at, mut positive) = (formula.root(), true);
    loop {
        match formula.node(at) {
            Node::Not(a) => (at, positive) = (a, !positive),
            Node::E(path) if positive => return Some(lits[path.index()]),
            Node::A(path) if !positive => return Some(!lits[path.index()]),
            _ => return None,
        }
    }
}
