//! Which formulas cannot tell whether silent steps that change nothing were left out.
//!
//! Let s ~ t be divergence-preserving branching bisimilarity with labels: equivalent states have
//! the same labels, and for the actions of [`Insensitive::watched`], both or neither can take the
//! action at once. A step s –x→ s' is matched by steps t –τ→ … –τ→ t" –x→ t' with s' ~ t' whose
//! states before the last one are all equivalent to s (*inert* steps), or by nothing if x is silent
//! and s' ~ t; and if s can take silent steps for ever among equivalent states, so can t.
//!
//! Call an action silent if every set of actions in the formula that contains it contains `tau` and
//! the other way round: the formula cannot tell it from `tau`. A set is *weak* if it contains
//! `tau`, and so all silent actions; else it is *strong*. A formula is insensitive if its value is
//! closed under ~ whenever its free variables stand for sets of states that are closed under ~; so
//! a closed formula has the same value in equivalent states. These rules make insensitive formulas
//! (with proofs, and examples that show why they are not more generous, in
//! `docs/compositional.md`):
//!
//! 0. Variables, and `mu Z. f` and `nu Z. f` with insensitive f: all approximants are closed. As
//!    `mu Z. f(Z, Z)` is `mu X. mu Z. f(X, Z)`, a variable is also free to occur in the parts of a
//!    formula that the rules below call f, g, h and k.
//! 1. `tt`, `ff`, labels, `f & g`, `f | g`. By induction.
//! 2. `<A>tt` and `[A]ff` with strong A, whose actions are watched. By the definition of ~.
//! 3. `mu Z. g | … | (f & <T>Z) | … | (h & <A>k) | … | (h & [B]ff) | …` with weak T and B and
//!    strong A, where the last two forms are there only beside a `<T>Z` without f. True in s means
//!    that a path of T-steps leads through states where f holds to one where g holds, or h and a
//!    step by A to one where k holds, or h and there is no step by B. Each step of it is matched
//!    from t: the inert steps before it are T-steps, as T is weak, and lead through states
//!    equivalent to s, where f holds, too. A last step by A is matched by inert steps, which `<T>Z`
//!    allows, through states where h holds, and a step by A. An *end* s' without steps by B has no
//!    silent steps. So a state t' ~ s' cannot take inert steps for ever; by inert steps it comes to
//!    a state t" ~ s' that has no more of them, in which h holds, and each step by B from there
//!    would have to be matched by silent steps from s' and one by B.
//! 4. `nu Z. g & (f | … | (h & <A>k) | … | (h & [B]ff) | … | <T>Z)` with weak T and B and strong A:
//!    a path of T-steps through states where g holds that is infinite, or leads to one where f
//!    holds, or h and a step by A to one where k holds, or h and there is no step by B. Steps and
//!    ends are matched as in 3; g holds in all states that are equivalent to the last one. If from
//!    some state of an infinite path on all steps are matched by nothing, they are silent steps
//!    among equivalent states, so that the matching state can take such steps for ever.
//! 5. The duals of 3 and 4: negation swaps values.
//!
//! ~ is a congruence for the composition of labelled transition systems: where c ~ c', the pairs
//! (c, d) and (c', d) are related, as d takes part in no inert step of c. And where a process takes
//! an action that nobody outside knows and that the formula cannot tell from `tau`, it may as well
//! be `tau`.

use loris_logic::mu::{ActionSetId, Extremum, Mu, MuFormula, MuId, VarId};
use rustc_hash::FxHashSet;

/// A formula that has the same value in equivalent states.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Insensitive {
    /// Sets of actions of which it matters in every state whether they can be taken.
    pub(crate) watched: Vec<ActionSetId>,
}

/// Whether a formula is made by the rules of the module.
pub(crate) fn insensitive(formula: &MuFormula) -> Option<Insensitive> {
    let mut rules = Rules { formula, demanded: vec![formula.root()] };
    let mut seen: FxHashSet<MuId> = FxHashSet::default();
    let mut watched = Vec::new();
    while let Some(id) = rules.demanded.pop() {
        if !seen.insert(id) {
            continue;
        }
        match formula.node(id) {
            Mu::True | Mu::False | Mu::Atom(_) | Mu::NotAtom(_) | Mu::Var(_) => {}
            Mu::And(f, g) | Mu::Or(f, g) => rules.demanded.extend([f, g]),
            Mu::Diamond(set, f) if !rules.is_weak(set) && formula.node(f) == Mu::True => watched.push(set),
            Mu::Box(set, f) if !rules.is_weak(set) && formula.node(f) == Mu::False => watched.push(set),
            Mu::Fix(extremum, variable, body) => {
                let is_least = extremum == Extremum::Least;
                // 3 for `mu`, its dual for `nu`; 4 for `nu`, its dual for `mu`; else 0
                if !rules.until(variable, body, Sense { dual: !is_least })
                    && !rules.for_ever(variable, body, Sense { dual: is_least })
                {
                    rules.demanded.push(body);
                }
            }
            Mu::Diamond(..) | Mu::Box(..) => return None,
        }
    }
    watched.sort_unstable();
    watched.dedup();
    Some(Insensitive { watched })
}

/// A rule as it is written, or its dual.
#[derive(Clone, Copy)]
struct Sense {
    dual: bool,
}

struct Rules<'a> {
    formula: &'a MuFormula,
    /// subformulas that are to be made by the rules, too
    demanded: Vec<MuId>,
}

impl Rules<'_> {
    fn is_weak(&self, set: ActionSetId) -> bool {
        self.formula.actions(set).contains("tau")
    }

    /// The operands of nested disjunctions or, if `of_and`, conjunctions.
    fn operands(&self, id: MuId, of_and: bool) -> Vec<MuId> {
        let (mut found, mut seen, mut stack) = (Vec::new(), FxHashSet::default(), vec![id]);
        while let Some(id) = stack.pop() {
            match self.formula.node(id) {
                _ if !seen.insert(id) => {}
                Mu::And(f, g) if of_and => stack.extend([g, f]),
                Mu::Or(f, g) if !of_and => stack.extend([g, f]),
                _ => found.push(id),
            }
        }
        found
    }

    /// The set and the operand of `<K> f`, or of `[K] f` in a dual rule.
    fn step(&self, id: MuId, sense: Sense) -> Option<(ActionSetId, MuId)> {
        match self.formula.node(id) {
            Mu::Diamond(set, f) if !sense.dual => Some((set, f)),
            Mu::Box(set, f) if sense.dual => Some((set, f)),
            _ => None,
        }
    }

    /// The set of `<T>Z` with weak T.
    fn again(&self, id: MuId, variable: VarId, sense: Sense) -> Option<ActionSetId> {
        let (set, f) = self.step(id, sense)?;
        (self.formula.node(f) == Mu::Var(variable) && self.is_weak(set)).then_some(set)
    }

    /// What is left to be demanded where a path may stop, in one of the forms g, `h & <A>k` and
    /// `h & [B]ff`; in the first one, the formula itself.
    fn stop(&self, disjunct: MuId, sense: Sense) -> Vec<MuId> {
        let conjuncts = self.operands(disjunct, !sense.dual);
        let strong = |id: MuId| self.step(id, sense).filter(|&(set, _)| !self.is_weak(set));
        let mut last = conjuncts.iter().filter(|&&id| strong(id).is_some() || self.is_end(id, sense));
        let (Some(&last), None) = (last.next(), last.next()) else { return vec![disjunct] };
        let others = conjuncts.iter().copied().filter(|&id| id != last);
        others.chain(strong(last).map(|(_, after)| after)).collect()
    }

    /// Rule 3.
    fn until(&mut self, variable: VarId, body: MuId, sense: Sense) -> bool {
        let (mut goes_on, mut is_free) = (false, false);
        let mut stops: Vec<MuId> = Vec::new();
        for disjunct in self.operands(body, sense.dual) {
            let mut conjuncts = self.operands(disjunct, !sense.dual);
            let again = |&id: &MuId| self.again(id, variable, sense).is_some();
            let Some(place) = conjuncts.iter().position(again) else {
                stops.push(disjunct);
                continue;
            };
            goes_on = true;
            conjuncts.swap_remove(place);
            is_free |= conjuncts.is_empty();
            // a second `<T>Z` is refused as any step by a weak set
            self.demanded.extend(conjuncts);
        }
        if !goes_on {
            return false;
        }
        for disjunct in stops {
            let left = if is_free { self.stop(disjunct, sense) } else { vec![disjunct] };
            self.demanded.extend(left);
        }
        true
    }

    /// Rule 4.
    fn for_ever(&mut self, variable: VarId, body: MuId, sense: Sense) -> bool {
        let mut goes_on = false;
        let mut demanded = Vec::new();
        for conjunct in self.operands(body, !sense.dual) {
            let mut disjuncts = self.operands(conjunct, sense.dual);
            let again = disjuncts.iter().position(|&id| self.again(id, variable, sense).is_some());
            let Some(place) = again.filter(|_| !goes_on) else {
                demanded.push(conjunct);
                continue;
            };
            goes_on = true;
            disjuncts.swap_remove(place);
            demanded.extend(disjuncts.into_iter().flat_map(|disjunct| self.stop(disjunct, sense)));
        }
        if goes_on {
            self.demanded.extend(demanded);
        }
        goes_on
    }

    /// Whether a formula is `[B]ff` with weak B, or `<B>tt` in a dual rule.
    fn is_end(&self, id: MuId, sense: Sense) -> bool {
        let (set, f) = match self.formula.node(id) {
            Mu::Box(set, f) if !sense.dual => (set, f),
            Mu::Diamond(set, f) if sense.dual => (set, f),
            _ => return false,
        };
        let end = if sense.dual { Mu::True } else { Mu::False };
        self.is_weak(set) && self.formula.node(f) == end
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::insensitive;
    use loris_logic::mu::parse;

    /// Whether a formula is insensitive, and the sets that are watched.
    fn check(text: &str, expected: Option<&[&str]>) {
        let formula = parse(text).unwrap();
        let found = insensitive(&formula).map(|found| {
            found.watched.iter().map(|&set| formula.actions(set).to_string()).collect::<Vec<_>>()
        });
        let expected = expected.map(|sets| sets.iter().map(|&set| set.to_owned()).collect::<Vec<_>>());
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn weak_modalities() {
        check("[true*]<true*.enter>tt", Some(&[]));
        check("[true*]<true*>(<a>tt & <b>tt)", Some(&["a", "b"]));
        check("[true*.a.(!b)*.a]ff", Some(&[]));
        // after an a, silent steps may come before the next one
        check("<true*.a.a>tt", Some(&["a"]));
        check("<true*.a.a.a>tt", None);
        check("<true*.a><true*.a>tt", Some(&[]));
        check("<a>tt", Some(&["a"]));
        check("<a><a>tt", None);
        check("<>tt", None);
        check("<!a>tt", None);
    }

    #[test]
    fn guards() {
        check("mu Z. q | p & <>Z", Some(&[]));
        // silent steps before the last one would lead through states without p
        check("mu Z. <a>q | p & <>Z", None);
        check("mu Z. <a>tt | p & <>Z", Some(&["a"]));
        check("mu Z. r & <a>q | <>Z", Some(&[]));
        check("mu Z. q | <a>Z", None);
        check("mu Z. q | <a>Z | <>Z", Some(&[]));
        check("mu Z. q | <a>Z | p & <>Z", None);
    }

    #[test]
    fn ends_of_paths() {
        check("[true*]<true>tt", Some(&[]));
        check("<true*>[true]ff", Some(&[]));
        check("[true*]<!a>tt", Some(&[]));
        check("<true*.a><true*>[!a]ff", Some(&[]));
        check("[(!a)*]<true>tt", Some(&[]));
        check("[true*](<true>tt | p)", Some(&[]));
        check("[true*](<true>tt & p)", Some(&[]));
        check("[true*](mu Y. <>tt & [!a8]Y)", Some(&[]));
        check("mu Y. <>tt & [!a]Y", Some(&[]));
        // not where the path has to go on through other states, or cannot be silent
        check("mu Z. []ff | p & <>Z", None);
        check("mu Z. []ff | <a>Z", None);
        // a state with a step, after any path: silent steps before the end of all count
        check("<true*><true>tt", None);
        check("[true*][true]ff", None);
        check("[true*][a]<true>tt", None);
        check("[true*.a]<true>tt", None);
        check("[]ff", None);
    }

    #[test]
    fn fixpoints_that_depend_on_each_other() {
        check("nu X. mu Y. [a0]X & [!a0]Y", Some(&[]));
        check("mu X. nu Y. <a>X | <!a>Y", Some(&[]));
        check("nu X. mu Y. (p & X) | <>Y", Some(&[]));
        check("nu X. mu Y. [a]X & [!a]Y & <a>X", None);
        // the step from p may be silent
        check("nu X. mu Y. (p & <>X) | <>Y", None);
        check("nu X. mu Y. [tau]X & [!tau]Y", None);
        check("nu X. <a>X & p", None);
    }

    #[test]
    fn paths_without_end() {
        check("nu Z. p & <>Z", Some(&[]));
        check("nu Z. p & (<>Z | []ff)", Some(&[]));
        check("nu Z. p & (<!a>Z | []ff)", Some(&[]));
        check("mu Z. q | p & <>tt & []Z", Some(&[]));
        check("nu Z. <a>Z", None);
        check("nu Z. <tau>Z", Some(&[]));
        check("nu Z. p & (<!a>Z | q & <b>r)", Some(&[]));
        check("nu Z. p & (<!a>Z | <b>tt & <c>tt)", Some(&["b", "c"]));
        check("nu Z. p & (<!a>Z | <>q)", None);
        check("nu X. <>X & <>X & p", Some(&[]));
        check("nu X. <>X & <tau>X", None);
        check("nu X. <>X & []X", None);
    }
}
