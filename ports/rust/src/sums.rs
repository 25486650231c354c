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
    /// Hashes that weigh 1, 2, 4 or 8, and are not added yet.
    waiting: [[u64; WAITING]; 4],
    lengths: [usize; 4],
    total: u64,
}

/// More than 2^40 tokens do not fit into memory.
const WEIGHTS: usize = 44;
/// So many hashes of a weight are added at once, without a branch.
pub const BATCH: usize = 16;
const WAITING: usize = 2 * BATCH;

impl Default for Sums {
    fn default() -> Self {
        Self {
            ones: [0; WEIGHTS],
            pending: [0; WEIGHTS],
            is_pending: [false; WEIGHTS],
            waiting: [[0; WAITING]; 4],
            lengths: [0; 4],
            total: 0,
        }
    }
}

/// Add three bits at each place; return the bits of the sum and what is carried.
#[inline]
const fn full_adder(a: u64, b: u64, c: u64) -> (u64, u64) {
    (a ^ b ^ c, a & b | c & (a ^ b))
}

impl Sums {
    /// Add at most [`BATCH`] hashes, weighted with their counts.
    #[inline]
    pub fn add(&mut self, hashes: &[u64], counts: &[u8]) {
        let mut length = 0;
        let mut others = [(0, 0); BATCH];
        for (&hash, &count) in hashes.iter().zip(counts) {
            self.total += u64::from(count);
            self.waiting[0][self.lengths[0] % WAITING] = hash;
            self.lengths[0] += usize::from(count == 1);
            others[length % BATCH] = (hash, count);
            length += usize::from(count != 1);
        }
        for &(hash, count) in &others[..length] {
            for weight in 0..4 {
                let length = &mut self.lengths[weight];
                self.waiting[weight][*length % WAITING] = hash;
                *length += usize::from(count >> weight & 1);
            }
        }
        for weight in 0..4 {
            if self.lengths[weight] >= BATCH {
                self.add_waiting(weight);
            }
        }
    }

    /// Add the first hashes that wait with a weight.
    fn add_waiting(&mut self, weight: usize) {
        self.add_eight(weight, 0);
        self.add_eight(weight, 8);
        self.waiting[weight].copy_within(BATCH.., 0);
        self.lengths[weight] -= BATCH;
    }

    /// Add eight of the hashes that wait with a weight.
    #[inline]
    fn add_eight(&mut self, weight: usize, first: usize) {
        let eight: [u64; 8] = core::array::from_fn(|place| self.waiting[weight][first + place]);
        let ones = self.ones[weight];
        let (ones, twos_a) = full_adder(ones, eight[0], eight[1]);
        let (ones, twos_b) = full_adder(ones, eight[2], eight[3]);
        let (ones, twos_c) = full_adder(ones, eight[4], eight[5]);
        let (ones, twos_d) = full_adder(ones, eight[6], eight[7]);
        let (twos, fours_a) = full_adder(self.ones[weight + 1], twos_a, twos_b);
        let (twos, fours_b) = full_adder(twos, twos_c, twos_d);
        let (fours, eights) = full_adder(self.ones[weight + 2], fours_a, fours_b);
        self.ones[weight..weight + 3].copy_from_slice(&[ones, twos, fours]);
        self.add_at(eights, weight + 3);
    }

    #[inline]
    fn add_at(&mut self, mut bits: u64, mut weight: usize) {
        while self.is_pending[weight] {
            let (ones, carried) = full_adder(self.ones[weight], self.pending[weight], bits);
            self.ones[weight] = ones;
            self.pending[weight] = 0;
            self.is_pending[weight] = false;
            bits = carried;
            weight += 1;
        }
        self.pending[weight] = bits;
        self.is_pending[weight] = true;
    }

    /// Pass the bits of the numbers of ones to a function, 64 of each weight, from the lowest weight on.
    #[inline]
    fn for_each_weight(&mut self, mut take: impl FnMut(usize, u64)) {
        for weight in 0..4 {
            let length = core::mem::take(&mut self.lengths[weight]);
            self.waiting[weight][length..BATCH].fill(0);
            for first in (0..length).step_by(8) {
                self.add_eight(weight, first);
            }
        }
        let (weights, mut carried) = (64 - self.total.leading_zeros() as usize, 0);
        for (weight, (&ones, &pending)) in self.ones.iter().zip(&self.pending).take(weights).enumerate() {
            let bits;
            (bits, carried) = full_adder(ones, pending, carried);
            take(weight, bits);
        }
    }

    /// Return the sums.
    pub fn sums(&mut self) -> [i64; 64] {
        let (total, mut ones) = (self.total as i64, [0u64; 64]);
        self.for_each_weight(|weight, bits| {
            for (place, ones) in ones.iter_mut().enumerate() {
                *ones += (bits >> place & 1) << weight;
            }
        });
        ones.map(|ones| 2 * ones as i64 - total)
    }

    /// Return the bits of the lane: 1 where the ones are more than half of the total.
    pub fn signs(&mut self) -> u64 {
        let (mut more, half) = (0, self.total / 2);
        // A higher bit that differs from that of the half outweighs all lower ones.
        self.for_each_weight(|weight, bits| more = if half >> weight & 1 == 0 { more | bits } else { more & bits });
        more
    }
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
            sums.add(&[hash], &[count]);
            for (place, sum) in plain.iter_mut().enumerate() {
                *sum += if hash >> place & 1 == 1 { i64::from(count) } else { -i64::from(count) };
            }
            assert_eq!(sums.sums(), plain);
            let signs = plain.iter().enumerate().map(|(place, &sum)| u64::from(sum > 0) << place).sum();
            assert_eq!(sums.signs(), signs);
        }
    }
}
