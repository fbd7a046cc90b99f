//! The worked examples of lazy-rsm (Examples 2 to 13) and of recursive-kripke (X2 to X15), with the
//! answers their authors give, or that follow from what they say.

use super::thesis::{X2, X3, X4A, X4B, X5, X6, X9, X10, X12, X13, X14, X15};
use loris_evidence::AtExit::{self, Loop, Sink};

/// Fig. 1: the square of `i`, computed in `b`, is never used.
pub const FIG1: &str = "
    main: main_11_0{def} -> main_12_1 -> call_a[a] -> main_13_2 -> call_b[b] -> main_14_3!
    a: a_19_4!
    b: b_23_5{use} -> b_23_6{def} -> b_24_7!";

/// Fig. 3: where a run ends depends on the parity of the calls through `b1`.
pub const FIG3: &str = "
    A1: n1{gray} -> b1[A1], b2[A2]; b2 -> n2{white}, n4{black}!; n2 -> b2; b1.n4 -> n5{white}!; b1.n5 -> n4
    A2: n3{white} -> n6{white}!";

/// An example: where it is, the machine, what the last exit does, the formula, and whether it
/// holds.
pub type Example = (&'static str, &'static str, AtExit, &'static str, bool);

/// Examples 2 to 13. What an example says of inner nodes is asked of the states that reach them.
pub const LAZY_RSM: &[Example] = &[
    ("2", FIG1, Loop, "A G (def -> E F use)", false),
    ("2: it is the last definition", FIG1, Loop, "A G (def & !b_23_6 -> E F use)", true),
    ("2: one run only", FIG1, Loop, "A F (b_23_6 & A X (b_24_7 & A X A G (main_14_3 & !use)))", true),
    ("3: for ever down", FIG3, Loop, "E G gray", true),
    ("3: for ever through b2", FIG3, Loop, "E F E G (white & E F n2)", true),
    ("3: odd parity", FIG3, Loop, "E F E G n5", true),
    ("3: even parity", FIG3, Loop, "E F E G n4", true),
    ("3: exits alternate", FIG3, Loop, "A G (n5 -> A X (n4 | n5 & E G n5))", true),
    ("4", FIG3, Loop, "E F E G black", true),
    ("4: only where the stack is empty", FIG3, Loop, "A G (E G black -> n4 & A G n4)", true),
    ("5: a tautology", FIG3, Loop, "A G (E F E G black | !E F E G black)", true),
    ("6", FIG3, Loop, "E F E G white", true),
    ("7: holds in n4 under the empty stack", FIG3, Loop, "E F (n4 & E F E G black)", true),
    ("7: and not under b1", FIG3, Loop, "E F (n4 & !E F E G black)", true),
    ("8", FIG3, Loop, "E F black", true),
    ("8: after both returns", FIG3, Loop, "A G (n4 | n5 | n6 -> E F black)", false),
    ("8: but for n5 under the empty stack", FIG3, Loop, "A G (n4 | n5 & !E G n5 | n6 -> E F black)", true),
    ("9", FIG3, Loop, "A G (n4 & A G n4 -> E G black)", true),
    ("10", FIG3, Loop, "E G white", false),
    ("10: the cycle through n6", FIG3, Loop, "A G (n2 | n3 | n6 -> E G white)", true),
    ("10: nowhere else", FIG3, Loop, "E F ((n1 | n4) & E G white)", false),
    ("11", FIG3, Loop, "E X gray | E X E [gray U black]", true),
    ("12, 13", FIG3, Loop, "A X E [white U gray]", false),
    ("12, 13: the cycle through n6", FIG3, Loop, "E F ((n2 | n3 | n6) & E [white U gray])", false),
    ("13: nor from the exits", FIG3, Loop, "E F ((n4 | n5) & E F gray)", false),
];

const NESTED: &str = "E F (p & E F (q & E F (p & E F (q & E F p))))";

/// X3 to X15, where the last exit leads to `l_term`; X9 also where it loops.
pub const RECURSIVE_KRIPKE: &[Example] = &[
    ("X2", X2, Sink, "A F (m5 & A X A G !m5)", true),
    ("X3", X3, Sink, "E G p", true),
    ("X3", X3, Sink, "!E G p", false),
    ("X3: only a3 saves it", X3, Sink, "E F (a5 & E G p)", true),
    ("X3: and not at the bottom", X3, Sink, "A G (a5 -> E G p)", false),
    ("X4, Ra", X4A, Sink, NESTED, true),
    ("X4, Rb", X4B, Sink, NESTED, true),
    ("X5", X5, Sink, "E G p", true),
    ("X5", X5, Sink, "E [p U q]", false),
    ("X6", X6, Sink, "E [(E G p) U q]", true),
    ("X9", X9, Sink, "A G p", false),
    ("X9", X9, Sink, "E G p", false),
    ("X9", X9, Sink, "A X A X p", false),
    ("X9", X9, Sink, "A F !p", true),
    ("X9", X9, Loop, "A G p", true),
    ("X9", X9, Loop, "E G p", true),
    ("X9", X9, Loop, "A X A X p", true),
    ("X9", X9, Loop, "A F !p", false),
    ("X10", X10, Sink, "E X p", false),
    ("X10", X10, Sink, "E X E X p", false),
    ("X10", X10, Sink, "E X E X E X p", true),
    ("X11", X10, Sink, "E F (r & E X p)", true),
    ("X12", X12, Sink, "E G p", true),
    ("X12", X12, Sink, "E [(E G p) U q]", true),
    ("X12: b1 calls itself for ever", X12, Sink, "A X E G p", true),
    ("X12: after a3 it ends", X12, Sink, "E F (b3 & !E G p)", true),
    ("X13", X13, Sink, "E F (q & E X E G !p)", false),
    ("X14", X14, Sink, "E X true", true),
    ("X15", X15, Sink, "E F q", true),
];
