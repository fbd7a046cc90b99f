//! CTL as formulas of the mu-calculus, with a reading of dead ends.

use super::actions::ActionSet;
use super::formula::{Extremum, Mu, MuBuilder, MuId};

/// What the operators of CTL mean at a state without a successor.
///
/// `E F`, `A G` and `E U` are the same in all three. A dead end is a run of its own in `Maximal`
/// and `Loop`: `E G p` holds in a dead end where p holds, and `A F p` fails in one where it does
/// not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DeadEnds {
    /// Finite runs that cannot go on count like infinite ones. `E X p` is false there, `A X p`
    /// true.
    #[default]
    Maximal,
    /// A run stays there for ever: `E X p` and `A X p` are both p.
    Loop,
    /// A run ends there, and only infinite runs count for `E G` and `A F`: `E G p` is
    /// `nu Z. p & <>Z`, `A F p` is `mu Z. p | []Z`.
    Stop,
}

/// The quantifier over runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Quantifier {
    Some,
    All,
}

/// An operator along a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Temporal {
    X,
    F,
    G,
    U,
    W,
    R,
}

/// The negation of `Q op` is `dual(Q) dual(op)` of the negated operands, `U` and `R` being dual.
/// `W` has no dual: it is `f W g = g R (f | g)`.
pub(crate) fn dual(quantifier: Quantifier, temporal: Temporal) -> (Quantifier, Temporal) {
    let quantifier = match quantifier {
        Quantifier::Some => Quantifier::All,
        Quantifier::All => Quantifier::Some,
    };
    let temporal = match temporal {
        Temporal::X => Temporal::X,
        Temporal::F => Temporal::G,
        Temporal::G => Temporal::F,
        Temporal::U => Temporal::R,
        Temporal::W | Temporal::R => Temporal::U,
    };
    (quantifier, temporal)
}

/// `Q f op g`; operators with one operand use `f`.
pub(crate) fn translate(
    build: &mut MuBuilder,
    (quantifier, temporal): (Quantifier, Temporal),
    f: MuId,
    g: MuId,
    dead_ends: DeadEnds,
) -> MuId {
    if temporal == Temporal::X {
        return next(build, quantifier, f, dead_ends);
    }
    let least = matches!(temporal, Temporal::F | Temporal::U);
    let variable = build.variable("Z", if least { Extremum::Least } else { Extremum::Greatest });
    let rest = build.add(Mu::Var(variable));
    let rest = match quantifier {
        Quantifier::Some => build.possibly(ActionSet::all(), rest),
        Quantifier::All => build.necessarily(ActionSet::all(), rest),
    };
    let maximal = dead_ends != DeadEnds::Stop;
    let onwards = match (quantifier, least) {
        // a dead end ends the run: it has no rest that could fail, or fulfil
        (Quantifier::Some, false) if maximal => {
            let nothing = build.add(Mu::False);
            let dead = build.necessarily(ActionSet::all(), nothing);
            build.or(rest, dead)
        }
        (Quantifier::All, true) if maximal => {
            let anything = build.add(Mu::True);
            let alive = build.possibly(ActionSet::all(), anything);
            build.and(alive, rest)
        }
        _ => rest,
    };
    let body = match temporal {
        Temporal::F => build.or(f, onwards),
        Temporal::G => build.and(f, onwards),
        Temporal::U | Temporal::W => {
            let before = build.and(f, onwards);
            build.or(g, before)
        }
        Temporal::R => {
            let before = build.or(f, onwards);
            build.and(g, before)
        }
        Temporal::X => unreachable!("handled above"),
    };
    build.bind(variable, body)
}

fn next(build: &mut MuBuilder, quantifier: Quantifier, f: MuId, dead_ends: DeadEnds) -> MuId {
    let step = match quantifier {
        Quantifier::Some => build.possibly(ActionSet::all(), f),
        Quantifier::All => build.necessarily(ActionSet::all(), f),
    };
    if dead_ends != DeadEnds::Loop {
        return step;
    }
    match quantifier {
        Quantifier::Some => {
            let nothing = build.add(Mu::False);
            let dead = build.necessarily(ActionSet::all(), nothing);
            let stays = build.and(dead, f);
            build.or(step, stays)
        }
        Quantifier::All => {
            let anything = build.add(Mu::True);
            let alive = build.possibly(ActionSet::all(), anything);
            let stays = build.or(alive, f);
            build.and(step, stays)
        }
    }
}
