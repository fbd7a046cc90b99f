//! What is printed is read as the same: random files of all constructs, equal up to the places
//! where things stand.

use loris_base::{Idx, Symbol};
use loris_smv::syntax::ast::{
    Assignment, AssignmentKind, Binary, Bounded, Bounds, ComputeItem, ConstraintKind, Declaration,
    Definition, Expr, ExprId, Exprs, File, Function, Ident, Item, Module, PropertyItem, PropertyKind, Type,
    TypeKind, Unary, VariableKind,
};
use loris_smv::syntax::{parse_property, print_expr};
use proptest::prelude::*;
use std::fmt::Write;
use std::str::FromStr;

const NAMES: &[&str] = &[
    "x",
    "y",
    "p1",
    "a-b",
    "_k$1",
    "s#2",
    "R",
    "main",
    "running",
    "e1",
    "\"a -- b\"",
    "\"\"",
    "floor",
    "CALL",
    "MIRROR",
];

const UNARY: &[Unary] = &[
    Unary::Not,
    Unary::Minus,
    Unary::Not,
    Unary::Minus,
    Unary::Ex,
    Unary::Ef,
    Unary::Eg,
    Unary::Ax,
    Unary::Af,
    Unary::Ag,
    Unary::X,
    Unary::F,
    Unary::G,
    Unary::Y,
    Unary::Z,
    Unary::O,
    Unary::H,
    Unary::E,
    Unary::A,
];

const BINARY: &[Binary] = &[
    Binary::And,
    Binary::Or,
    Binary::Xor,
    Binary::Xnor,
    Binary::Implies,
    Binary::Iff,
    Binary::Equal,
    Binary::Unequal,
    Binary::Less,
    Binary::AtMost,
    Binary::Greater,
    Binary::AtLeast,
    Binary::In,
    Binary::Union,
    Binary::Range,
    Binary::Plus,
    Binary::Minus,
    Binary::Times,
    Binary::Divide,
    Binary::Modulo,
    Binary::ShiftLeft,
    Binary::ShiftRight,
    Binary::Concat,
    Binary::Until,
    Binary::Releases,
    Binary::Since,
    Binary::Triggered,
];

const FUNCTIONS: &[(Function, usize)] = &[
    (Function::Count, 1),
    (Function::Count, 3),
    (Function::Bool, 1),
    (Function::ToInt, 1),
    (Function::Word1, 1),
    (Function::Signed, 1),
    (Function::Unsigned, 1),
    (Function::Extend, 2),
    (Function::Resize, 2),
    (Function::Uwconst, 2),
    (Function::Swconst, 2),
    (Function::Abs, 1),
    (Function::Min, 2),
    (Function::Max, 2),
    (Function::Floor, 1),
    (Function::Sizeof, 1),
    (Function::Read, 2),
    (Function::Write, 3),
];

const NOWHERE: (u32, u32) = (0, 0);

/// Makes a file out of numbers; when they run out, all that follows is small. So a shorter list is
/// a smaller file.
struct Maker {
    choices: std::vec::IntoIter<u16>,
    file: File,
}

impl Maker {
    fn choose(&mut self, count: usize) -> usize {
        self.choices.next().map_or(0, usize::from) % count
    }

    fn number(&mut self) -> i64 {
        self.choices.next().map_or(0, i64::from)
    }

    fn pick<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.choose(list.len())]
    }

    fn ident(&mut self) -> Ident {
        let name = self.pick(NAMES);
        Ident { name: self.file.names.intern(name), span: NOWHERE }
    }

    fn add(&mut self, expr: Expr) -> ExprId {
        self.file.exprs.add(expr, NOWHERE)
    }

    fn exprs(&mut self, count: usize) -> Vec<ExprId> {
        (0..count).map(|_| self.expr()).collect()
    }

    fn expr(&mut self) -> ExprId {
        let expr = match self.choose(28) {
            1 => Expr::Boolean(self.choose(2) == 1),
            2 => Expr::Integer(self.number()),
            3 => {
                let (signed, width) = (self.choose(2) == 1, self.choose(64) as u32 + 1);
                let bits = (self.choose(1 << 16) as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
                Expr::Word { signed, width, bits: bits & (u64::MAX >> (64 - width)) }
            }
            4 => Expr::Exit,
            5 => Expr::This,
            6 => return self.target(),
            7 => {
                let [a, i] = [self.expr(), self.expr()];
                Expr::Index(a, i)
            }
            8 => {
                let [a, high, low] = [self.expr(), self.expr(), self.expr()];
                Expr::Bits(a, high, low)
            }
            9..=11 => {
                let unary = self.pick(UNARY);
                Expr::Unary(unary, self.expr())
            }
            12..=17 => {
                let binary = self.pick(BINARY);
                let [a, b] = [self.expr(), self.expr()];
                Expr::Binary(binary, a, b)
            }
            18 => {
                let [a, b, c] = [self.expr(), self.expr(), self.expr()];
                Expr::Conditional(a, b, c)
            }
            19 => {
                let count = self.choose(3) + 1;
                Expr::Case((0..count).map(|_| (self.expr(), self.expr())).collect())
            }
            20 => {
                let count = self.choose(3) + 1;
                Expr::Set(self.exprs(count))
            }
            21 => Expr::Next(self.expr()),
            22 => {
                let (function, arity) = self.pick(FUNCTIONS);
                Expr::Apply(function, self.exprs(arity))
            }
            26 => {
                let name = Expr::Name(self.ident().name);
                let mut array = self.add(name);
                for _ in 0..self.choose(3) {
                    let index = self.add(Expr::Integer(3));
                    let part = if self.choose(2) == 0 {
                        Expr::Dot(array, self.ident().name)
                    } else {
                        Expr::Index(array, index)
                    };
                    array = self.add(part);
                }
                Expr::Apply(Function::ConstArray, vec![array, self.expr()])
            }
            27 => {
                let count = self.choose(3) + 1;
                Expr::List(self.exprs(count))
            }
            24 => {
                let operators = [
                    Bounded::Ef,
                    Bounded::Eg,
                    Bounded::Af,
                    Bounded::Ag,
                    Bounded::F,
                    Bounded::G,
                    Bounded::O,
                    Bounded::H,
                ];
                let (operator, bounds) = (self.pick(&operators), self.bounds());
                Expr::Bounded(operator, bounds, self.expr())
            }
            25 => {
                let (some, bounds) = (self.choose(2) == 1, self.bounds());
                let [a, b] = [self.expr(), self.expr()];
                Expr::BoundedUntil(some, bounds, a, b)
            }
            23 => {
                let some = self.choose(2) == 1;
                let [a, b] = [self.expr(), self.expr()];
                Expr::Quantified(some, a, b)
            }
            _ => Expr::Name(self.ident().name),
        };
        self.add(expr)
    }

    /// A name with dots and indices.
    fn target(&mut self) -> ExprId {
        let expr = if self.choose(4) == 3 { Expr::This } else { Expr::Name(self.ident().name) };
        let mut id = self.add(expr);
        for _ in 0..self.choose(4) {
            let expr = match self.choose(2) {
                0 => Expr::Dot(id, self.ident().name),
                _ => Expr::Index(id, self.expr()),
            };
            id = self.add(expr);
        }
        id
    }

    fn bounds(&mut self) -> Bounds {
        let low = self.choose(5) as u32;
        Bounds { low, high: low + self.choose(5) as u32 }
    }

    fn bound(&mut self) -> ExprId {
        let number = Expr::Integer(self.number());
        let number = self.add(number);
        match self.choose(4) {
            1 => self.add(Expr::Unary(Unary::Minus, number)),
            2 => {
                let name = Expr::Name(self.ident().name);
                let name = self.add(name);
                self.add(Expr::Binary(Binary::Plus, name, number))
            }
            3 => self.add(Expr::Binary(Binary::Equal, number, number)),
            _ => number,
        }
    }

    fn ty(&mut self) -> Type {
        let kind = match self.choose(7) {
            1 => TypeKind::Range(self.expr(), self.expr()),
            2 => {
                let value = self.bound();
                let values = match self.file.exprs.nodes[value] {
                    Expr::Binary(..) => Expr::Boolean(true),
                    _ => Expr::Name(self.ident().name),
                };
                let other = self.add(values);
                let first = match self.file.exprs.nodes[value] {
                    Expr::Binary(..) => other,
                    _ => value,
                };
                TypeKind::Enumeration(vec![first, other])
            }
            3 => TypeKind::Word { signed: self.choose(2) == 1, width: self.expr() },
            4 => TypeKind::Array(self.bound(), self.bound(), Box::new(self.ty())),
            6 => TypeKind::WordArray(self.expr(), Box::new(self.ty())),
            5 => {
                let count = self.choose(3);
                TypeKind::Instance {
                    module: self.ident(),
                    arguments: self.exprs(count),
                    process: self.choose(2) == 1,
                }
            }
            _ => TypeKind::Boolean,
        };
        Type { kind, span: NOWHERE }
    }

    fn definitions(&mut self) -> Vec<Definition> {
        let count = self.choose(3);
        let one = |_| {
            let (prefix, name) = self.declared();
            Definition { prefix, name, value: self.expr(), span: NOWHERE }
        };
        (0..count).map(one).collect()
    }

    /// A name with dots and indices that is declared.
    fn declared(&mut self) -> (Vec<Symbol>, Ident) {
        let prefix = if self.choose(4) == 3 { self.choose(3) } else { 0 };
        let mut part = |_| {
            let mut name = self.ident();
            if self.choose(8) == 7 {
                let index = self.number() - 1000;
                let text = format!("{}[{index}]", &self.file.names[name.name]);
                name.name = self.file.names.intern(&text);
            }
            name
        };
        let prefix = (0..prefix).map(|i| part(i).name).collect();
        (prefix, part(0))
    }

    fn item(&mut self) -> Item {
        match self.choose(10) {
            1 => {
                let kind = self.pick(&[VariableKind::State, VariableKind::Input, VariableKind::Frozen]);
                let count = self.choose(3);
                let one = |_| {
                    let (prefix, name) = self.declared();
                    Declaration { prefix, name, ty: self.ty() }
                };
                Item::Variables(kind, (0..count).map(one).collect())
            }
            2 => Item::Define(self.definitions()),
            3 => {
                let count = self.choose(3);
                let one = |_| {
                    let (prefix, name) = (Vec::new(), self.ident());
                    Definition { prefix, name, value: self.expr(), span: NOWHERE }
                };
                Item::Call((0..count).map(one).collect())
            }
            4 => {
                let count = self.choose(3);
                Item::Constants((0..count).map(|_| self.ident()).collect())
            }
            5 => {
                let kinds = [AssignmentKind::Init, AssignmentKind::Next, AssignmentKind::Current];
                let count = self.choose(3);
                let one =
                    |_| Assignment { kind: self.pick(&kinds), target: self.target(), value: self.expr() };
                Item::Assign((0..count).map(one).collect())
            }
            6 => Item::Compassion(self.expr(), self.expr()),
            7 => Item::Property(PropertyItem {
                kind: self.pick(&[PropertyKind::Ctl, PropertyKind::Ltl, PropertyKind::Invariant]),
                name: if self.choose(2) == 1 { Some(self.ident()) } else { None },
                formula: self.expr(),
                context: if self.choose(4) == 3 { Some(self.target()) } else { None },
                source: None,
                section: NOWHERE,
            }),
            9 => Item::Compute(ComputeItem {
                longest: self.choose(2) == 1,
                name: if self.choose(2) == 1 { Some(self.ident()) } else { None },
                from: self.expr(),
                to: self.expr(),
                context: if self.choose(4) == 3 { Some(self.target()) } else { None },
                span: NOWHERE,
                section: NOWHERE,
            }),
            8 => Item::Isa(self.ident()),
            _ => {
                use ConstraintKind::{Init, Invar, Justice, Trans};
                Item::Constraint(self.pick(&[Init, Trans, Invar, Justice]), self.expr())
            }
        }
    }

    fn module(&mut self) -> Module {
        let (name, parameters, items) = (self.ident(), self.choose(3), self.choose(4) + 1);
        let parameters = (0..parameters).map(|_| self.ident()).collect();
        let items = (0..items).map(|_| self.item()).collect();
        Module { name, parameters, items, fragments: Vec::new(), span: NOWHERE }
    }
}

/// Words and signs to stir.
const SOUP: &str = "MODULE VAR DEFINE ASSIGN SPEC LTLSPEC INIT COMPASSION CONSTANTS CALL CALL MIRROR COMPUTE MIN MAX ISA IN PSLSPEC always until! forall NAME x x main \"q \" floor a-b 1 0sd3_-2 \
    TRUE EXIT self next init case esac ( ) [ ] { } , ; : := ? . .. + - ! & -> = in U V E A F EX AG EBF BU count signed word array \
    of boolean process % é H --\n /-- --/";

/// A file without its places: expressions in the order of their operands.
fn shape(file: &File) -> String {
    let mut out = String::new();
    for module in &file.modules {
        let names = |list: &[Ident]| {
            list.iter().map(|ident| file.names[ident.name].to_owned()).collect::<Vec<_>>().join(",")
        };
        let dots =
            |list: &[Symbol]| list.iter().flat_map(|&part| [&file.names[part], "."]).collect::<String>();
        writeln!(out, "module {} {}", names(&[module.name]), names(&module.parameters)).expect("a string");
        for item in &module.items {
            let e = |id: ExprId| shape_of(file, id);
            let line = match item {
                Item::Variables(kind, list) => {
                    let list = list.iter().map(|one| {
                        format!("{}{}:{};", dots(&one.prefix), names(&[one.name]), ty(file, &one.ty))
                    });
                    format!("{kind:?} {}", list.collect::<String>())
                }
                Item::Define(list) | Item::Call(list) => {
                    let list = list
                        .iter()
                        .map(|one| format!("{}{}:={};", dots(&one.prefix), names(&[one.name]), e(one.value)));
                    let list: String = list.collect();
                    format!("{} {list}", matches!(item, Item::Call(_)))
                }
                Item::Constants(list) => format!("constants {}", names(list)),
                Item::Assign(list) => {
                    let one =
                        |one: &Assignment| format!("{:?} {}:={};", one.kind, e(one.target), e(one.value));
                    list.iter().map(one).collect()
                }
                Item::Constraint(kind, id) => format!("{kind:?} {}", e(*id)),
                Item::Compassion(p, q) => format!("compassion {} {}", e(*p), e(*q)),
                Item::Hint(word, text) => format!("hint {} {text}", names(&[*word])),
                Item::Unsupported(one) => {
                    format!(
                        "{:?} {:?} {} {}",
                        one.kind,
                        one.name.map(|name| names(&[name])),
                        one.text,
                        one.what
                    )
                }
                Item::Compute(one) => {
                    let (context, name) = (one.context.map(e), one.name.map(|name| names(&[name])));
                    format!("compute {} {name:?} {} {} {context:?}", one.longest, e(one.from), e(one.to))
                }
                Item::Isa(name) => format!("isa {}", names(&[*name])),
                Item::Property(one) => {
                    let context = one.context.map(e);
                    let name = one.name.map(|name| names(&[name]));
                    format!("{:?} {name:?} {} {context:?} {:?}", one.kind, e(one.formula), one.source)
                }
            };
            writeln!(out, "{line}").expect("a string");
        }
    }
    out
}

fn ty(file: &File, one: &Type) -> String {
    let e = |id: ExprId| shape_of(file, id);
    match &one.kind {
        TypeKind::Boolean => "boolean".to_owned(),
        TypeKind::Range(low, high) => format!("range {} {}", e(*low), e(*high)),
        TypeKind::Enumeration(values) => {
            format!("set {:?}", values.iter().map(|id| e(*id)).collect::<Vec<_>>())
        }
        TypeKind::Word { signed, width } => format!("word {signed} {}", e(*width)),
        TypeKind::Array(low, high, element) => {
            format!("array {} {} {}", e(*low), e(*high), ty(file, element))
        }
        TypeKind::WordArray(width, element) => format!("words {} {}", e(*width), ty(file, element)),
        TypeKind::Instance { module, arguments, process } => {
            let arguments: Vec<String> = arguments.iter().map(|id| e(*id)).collect();
            format!("{} {process} {arguments:?}", &file.names[module.name])
        }
    }
}

fn shape_of(file: &File, id: ExprId) -> String {
    shape_in(&file.exprs, &|symbol| file.names[symbol].to_owned(), id)
}

fn shape_in(exprs: &Exprs, name: &dyn Fn(loris_base::Symbol) -> String, id: ExprId) -> String {
    let e = |id: ExprId| shape_in(exprs, name, id);
    let list = |ids: &[ExprId]| ids.iter().map(|id| e(*id)).collect::<Vec<_>>().join(" ");
    match &exprs.nodes[id] {
        Expr::Name(symbol) => name(*symbol),
        Expr::Dot(a, symbol) => format!("(dot {} {})", e(*a), name(*symbol)),
        Expr::Index(a, b) => format!("(index {})", list(&[*a, *b])),
        Expr::Bits(a, b, c) => format!("(bits {})", list(&[*a, *b, *c])),
        Expr::Unary(unary, a) => format!("({unary:?} {})", e(*a)),
        Expr::Binary(binary, a, b) => format!("({binary:?} {})", list(&[*a, *b])),
        Expr::Conditional(a, b, c) => format!("(if {})", list(&[*a, *b, *c])),
        Expr::Case(branches) => {
            let branches: Vec<ExprId> = branches.iter().flat_map(|&(a, b)| [a, b]).collect();
            format!("(case {})", list(&branches))
        }
        Expr::Set(ids) => format!("(set {})", list(ids)),
        Expr::List(ids) => format!("(list {})", list(ids)),
        Expr::Psl(operator, ids) => format!("({operator:?} {})", list(ids)),
        Expr::Next(a) => format!("(next {})", e(*a)),
        Expr::Apply(function, ids) => format!("({function:?} {})", list(ids)),
        Expr::Quantified(some, a, b) => format!("(quantified {some} {})", list(&[*a, *b])),
        Expr::Bounded(op, bounds, a) => format!("({op:?} {bounds:?} {})", e(*a)),
        Expr::BoundedUntil(some, bounds, a, b) => format!("(until {some} {bounds:?} {})", list(&[*a, *b])),
        leaf => format!("{leaf:?}"),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn files(choices in prop::collection::vec(any::<u16>(), 0..300)) {
        let mut maker = Maker { choices: choices.into_iter(), file: File::default() };
        for _ in 0..=maker.choose(3) {
            let module = maker.module();
            maker.file.modules.push(module);
        }
        let file = maker.file;
        let text = file.to_string();
        let again = File::from_str(&text).map_err(|problems| TestCaseError::fail(format!("{text}\n{problems:?}")))?;
        prop_assert_eq!(shape(&file), shape(&again), "{}", text);
        prop_assert_eq!(&text, &again.to_string());
    }

    #[test]
    fn properties(choices in prop::collection::vec(any::<u16>(), 0..80)) {
        let mut maker = Maker { choices: choices.into_iter(), file: File::default() };
        let id = maker.expr();
        let mut file = maker.file;
        let text = print_expr(&file.exprs, &file.names, id);
        let again = parse_property(&text, &mut file.names, &mut file.exprs)
            .map_err(|problems| TestCaseError::fail(format!("{text}\n{problems:?}")))?
            .formula;
        prop_assert!(again.index() > id.index());
        prop_assert_eq!(shape_of(&file, id), shape_of(&file, again), "{}", text);
    }

    #[test]
    fn soup(words in prop::collection::vec(prop::sample::select(SOUP.split(' ').collect::<Vec<_>>()), 0..40), header in any::<bool>()) {
        let text = format!("{}{}", if header { "MODULE main " } else { "" }, words.join(" "));
        match File::from_str(&text) {
            Ok(file) => {
                let printed = file.to_string();
                let again = File::from_str(&printed)
                    .map_err(|problems| TestCaseError::fail(format!("{text}\n{printed}\n{problems:?}")))?;
                prop_assert_eq!(shape(&file), shape(&again), "{}", printed);
            }
            Err(problems) => {
                for problem in problems.sorted() {
                    let (start, end) = (problem.offset.unwrap_or(0) as usize, problem.length as usize);
                    prop_assert!(text.get(start..start + end).is_some(), "{}: {:?}", text, problem);
                }
            }
        }
    }
}
