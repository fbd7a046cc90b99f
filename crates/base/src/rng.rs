//! A small seeded generator whose stream never changes: benchmarks must be the same next year.

/// `SplitMix64` (Steele, Lea and Flood 2014).
///
/// ```
/// use loris_base::Rng;
/// let mut rng = Rng::new(1);
/// assert!((0..100).all(|_| rng.below(6) < 6));
/// ```
#[derive(Clone, Debug)]
pub struct Rng(u64);

impl Rng {
    /// The generator of a seed.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next 64 bits.
    pub fn next_u64(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `bound`, which must not be 0.
    pub fn below(&mut self, bound: usize) -> usize {
        ((u128::from(self.next_u64()) * bound as u128) >> 64) as usize
    }

    /// True with this probability.
    pub fn chance(&mut self, probability: f64) -> bool {
        ((self.next_u64() >> 11) as f64) < probability * (1u64 << 53) as f64
    }

    /// A generator for an independent stream.
    #[must_use]
    pub fn fork(&mut self) -> Self {
        Self(self.next_u64())
    }
}
