//! Random steps that can be repeated with the seed that a failing test prints.

/// Returns the seed of a run: `LABS_SEED`, or a constant.
pub(crate) fn seed() -> u64 {
    std::env::var("LABS_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(20_260_302)
}

/// Pseudo-random numbers that are the same for the same seed (splitmix64).
pub(crate) struct Random(pub(crate) u64);

impl Random {
    /// Returns a number below `bound`.
    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % bound
    }
}
