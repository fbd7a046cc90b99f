//! The syntax tree of a file, before names are resolved.
//!
//! Expressions of the whole file lie in one arena, operands before operators, so that neither a
//! chain of a hundred thousand disjuncts nor deep nesting is walked (or dropped) by recursion.
//! Properties are expressions, too: temporal operators are operators.

use loris_base::{Idx, IndexVec, Names, Symbol};

loris_base::id! {
    /// An expression of a file.
    pub struct ExprId;
}

/// Byte offsets of where something starts and ends.
pub type Span = (u32, u32);

/// A whole file.
#[derive(Clone, Debug, Default)]
pub struct File {
    /// Its modules, in order.
    pub modules: Vec<Module>,
    /// All its expressions.
    pub exprs: Exprs,
    /// All its names.
    pub names: Names,
    /// Whether it declares something called `EXIT`, which is then an ordinary name.
    pub exit_is_name: bool,
}

impl File {
    /// Takes `EXIT` for an ordinary name in all expressions from one on, if the file declares it.
    pub fn rename_exits(&mut self, from: usize) {
        if self.exit_is_name {
            let exit = self.names.intern("EXIT");
            let nodes = &mut self.exprs.nodes;
            for id in (from..nodes.len()).map(ExprId::new) {
                if nodes[id] == Expr::Exit {
                    nodes[id] = Expr::Name(exit);
                }
            }
        }
    }
}

/// Expressions with the places where they were written.
#[derive(Clone, Debug, Default)]
pub struct Exprs {
    /// Operands before operators.
    pub nodes: IndexVec<ExprId, Expr>,
    /// Where each of them stands.
    pub spans: IndexVec<ExprId, Span>,
}

impl Exprs {
    /// Adds an expression whose operands were added before.
    pub fn add(&mut self, expr: Expr, span: Span) -> ExprId {
        self.spans.push(span);
        self.nodes.push(expr)
    }
}

/// A name where it was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ident {
    /// Its content.
    pub name: Symbol,
    /// Where.
    pub span: Span,
}

/// `MODULE name(parameters)` and its sections.
#[derive(Clone, Debug)]
pub struct Module {
    /// Its name.
    pub name: Ident,
    /// Its formal parameters.
    pub parameters: Vec<Ident>,
    /// Its sections, in order.
    pub items: Vec<Item>,
    /// What was begun in it and could not be read to its end, in order.
    pub fragments: Vec<Fragment>,
    /// Where, from `MODULE` to its last word.
    pub span: Span,
}

/// A declaration or a property with a problem: what is known of it. A file without problems has
/// none.
#[derive(Clone, Copy, Debug)]
pub struct Fragment {
    /// What it would be.
    pub kind: FragmentKind,
    /// The name it declares.
    pub name: Option<Ident>,
    /// Where, a property from its word on.
    pub span: Span,
}

/// What a [`Fragment`] would be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FragmentKind {
    /// A [`Declaration`].
    Variable(VariableKind),
    /// A [`Definition`] in `DEFINE`.
    Define,
    /// A [`Definition`] in `CALL`.
    Call,
    /// A property.
    Property,
}

/// A section of a module. Sections of several declarations are kept together.
#[derive(Clone, Debug)]
pub enum Item {
    /// `VAR`, `IVAR`, `FROZENVAR`.
    Variables(VariableKind, Vec<Declaration>),
    /// `DEFINE a := e; …`
    Define(Vec<Definition>),
    /// `CONSTANTS a, b;`
    Constants(Vec<Ident>),
    /// `CALL module := condition; …`
    Call(Vec<Definition>),
    /// `ASSIGN …`
    Assign(Vec<Assignment>),
    /// `INIT`, `TRANS`, `INVAR`, `FAIRNESS`, `JUSTICE`.
    Constraint(ConstraintKind, ExprId),
    /// `COMPASSION (p, q)`.
    Compassion(ExprId, ExprId),
    /// `SPEC`, `CTLSPEC`, `LTLSPEC`, `INVARSPEC`, `PSLSPEC`.
    Property(PropertyItem),
    /// `COMPUTE MIN [ p, q ]`.
    Compute(ComputeItem),
    /// A property with something that is not supported.
    Unsupported(UnsupportedItem),
    /// `ISA module`: the sections of another module are sections of this one.
    Isa(Ident),
    /// `PRED`, `PREDICATES`, `MIRROR`: hints for other tools. The word, and the text after it.
    Hint(Ident, String),
}

/// Which variables a section declares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VariableKind {
    /// `VAR`.
    State,
    /// `IVAR`.
    Input,
    /// `FROZENVAR`.
    Frozen,
}

/// `name : type;`
#[derive(Clone, Debug)]
pub struct Declaration {
    /// The names before the last dot: `a` and `b` of `a.b.c`. The indices of `a[3]` are part of a
    /// name.
    pub prefix: Vec<Symbol>,
    /// The variable.
    pub name: Ident,
    /// Its type.
    pub ty: Type,
}

/// A type where it was written.
#[derive(Clone, Debug)]
pub struct Type {
    /// Its kind.
    pub kind: TypeKind,
    /// Where.
    pub span: Span,
}

/// A type.
#[derive(Clone, Debug)]
pub enum TypeKind {
    /// `boolean`.
    Boolean,
    /// `lo..hi`.
    Range(ExprId, ExprId),
    /// `{a, b, 3, -3}`: names, numbers (a negative one is [`Unary::Minus`] of a number) and truth
    /// values.
    Enumeration(Vec<ExprId>),
    /// `word[n]`, `unsigned word[n]`, `signed word[n]`.
    Word {
        /// Whether it is `signed`.
        signed: bool,
        /// How many bits.
        width: ExprId,
    },
    /// `array lo..hi of type`.
    Array(ExprId, ExprId, Box<Type>),
    /// `array word[n] of type`.
    WordArray(ExprId, Box<Type>),
    /// `module(arguments)`, `process module(arguments)`.
    Instance {
        /// The module.
        module: Ident,
        /// The actual parameters.
        arguments: Vec<ExprId>,
        /// Whether the word `process` stands before it.
        process: bool,
    },
}

/// `name := value;`, in `DEFINE` and `CALL`.
#[derive(Clone, Debug)]
pub struct Definition {
    /// The names before the last dot, as in a [`Declaration`].
    pub prefix: Vec<Symbol>,
    /// The name that is defined or called.
    pub name: Ident,
    /// The value or the condition.
    pub value: ExprId,
    /// Where, without the `;`.
    pub span: Span,
}

/// `init(x) := e;`, `next(x) := e;`, `x := e;`
#[derive(Clone, Copy, Debug)]
pub struct Assignment {
    /// Which value of the variable.
    pub kind: AssignmentKind,
    /// The variable: a name with dots and indices.
    pub target: ExprId,
    /// The value it gets.
    pub value: ExprId,
}

/// Which value of a variable is assigned.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AssignmentKind {
    /// The first: `init(x)`.
    Init,
    /// The one after: `next(x)`.
    Next,
    /// Always the one at hand: `x`.
    Current,
}

/// The states or steps that a constraint is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ConstraintKind {
    /// `INIT`.
    Init,
    /// `TRANS`.
    Trans,
    /// `INVAR`.
    Invar,
    /// `FAIRNESS` and `JUSTICE`.
    Justice,
}

/// `SPEC …`
#[derive(Clone, Debug)]
pub struct PropertyItem {
    /// The logic it is written in.
    pub kind: PropertyKind,
    /// `NAME n :=`.
    pub name: Option<Ident>,
    /// The property.
    pub formula: ExprId,
    /// The instance it is about, if it names one: `p.q` of `… IN p.q`.
    pub context: Option<ExprId>,
    /// How it was written, without comments, if it is PSL, which is not printed from its formula.
    pub source: Option<String>,
    /// Where the section stands, from its word on.
    pub section: Span,
}

/// `COMPUTE MIN [ p, q ]`, `COMPUTE MAX [ p, q ]`
#[derive(Clone, Copy, Debug)]
pub struct ComputeItem {
    /// Whether it is `MAX`.
    pub longest: bool,
    /// `NAME n :=`.
    pub name: Option<Ident>,
    /// Where ways start.
    pub from: ExprId,
    /// Where they end.
    pub to: ExprId,
    /// The instance it is about, if it names one.
    pub context: Option<ExprId>,
    /// Where it was written, from `MIN` or `MAX` on.
    pub span: Span,
    /// Where the section stands, from its word on.
    pub section: Span,
}

/// `SPEC …` with something in it that is not supported, so that it was not read.
#[derive(Clone, Debug)]
pub struct UnsupportedItem {
    /// The logic it is written in.
    pub kind: PropertyKind,
    /// `NAME n :=`.
    pub name: Option<Ident>,
    /// The property as it was written, without comments, blanks made one.
    pub text: String,
    /// Where.
    pub span: Span,
    /// The construct that is not supported.
    pub what: String,
    /// Where the section stands, from its word on.
    pub section: Span,
}

/// The logic a property is written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PropertyKind {
    /// `SPEC`, `CTLSPEC`.
    Ctl,
    /// `LTLSPEC`.
    Ltl,
    /// `INVARSPEC`.
    Invariant,
    /// `PSLSPEC`.
    Psl,
    /// `COMPUTE`.
    Compute,
}

/// One operator with its operands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expr {
    /// `TRUE`, `FALSE`.
    Boolean(bool),
    /// A number.
    Integer(i64),
    /// `0ub8_255`, `0sd8_-1`: the bits of the value, within its width.
    Word {
        /// Whether it is signed.
        signed: bool,
        /// How many bits.
        width: u32,
        /// The bits.
        bits: u64,
    },
    /// A variable, a definition, a constant, a parameter.
    Name(Symbol),
    /// `EXIT`.
    Exit,
    /// `self`.
    This,
    /// `e.name`.
    Dot(ExprId, Symbol),
    /// `e[i]`.
    Index(ExprId, ExprId),
    /// `e[high:low]`.
    Bits(ExprId, ExprId, ExprId),
    /// An operator before its operand.
    Unary(Unary, ExprId),
    /// An operator between its operands.
    Binary(Binary, ExprId, ExprId),
    /// `c ? a : b`.
    Conditional(ExprId, ExprId, ExprId),
    /// `case c : e; … esac`.
    Case(Vec<(ExprId, ExprId)>),
    /// `{a, b}`.
    Set(Vec<ExprId>),
    /// `[a, b]`: an array.
    List(Vec<ExprId>),
    /// `next(e)`.
    Next(ExprId),
    /// `count(a, b)`, `bool(e)`, …
    Apply(Function, Vec<ExprId>),
    /// `E [a U b]`, with `true`; `A [a U b]`, with `false`.
    Quantified(bool, ExprId, ExprId),
    /// `EBF 2..5 e`, `F [2, 5] e`: within this many steps.
    Bounded(Bounded, Bounds, ExprId),
    /// `E [a BU 2..5 b]`, with `true`; `A [a BU 2..5 b]`, with `false`.
    BoundedUntil(bool, Bounds, ExprId, ExprId),
    /// An operator of PSL with its two operands.
    Psl(Psl, Vec<ExprId>),
}

impl Expr {
    /// The operands, from left to right.
    pub fn operands(&self, mut to: impl FnMut(ExprId)) {
        let _ = self.map(|operand| {
            to(operand);
            operand
        });
    }

    /// The same operator over other operands.
    #[must_use]
    pub fn map(&self, mut to: impl FnMut(ExprId) -> ExprId) -> Expr {
        let mut all = |list: &[ExprId]| -> Vec<ExprId> { list.iter().map(|&part| to(part)).collect() };
        match self {
            Expr::Boolean(_)
            | Expr::Integer(_)
            | Expr::Word { .. }
            | Expr::Name(_)
            | Expr::Exit
            | Expr::This => self.clone(),
            Expr::Set(parts) => Expr::Set(all(parts)),
            Expr::List(parts) => Expr::List(all(parts)),
            Expr::Apply(function, parts) => Expr::Apply(*function, all(parts)),
            Expr::Psl(op, parts) => Expr::Psl(*op, all(parts)),
            Expr::Dot(a, name) => Expr::Dot(to(*a), *name),
            Expr::Index(a, b) => Expr::Index(to(*a), to(*b)),
            Expr::Bits(a, b, c) => Expr::Bits(to(*a), to(*b), to(*c)),
            Expr::Unary(op, a) => Expr::Unary(*op, to(*a)),
            Expr::Binary(op, a, b) => Expr::Binary(*op, to(*a), to(*b)),
            Expr::Conditional(a, b, c) => Expr::Conditional(to(*a), to(*b), to(*c)),
            Expr::Case(branches) => Expr::Case(branches.iter().map(|&(a, b)| (to(a), to(b))).collect()),
            Expr::Next(a) => Expr::Next(to(*a)),
            Expr::Quantified(exists, a, b) => Expr::Quantified(*exists, to(*a), to(*b)),
            Expr::Bounded(op, bounds, a) => Expr::Bounded(*op, *bounds, to(*a)),
            Expr::BoundedUntil(exists, bounds, a, b) => Expr::BoundedUntil(*exists, *bounds, to(*a), to(*b)),
        }
    }
}

/// An operator of PSL that SMV does not have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Psl {
    /// `a until b`, `[a W b]`: the first holds up to the second, if that comes.
    WeakUntil,
    /// `a until!_ b`: the second comes, and the first holds up to there and there.
    UntilTogether,
    /// `a before b`: the first comes before the second, if that comes.
    Before,
    /// `a before! b`: the first comes, and before the second.
    BeforeStrong,
    /// `next_event(b)[2](a)` and the like, with `b` and `a` for operands: where `b` holds for
    /// that many times.
    NextEvent {
        /// Whether `b` has to hold as often.
        strong: bool,
        /// Whether `a` holds at all of these places; else at one of them.
        all: bool,
        /// The first of them and the last, counted from 1.
        bounds: Bounds,
    },
}

/// The fewest steps and the most, both included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// The fewest.
    pub low: u32,
    /// The most, at least `low`.
    pub high: u32,
}

/// An operator before its operand that counts steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Bounded {
    /// `EBF`
    Ef,
    /// `EBG`
    Eg,
    /// `ABF`
    Af,
    /// `ABG`
    Ag,
    /// `F [ , ]`, along a path.
    F,
    /// `G [ , ]`, along a path.
    G,
    /// `O [ , ]`.
    O,
    /// `H [ , ]`.
    H,
}

/// An operator before its operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Unary {
    /// `!`
    Not,
    /// `-`
    Minus,
    /// `EX`
    Ex,
    /// `EF`
    Ef,
    /// `EG`
    Eg,
    /// `AX`
    Ax,
    /// `AF`
    Af,
    /// `AG`
    Ag,
    /// `X`, along a path.
    X,
    /// `F`, along a path.
    F,
    /// `G`, along a path.
    G,
    /// `Y`: there is a state before, and it holds there.
    Y,
    /// `Z`: it holds in the state before, if there is one.
    Z,
    /// `O`: now or once before.
    O,
    /// `H`: now and always before.
    H,
    /// `E`, of any path formula.
    E,
    /// `A`, of any path formula.
    A,
}

/// An operator between its operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Binary {
    /// `&`
    And,
    /// `|`
    Or,
    /// `xor`
    Xor,
    /// `xnor`
    Xnor,
    /// `->`
    Implies,
    /// `<->`
    Iff,
    /// `=`
    Equal,
    /// `!=`
    Unequal,
    /// `<`
    Less,
    /// `<=`
    AtMost,
    /// `>`
    Greater,
    /// `>=`
    AtLeast,
    /// `in`
    In,
    /// `union`
    Union,
    /// `..`
    Range,
    /// `+`
    Plus,
    /// `-`
    Minus,
    /// `*`
    Times,
    /// `/`
    Divide,
    /// `mod`
    Modulo,
    /// `<<`
    ShiftLeft,
    /// `>>`
    ShiftRight,
    /// `::`
    Concat,
    /// `U`, along a path.
    Until,
    /// `V`, along a path: the second holds up to and including where the first comes, if it does.
    Releases,
    /// `S`: the second held once, and the first ever since.
    Since,
    /// `T`: the second holds since the first did, and always before if that never did.
    Triggered,
}

/// Functions, with operands in parentheses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Function {
    /// `count`: how many operands are true.
    Count,
    /// `bool`.
    Bool,
    /// `toint`.
    ToInt,
    /// `word1`.
    Word1,
    /// `signed`.
    Signed,
    /// `unsigned`.
    Unsigned,
    /// `extend`.
    Extend,
    /// `resize`.
    Resize,
    /// `uwconst`.
    Uwconst,
    /// `swconst`.
    Swconst,
    /// `abs`.
    Abs,
    /// `min`.
    Min,
    /// `max`.
    Max,
    /// `floor`.
    Floor,
    /// `sizeof`: the width of a word.
    Sizeof,
    /// `READ(array, index)`.
    Read,
    /// `WRITE(array, index, value)`.
    Write,
    /// `CONSTARRAY(typeof(array), value)`, whose first operand is the array.
    ConstArray,
}
