//! Random expressions, and their values straight from what was written: kinds of values are known
//! at run time only, words are lists of bits, and nothing is folded.

#![allow(dead_code)] // each test uses some of it
// all numbers are small
#![allow(clippy::unwrap_used, clippy::cast_sign_loss, clippy::cast_possible_wrap)]
#![allow(clippy::too_many_lines, clippy::many_single_char_names)] // one arm for each operator

use loris_base::Rng;
use loris_smv::ir::SYMBOLS;
use loris_smv::syntax::ast::{Binary, Expr, ExprId, File, Function, Unary};

/// A value with its kind.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum V {
    Truth(bool),
    Number(i64),
    Symbol(String),
    /// Signed or not, bits from the lowest on.
    Word(bool, Vec<bool>),
    /// The value of a variable that has left.
    Exit,
    /// What has no answer, since a variable has left.
    Unknown,
}

impl V {
    fn is_absent(&self) -> bool {
        matches!(self, V::Exit | V::Unknown)
    }
}

pub(crate) const VARIABLES: [&str; 8] = ["b", "c", "n", "m", "s", "w", "v", "u"];

pub(crate) fn word(signed: bool, width: usize, value: i64) -> V {
    V::Word(signed, (0..width).map(|i| value >> i & 1 == 1).collect())
}

fn bits(signed: bool, bits: &[bool]) -> i64 {
    let mut value: i64 = bits.iter().enumerate().map(|(i, &bit)| i64::from(bit) << i).sum();
    if signed && bits.last() == Some(&true) {
        value -= 1 << bits.len();
    }
    value
}

/// What a value is in the meaning.
pub(crate) fn number(v: &V, symbols: &[String]) -> i64 {
    match v {
        V::Truth(truth) => i64::from(*truth),
        V::Number(number) => *number,
        V::Symbol(name) => {
            SYMBOLS + i64::try_from(symbols.iter().position(|symbol| symbol == name).unwrap()).unwrap()
        }
        V::Word(signed, list) => bits(*signed, list),
        V::Exit | V::Unknown => panic!("{v:?} is not a number"),
    }
}

/// Writes a random expression of a kind: `t`ruth, `n`umber, `s`ymbol, `w`ord[3], si`g`ned word[3].
pub(crate) fn random(rng: &mut Rng, kind: char, depth: u32, out: &mut String) {
    if depth == 0 || rng.below(6) == 0 {
        let leaves = leaves(kind);
        out.push_str(leaves[rng.below(leaves.len())]);
        return;
    }
    let templates = templates(kind);
    let mut rest = templates[rng.below(templates.len())];
    while let Some(at) = rest.find('@') {
        out.push_str(&rest[..at]);
        random(rng, char::from(rest.as_bytes()[at + 1]), depth - 1, out);
        rest = &rest[at + 2..];
    }
    out.push_str(rest);
}

/// How expressions of a kind are made of others: `@n` is one of kind `n`.
pub(crate) fn templates(kind: char) -> &'static [&'static str] {
    match kind {
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
    }
}

/// Expressions of a kind that are made of nothing else.
pub(crate) fn leaves(kind: char) -> &'static [&'static str] {
    match kind {
        't' => &["b", "c", "TRUE", "FALSE", "(n = 2)", "(s = red)"],
        'n' => &["n", "m", "0", "1", "3", "-2"],
        's' => &["s", "red", "green", "blue"],
        'w' => &["w", "0ub3_101", "0ud3_7"],
        _ => &["v", "0sb3_101", "-0sd3_2"],
    }
}

/// All values of an expression as it was written. `=`, `!=` and `in` compare values, and `EXIT` is
/// one; other operators have no answer where an operand has left, unless the others decide, as they
/// may for truth values (Kleene).
pub(crate) fn direct(file: &File, id: ExprId, state: &[V]) -> Vec<V> {
    let all = |id: ExprId| direct(file, id, state);
    let one = |id: ExprId| {
        let mut found = all(id);
        assert_eq!(found.len(), 1);
        found.pop().unwrap()
    };
    let int = |id: ExprId| number(&one(id), &[]);
    let unknown = vec![V::Unknown];
    let result = match &file.exprs.nodes[id] {
        Expr::Boolean(truth) => V::Truth(*truth),
        Expr::Integer(number) => V::Number(*number),
        Expr::Word { signed, width, bits } => word(*signed, *width as usize, bits.cast_signed()),
        Expr::Name(name) => match VARIABLES.iter().position(|variable| *variable == &file.names[*name]) {
            Some(k) => state[k].clone(),
            None => V::Symbol(file.names[*name].to_owned()),
        },
        Expr::Bits(of, high, low) => {
            let V::Word(_, list) = one(*of) else { return unknown };
            V::Word(false, list[int(*low) as usize..=int(*high) as usize].to_vec())
        }
        Expr::Unary(Unary::Not, a) => match one(*a) {
            V::Truth(truth) => V::Truth(!truth),
            V::Word(signed, list) => V::Word(signed, list.iter().map(|bit| !bit).collect()),
            _ => V::Unknown,
        },
        Expr::Unary(_, a) => match one(*a) {
            V::Word(signed, list) => word(signed, list.len(), -bits(signed, &list)),
            v if v.is_absent() => V::Unknown,
            v => V::Number(-number(&v, &[])),
        },
        Expr::Exit => V::Exit,
        Expr::Conditional(guard, yes, no) => {
            return match one(*guard) {
                V::Truth(true) => all(*yes),
                V::Truth(false) => all(*no),
                _ => unknown,
            };
        }
        Expr::Case(branches) => {
            for &(guard, value) in branches {
                match one(guard) {
                    V::Truth(true) => return all(value),
                    V::Truth(false) => {}
                    _ => return unknown,
                }
            }
            panic!("no branch applies")
        }
        Expr::Set(parts) => {
            return parts.iter().flat_map(|&part| all(part)).collect();
        }
        Expr::Binary(Binary::Union, a, b) => return [all(*a), all(*b)].concat(),
        Expr::Binary(Binary::Range, a, b) if one(*a).is_absent() || one(*b).is_absent() => return unknown,
        Expr::Binary(Binary::Range, a, b) => return (int(*a)..=int(*b)).map(V::Number).collect(),
        Expr::Binary(Binary::In, a, b) => {
            let (value, set) = (one(*a), all(*b));
            match value {
                V::Unknown => V::Unknown,
                _ if set.contains(&value) => V::Truth(true),
                _ if set.contains(&V::Unknown) => V::Unknown,
                _ => V::Truth(false),
            }
        }
        Expr::Binary(op, a, b) => operate(*op, one(*a), one(*b)),
        Expr::Apply(_, parts) if parts.iter().any(|&part| one(part).is_absent()) => V::Unknown,
        Expr::Apply(function, parts) => {
            let first = one(parts[0]);
            match function {
                Function::Count => {
                    V::Number(parts.iter().filter(|&&part| one(part) == V::Truth(true)).count() as i64)
                }
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
        (Binary::Equal | Binary::Unequal, V::Unknown, _)
        | (Binary::Equal | Binary::Unequal, _, V::Unknown) => {
            return V::Unknown;
        }
        (Binary::Equal, ..) => return V::Truth(a == b),
        (Binary::Unequal, ..) => return V::Truth(a != b),
        (Binary::Concat, V::Word(_, high), V::Word(_, low)) => {
            return V::Word(false, low.iter().chain(high).copied().collect());
        }
        (Binary::And, V::Truth(false), _) | (Binary::And, _, V::Truth(false)) => return V::Truth(false),
        (Binary::Or, V::Truth(true), _) | (Binary::Or, _, V::Truth(true)) => return V::Truth(true),
        (Binary::Implies, V::Truth(false), _) | (Binary::Implies, _, V::Truth(true)) => {
            return V::Truth(true);
        }
        _ if a.is_absent() || b.is_absent() => return V::Unknown,
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
