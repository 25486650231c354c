//! Sums, buckets and bits (specification, section 8), of one lane.

/// The numbers of ones at each of 64 places, in vertical counters.
///
/// `ones[w]` and `pending[w]` hold 64 bits that each weigh 2^w. A full adder turns three of them into one of the same
/// weight and one of the next, so that an addition takes a few operations for all 64 places.
#[derive(Clone, Debug)]
pub struct Sums {
    ones: [u64; WEIGHTS],
    pending: [u64; WEIGHTS],
    is_pending: [bool; WEIGHTS],
    total: u64,
}

/// More than 2^40 tokens do not fit into memory.
const WEIGHTS: usize = 44;

impl Default for Sums {
    fn default() -> Self {
        Self { ones: [0; WEIGHTS], pending: [0; WEIGHTS], is_pending: [false; WEIGHTS], total: 0 }
    }
}

impl Sums {
    /// Add a hash, weighted with a count.
    #[inline]
    pub fn add(&mut self, hash: u64, count: u8) {
        self.total += u64::from(count);
        for weight in 0..4 {
            if count >> weight & 1 == 1 {
                self.add_at(hash, weight);
            }
        }
    }

    #[inline]
    fn add_at(&mut self, mut bits: u64, mut weight: usize) {
        while self.is_pending[weight] {
            let (a, b) = (self.ones[weight], self.pending[weight]);
            self.ones[weight] = a ^ b ^ bits;
            self.is_pending[weight] = false;
            bits = a & b | bits & (a ^ b);
            weight += 1;
        }
        self.pending[weight] = bits;
        self.is_pending[weight] = true;
    }

    /// Return the buckets.
    pub fn buckets(&self) -> [i8; 64] {
        let mut ones = [0u64; 64];
        for weight in 0..WEIGHTS {
            let pending = if self.is_pending[weight] { self.pending[weight] } else { 0 };
            if self.ones[weight] | pending != 0 {
                for (place, ones) in ones.iter_mut().enumerate() {
                    *ones += ((self.ones[weight] >> place & 1) + (pending >> place & 1)) << weight;
                }
            }
        }
        ones.map(|ones| (2 * ones as i64 - self.total as i64).clamp(-127, 127) as i8)
    }
}

/// Return the bits of buckets.
pub fn sign(buckets: &[i8]) -> u64 {
    buckets.iter().enumerate().map(|(place, &bucket)| u64::from(bucket > 0) << place).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_to_a_plain_sum() {
        let (mut sums, mut plain, mut state) = (Sums::default(), [0i64; 64], 1u64);
        for _ in 0..1000 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let (hash, count) = (state ^ state >> 31, (state >> 40) as u8 % 8 + 1);
            sums.add(hash, count);
            for (place, sum) in plain.iter_mut().enumerate() {
                *sum += if hash >> place & 1 == 1 { i64::from(count) } else { -i64::from(count) };
            }
        }
        assert_eq!(sums.buckets(), plain.map(|sum| sum.clamp(-127, 127) as i8));
    }
}
