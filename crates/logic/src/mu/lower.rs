//! From what was written to the normal form: negations pushed inwards, CTL and regular modalities
//! translated.
//!
//! Each written subformula is lowered at most twice, once for each sign; linear in the text, up to
//! the closures of regular modalities, which are as long as their expressions.

use super::ctl::{self, DeadEnds, Quantifier, Temporal};
use super::formula::{Extremum, Mu, MuBuilder, MuFormula, MuId, VarId};
use super::regular::Regular;
use loris_base::Diagnostic;

/// An operator as it was written; operands are indices of earlier nodes.
#[derive(Clone, Debug)]
pub(crate) enum Written {
    True,
    False,
    Atom(String),
    /// the serial number of its binder
    Variable(u32),
    Not(u32),
    And(u32, u32),
    Or(u32, u32),
    Implies(u32, u32),
    Iff(u32, u32),
    Modal {
        some: bool,
        actions: Regular,
        operand: u32,
    },
    Fix {
        extremum: Extremum,
        serial: u32,
        name: String,
        body: u32,
    },
    /// a path formula that waits for its quantifier
    Path(Temporal, u32, u32),
    Ctl(Quantifier, Temporal, u32, u32),
}

/// The subformulas of a text, children before parents, with their places.
#[derive(Debug, Default)]
pub(crate) struct WrittenFormula {
    pub(crate) nodes: Vec<Written>,
    pub(crate) spans: Vec<(usize, usize)>,
}

impl WrittenFormula {
    pub(crate) fn add(&mut self, node: Written, span: (usize, usize)) -> u32 {
        self.nodes.push(node);
        self.spans.push(span);
        self.nodes.len() as u32 - 1
    }

    fn operands(&self, node: u32) -> impl Iterator<Item = u32> + use<> {
        let pair = match &self.nodes[node as usize] {
            Written::True | Written::False | Written::Atom(_) | Written::Variable(_) => [None, None],
            Written::Not(f) | Written::Modal { operand: f, .. } | Written::Fix { body: f, .. } => {
                [Some(*f), None]
            }
            Written::And(f, g) | Written::Or(f, g) | Written::Implies(f, g) | Written::Iff(f, g) => {
                [Some(*f), Some(*g)]
            }
            Written::Path(_, f, g) | Written::Ctl(_, _, f, g) => [Some(*f), (f != g).then_some(*g)],
        };
        pair.into_iter().flatten()
    }

    /// Refuses variables that stand under an odd number of negations, counted from their binder, or
    /// on a side of an equivalence: such formulas have no fixpoints.
    pub(crate) fn check_signs(&self, root: u32) -> Result<(), Diagnostic> {
        // the sign is relative to the innermost equivalence, which is named by its node
        let mut signs: Vec<(u32, bool)> = vec![(u32::MAX, true); self.nodes.len()];
        let mut binders: Vec<(u32, bool)> = Vec::new();
        for node in (0..=root).rev() {
            let (under, sign) = signs[node as usize];
            match &self.nodes[node as usize] {
                // its quantifier has taken its operands over
                Written::Path(..) => continue,
                Written::Variable(serial) if binders.get(*serial as usize) != Some(&(under, sign)) => {
                    let (start, end) = self.spans[node as usize];
                    let message = "this variable stands under an odd number of negations";
                    let problem = Diagnostic::error(start as u64, end - start, message);
                    return Err(problem.help("a fixpoint needs its variable to be positive: `!` and the left side of `->` negate, and `<->` does both"));
                }
                Written::Fix { serial, .. } => {
                    let serial = *serial as usize;
                    if binders.len() <= serial {
                        binders.resize(serial + 1, (u32::MAX - 1, true));
                    }
                    binders[serial] = (under, sign);
                }
                _ => {}
            }
            let flips = |operand: u32| match &self.nodes[node as usize] {
                Written::Not(_) => true,
                Written::Implies(f, _) => *f == operand,
                _ => false,
            };
            for operand in self.operands(node) {
                signs[operand as usize] = match &self.nodes[node as usize] {
                    Written::Iff(..) => (node, true),
                    _ => (under, sign != flips(operand)),
                };
            }
        }
        Ok(())
    }
}

/// The normal form of a formula whose signs were checked.
pub(crate) fn lower(written: &WrittenFormula, root: u32, dead_ends: DeadEnds) -> MuFormula {
    let mut lowering = Lowering {
        written,
        dead_ends,
        build: MuBuilder::default(),
        done: vec![[None; 2]; written.nodes.len()],
        variables: Vec::new(),
    };
    let root = lowering.all(root);
    lowering.build.finish(root)
}

struct Lowering<'w> {
    written: &'w WrittenFormula,
    dead_ends: DeadEnds,
    build: MuBuilder,
    /// the result by sign: negated, plain
    done: Vec<[Option<MuId>; 2]>,
    /// by serial number and sign
    variables: Vec<[Option<VarId>; 2]>,
}

impl Lowering<'_> {
    fn all(&mut self, root: u32) -> MuId {
        let mut stack = vec![(root, true, false)];
        while let Some((node, sign, ready)) = stack.pop() {
            if self.done[node as usize][usize::from(sign)].is_some() {
                continue;
            }
            if ready {
                let result = self.one(node, sign);
                self.done[node as usize][usize::from(sign)] = Some(result);
                continue;
            }
            if let Written::Fix { extremum, serial, name, .. } = &self.written.nodes[node as usize] {
                let serial = *serial as usize;
                if self.variables.len() <= serial {
                    self.variables.resize(serial + 1, [None; 2]);
                }
                let extremum = match (extremum, sign) {
                    (Extremum::Least, true) | (Extremum::Greatest, false) => Extremum::Least,
                    _ => Extremum::Greatest,
                };
                let variable = self.build.variable(name, extremum);
                self.variables[serial][usize::from(sign)] = Some(variable);
            }
            stack.push((node, sign, true));
            let operands: Vec<u32> = self.written.operands(node).collect();
            for operand in operands.into_iter().rev() {
                match &self.written.nodes[node as usize] {
                    Written::Not(_) => stack.push((operand, !sign, false)),
                    Written::Implies(f, g) => {
                        if operand == *f {
                            stack.push((operand, !sign, false));
                        }
                        if operand == *g {
                            stack.push((operand, sign, false));
                        }
                    }
                    Written::Iff(..) => {
                        stack.push((operand, false, false));
                        stack.push((operand, true, false));
                    }
                    _ => stack.push((operand, sign, false)),
                }
            }
        }
        self.of(root, true)
    }

    fn of(&self, node: u32, sign: bool) -> MuId {
        self.done[node as usize][usize::from(sign)].expect("operands come first")
    }

    fn one(&mut self, node: u32, sign: bool) -> MuId {
        match &self.written.nodes[node as usize] {
            Written::True => self.build.add(if sign { Mu::True } else { Mu::False }),
            Written::False => self.build.add(if sign { Mu::False } else { Mu::True }),
            Written::Atom(name) => self.build.atom(name, sign),
            Written::Variable(serial) => {
                let variable = self.variables[*serial as usize][usize::from(sign)];
                self.build.add(Mu::Var(variable.expect("its signs were checked")))
            }
            Written::Not(f) => self.of(*f, !sign),
            Written::And(f, g) => self.join(sign, self.of(*f, sign), self.of(*g, sign)),
            Written::Or(f, g) => self.join(!sign, self.of(*f, sign), self.of(*g, sign)),
            Written::Implies(f, g) => self.join(!sign, self.of(*f, !sign), self.of(*g, sign)),
            Written::Iff(f, g) => {
                let same = self.join(true, self.of(*f, true), self.of(*g, sign));
                let other = self.join(true, self.of(*f, false), self.of(*g, !sign));
                self.join(false, same, other)
            }
            Written::Modal { some, actions, operand } => {
                let operand = self.of(*operand, sign);
                self.modal(*some == sign, actions, operand)
            }
            Written::Fix { serial, body, .. } => {
                let variable = self.variables[*serial as usize][usize::from(sign)];
                let body = self.of(*body, sign);
                self.build.bind(variable.expect("made on the way down"), body)
            }
            Written::Ctl(quantifier, temporal, f, g) => {
                let (f, g) = (self.of(*f, sign), self.of(*g, sign));
                let (operator, f, g) = match (sign, *temporal) {
                    (true, temporal) => ((*quantifier, temporal), f, g),
                    // not (f W g) = not g U (not f and not g)
                    (false, Temporal::W) => (ctl::dual(*quantifier, Temporal::W), g, self.join(true, f, g)),
                    (false, temporal) => (ctl::dual(*quantifier, temporal), f, g),
                };
                ctl::translate(&mut self.build, operator, f, g, self.dead_ends)
            }
            Written::Path(..) => unreachable!("the parser gives every path formula its quantifier"),
        }
    }

    fn join(&mut self, and: bool, f: MuId, g: MuId) -> MuId {
        if and { self.build.and(f, g) } else { self.build.or(f, g) }
    }

    /// `<R> f` or `[R] f` as fixpoints over single steps. Recursion is bounded by the nesting that
    /// the parser of regular expressions allows.
    fn modal(&mut self, some: bool, regular: &Regular, operand: MuId) -> MuId {
        match regular {
            Regular::Nil => operand,
            Regular::Step(set) if some => self.build.possibly(set.clone(), operand),
            Regular::Step(set) => self.build.necessarily(set.clone(), operand),
            Regular::Sequence(items) => items.iter().rev().fold(operand, |f, item| self.modal(some, item, f)),
            Regular::Choice(choices) => {
                let choices: Vec<MuId> =
                    choices.iter().map(|choice| self.modal(some, choice, operand)).collect();
                let joined = choices.into_iter().reduce(|f, g| self.join(!some, f, g));
                joined.expect("a choice has two or more")
            }
            Regular::Star(inner) => {
                let extremum = if some { Extremum::Least } else { Extremum::Greatest };
                let variable = self.build.variable("Z", extremum);
                let again = self.build.add(Mu::Var(variable));
                let again = self.modal(some, inner, again);
                let body = self.join(!some, operand, again);
                self.build.bind(variable, body)
            }
            Regular::Plus(inner) => {
                // <R+>f is mu Z. <R>(f | Z)
                let extremum = if some { Extremum::Least } else { Extremum::Greatest };
                let variable = self.build.variable("Z", extremum);
                let again = self.build.add(Mu::Var(variable));
                let after = self.join(!some, operand, again);
                let body = self.modal(some, inner, after);
                self.build.bind(variable, body)
            }
        }
    }
}
