//! The mu-calculus: syntax, regular modalities, CTL as sugar, normal form and priorities.
//!
//! | operator | written |
//! |---|---|
//! | constants | `tt` `true`, `ff` `false` |
//! | labels of states | `p`, or quoted: `"any text"` |
//! | not, and, or | `!` `~` `not`, `&` `&&` `and`, `\|` `\|\|` `or` |
//! | implication, equivalence | `->` `=>`, `<->` `<=>` |
//! | some step, every step | `<>f`, `[]f` |
//! | steps with actions | `<a>f`, `[a, b]f`, `<!a>f`, `[true*.a]f` |
//! | fixpoints | `mu X. f`, `nu X. f`, as far to the right as possible |
//! | CTL | `E X f`, `A F f`, `AG f`, `E [f U g]`, `A [f W g]`, `A [f R g]` |
//!
//! Inside `< >` and `[ ]` stand sets of actions (`a, b`, `a || b`, `{a, b}`, `!a`, `a && !b`,
//! nothing or `true` for all) and regular expressions over them: `R.S`, `R + S`, `R*`, `R+`, `nil`.
//!
//! CTL is translated with one of three readings of dead ends ([`DeadEnds`]).
//!
//! ```
//! use loris_logic::mu;
//! let formula = mu::parse("A G <true*.send>tt").expect("well-formed");
//! assert_eq!(formula.to_string(), "nu Z2. (mu Z. <send>tt | <>Z) & []Z2");
//! ```

mod actions;
mod ctl;
mod formula;
mod lower;
mod parser;
mod place;
mod printer;
mod regular;

pub use actions::ActionSet;
pub use ctl::DeadEnds;
pub use formula::{ActionSetId, Extremum, Mu, MuBuilder, MuFormula, MuId, VarId};
pub use parser::{Reading, Syntax, parse, parse_with};
pub use place::place_of;
