//! Which states satisfy a condition.
//!
//! Conditions are taken apart at `&`, `|` and `!`, and the rest is looked up: states are indexed by the value of each variable, so that
//! `x = c` and `x in {c, d}` cost what they yield and not a look at every state (thesis, section 5.2). A condition over one variable otherwise is
//! evaluated once for each of its values, one over several once for each state. Equal conditions are decided once.
//!
//! Where a variable has left, a condition on its value is neither true nor false, and so on upwards as in Kleene's logic; the label is
//! absent then.

use super::code::{Code, Compiler, children, constant_set, shared};
use super::layout::{Bits, Field, Layout};
use super::step::Trouble;
use super::vm::{Fault, Machine};
use crate::ir::{Binary, Expr, ExprId, Structure};
use loris_base::{Csr, Idx};
use loris_rsm::NodeSet;
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

/// Where a condition is true, and where it is false; without the latter, everywhere else.
#[derive(Clone)]
struct Where {
    yes: Rc<NodeSet>,
    no: Option<Rc<NodeSet>>,
}

/// Decides conditions on the states of a structure.
pub(super) struct Labeller<'a, B> {
    structure: &'a Structure,
    layout: &'a Layout,
    states: &'a [B],
    /// whether variables leave
    recursive: bool,
    known: FxHashMap<ExprId, Where>,
    /// by field, the states of each value
    index: Vec<Option<Rc<Csr>>>,
    shared: Option<Rc<[bool]>>,
}

/// In which state what went wrong.
pub(super) type Failed<B> = (Trouble, Option<B>);

impl<'a, B: Bits> Labeller<'a, B> {
    pub(super) fn new(
        structure: &'a Structure,
        layout: &'a Layout,
        states: &'a [B],
        recursive: bool,
    ) -> Self {
        let index = vec![None; layout.fields.len()];
        Self { structure, layout, states, recursive, known: FxHashMap::default(), index, shared: None }
    }

    /// The states where a condition is true.
    pub(super) fn set(&mut self, condition: ExprId) -> Result<Rc<NodeSet>, Failed<B>> {
        let exprs = &self.structure.exprs;
        let mut left = vec![condition];
        while let Some(&expr) = left.last() {
            if self.known.contains_key(&expr) {
                left.pop();
                continue;
            }
            let before = left.len();
            if let Expr::And(_) | Expr::Or(_) | Expr::Not(_) = exprs.get(expr) {
                children(exprs.get(expr), |child| {
                    if !self.known.contains_key(&child) {
                        left.push(child);
                    }
                });
                if left.len() > before {
                    continue;
                }
            }
            let found = match exprs.get(expr) {
                Expr::Not(of) => self.negation(*of),
                Expr::And(all) => self.both_ways(all, Self::intersection, Self::union),
                Expr::Or(all) => self.both_ways(all, Self::union, Self::intersection),
                _ => self.leaf(expr)?,
            };
            self.known.insert(expr, found);
            left.pop();
        }
        Ok(Rc::clone(&self.known[&condition].yes))
    }

    fn negation(&self, of: ExprId) -> Where {
        let Where { yes, no } = &self.known[&of];
        match no {
            Some(no) => Where { yes: Rc::clone(no), no: Some(Rc::clone(yes)) },
            None => Where { yes: Rc::new(self.complement(yes)), no: None },
        }
    }

    fn both_ways(
        &self,
        all: &[ExprId],
        yes: fn(&Self, &[&NodeSet]) -> NodeSet,
        no: fn(&Self, &[&NodeSet]) -> NodeSet,
    ) -> Where {
        let of: Vec<&Where> = all.iter().map(|expr| &self.known[expr]).collect();
        let positive: Vec<&NodeSet> = of.iter().map(|of| &*of.yes).collect();
        let negative: Option<Vec<&NodeSet>> = of.iter().map(|of| of.no.as_deref()).collect();
        // operands without variables say nothing of where they are false
        let negative = negative.filter(|_| self.recursive);
        Where {
            yes: Rc::new(yes(self, &positive)),
            no: negative.map(|negative| Rc::new(no(self, &negative))),
        }
    }

    fn words(&self) -> usize {
        self.states.len().div_ceil(64)
    }

    fn bits(&self, set: &NodeSet) -> Vec<u64> {
        match set {
            NodeSet::Bits { words, .. } => words.to_vec(),
            NodeSet::Listed(nodes) => {
                let mut words = vec![0; self.words()];
                nodes.iter().for_each(|&node| words[node as usize / 64] |= 1 << (node % 64));
                words
            }
        }
    }

    fn complement(&self, set: &NodeSet) -> NodeSet {
        let mut words = self.bits(set);
        for word in &mut words {
            *word = !*word;
        }
        if let (Some(last), rest @ 1..) = (words.last_mut(), self.states.len() % 64) {
            *last &= (1 << rest) - 1;
        }
        NodeSet::bits(words)
    }

    fn union(&self, sets: &[&NodeSet]) -> NodeSet {
        let total: usize = sets.iter().map(|set| set.len()).sum();
        if total * 32 < self.states.len() || sets.iter().all(|set| set.is_empty()) {
            let mut nodes: Vec<u32> = sets.iter().flat_map(|set| set.iter()).collect();
            nodes.sort_unstable();
            nodes.dedup();
            return NodeSet::listed(nodes);
        }
        let mut words = vec![0; self.words()];
        for set in sets {
            match set {
                NodeSet::Bits { words: others, .. } => {
                    words.iter_mut().zip(others).for_each(|(word, other)| *word |= other);
                }
                NodeSet::Listed(nodes) => {
                    nodes.iter().for_each(|&node| words[node as usize / 64] |= 1 << (node % 64));
                }
            }
        }
        NodeSet::bits(words)
    }

    fn intersection(&self, sets: &[&NodeSet]) -> NodeSet {
        let listed = sets.iter().filter(|set| matches!(set, NodeSet::Listed(_))).min_by_key(|set| set.len());
        if let Some(smallest) = listed {
            let in_all = |node: &u32| sets.iter().all(|set| set.contains(*node));
            return NodeSet::listed(smallest.iter().filter(in_all).collect());
        }
        let mut words = vec![u64::MAX; self.words()];
        if let (Some(last), rest @ 1..) = (words.last_mut(), self.states.len() % 64) {
            *last = (1 << rest) - 1;
        }
        for set in sets {
            if let NodeSet::Bits { words: others, .. } = set {
                words.iter_mut().zip(others).for_each(|(word, other)| *word &= other);
            }
        }
        NodeSet::bits(words)
    }

    /// A condition that is not taken apart.
    fn leaf(&mut self, expr: ExprId) -> Result<Where, Failed<B>> {
        let fields = self.fields(expr);
        if let &[field] = &fields[..]
            && self.layout.fields[field].codes.all() <= 8 * self.states.len() as u64 + 1024
        {
            return self.by_value(expr, field);
        }
        let (code, entry) = self.code(expr);
        let mut machine = Machine::new(&code);
        let mut slots = vec![0; self.structure.variables.len()];
        let mut yes = vec![0u64; self.words()];
        let mut no = vec![0u64; if self.recursive { self.words() } else { 0 }];
        for (number, state) in self.states.iter().enumerate() {
            for &field in &fields {
                let field = &self.layout.fields[field];
                slots[field.variable.index()] = field.value(state);
            }
            machine.forget();
            match machine.truth(&code, entry, &slots) {
                Ok(true) => yes[number / 64] |= 1 << (number % 64),
                Ok(false) if self.recursive => no[number / 64] |= 1 << (number % 64),
                Ok(false) | Err(Fault::Exit) => {}
                Err(fault) => return Err((Trouble::Fault(fault, expr), Some(*state))),
            }
        }
        let no = self.recursive.then(|| Rc::new(NodeSet::bits(no)));
        Ok(Where { yes: Rc::new(NodeSet::bits(yes)), no })
    }

    fn code(&mut self, expr: ExprId) -> (Code, u32) {
        let exprs = &self.structure.exprs;
        let shared = Rc::clone(self.shared.get_or_insert_with(|| shared(exprs)));
        let mut compiler = Compiler::new(exprs, self.structure.variables.len(), shared, self.recursive);
        let entry = compiler.value(expr);
        (compiler.finish(), entry)
    }

    /// A condition on one variable, by its values.
    fn by_value(&mut self, expr: ExprId, number: usize) -> Result<Where, Failed<B>> {
        let layout = self.layout;
        let field = &layout.fields[number];
        let is_it = |id: ExprId| matches!(self.structure.exprs.get(id), Expr::Variable(_));
        let constants = match *self.structure.exprs.get(expr) {
            Expr::Binary(Binary::Equal, a, b) if is_it(a) => constant_set(&self.structure.exprs, b),
            Expr::Binary(Binary::Equal, a, b) if is_it(b) => constant_set(&self.structure.exprs, a),
            Expr::In(a, b) if is_it(a) => constant_set(&self.structure.exprs, b),
            _ => None,
        };
        let (mut yes, mut no) = (Vec::new(), None);
        match constants {
            Some(values) => yes.extend(values.iter().filter_map(|&value| field.codes.place(value))),
            None => no = Some(self.values_of(expr, field, &mut yes)?),
        }
        yes.sort_unstable();
        let index = self.index(number);
        let yes = self.states_of(&index, &yes);
        let no = match no {
            _ if !self.recursive => None,
            // a comparison with constants is false everywhere else
            None => Some(Rc::new(self.complement(&yes))),
            Some(places) => Some(Rc::new(self.states_of(&index, &places))),
        };
        Ok(Where { yes: Rc::new(yes), no })
    }

    /// For which values of its variable a condition is true, and for which it is false.
    fn values_of(&mut self, expr: ExprId, field: &Field, yes: &mut Vec<u64>) -> Result<Vec<u64>, Failed<B>> {
        let (code, entry) = self.code(expr);
        let mut machine = Machine::new(&code);
        let mut slots = vec![0; self.structure.variables.len()];
        let mut no = Vec::new();
        for place in 0..field.codes.all() {
            slots[field.variable.index()] = field.codes.value(place);
            machine.forget();
            match machine.truth(&code, entry, &slots) {
                Ok(true) => yes.push(place),
                Ok(false) => no.push(place),
                Err(Fault::Exit) => {}
                Err(fault) => {
                    // an error only if some state has this value
                    if let Some(state) = self.states.iter().find(|state| field.place(*state) == place) {
                        return Err((Trouble::Fault(fault, expr), Some(*state)));
                    }
                }
            }
        }
        Ok(no)
    }

    /// The states of each value of a variable.
    fn index(&mut self, number: usize) -> Rc<Csr> {
        let (field, states) = (&self.layout.fields[number], self.states);
        let index = self.index[number].get_or_insert_with(|| {
            let places = states.iter().enumerate();
            let pairs = places.map(|(number, state)| (field.place(state) as u32, number as u32));
            Rc::new(Csr::from_pairs(field.codes.all() as usize, pairs))
        });
        Rc::clone(index)
    }

    fn states_of(&self, index: &Csr, places: &[u64]) -> NodeSet {
        let rows = places.iter().map(|&place| index.row(place as usize));
        let total: usize = rows.clone().map(<[u32]>::len).sum();
        if total * 32 < self.states.len() || total < 2 {
            let mut nodes: Vec<u32> = rows.flatten().copied().collect();
            nodes.sort_unstable();
            return NodeSet::listed(nodes);
        }
        let mut words = vec![0; self.words()];
        rows.flatten().for_each(|&node| words[node as usize / 64] |= 1 << (node % 64));
        NodeSet::bits(words)
    }

    /// The fields that an expression reads.
    fn fields(&self, expr: ExprId) -> Vec<usize> {
        let exprs = &self.structure.exprs;
        let (mut seen, mut fields) = (FxHashSet::default(), Vec::new());
        let mut left = vec![expr];
        while let Some(id) = left.pop() {
            if seen.insert(id) {
                if let Expr::Variable(variable) = exprs.get(id) {
                    fields.push(self.layout.field_of[variable.index()] as usize);
                }
                children(exprs.get(id), |child| left.push(child));
            }
        }
        fields.sort_unstable();
        fields.dedup();
        fields
    }
}
