//! The meaning of a file: structures of variables with finite domains, and expressions over their
//! values.
//!
//! Modules are flattened: a structure has all variables of its instances, arrays are one variable
//! for each element, parameters are gone, definitions are shared subexpressions. A value is an
//! `i64`, whatever its type; types were checked before, and only printing still needs to know them.
//!
//! Expressions lie in an arena, operands before operators, equal ones once.

use hashbrown::HashTable;
use loris_base::{Diagnostic, Idx, IndexVec};
use loris_logic::{Formula, Node};
use rustc_hash::FxBuildHasher;
use std::hash::BuildHasher;
use std::sync::Arc;

loris_base::id! {
    /// An expression of a structure.
    pub struct ExprId;
    /// A variable of a structure.
    pub struct VariableId;
    /// A structure: the main module, or one of several that call each other.
    pub struct StructureId;
}

/// The value of a variable that has left: less than every other.
pub const EXIT: i64 = i64::MIN;

/// Where symbolic constants start: number `k` of [`Program::symbols`] is the value `SYMBOLS + k`.
pub const SYMBOLS: i64 = i64::MIN + 1;

/// Numbers are smaller than this on both sides; symbolic constants are far below.
pub const LIMIT: i64 = 1 << 62;

/// A file that was found to be right.
#[derive(Clone, Debug, Default)]
pub struct Program {
    /// The structures; without `CALL` and `EXIT` one for each root (`main`).
    pub structures: IndexVec<StructureId, Structure>,
    /// Whether some module has `CALL` or `EXIT`: then structures have one initial state and may
    /// have an exit.
    pub recursive: bool,
    /// The names of symbolic constants.
    pub symbols: Vec<String>,
    /// All properties that can be decided, in the order of the file.
    pub properties: Vec<SmvProperty>,
    /// All other properties, in the order of the file.
    pub unsupported: Vec<Unsupported>,
    /// All questions for numbers, in the order of the file.
    pub computations: Vec<Computation>,
    /// The places of modules, if the file has a name ([`Smv::set_file`](crate::Smv::set_file)).
    pub modules: Option<Arc<ModulePlaces>>,
}

/// Where the modules of structures stand in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModulePlaces {
    /// The name of the file.
    pub file: String,
    /// The line and the column of the name of each module, from 1.
    pub places: IndexVec<StructureId, (u32, u32)>,
}

/// One Kripke structure, or one sub-structure of a recursive one, as equations.
#[derive(Clone, Debug, Default)]
pub struct Structure {
    /// The module.
    pub name: String,
    /// Where its name stands in the file.
    pub span: Span,
    /// All expressions.
    pub exprs: Exprs,
    /// All variables: those of states, frozen ones, inputs.
    pub variables: IndexVec<VariableId, Variable>,
    /// Conditions on initial states (`INIT`), conjunct by conjunct.
    pub init: Vec<ExprId>,
    /// Conditions on all states (`INVAR`), conjunct by conjunct.
    pub invar: Vec<ExprId>,
    /// Conditions on steps (`TRANS`), conjunct by conjunct.
    pub trans: Vec<ExprId>,
    /// Conditions that must hold infinitely often (`FAIRNESS`, `JUSTICE`).
    pub justice: Vec<ExprId>,
    /// If the first holds infinitely often, so does the second (`COMPASSION`).
    pub compassion: Vec<(ExprId, ExprId)>,
    /// Definitions that are truth values of states, by their full names (`p.idle`).
    pub labels: Vec<Label>,
    /// Which states call.
    pub calls: Vec<Call>,
}

/// Byte offsets of where something starts and ends.
pub type Span = (u32, u32);

/// A variable.
#[derive(Clone, Debug)]
pub struct Variable {
    /// Its full name: `p.x[3]`.
    pub name: String,
    /// Where it was declared.
    pub span: Span,
    /// Its kind.
    pub kind: VariableKind,
    /// Whether it was added for a property, to remember an earlier condition. The model does not
    /// depend on it.
    pub is_monitor: bool,
    /// Its values, `EXIT` not counted.
    pub domain: Domain,
    /// `init(x) := e`; a set of values. Over initial values of other variables.
    pub init: Option<ExprId>,
    /// `next(x) := e`; a set of values.
    pub next: Option<ExprId>,
    /// `x := e`; a set of values, in every state.
    pub current: Option<ExprId>,
    /// Where the value of each of these assignments was written: equal expressions are kept once,
    /// with the place of the first.
    pub assigned: Vec<(ExprId, Span)>,
}

/// The kind of a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VariableKind {
    /// Part of a state.
    State,
    /// Part of a state that never changes.
    Frozen,
    /// Chosen anew in every step, not part of a state.
    Input,
}

/// The values of a variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Domain {
    /// 0 and 1.
    Boolean,
    /// All numbers from the first to the second.
    Range(i64, i64),
    /// These values, numbers and symbolic constants, in the order they were written. Truth values
    /// among others are written 0 and 1.
    Enumeration(Vec<i64>),
    /// All bits of a width of at most 62: 0 to 2ⁿ − 1, or −2ⁿ⁻¹ to 2ⁿ⁻¹ − 1.
    Word {
        /// Whether the first bit is a sign.
        signed: bool,
        /// How many bits.
        width: u32,
    },
}

/// A name for a set of states.
#[derive(Clone, Debug)]
pub struct Label {
    /// Its full name.
    pub name: String,
    /// Where it was defined.
    pub span: Span,
    /// When it holds.
    pub condition: ExprId,
}

/// `CALL module := condition`.
#[derive(Clone, Copy, Debug)]
pub struct Call {
    /// The callee.
    pub target: StructureId,
    /// Where it was written.
    pub span: Span,
    /// In which states.
    pub condition: ExprId,
}

/// The logic a property is written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PropertyKind {
    /// `SPEC`, `CTLSPEC`, `PSLSPEC` with quantifiers.
    Ctl,
    /// `LTLSPEC`, `PSLSPEC` without.
    Ltl,
    /// `INVARSPEC`: the formula is `A G` of it already.
    Invariant,
    /// Given from outside, in any logic.
    Given,
}

/// A property of a structure.
#[derive(Clone, Debug)]
pub struct SmvProperty {
    /// The logic it is written in.
    pub kind: PropertyKind,
    /// `NAME n :=`.
    pub name: Option<String>,
    /// As it was written, blanks made one.
    pub text: String,
    /// Where it was written, from its keyword on.
    pub span: Span,
    /// The structure it is about, where runs start.
    pub structure: StructureId,
    /// The instance it was written in, with names in full: `p.q`; empty for the structure itself.
    pub instance: String,
    /// Its formula over atoms; spans are offsets in the file, or in the text it was given as.
    pub formula: Formula,
    /// The meaning of each atom of the formula, in the order of the formula's atoms.
    pub atoms: Vec<Atom>,
    /// Of a property that was given from outside, where problems of states have its text: after the
    /// file and all texts that were given before. None if it is a part of the file.
    pub base: Option<u32>,
}

impl SmvProperty {
    /// A problem of one of its atoms in some state: for a property that was given, at the first
    /// place where it has the atom, whoever else asks for the same condition.
    pub fn blamed(&self, atom: usize, problem: &Diagnostic) -> Diagnostic {
        let Some(base) = self.base else { return problem.clone() };
        let is_it = |node: &Node| matches!(node, Node::Atom(symbol) if symbol.index() == atom);
        let node = self.formula.nodes().find(|(_, node)| is_it(node)).map(|(id, _)| self.formula.span(id));
        let (start, end) = node.filter(|&(start, end)| start < end).unwrap_or((0, self.span.1));
        Diagnostic { offset: Some((base + start).into()), length: end - start, ..problem.clone() }
    }
}

/// `COMPUTE MIN [ p, q ]` or `COMPUTE MAX [ p, q ]`: how many steps it takes from where `p` holds
/// to where `q` does.
#[derive(Clone, Debug)]
pub struct Computation {
    /// At most (`MAX`); else at least.
    pub longest: bool,
    /// Where it starts, with all else that is known of the question: its text is that of the whole.
    pub from: SmvProperty,
    /// Where it ends.
    pub to: SmvProperty,
}

/// A property that uses something which is not supported: there is no formula of it.
#[derive(Clone, Debug)]
pub struct Unsupported {
    /// The logic it is written in.
    pub kind: PropertyKind,
    /// `NAME n :=`.
    pub name: Option<String>,
    /// As it was written, blanks made one.
    pub text: String,
    /// Where it was written, from its keyword on.
    pub span: Span,
    /// The structure it is about.
    pub structure: StructureId,
    /// The instance it was written in, as in [`SmvProperty`].
    pub instance: String,
    /// The construct it uses that is not supported.
    pub what: String,
}

/// The meaning of an atom of a property.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Atom {
    /// A label of whatever structure has one of this name: for recursive programs.
    Label,
    /// A condition on states of the property's structure; false in states of others.
    Condition(ExprId),
    /// A label that the machine gets elsewhere: from a peer it is composed with.
    Foreign,
}

/// Expressions with the places where they were first written.
#[derive(Clone, Debug, Default)]
pub struct Exprs {
    nodes: IndexVec<ExprId, Expr>,
    spans: IndexVec<ExprId, Span>,
    numbers: HashTable<ExprId>,
}

impl Exprs {
    /// Adds an expression whose operands were added before, or finds an equal one.
    pub fn add(&mut self, expr: Expr, span: Span) -> ExprId {
        let nodes = &mut self.nodes;
        let hash = FxBuildHasher.hash_one(&expr);
        if let Some(&known) = self.numbers.find(hash, |&id| nodes[id] == expr) {
            return known;
        }
        let id = nodes.push(expr);
        self.spans.push(span);
        self.numbers.insert_unique(hash, id, |&id| FxBuildHasher.hash_one(&nodes[id]));
        id
    }

    /// The operator of an expression.
    #[inline]
    pub fn get(&self, id: ExprId) -> &Expr {
        &self.nodes[id]
    }

    /// Where an expression was first written.
    pub fn span(&self, id: ExprId) -> Span {
        self.spans[id]
    }

    /// Moves the places of all from a number on, as these are in another text.
    pub(crate) fn moved(&mut self, from: usize, by: u32) {
        for id in self.spans.ids().skip(from) {
            let (start, end) = self.spans[id];
            self.spans[id] = (start + by, end + by);
        }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// All of them, operands before operators.
    pub fn ids(&self) -> impl DoubleEndedIterator<Item = ExprId> + use<> {
        (0..self.nodes.len()).map(ExprId::new)
    }
}

/// One operator with its operands. Truth values are 0 and 1. An operand that is a set stands only
/// where the result may be one: in `Case`, `Union`, and on the right of `In`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Expr {
    /// A value.
    Value(i64),
    /// The value of a variable in this state (or of an input in this step).
    Variable(VariableId),
    /// The value of a variable in the next state.
    Next(VariableId),
    /// Negation of a truth value.
    Not(ExprId),
    /// All are true. From left to right, up to the first that is not.
    And(Box<[ExprId]>),
    /// One is true. From left to right, up to the first that is.
    Or(Box<[ExprId]>),
    /// An operator between values.
    Binary(Binary, ExprId, ExprId),
    /// How many are true.
    Count(Box<[ExprId]>),
    /// Cut to this many bits, and taken as signed or not: the last step of word arithmetic.
    Wrap {
        /// The number.
        of: ExprId,
        /// Whether the first bit is a sign.
        signed: bool,
        /// How many bits, at most 62.
        width: u32,
    },
    /// The first branch whose guard is true; none is an error. The last guard of an exhaustive one
    /// is `Value(1)`.
    Case(Box<[(ExprId, ExprId)]>),
    /// Element `index - low`; an index outside is an error.
    Select {
        /// The index.
        index: ExprId,
        /// The index of the first element.
        low: i64,
        /// All elements.
        elements: Box<[ExprId]>,
    },
    /// The set of all values of these sets.
    Union(Box<[ExprId]>),
    /// The set of all numbers from the first to the second.
    Range(ExprId, ExprId),
    /// Whether the value is in the set.
    In(ExprId, ExprId),
}

impl Expr {
    /// All operands, in order.
    pub fn operands(&self, mut to: impl FnMut(ExprId)) {
        match self {
            Expr::Value(_) | Expr::Variable(_) | Expr::Next(_) => {}
            Expr::Not(a) | Expr::Wrap { of: a, .. } => to(*a),
            Expr::And(all) | Expr::Or(all) | Expr::Count(all) | Expr::Union(all) => {
                all.iter().copied().for_each(to);
            }
            Expr::Binary(_, a, b) | Expr::Range(a, b) | Expr::In(a, b) => [*a, *b].into_iter().for_each(to),
            Expr::Case(branches) => branches.iter().for_each(|&(guard, value)| {
                to(guard);
                to(value);
            }),
            Expr::Select { index, elements, .. } => {
                to(*index);
                elements.iter().copied().for_each(to);
            }
        }
    }
}

/// An operator between values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Binary {
    /// Equal; also of `EXIT`.
    Equal,
    /// Unequal; also of `EXIT`.
    Unequal,
    /// Equal, of operands that must not have left: `<->` of truth values.
    Same,
    /// Unequal, of operands that must not have left: `xor` of truth values.
    Differ,
    /// Less.
    Less,
    /// Less or equal.
    AtMost,
    /// Sum.
    Plus,
    /// Difference.
    Minus,
    /// Product.
    Times,
    /// Quotient, rounded towards zero; by zero is an error.
    Divide,
    /// Remainder with the sign of the dividend; by zero is an error.
    Modulo,
    /// Bits in both.
    BitAnd,
    /// Bits in one.
    BitOr,
    /// Bits in exactly one.
    BitXor,
    /// Shifted to the left by the second.
    ShiftLeft,
    /// Shifted to the right by the second, arithmetically.
    ShiftRight,
    /// The smaller.
    Min,
    /// The greater.
    Max,
}
