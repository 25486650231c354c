//! XXH64 (specification, appendix A).

const P1: u64 = 0x9E37_79B1_85EB_CA87;
const P2: u64 = 0xC2B2_AE3D_27D4_EB4F;
const P3: u64 = 0x1656_67B1_9E37_79F9;
const P4: u64 = 0x85EB_CA77_C2B2_AE63;
const P5: u64 = 0x27D4_EB2F_1656_67C5;

#[inline]
const fn round(accumulator: u64, input: u64) -> u64 {
    accumulator.wrapping_add(input.wrapping_mul(P2)).rotate_left(31).wrapping_mul(P1)
}

#[inline]
const fn merge(accumulator: u64, value: u64) -> u64 {
    (accumulator ^ round(0, value)).wrapping_mul(P1).wrapping_add(P4)
}

#[inline]
fn word(bytes: &[u8]) -> u64 {
    let mut word = [0; 8];
    word.copy_from_slice(&bytes[..8]);
    u64::from_le_bytes(word)
}

/// Return the XXH64 of bytes.
///
/// ```
/// assert_eq!(simhash_doc::xxh64(b"abc", 0), 0x44BC_2CF5_AD77_0999);
/// ```
#[inline]
#[must_use]
pub fn xxh64(bytes: &[u8], seed: u64) -> u64 {
    let (mut hash, mut rest) = if bytes.len() < 32 { (seed.wrapping_add(P5), bytes) } else { stripes(bytes, seed) };
    hash = hash.wrapping_add(bytes.len() as u64);
    while rest.len() >= 8 {
        hash = (hash ^ round(0, word(rest))).rotate_left(27).wrapping_mul(P1).wrapping_add(P4);
        rest = &rest[8..];
    }
    if rest.len() >= 4 {
        let half = u64::from(u32::from_le_bytes([rest[0], rest[1], rest[2], rest[3]]));
        hash = (hash ^ half.wrapping_mul(P1)).rotate_left(23).wrapping_mul(P2).wrapping_add(P3);
        rest = &rest[4..];
    }
    for &byte in rest {
        hash = (hash ^ u64::from(byte).wrapping_mul(P5)).rotate_left(11).wrapping_mul(P1);
    }
    finish(hash)
}

/// Return the XXH64 of a token of 1 to 15 bytes, which are in two little-endian integers with zeros behind them.
///
/// It takes no branch: each step is computed, and its result taken if the token has bytes for it.
#[inline]
pub fn xxh64_of_short(first: u64, second: u64, length: usize, seed: u64) -> u64 {
    let choose = |condition: bool, new: u64, old: u64| if condition { new } else { old };
    let all_ones = |condition: bool| u64::from(condition).wrapping_neg();
    let mut hash = seed.wrapping_add(P5).wrapping_add(length as u64);
    let all = (hash ^ round(0, first)).rotate_left(27).wrapping_mul(P1).wrapping_add(P4);
    // With `choose`, the compiler takes a branch here.
    let has_eight = all_ones(length & 8 != 0);
    hash ^= (hash ^ all) & has_eight;
    let mut rest = first ^ (first ^ second) & has_eight;
    let half = (hash ^ (rest & 0xFFFF_FFFF).wrapping_mul(P1)).rotate_left(23).wrapping_mul(P2).wrapping_add(P3);
    hash = choose(length & 4 != 0, half, hash);
    rest >>= (length & 4) * 8;
    for place in 0..3 {
        let byte = (hash ^ (rest & 0xFF).wrapping_mul(P5)).rotate_left(11).wrapping_mul(P1);
        hash = choose(length & 3 > place, byte, hash);
        rest >>= 8;
    }
    finish(hash)
}

#[inline]
const fn finish(mut hash: u64) -> u64 {
    hash = (hash ^ hash >> 33).wrapping_mul(P2);
    hash = (hash ^ hash >> 29).wrapping_mul(P3);
    hash ^ hash >> 32
}

/// Hash the complete blocks of 32 bytes; return the hash and the other bytes.
fn stripes(bytes: &[u8], seed: u64) -> (u64, &[u8]) {
    let mut lanes = [seed.wrapping_add(P1).wrapping_add(P2), seed.wrapping_add(P2), seed, seed.wrapping_sub(P1)];
    let mut blocks = bytes.chunks_exact(32);
    for block in &mut blocks {
        for (lane, bytes) in lanes.iter_mut().zip(block.chunks_exact(8)) {
            *lane = round(*lane, word(bytes));
        }
    }
    let [a, b, c, d] = lanes;
    let sum = a.rotate_left(1).wrapping_add(b.rotate_left(7)).wrapping_add(c.rotate_left(12));
    let hash = lanes.into_iter().fold(sum.wrapping_add(d.rotate_left(18)), merge);
    (hash, blocks.remainder())
}
