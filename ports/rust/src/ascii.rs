//! Classes of ASCII characters.

/// `a`-`z`, `0`-`9`, `_`
pub const WORD: u8 = 1;
/// `a`-`z`, `0`-`9`
pub const ALNUM: u8 = 2;
/// The characters of a label.
pub const LABEL: u8 = 4;
/// The characters of a URL scheme.
pub const SCHEME: u8 = 8;
/// The characters of an e-mail address before `@`.
pub const LOCAL: u8 = 16;
/// The characters of the end of a link.
pub const TAIL: u8 = 32;
/// `0`-`9`, `a`-`f`
pub const HEX: u8 = 64;
/// What can follow the first characters of a link that are ASCII word characters.
pub const JOINT: u8 = 128;

static CLASSES: [u8; 256] = classes();

/// Return whether a byte is in a class.
#[inline]
pub fn is(byte: u8, class: u8) -> bool {
    CLASSES[byte as usize] & class != 0
}

/// Return the byte at a position, or 0.
#[inline]
pub fn at(text: &[u8], position: usize) -> u8 {
    text.get(position).copied().unwrap_or(0)
}

/// Return where the bytes of a class end, at `limit` at the latest.
#[inline]
pub fn skip(text: &[u8], mut position: usize, limit: usize, class: u8) -> usize {
    let limit = limit.min(text.len());
    while position < limit && is(text[position], class) {
        position += 1;
    }
    position
}

const ONES: u64 = 0x0101_0101_0101_0101;
/// The high bits of eight bytes.
pub const HIGH: u64 = 0x8080_8080_8080_8080;

/// Return the high bit of each of eight bytes that is from `first` to `last`, both ASCII.
#[inline]
pub const fn between(eight: u64, first: u8, last: u8) -> u64 {
    let low = eight & !HIGH;
    let not_below = low + ONES * (0x80 - first as u64);
    let above = low + ONES * (0x7F - last as u64);
    not_below & !above & !eight & HIGH
}

const fn classes() -> [u8; 256] {
    let mut classes = [0; 256];
    let mut byte = 0;
    while byte < 128 {
        let letter = byte >= b'a' && byte <= b'z';
        let digit = byte >= b'0' && byte <= b'9';
        let mut class = 0;
        if letter || digit {
            class |= WORD | ALNUM | LABEL | SCHEME | LOCAL | TAIL;
        }
        if digit || byte >= b'a' && byte <= b'f' {
            class |= HEX;
        }
        class |= match byte {
            b'_' => WORD | LOCAL | TAIL,
            b'-' => LABEL | SCHEME | LOCAL | TAIL | JOINT,
            b'+' | b'.' => SCHEME | LOCAL | TAIL | JOINT,
            b'%' => LOCAL | TAIL | JOINT,
            b':' | b'@' => TAIL | JOINT,
            b'~' | b'/' | b'?' | b'#' | b'[' | b']' | b'!' | b'$' | b'&' | b'\'' | b'(' | b')' | b'*' | b',' | b';'
            | b'=' => TAIL,
            _ => 0,
        };
        classes[byte as usize] = class;
        byte += 1;
    }
    classes
}
