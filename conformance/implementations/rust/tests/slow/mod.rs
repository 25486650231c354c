//! The pipeline step by step on lists of code points, with the tables of `spec/data` and without regard to speed.

mod links;

use std::collections::HashMap;
use std::fs;
use std::path::Path;
use std::sync::LazyLock;

pub use links::remove_links;

type Text = Vec<u32>;

struct Data {
    fold: HashMap<u32, String>,
    assigned: HashMap<u32, String>,
    class: HashMap<u32, String>,
    decomposition: HashMap<u32, String>,
    composition: HashMap<(u32, u32), u32>,
    word: HashMap<u32, String>,
    continua: HashMap<u32, String>,
    alphabetic: HashMap<u32, String>,
}

static DATA: LazyLock<Data> = LazyLock::new(|| Data {
    fold: read("nfkc_casefold"),
    assigned: read("assigned"),
    class: read("combining_class"),
    decomposition: read("decomposition"),
    composition: read("composition")
        .into_iter()
        .map(|(composite, pair)| (hexadecimal(&pair), composite))
        .map(|(pair, composite)| ((pair[0], pair[1]), composite))
        .collect(),
    word: read("word"),
    continua: read("continua"),
    alphabetic: read("alphabetic"),
});

fn read(name: &str) -> HashMap<u32, String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../../spec/data/{name}.txt"));
    let mut table = HashMap::new();
    for line in fs::read_to_string(path).unwrap().lines().filter(|line| !line.starts_with('#')) {
        let (range, value) = line.split_once(';').unwrap_or((line, ""));
        let ends: Vec<u32> = range.trim().split("..").map(|end| u32::from_str_radix(end, 16).unwrap()).collect();
        for code_point in ends[0]..=ends[ends.len() - 1] {
            table.insert(code_point, value.trim().to_owned());
        }
    }
    table
}

fn hexadecimal(value: &str) -> Text {
    value.split_whitespace().map(|digits| u32::from_str_radix(digits, 16).unwrap()).collect()
}

fn class(code_point: u32) -> u8 {
    DATA.class.get(&code_point).map_or(0, |class| class.parse().unwrap())
}

pub fn fold(bytes: &[u8]) -> String {
    let mut decomposed = Vec::new();
    for code_point in String::from_utf8_lossy(bytes).chars().map(u32::from) {
        let folded = match DATA.fold.get(&code_point) {
            Some(value) => hexadecimal(value),
            None if DATA.assigned.contains_key(&code_point) => vec![code_point],
            None => vec![0xFFFD],
        };
        decomposed.extend(folded.into_iter().flat_map(|code_point| nfd(&[code_point])));
    }
    text(&nfc(&bounded(&decomposed)))
}

fn text(code_points: &[u32]) -> String {
    code_points.iter().map(|&code_point| char::from_u32(code_point).unwrap()).collect()
}

fn bounded(decomposed: &[u32]) -> Text {
    let mut result = Vec::new();
    for run in decomposed.chunk_by(|&a, &b| (class(a) == 0) == (class(b) == 0)) {
        let is_too_long = class(run[0]) != 0 && run.len() > 30;
        result.extend_from_slice(if is_too_long { &[0xFFFD] } else { run });
    }
    result
}

fn nfd(code_points: &[u32]) -> Text {
    let mut result = Vec::new();
    for &code_point in code_points {
        match (DATA.decomposition.get(&code_point), code_point.wrapping_sub(0xAC00)) {
            (Some(value), _) => result.extend(hexadecimal(value)),
            (None, s @ 0..11_172) => {
                result.extend([0x1100 + s / 588, 0x1161 + s % 588 / 28]);
                result.extend((s % 28 != 0).then_some(0x11A7 + s % 28));
            }
            _ => result.push(code_point),
        }
    }
    for run in result.chunk_by_mut(|&a, &b| class(a) != 0 && class(b) != 0) {
        run.sort_by_key(|&code_point| class(code_point));
    }
    result
}

fn nfc(code_points: &[u32]) -> Text {
    let mut result: Text = Vec::new();
    for c in nfd(code_points) {
        let starter = result.iter().rposition(|&b| class(b) == 0);
        if let Some(place) = starter {
            let is_blocked = place + 1 < result.len() && class(result[result.len() - 1]) >= class(c);
            if let (false, Some(composite)) = (is_blocked, composite(result[place], c)) {
                result[place] = composite;
                continue;
            }
        }
        result.push(c);
    }
    result
}

fn composite(b: u32, c: u32) -> Option<u32> {
    match (b, c) {
        (0x1100..=0x1112, 0x1161..=0x1175) => Some(0xAC00 + ((b - 0x1100) * 21 + c - 0x1161) * 28),
        (0xAC00..=0xD7A3, 0x11A8..=0x11C2) if (b - 0xAC00) % 28 == 0 => Some(b + c - 0x11A7),
        _ => DATA.composition.get(&(b, c)).copied(),
    }
}

pub fn tokens(bytes: &[u8]) -> Vec<String> {
    let text: Text = remove_links(&fold(bytes)).chars().map(u32::from).collect();
    let is_word = |code_point: &u32| DATA.word.contains_key(code_point);
    let is_continua = |code_point: &u32| DATA.continua.contains_key(code_point);
    let mut tokens = Vec::new();
    for run in text.split(|code_point| !is_word(code_point)) {
        for stretch in run.chunk_by(|a, b| is_continua(a) == is_continua(b)) {
            if is_continua(&stretch[0]) && stretch.len() > 1 {
                tokens.extend(stretch.windows(2).filter_map(filter));
            } else {
                tokens.extend(filter(stretch));
            }
        }
    }
    tokens
}

fn filter(candidate: &[u32]) -> Option<String> {
    let is_kept = |code_point: &u32| DATA.word[code_point] != "Pc";
    let start = candidate.iter().position(is_kept)?;
    let end = candidate.iter().rposition(is_kept)? + 1;
    let trimmed = &candidate[start..end];
    trimmed.iter().any(|code_point| DATA.alphabetic.contains_key(code_point)).then(|| text(trimmed))
}

/// Return the buckets; none if there is no token.
pub fn buckets(bytes: &[u8], lanes: u64) -> Vec<i8> {
    let mut counts: HashMap<String, i64> = HashMap::new();
    for token in tokens(bytes) {
        *counts.entry(token).or_default() += 1;
    }
    if counts.is_empty() {
        return Vec::new();
    }
    let sum = |seed: u64, bit: u32| -> i64 {
        let signed = |(token, &count): (&String, &i64)| {
            let one = simhash_doc::xxh64(token.as_bytes(), seed) >> bit & 1 == 1;
            if one { count.min(8) } else { -count.min(8) }
        };
        counts.iter().map(signed).sum()
    };
    let places = (0..lanes).flat_map(|seed| (0..64).map(move |bit| (seed, bit)));
    places.map(|(seed, bit)| sum(seed, bit).clamp(-127, 127) as i8).collect()
}
