//! DECOMP word for word (Fig. 2, errata R5 and R6), with negation and without any simplification:
//! the oracle's oracle, and the source of the numbers of pairs in example Y7.

/// LTL and LTL⁺ in one.
#[derive(Clone, Debug)]
pub(super) enum Formula {
    True,
    Atom(u32),
    Exit,
    Not(Box<Formula>),
    And(Vec<Formula>),
    Or(Vec<Formula>),
    X(Box<Formula>),
    U(Box<Formula>, Box<Formula>),
    G(Box<Formula>),
}

use Formula::{And, Atom, Exit, G, Not, Or, True, U, X};

pub(super) fn not(a: Formula) -> Formula {
    Not(Box::new(a))
}

pub(super) fn next(a: Formula) -> Formula {
    X(Box::new(a))
}

pub(super) fn until(a: Formula, b: Formula) -> Formula {
    U(Box::new(a), Box::new(b))
}

/// The pairs, or nothing if there are more than `most`.
pub(super) fn decomp(formula: &Formula, most: usize) -> Option<Vec<(Formula, Formula)>> {
    let pairs = match formula {
        True | Atom(_) => vec![(formula.clone(), True)],
        Or(parts) => {
            let parts: Option<Vec<_>> = parts.iter().map(|part| decomp(part, most)).collect();
            parts?.concat()
        }
        Not(a) => {
            let inner = decomp(a, most)?;
            let split = |chosen: &[bool]| {
                let pick = |wanted: bool| inner.iter().zip(chosen).filter(move |&(_, &is)| is == wanted);
                let betas = pick(true).map(|((beta, _), _)| not(beta.clone())).collect();
                let deltas = pick(false).map(|((_, delta), _)| not(delta.clone())).collect();
                (And(betas), And(deltas))
            };
            subsets(inner.len(), most)?.iter().map(|chosen| split(chosen)).collect()
        }
        X(a) => {
            let inner = decomp(a, most)?.into_iter().map(|(beta, delta)| (next(beta), delta));
            inner.chain([(Exit, (**a).clone())]).collect()
        }
        U(a, b) => {
            let (first, second) = (decomp(a, most)?, decomp(b, most)?);
            let mut pairs = Vec::new();
            for chosen in subsets(first.len(), most)?.iter().filter(|chosen| chosen.contains(&true)) {
                let pick = || first.iter().zip(chosen).filter(|&(_, &is)| is).map(|(pair, _)| pair.clone());
                let beta = Or(pick().map(|(beta, _)| beta).collect());
                let with =
                    |delta: &Formula| And(pick().map(|(_, delta)| delta).chain([delta.clone()]).collect());
                pairs.push((G(Box::new(beta.clone())), with(formula)));
                pairs.extend(
                    second.iter().map(|(end, delta)| (until(beta.clone(), end.clone()), with(delta))),
                );
            }
            pairs
        }
        And(_) | G(_) | Exit => unreachable!("not among the paper's operators"),
    };
    (pairs.len() <= most).then_some(pairs)
}

fn subsets(count: usize, most: usize) -> Option<Vec<Vec<bool>>> {
    let many = 1usize.checked_shl(count as u32).filter(|&many| many <= most)?;
    Some((0..many).map(|set| (0..count).map(|i| set >> i & 1 == 1).collect()).collect())
}

/// Whether a word satisfies a formula; the word is finite if no position is given that it goes back
/// to.
pub(super) fn holds(formula: &Formula, word: &[Vec<bool>], back: Option<usize>) -> bool {
    values(formula, word, back)[0]
}

fn values(formula: &Formula, word: &[Vec<bool>], back: Option<usize>) -> Vec<bool> {
    let after = |i: usize| if i + 1 < word.len() { Some(i + 1) } else { back };
    let each = |f: &dyn Fn(usize) -> bool| (0..word.len()).map(f).collect::<Vec<bool>>();
    let of = |formula: &Formula| values(formula, word, back);
    let fixpoint = |start: bool, f: &dyn Fn(usize, bool) -> bool| {
        let mut values = vec![start; word.len()];
        for i in (0..word.len()).rev().chain((0..word.len()).rev()) {
            values[i] = f(i, after(i).map_or(start, |next| values[next]));
        }
        values
    };
    match formula {
        True => each(&|_| true),
        Atom(atom) => each(&|i| word[i][*atom as usize]),
        Exit => each(&|i| after(i).is_none()),
        Not(a) => of(a).into_iter().map(|value| !value).collect(),
        And(parts) => {
            let parts: Vec<_> = parts.iter().map(of).collect();
            each(&|i| parts.iter().all(|part| part[i]))
        }
        Or(parts) => {
            let parts: Vec<_> = parts.iter().map(of).collect();
            each(&|i| parts.iter().any(|part| part[i]))
        }
        X(a) => {
            let inner = of(a);
            each(&|i| after(i).is_some_and(|next| inner[next]))
        }
        U(a, b) => {
            let (a, b) = (of(a), of(b));
            fixpoint(false, &|i, next| b[i] || a[i] && next)
        }
        G(a) => {
            let inner = of(a);
            fixpoint(true, &|i, next| inner[i] && next)
        }
    }
}
