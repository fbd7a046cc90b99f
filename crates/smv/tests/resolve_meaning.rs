//! Random expressions: what they mean, compared with a direct evaluation of what was written.

#![allow(clippy::unwrap_used)] // helpers of tests

#[path = "common/direct.rs"]
mod direct;

use direct::{V, direct, number, random, word};
use loris_base::{Idx, Rng};
use loris_smv::ir::{self, VariableId};
use loris_smv::read_smv;
use loris_smv::syntax::ast::Item;
use std::fmt::Write;

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
                ir::Binary::Equal | ir::Binary::Same => i64::from(a == b),
                ir::Binary::Unequal | ir::Binary::Differ => i64::from(a != b),
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
    let cases = loris_testing::cases(200);
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
