//! Random expressions: what they mean, compared with a direct evaluation of what was written.
//!
//! The evaluation here knows kinds of values at run time only, keeps words as lists of bits, and folds nothing.

#![allow(clippy::unwrap_used, clippy::cast_sign_loss, clippy::cast_possible_wrap)] // all numbers are small
#![allow(clippy::too_many_lines, clippy::many_single_char_names)] // one arm for each operator

use loris_base::{Idx, Rng};
use loris_smv::ir::{self, SYMBOLS, VariableId};
use loris_smv::read_smv;
use loris_smv::syntax::ast::{Binary, Expr, ExprId, File, Function, Item, Unary};
use std::fmt::Write;

/// A value with its kind.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum V {
    Truth(bool),
    Number(i64),
    Symbol(String),
    /// Signed or not, bits from the lowest on.
    Word(bool, Vec<bool>),
}

const VARIABLES: [&str; 8] = ["b", "c", "n", "m", "s", "w", "v", "u"];

fn word(signed: bool, width: usize, value: i64) -> V {
    V::Word(signed, (0..width).map(|i| value >> i & 1 == 1).collect())
}

fn bits(signed: bool, bits: &[bool]) -> i64 {
    let mut value: i64 = bits.iter().enumerate().map(|(i, &bit)| i64::from(bit) << i).sum();
    if signed && bits.last() == Some(&true) {
        value -= 1 << bits.len();
    }
    value
}

fn random_state(rng: &mut Rng) -> Vec<V> {
    let mut below = |n: usize| i64::try_from(rng.below(n)).unwrap();
    vec![
        V::Truth(below(2) == 1),
        V::Truth(below(2) == 1),
        V::Number(below(4)),
        V::Number(below(5) - 2),
        V::Symbol(["red", "green", "blue"][usize::try_from(below(3)).unwrap()].to_owned()),
        word(false, 3, below(8)),
        word(true, 3, below(8)),
        word(false, 2, below(4)),
    ]
}

/// What a value is in the meaning.
fn number(v: &V, symbols: &[String]) -> i64 {
    match v {
        V::Truth(truth) => i64::from(*truth),
        V::Number(number) => *number,
        V::Symbol(name) => {
            SYMBOLS + i64::try_from(symbols.iter().position(|symbol| symbol == name).unwrap()).unwrap()
        }
        V::Word(signed, list) => bits(*signed, list),
    }
}

/// Writes a random expression of a kind: `t`ruth, `n`umber, `s`ymbol, `w`ord[3], si`g`ned word[3].
fn random(rng: &mut Rng, kind: char, depth: u32, out: &mut String) {
    let pick = |rng: &mut Rng, list: &[&'static str]| list[rng.below(list.len())];
    if depth == 0 || rng.below(6) == 0 {
        out.push_str(match kind {
            't' => pick(rng, &["b", "c", "TRUE", "FALSE", "(n = 2)", "(s = red)"]),
            'n' => pick(rng, &["n", "m", "0", "1", "3", "-2"]),
            's' => pick(rng, &["s", "red", "green", "blue"]),
            'w' => pick(rng, &["w", "0ub3_101", "0ud3_7"]),
            _ => pick(rng, &["v", "0sb3_101", "-0sd3_2"]),
        });
        return;
    }
    let templates: &[&str] = match kind {
        't' => &[
            "(@t & @t & @t)",
            "(@t | @t)",
            "!@t",
            "(@t -> @t)",
            "(@t <-> @t)",
            "(@t xor @t)",
            "(@t xnor @t)",
            "(@n = @n)",
            "(@n != @n)",
            "(@n < @n)",
            "(@n >= @n)",
            "(@s = @s)",
            "(@s != @s)",
            "(@w = @w)",
            "(@w < @w)",
            "(@g <= @g)",
            "(@n in {@n, @n, 1})",
            "(@s in {@s, red})",
            "(@n in 0 .. 2)",
            "(@t ? @t : @t)",
            "bool(@w[1:1])",
            "(@t = @t)",
            "(@w in {@w, @w} union @w)",
        ],
        'n' => &[
            "(@n + @n)",
            "(@n - @n)",
            "(@n * @n)",
            "(@n / 3)",
            "(@n mod 2)",
            "(- @n)",
            "toint(@t)",
            "toint(@w)",
            "toint(@g)",
            "count(@t, @t, @t)",
            "abs(@n)",
            "min(@n, @n)",
            "max(@n, @n)",
            "(@t ? @n : @n)",
            "case @t : @n; @t : @n; TRUE : @n; esac",
        ],
        's' => &["(@t ? @s : @s)", "case @t : @s; TRUE : @s; esac"],
        'w' => &[
            "(@w + @w)",
            "(@w - @w)",
            "(@w * @w)",
            "(@w / 0ud3_2)",
            "(@w mod 0ud3_3)",
            "(- @w)",
            "(!@w)",
            "(@w & @w)",
            "(@w | @w)",
            "(@w xor @w)",
            "(@w xnor @w)",
            "(@w -> @w)",
            "(@w <-> @w)",
            "(@w << 1)",
            "(@w >> 2)",
            "(@w << u)",
            "(@w >> u)",
            "unsigned(@g)",
            "(@w[1:0] :: @w[2:2])",
            "(@g[2:2] :: u)",
            "extend(u, 1)",
            "resize(extend(@w, 2), 3)",
            "(word1(@t) :: u)",
            "(@t ? @w : @w)",
        ],
        _ => &[
            "(@g + @g)",
            "(@g - @g)",
            "(@g * @g)",
            "(@g / 0sd3_2)",
            "(@g mod 0sd3_3)",
            "(- @g)",
            "(!@g)",
            "(@g & @g)",
            "(@g xor @g)",
            "(@g << 1)",
            "(@g >> 1)",
            "signed(@w)",
            "resize(extend(@g, 3), 3)",
            "resize(signed(@w :: u), 3)",
            "(@g <-> @g)",
        ],
    };
    let mut rest = templates[rng.below(templates.len())];
    while let Some(at) = rest.find('@') {
        out.push_str(&rest[..at]);
        random(rng, char::from(rest.as_bytes()[at + 1]), depth - 1, out);
        rest = &rest[at + 2..];
    }
    out.push_str(rest);
}

/// All values of an expression as it was written.
fn direct(file: &File, id: ExprId, state: &[V]) -> Vec<V> {
    let all = |id: ExprId| direct(file, id, state);
    let one = |id: ExprId| {
        let mut found = all(id);
        assert_eq!(found.len(), 1);
        found.pop().unwrap()
    };
    let truth = |id: ExprId| matches!(one(id), V::Truth(true));
    let int = |id: ExprId| number(&one(id), &[]);
    let result = match &file.exprs.nodes[id] {
        Expr::Boolean(truth) => V::Truth(*truth),
        Expr::Integer(number) => V::Number(*number),
        Expr::Word { signed, width, bits } => word(*signed, *width as usize, bits.cast_signed()),
        Expr::Name(name) => match VARIABLES.iter().position(|variable| *variable == &file.names[*name]) {
            Some(k) => state[k].clone(),
            None => V::Symbol(file.names[*name].to_owned()),
        },
        Expr::Bits(of, high, low) => {
            let V::Word(_, list) = one(*of) else { unreachable!() };
            V::Word(false, list[int(*low) as usize..=int(*high) as usize].to_vec())
        }
        Expr::Unary(Unary::Not, a) => match one(*a) {
            V::Truth(truth) => V::Truth(!truth),
            V::Word(signed, list) => V::Word(signed, list.iter().map(|bit| !bit).collect()),
            _ => unreachable!(),
        },
        Expr::Unary(_, a) => match one(*a) {
            V::Word(signed, list) => word(signed, list.len(), -bits(signed, &list)),
            v => V::Number(-number(&v, &[])),
        },
        Expr::Conditional(guard, yes, no) => return if truth(*guard) { all(*yes) } else { all(*no) },
        Expr::Case(branches) => {
            return all(branches.iter().find(|&&(guard, _)| truth(guard)).unwrap().1);
        }
        Expr::Set(parts) => {
            return parts.iter().flat_map(|&part| all(part)).collect();
        }
        Expr::Binary(Binary::Union, a, b) => return [all(*a), all(*b)].concat(),
        Expr::Binary(Binary::Range, a, b) => return (int(*a)..=int(*b)).map(V::Number).collect(),
        Expr::Binary(Binary::In, a, b) => V::Truth(all(*b).contains(&one(*a))),
        Expr::Binary(op, a, b) => operate(*op, one(*a), one(*b)),
        Expr::Apply(function, parts) => {
            let first = one(parts[0]);
            match function {
                Function::Count => V::Number(parts.iter().filter(|&&part| truth(part)).count() as i64),
                Function::Bool => V::Truth(number(&first, &[]) != 0),
                Function::ToInt => V::Number(number(&first, &[])),
                Function::Abs => V::Number(number(&first, &[]).abs()),
                Function::Min => V::Number(int(parts[0]).min(int(parts[1]))),
                Function::Max => V::Number(int(parts[0]).max(int(parts[1]))),
                Function::Word1 => word(false, 1, number(&first, &[])),
                Function::Signed | Function::Unsigned => {
                    let V::Word(_, list) = first else { unreachable!() };
                    V::Word(*function == Function::Signed, list)
                }
                Function::Extend => {
                    let V::Word(signed, mut list) = first else { unreachable!() };
                    let fill = signed && *list.last().unwrap();
                    list.extend(std::iter::repeat_n(fill, int(parts[1]) as usize));
                    V::Word(signed, list)
                }
                Function::Resize => {
                    let V::Word(signed, mut list) = first else { unreachable!() };
                    let sign = *list.last().unwrap();
                    list.truncate(int(parts[1]) as usize);
                    if signed {
                        *list.last_mut().unwrap() = sign;
                    }
                    V::Word(signed, list)
                }
                _ => unreachable!(),
            }
        }
        _ => unreachable!(),
    };
    vec![result]
}

fn operate(op: Binary, a: V, b: V) -> V {
    match (op, &a, &b) {
        (Binary::Equal, ..) => return V::Truth(a == b),
        (Binary::Unequal, ..) => return V::Truth(a != b),
        (Binary::Concat, V::Word(_, high), V::Word(_, low)) => {
            return V::Word(false, low.iter().chain(high).copied().collect());
        }
        _ => {}
    }
    let (x, y) = (number(&a, &[]), number(&b, &[]));
    let logic = |p: bool, q: bool| match op {
        Binary::And => p & q,
        Binary::Or => p | q,
        Binary::Implies => !p | q,
        Binary::Xor => p != q,
        _ => p == q,
    };
    let arithmetic = match op {
        Binary::Less => return V::Truth(x < y),
        Binary::AtMost => return V::Truth(x <= y),
        Binary::Greater => return V::Truth(x > y),
        Binary::AtLeast => return V::Truth(x >= y),
        Binary::Plus => x + y,
        Binary::Minus => x - y,
        Binary::Times => x * y,
        Binary::Divide => x / y,
        Binary::Modulo => x - x / y * y,
        Binary::ShiftLeft => x << y,
        Binary::ShiftRight => x.div_euclid(1 << y),
        _ => {
            return match (a, b) {
                (V::Truth(p), V::Truth(q)) => V::Truth(logic(p, q)),
                (V::Word(signed, p), V::Word(_, q)) => {
                    V::Word(signed, p.iter().zip(&q).map(|(&p, &q)| logic(p, q)).collect())
                }
                other => unreachable!("{op:?} {other:?}"),
            };
        }
    };
    match a {
        V::Word(signed, list) => word(signed, list.len(), arithmetic),
        _ => V::Number(arithmetic),
    }
}

/// All values of an expression, each once, in order.
fn meant(structure: &ir::Structure, id: ir::ExprId, state: &dyn Fn(VariableId) -> i64) -> Vec<i64> {
    let one = |id: ir::ExprId| {
        let found = meant(structure, id, state);
        assert_eq!(found.len(), 1);
        found[0]
    };
    let mut list = match structure.exprs.get(id) {
        ir::Expr::Value(v) => vec![*v],
        ir::Expr::Variable(v) => vec![state(*v)],
        ir::Expr::Next(_) => unreachable!(),
        ir::Expr::Not(a) => vec![1 - one(*a)],
        ir::Expr::And(list) => vec![list.iter().map(|&a| one(a)).min().unwrap()],
        ir::Expr::Or(list) => vec![list.iter().map(|&a| one(a)).max().unwrap()],
        ir::Expr::Count(list) => vec![list.iter().map(|&a| one(a)).sum()],
        ir::Expr::Union(list) => list.iter().flat_map(|&a| meant(structure, a, state)).collect(),
        ir::Expr::Range(a, b) => (one(*a)..=one(*b)).collect(),
        ir::Expr::In(a, b) => vec![i64::from(meant(structure, *b, state).contains(&one(*a)))],
        ir::Expr::Wrap { of, signed, width } => {
            let bits = one(*of).rem_euclid(1 << width);
            vec![if *signed && bits >> (width - 1) == 1 { bits - (1 << width) } else { bits }]
        }
        ir::Expr::Case(branches) => {
            let branch = branches.iter().find(|&&(guard, _)| one(guard) == 1).expect("one is true");
            meant(structure, branch.1, state)
        }
        ir::Expr::Select { index, low, elements } => {
            vec![one(elements[usize::try_from(one(*index) - low).unwrap()])]
        }
        ir::Expr::Binary(op, a, b) => {
            let (a, b) = (one(*a), one(*b));
            vec![match op {
                ir::Binary::Equal => i64::from(a == b),
                ir::Binary::Unequal => i64::from(a != b),
                ir::Binary::Less => i64::from(a < b),
                ir::Binary::AtMost => i64::from(a <= b),
                ir::Binary::Plus => a + b,
                ir::Binary::Minus => a - b,
                ir::Binary::Times => a * b,
                ir::Binary::Divide => a / b,
                ir::Binary::Modulo => a % b,
                ir::Binary::BitAnd => a & b,
                ir::Binary::BitOr => a | b,
                ir::Binary::BitXor => a ^ b,
                ir::Binary::ShiftLeft => a << b,
                ir::Binary::ShiftRight => a >> b,
                ir::Binary::Min => a.min(b),
                ir::Binary::Max => a.max(b),
            }]
        }
    };
    list.sort_unstable();
    list.dedup();
    list
}

#[test]
fn random_expressions_mean_what_they_say() {
    let cases = std::env::var("LORIS_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(200);
    let mut rng = Rng::new(2026);
    for _ in 0..cases {
        let mut text =
            "MODULE main VAR b : boolean; c : boolean; n : 0..3; m : -2..2; s : {red, green, blue};\n\
             w : word[3]; v : signed word[3]; u : word[2];\nDEFINE\n"
                .to_owned();
        for (i, kind) in "tnswgtnwg".chars().enumerate() {
            let mut body = String::new();
            random(&mut rng, kind, 4, &mut body);
            // a truth value of each, so that it can be found among the labels
            let other = ["TRUE", "1", "green", "0ud3_3", "0sd3_3", "FALSE", "2", "0ud3_6", "-0sd3_1"][i];
            writeln!(text, "  d{i} := {body} = {other};").unwrap();
        }
        let (smv, _) = match read_smv(&text) {
            Ok(read) => read,
            Err(problems) => panic!("{text}\n{:#?}", problems.sorted()),
        };
        let (program, file) = (smv.program(), smv.syntax());
        let structure = program.structures.iter().next().unwrap();
        let Some(Item::Define(defines)) =
            file.modules[0].items.iter().find(|item| matches!(item, Item::Define(_)))
        else {
            unreachable!()
        };
        for _ in 0..10 {
            let state = random_state(&mut rng);
            for (define, label) in defines.iter().zip(&structure.labels) {
                let expected: Vec<i64> =
                    direct(file, define.value, &state).iter().map(|v| number(v, &program.symbols)).collect();
                let lookup = |variable: VariableId| number(&state[variable.index()], &program.symbols);
                let found = meant(structure, label.condition, &lookup);
                assert_eq!(found, expected, "{} in {state:?} of\n{text}", label.name);
            }
        }
    }
}
