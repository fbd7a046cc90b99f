//! Properties as static analysis asks them, and others.

use crate::write::property;
use loris_base::Rng;
use loris_logic::RandomCtl;

/// Random CTL formulas over `p0`, `p1`, …: half of them of shapes that are common in the analysis
/// of programs, half of any shape and of a depth of at most `depth`.
pub(super) struct Properties {
    labels: usize,
    depth: u32,
    any: RandomCtl,
}

impl Properties {
    pub(super) fn new(labels: usize, depth: u32) -> Self {
        let atoms = (0..labels).map(|label| format!("p{label}")).collect();
        Self { labels, depth, any: RandomCtl { atoms, ..RandomCtl::new(depth) } }
    }

    pub(super) fn next(&mut self, rng: &mut Rng) -> String {
        if self.labels == 0 || rng.chance(0.5) {
            self.any.depth = 1 + rng.below(self.depth.max(1) as usize) as u32;
            let formula = self.any.generate(rng);
            return match property(&formula, None) {
                Ok((_, text)) => text,
                Err(problem) => unreachable!("{formula} is short and CTL: {problem}"),
            };
        }
        let [p, q, r] = [(); 3].map(|()| rng.below(self.labels));
        match rng.below(8) {
            0 => format!("AG (p{p} -> AF p{q})"),
            1 => format!("AG (p{p} -> EF p{q})"),
            2 => format!("!E [ !p{p} U p{q} ]"),
            3 => format!("AG (p{p} -> AX A [ !p{q} U p{r} ])"),
            4 => format!("EF (p{p} & EF (p{q} & EG !p{r}))"),
            5 => format!("AG (p{p} -> !EX E [ !p{q} U p{p} ])"),
            6 => format!("AG EF (p{p} | p{q})"),
            _ => format!("EG (p{p} -> EX p{q})"),
        }
    }
}
