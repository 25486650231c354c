//! Links by the grammar: each form as a list of repetitions, matched greedily.

use std::ops::RangeInclusive;

type Class = fn(char) -> bool;

enum Item {
    Is(&'static str),
    Some(Class, RangeInclusive<usize>),
    /// A group that is repeated.
    Many(Vec<Item>, RangeInclusive<usize>),
}

const ENDLESS: usize = usize::MAX;

fn is_alnum(c: char) -> bool {
    c.is_ascii_lowercase() || c.is_ascii_digit()
}

fn is_word(c: char) -> bool {
    is_alnum(c) || c == '_'
}

/// Each form, and whether an ASCII word character must not follow.
fn forms() -> Vec<(Vec<Item>, bool)> {
    use Item::{Is, Many, Some};
    let tail: Class = |c| is_alnum(c) || "._~:/?#[]@!$&'()*+,;=%-".contains(c);
    let label: Class = |c| is_alnum(c) || c == '-';
    let local: Class = |c| is_alnum(c) || "._%+-".contains(c);
    let digit: Class = |c| c.is_ascii_digit();
    let hex: Class = |c| matches!(c, '0'..='9' | 'a'..='f');
    let mut forms = vec![(
        vec![
            Some(|c| c.is_ascii_lowercase(), 1..=1),
            Some(|c| is_alnum(c) || "+.-".contains(c), 0..=31),
            Is("://"),
            Some(tail, 0..=ENDLESS),
        ],
        false,
    )];
    for name in ["doi:", "urn:", "arxiv:", "hdl:"] {
        forms.push((vec![Is(name), Some(is_alnum, 1..=1), Some(tail, 0..=ENDLESS)], false));
    }
    forms.push((vec![Is("www."), Some(label, 1..=63), Is("."), Some(tail, 0..=ENDLESS)], false));
    for prefix in ["mailto:", ""] {
        let labels = Many(vec![Is("."), Some(label, 1..=63)], 1..=ENDLESS);
        let domain = [Is("@"), Some(label, 1..=63), labels];
        let mut mail = vec![Is(prefix), Some(is_alnum, 1..=1), Some(local, 0..=63)];
        mail.extend(domain);
        forms.push((mail, false));
    }
    let parts = Many(vec![Is("."), Some(digit, 1..=9)], 0..=3);
    forms.push((vec![Is("10."), Some(digit, 4..=9), parts, Is("/"), Some(tail, 1..=ENDLESS)], false));
    let groups = Many(vec![Is("-"), Some(hex, 4..=4)], 3..=3);
    forms.push((vec![Some(hex, 8..=8), groups, Is("-"), Some(hex, 12..=12)], true));
    forms.push((vec![Some(hex, 32..=128)], true));
    forms
}

/// Return where a match of all items from `start` ends.
fn end_of(items: &[Item], text: &[char], start: usize) -> Option<usize> {
    let mut end = start;
    for item in items {
        match item {
            Item::Is(string) => {
                let string: Vec<char> = string.chars().collect();
                text[end..].starts_with(&string).then(|| end += string.len())?;
            }
            Item::Some(class, count) => {
                let found = text[end..].iter().take(*count.end()).take_while(|&&c| class(c)).count();
                count.contains(&found).then(|| end += found)?;
            }
            Item::Many(group, count) => {
                let mut found = 0;
                while found < *count.end() {
                    let Some(next) = end_of(group, text, end) else { break };
                    end = next;
                    found += 1;
                }
                count.contains(&found).then_some(())?;
            }
        }
    }
    Some(end)
}

pub fn remove_links(folded: &str) -> String {
    let text: Vec<char> = folded.chars().collect();
    let (forms, mut result, mut place) = (forms(), String::new(), 0);
    while place < text.len() {
        let starts = is_word(text[place]) && (place == 0 || !is_word(text[place - 1]));
        let matches = |(items, alone): &(Vec<Item>, bool)| {
            let end = end_of(items, &text, place)?;
            (!alone || end == text.len() || !is_word(text[end])).then_some(end)
        };
        if let Some(end) = starts.then(|| forms.iter().find_map(matches)).flatten() {
            result.push(' ');
            place = end;
        } else {
            result.push(text[place]);
            place += 1;
        }
    }
    result
}
