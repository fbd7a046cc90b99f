//! The engine of lazy-rsm, with its policies: three-valued interpretations refined by contexts.
//!
//! An [`Interpretation`](interpretation::Interpretation) gives every subformula a [`Truth`] at
//! every cell of an instance graph. It is *consistent*: a value that is true or false is so under
//! every stack that reaches the instance from the initial one. [`refine`] deduces local
//! consequences (Algorithm 1); contextualizing a box gives its callee an instance of its own with
//! the values known at the return ports (Algorithm 2); and where neither makes progress, the
//! unknown values lie on cycles that decide themselves (Lemma 6). Policies differ in which boxes
//! they contextualize, and when: [`eager()`] all of them, formula by formula (Algorithm 4); the
//! others in [`rounds`] (Algorithm 5), those that [`policies`] choose.
//!
//! Differences from the paper's text, all settled by the spec: a call port has the value of the
//! entry it stands for (no step of its own); only instances that are reached are looked at, and one
//! that is no longer reached is never used again; only interpretations are copied.

mod adoption;
mod calls;
mod context;
mod eager;
mod follow;
mod interpretation;
mod news;
mod policies;
mod reason;
mod refine;
mod rounds;
mod step;

pub(crate) use eager::eager;
pub(crate) use rounds::Rounds;
