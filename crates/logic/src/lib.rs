//! Temporal logic: the syntax of CTL* with its fragments CTL and LTL, the existential core of all
//! three, and Büchi automata for their path formulas.
//!
//! # Syntax
//!
//! | operator | written |
//! |---|---|
//! | atoms | `p`, `def_x`, `Main.run:12`, or quoted: `"any text"`, with `\"` and `\\` |
//! | constants | `true`, `false` |
//! | not, and, or | `!` `~` `not`, `&` `&&` `and` `/\`, `\|` `\|\|` `or` `\/` |
//! | implication, equivalence | `->` `-->` `=>`, `<->` `<-->` `<=>` |
//! | quantifiers over paths | `E`, `A` |
//! | along a path | `X p`, `F p`, `G p`, `p U q`, `p W q`, `p R q` |
//! | fused | `AX` `AF` `AG` `EX` `EF` `EG` |
//!
//! From loose to tight: `<->`, `->`, `|`, `&`, `U W R`, prefix operators. `->` and `U W R` group to
//! the right, the others to the left. `( )` and `[ ]` mean the same.
//!
//! A quantifier takes the first *path* formula it can get: in `E F p U q` that is `F p`, in
//! `E p U q` it is `p U q`, because `p` alone is a state formula. So `E [ E X p U E [ q U r ] ]`
//! reads as it looks, and so does `E X E p U q`.
//!
//! Formulas live in flat arenas, children before parents, and every pass over them is a loop:
//! neither deep nesting nor a chain of a million conjuncts can exhaust the stack.
//!
//! ```
//! use loris_logic::{Core, parse};
//! let formula = parse("AG(def_i --> EF use_i)").expect("well-formed");
//! assert_eq!(formula.to_string(), "A G (def_i -> E F use_i)");
//!
//! let refuted = Core::star(&formula).expect("in the CTL fragment").negated();
//! assert_eq!(refuted.print(refuted.root()), "E F (def_i & !E F use_i)");
//! ```
//!
//! # From formulas to the core of engines
//!
//! [`Core`] is the normal form: [`Core::new`] for CTL, which makes a [`CtlCore`], [`Core::star`]
//! for CTL*, [`Core::linear`] for LTL. Its path formulas are [`Ltl`], and [`automaton::translate`]
//! makes a Büchi automaton of one. For LTL alone, [`negated_ltl`] is the formula whose automaton
//! accepts the counterexamples:
//!
//! ```
//! use loris_base::Budget;
//! use loris_logic::{automaton::translate, negated_ltl, parse};
//! let formula = parse("G (request -> F grant)").expect("well-formed");
//! let (never_granted, names) = negated_ltl(&formula).expect("LTL");
//! let buchi = translate(&never_granted, &mut Budget::unlimited()).expect("no limit");
//! assert_eq!((buchi.states(), names), (2, vec!["request".to_owned(), "grant".to_owned()]));
//! ```

pub mod automaton;
mod ends;
mod explain;
mod fair;
mod formula;
mod iimc;
mod lexer;
mod linear;
mod ltl;
pub mod mu;
pub mod normal_form;
mod parser;
mod printer;
mod properties;
mod quantify;
pub mod random;
mod remedies;

pub use automaton::{Buchi, Edge, Guard};
pub use ends::{NO_NEXT, NO_REST, ends_in_ctl, ends_in_linear, ends_in_star, without_ends};
pub use fair::{FAIR, Fairness};
pub use formula::{Formula, FormulaBuilder, FormulaId, Node};
pub use iimc::{IimcProperty, parse_iimc};
pub use linear::{ltl, negated_ltl};
pub use ltl::{Ltl, LtlBuilder, LtlId, LtlNode, Predicate, Recurrence};
pub use normal_form::{Core, CoreId, CoreNode, CtlCore, PathFormula, UnderE};
pub use parser::{MAX_LENGTH, MAX_NESTING, parse, parse_printed};
pub use properties::{PropertyLine, PropertyLines, WrittenLine, parse_properties, parse_properties_within};
pub use random::{RandomAutomaton, RandomCtl, RandomLtl, RandomStar};
pub use remedies::{BRANCHING, IN_CTL_STAR, IN_LTL, LINEAR, QUANTIFIERS};
