//! From equations to a Boolean transition system, without listing states.
//!
//! | module | what |
//! |---|---|
//! | `code` | the bits of a variable |
//! | `order` | in which order the bits of a state come |
//! | `bounds` | which numbers an expression can be |
//! | `bits`, `value` | numbers and members of enumerations as functions |
//! | `expressions`, `sets` | expressions, and where they have no value |
//! | `rules` | equations and conditions: initial states and steps |
//! | `layout` | states as values of variables |
//! | `circuit` | AIGER |
//! | `trouble` | what may be wrong with a model, as a system and in words |
//!
//! Assignments become functions: the next value of a variable is computed from the state and from
//! choices, as many as it takes to pick from the largest set that is assigned; a choice past the
//! end of a set means one of its values, too. A variable without an assignment gets a free choice
//! of its values, or, if a condition `next(x) = e` or `next(x) in e` is about it, that value or one
//! of that set. All other conditions on steps (`TRANS`, and `INVAR` of the next state) are
//! constraints.
//!
//! The explicit states of the same model are the oracle (`tests/encode.rs`). What they report as an
//! error of a reachable state is [trouble](Trouble) here: a function that is true where it happens.
//! A verdict about the system is one about the model only if none of it is reachable.

mod bits;
mod bounds;
mod circuit;
mod code;
mod encoded;
mod expressions;
mod layout;
mod order;
mod rules;
mod sets;
mod trouble;
mod value;

use crate::ir::{Atom, ExprId, Program, SmvProperty, StructureId};
use loris_base::{Budget, Diagnostic, Stopped};

pub use encoded::{Encoded, FaultCause, Moment, Trouble};
pub use layout::StateLayout;

/// Makes a Boolean transition system of a structure, which observes the atoms of some of its
/// properties.
///
/// # Errors
/// The program calls, or a property is about more than states of the structure; or the budget ran
/// out.
///
/// ```
/// use loris_base::Budget;
/// let text = "MODULE main VAR x : 0..5; ASSIGN init(x) := 0; next(x) := {x, (x + 1) mod 6}; SPEC AG x < 6";
/// let (smv, _) = loris_smv::read_smv(text).unwrap();
/// let properties: Vec<_> = smv.program().properties.iter().collect();
/// let encoded =
///     loris_smv::encode(smv.program(), smv.first(), &properties, &mut Budget::unlimited()).unwrap();
/// assert_eq!((encoded.system.states.len(), encoded.system.choices.len()), (3, 1));
/// assert!(encoded.is_total);
/// assert_eq!(encoded.layout.values(&[false, true, true]), [("x", "3".to_owned())]);
/// ```
pub fn encode(
    program: &Program,
    structure: StructureId,
    properties: &[&SmvProperty],
    budget: &mut Budget,
) -> Result<Encoded, Stopped> {
    let of = &program.structures[structure];
    let refused = |what: &str| {
        let message = format!("{what} cannot be encoded as a Boolean transition system");
        let (start, end) = of.span;
        Stopped::Wrong(Diagnostic::error(start.into(), end.saturating_sub(start) as usize, message).into())
    };
    if program.recursive {
        return Err(refused("a program with CALL and EXIT"));
    }
    let mut atoms: Vec<Vec<ExprId>> = Vec::with_capacity(properties.len());
    for property in properties {
        let mut own = Vec::with_capacity(property.atoms.len());
        for atom in &property.atoms {
            match *atom {
                Atom::Condition(condition) if property.structure == structure => own.push(condition),
                _ => return Err(refused("a property of labels or of another module")),
            }
        }
        atoms.push(own);
    }
    Ok(rules::encoded(program, structure, &atoms, budget)?)
}
