//! What 64 bytes are, found with SSE2: see `plain` for other targets.
//!
//! Characters of common scripts that fold to themselves and do not join what is before them are found all at once, because
//! nearly all text outside ASCII consists of them, and a look-up for each costs ten times as much.

use crate::buffer::Bits;
use crate::fold::{Characters, READ};
use crate::sixteen::Sixteen;

/// Write 64 bytes in lower case to `target`. Return the bits of the ASCII characters, and those of the other bytes and of
/// the first bytes of sequences.
#[inline]
pub fn ascii(block: &[u8; READ], target: &mut [u8; READ]) -> (Bits, u64, u64) {
    let (mut found, mut high) = (Bits::default(), 0);
    for start in (0..64).step_by(16) {
        let bytes = Sixteen::load(&block[start..]);
        let letters = bytes.or(Sixteen::all(0x20)).within(b'a', b'z');
        bytes.or(letters.and(Sixteen::all(0x20))).store(&mut target[start..]);
        let connectors = bytes.is(b'_');
        let words = letters.or(bytes.within(b'0', b'9')).or(connectors);
        let special = connectors.or(bytes.within(b'+', b'/')).or(bytes.is(b':')).or(bytes.is(b'@')).or(bytes.is(b'%'));
        found.letters |= letters.bits(7) << start;
        found.words |= words.bits(7) << start;
        found.special |= special.bits(7) << start;
        high |= bytes.bits(7) << start;
    }
    (found, high, if high == 0 { 0 } else { high & bits(block, 6) })
}

/// Return the bit with a number of each of the first 64 bytes, that of the first byte lowest.
#[inline]
pub fn bits(bytes: &[u8], number: u32) -> u64 {
    (0..64).step_by(16).map(|start| Sixteen::load(&bytes[start..]).bits(number) << start).sum()
}

/// What is found together, as bits.
const CYRILLIC: u8 = 1;
const DEVANAGARI_AND_THAI: u8 = 2;
const HAN_AND_KANA: u8 = 4;
const HANGUL: u8 = 8;

/// Return a bit for the scripts whose characters begin with a byte; 0 if `characters` finds none of them.
#[inline]
pub fn scripts(first: u8) -> u8 {
    match first {
        0xD0..=0xD1 => CYRILLIC,
        0xE0 => DEVANAGARI_AND_THAI,
        0xE3..=0xE9 => HAN_AND_KANA,
        0xEA..=0xED => HANGUL,
        _ => 0,
    }
}

/// Return characters of scripts that fold to themselves and do not join what is before them.
#[inline]
pub fn characters(scripts: u8, block: &[u8; READ]) -> Characters {
    match scripts {
        CYRILLIC => find(block, 2, cyrillic),
        DEVANAGARI_AND_THAI => find(block, 3, devanagari_and_thai),
        HAN_AND_KANA => find(block, 3, han_and_kana),
        _ => find(block, 3, hangul),
    }
}

/// The places of letters, of letters of scriptio continua, and of others.
type Places = [Sixteen; 3];

/// Return the characters that a function finds in first, second and third bytes.
#[inline(always)]
fn find(block: &[u8; READ], length: usize, places: impl Fn(Sixteen, Sixteen, Sixteen) -> Places) -> Characters {
    let mut found = Characters { length, ..Characters::default() };
    for start in (0..64).step_by(16) {
        let from = |start: usize| Sixteen::load(&block[start..]);
        let [letters, continua, others] =
            places(from(start), from(start + 1), from(start + 2)).map(|places| places.bits(7) << start);
        found.letters |= letters | continua;
        found.continua |= continua;
        found.all |= letters | continua | others;
    }
    found
}

#[inline(always)]
fn follows(bytes: Sixteen) -> Sixteen {
    bytes.within(0x80, 0xBF)
}

#[inline(always)]
fn cyrillic(first: Sixteen, second: Sixteen, _: Sixteen) -> Places {
    let letters = first.is(0xD0).and(second.within(0xB0, 0xBF)).or(first.is(0xD1).and(second.within(0x80, 0x9F)));
    [letters, Sixteen::all(0), Sixteen::all(0)]
}

#[inline(always)]
fn devanagari_and_thai(first: Sixteen, second: Sixteen, third: Sixteen) -> Places {
    let devanagari = second
        .is(0xA4)
        .and(third.within(0x80, 0xBB).or(third.within(0xBD, 0xBF)))
        .or(second.is(0xA5).and(third.within(0x80, 0x8C)));
    let thai = second
        .is(0xB8)
        .and(third.within(0x81, 0xB2).or(third.within(0xB4, 0xB7)))
        .or(second.is(0xB9).and(third.within(0x80, 0x86)));
    [first.is(0xE0).and(devanagari), first.is(0xE0).and(thai), Sixteen::all(0)]
}

#[inline(always)]
fn han_and_kana(first: Sixteen, second: Sixteen, third: Sixteen) -> Places {
    let han = first.within(0xE5, 0xE9).and(follows(second)).or(first.is(0xE4).and(second.within(0xB8, 0xBF)));
    let hiragana = second.is(0x81).and(third.within(0x81, 0xBF)).or(second.is(0x82).and(third.within(0x80, 0x96)));
    let katakana = second.is(0x82).and(third.within(0xA1, 0xBF)).or(second.is(0x83).and(third.within(0x80, 0xBA)));
    let kana = first.is(0xE3).and(hiragana.or(katakana));
    let stops = first.is(0xE3).and(second.is(0x80)).and(third.within(0x81, 0x82));
    [Sixteen::all(0), han.and(follows(third)).or(kana), stops]
}

#[inline(always)]
fn hangul(first: Sixteen, second: Sixteen, third: Sixteen) -> Places {
    let firsts = first
        .within(0xEB, 0xEC)
        .and(follows(second))
        .or(first.is(0xEA).and(second.within(0xB0, 0xBF)))
        .or(first.is(0xED).and(second.within(0x80, 0x9D)));
    [firsts.and(follows(third)), Sixteen::all(0), Sixteen::all(0)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plain;
    use crate::unicode::{self, ALPHABETIC, CONTINUA, KEEP, WORD};

    /// Check what is found in a block by the Unicode tables; return the number of characters.
    fn check(block: &[u8; READ], scripts: u8) -> u32 {
        let found = characters(scripts, block);
        for at in (0..64).filter(|at| found.all >> at & 1 == 1) {
            let text = core::str::from_utf8(&block[at..at + found.length]).unwrap();
            let of_letters = if found.letters >> at & 1 == 1 { WORD | ALPHABETIC } else { 0 };
            let of_continua = if found.continua >> at & 1 == 1 { CONTINUA } else { 0 };
            let code_point = u32::from(text.chars().next().unwrap());
            assert_eq!(text.chars().count(), 1);
            assert_eq!(unicode::properties(code_point), KEEP | of_letters | of_continua, "{code_point:04X}");
        }
        found.all.count_ones()
    }

    #[test]
    fn characters_are_what_the_unicode_tables_say() {
        let mut numbers = [0; 4];
        for (first, second, third) in (0xC0..=0xFFu8)
            .flat_map(|first| (0..=255u8).map(move |second| (first, second)))
            .flat_map(|(first, second)| (0..=255u8).step_by(21).map(move |third| (first, second, third)))
        {
            let mut block = [b' '; READ];
            for place in 0..21 {
                block[3 * place..3 * place + 3].copy_from_slice(&[first, second, third.wrapping_add(place as u8)]);
            }
            if let Some(number) = numbers.get_mut(scripts(first).trailing_zeros() as usize) {
                *number += check(&block, scripts(first));
            }
        }
        assert!(numbers.iter().all(|&number| number > 100), "{numbers:?}");
    }

    #[test]
    fn ascii_characters_are_found_as_on_other_targets() {
        let text = "Az09_+-./:@%, [`{ A.é 東/ZzaA@[`{}~\x7F\0𠀀 =;<>?!&#'()* .".as_bytes();
        for byte in 0..=255 {
            for place in 0..64 {
                let mut block = [b'.'; READ];
                block[..text.len()].copy_from_slice(text);
                block[place] = byte;
                let (mut target, mut plain_target) = ([0; READ], [0; READ]);
                assert_eq!(ascii(&block, &mut target), plain::ascii(&block, &mut plain_target), "{block:X?}");
                assert_eq!(target, plain_target);
                for number in 0..8 {
                    assert_eq!(bits(&block, number), plain::bits(&block, number));
                }
            }
        }
    }
}
