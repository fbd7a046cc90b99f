//! The worked examples of recursive-kripke, X1 to X15, as machines.

pub const X1: &str = "S: s0{p r} -> s1{p}, s2{p r}; s1 -> s3{q r}; s2 -> s3; s3 -> s3, s4{r s}; s4 -> s4";

/// Fig. 2.1.
pub const X1_USE: &str =
    "S: start -> if -> x5{defX}, y2{defY}; x5 -> printf{useX} -> sink -> sink; y2 -> printf";

pub const X2: &str = "
    M: m2 -> m2c[A] -> m3 -> m4 -> m4c[A] -> m5!
    A: a2 -> a3 -> a3c[B] -> a4!
    B: b2 -> b3, b5!; b3 -> b5";

pub const X3: &str = "
    A: a1{p} -> a2[B], a3[B]; a3 -> a4{p} -> a4; a2 -> a5{p}!
    B: b1{p} -> b2[A], b3{p}!; b2 -> b3";

pub const X4A: &str = "
    A: a1{q} -> a2[B], a3!; a2 -> a3
    B: b1{p} -> b2[A], b3!; b2 -> b3";

pub const X4B: &str = "
    C: c1 -> c2[D], c3{q}!; c2 -> c3
    D: d1 -> d2[C], d3{p}!; d2 -> d3";

pub const X5: &str = "A: a1{p} -> a2[A] -> a3{q}!";

pub const X6: &str = "
    A: a1{p} -> a2[B], a3{p}; a2 -> a3; a3 -> a3, a4!
    B: b1{p} -> b2[C], b3{q}!; b2 -> b3
    C: c1{p} -> c1, c2{p} -> c3[D] -> c4!
    D: d1{q} -> d2[D], d3[C], d4{p}!; d2 -> d4; d3 -> d4";

pub const X9: &str = "M: m1{p} -> m2{p}!";

pub const X10: &str = "
    M: m1 -> c[B] -> m2{p} -> m3!
    B: b1 -> b2{r}!";

pub const X12: &str = "
    A: a1{p} -> a2[B], a3[B], a4[B]; a2 -> a5{p} -> a5; a3 -> a6{p} -> a8!; a4 -> a7{p q} -> a7
    B: b1{p} -> b2[B], b3{p}!; b2 -> b3";

pub const X13: &str = "
    M: m1 -> m2!, c1[B]; c1 -> m2
    B: b1{p q} -> bc[M] -> b2 -> b3{p}!";

pub const X14: &str = "
    S0: x0 -> c[S2] -> x0; x1!
    S2: y0 -> y0, d[S0]; d -> y1!";

pub const X15: &str = "
    M: m1 -> c1[B] -> m2 -> c2[D] -> m3!
    B: b1 -> b2!
    D: d1 -> dc[E] -> d2!
    E: e1{q} -> e2!";
