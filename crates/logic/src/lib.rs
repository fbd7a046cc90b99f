//! Temporal logic: the syntax of CTL* with its fragments CTL and LTL, and the existential core of CTL.
//!
//! # Syntax
//!
//! | what | written |
//! |---|---|
//! | atoms | `p`, `def_x`, `Main.run:12`, or quoted: `"any text"`, with `\"` and `\\` |
//! | constants | `true`, `false` |
//! | not, and, or | `!` `~` `not`, `&` `&&` `and` `/\`, `\|` `\|\|` `or` `\/` |
//! | implication, equivalence | `->` `-->` `=>`, `<->` `<-->` `<=>` |
//! | quantifiers over paths | `E`, `A` |
//! | along a path | `X p`, `F p`, `G p`, `p U q`, `p W q`, `p R q` |
//! | fused | `AX` `AF` `AG` `EX` `EF` `EG` |
//!
//! From loose to tight: `<->`, `->`, `|`, `&`, `U W R`, prefix operators. `->` and `U W R` group to the
//! right, the others to the left. `( )` and `[ ]` mean the same.
//!
//! A quantifier takes the first *path* formula it can get: in `E F p U q` that is `F p`, in `E p U q`
//! it is `p U q`, because `p` alone says nothing about paths. So `E [ E X p U E [ q U r ] ]` reads as
//! it looks, and so does `E X E p U q`.
//!
//! Formulas live in flat arenas, children before parents, and every pass over them is a loop: neither
//! deep nesting nor a chain of a million conjuncts can exhaust the stack.
//!
//! ```
//! use loris_logic::{Core, parse};
//! let formula = parse("AG(def_i --> EF use_i)").expect("well-formed");
//! assert_eq!(formula.to_string(), "A G (def_i -> E F use_i)");
//!
//! let refuted = Core::new(&formula).expect("in the CTL fragment").negated();
//! assert_eq!(refuted.print(refuted.root()), "E [ true U (def_i & !E [ true U use_i ]) ]");
//! ```

mod explain;
mod formula;
mod lexer;
pub mod normal_form;
mod parser;
mod printer;
mod properties;
pub mod random;

pub use formula::{Formula, FormulaBuilder, FormulaId, Node};
pub use normal_form::{Core, CoreNode};
pub use parser::{MAX_NESTING, parse, parse_printed};
pub use properties::{PropertyLine, parse_properties};
pub use random::RandomCtl;
