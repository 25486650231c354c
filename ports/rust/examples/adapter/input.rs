//! The inputs of requests: text, bytes, UTF-16 code units, recipes.

use serde_json::Value;

/// Return the document of a request, in UTF-8 that may be ill-formed.
pub fn document(request: &Value) -> Option<Vec<u8>> {
    if let Some(text) = request["text"].as_str() {
        Some(text.as_bytes().to_vec())
    } else if let Some(digits) = request["bytes"].as_str() {
        bytes(digits)
    } else if let Some(digits) = request["utf16"].as_str() {
        let units = bytes(digits)?;
        let units = units.chunks_exact(2).map(|unit| u16::from_be_bytes([unit[0], unit[1]]));
        let scalars = char::decode_utf16(units).map(|scalar| scalar.unwrap_or(char::REPLACEMENT_CHARACTER));
        Some(scalars.collect::<String>().into_bytes())
    } else {
        let recipe = &request["recipe"];
        text(recipe.get("utf8").unwrap_or(recipe)).map(String::into_bytes)
    }
}

/// Return the bytes of hexadecimal digits.
pub fn bytes(digits: &str) -> Option<Vec<u8>> {
    (0..digits.len()).step_by(2).map(|at| u8::from_str_radix(digits.get(at..at + 2)?, 16).ok()).collect()
}

/// Return the text of a recipe.
fn text(recipe: &Value) -> Option<String> {
    if let Some(text) = recipe.as_str() {
        Some(text.to_owned())
    } else if let Some(text) = recipe["repeat"].as_str() {
        Some(text.repeat(usize::try_from(recipe["count"].as_u64()?).ok()?))
    } else if let Some(parts) = recipe["concat"].as_array() {
        parts.iter().map(text).collect()
    } else if let Some(template) = recipe["template"].as_str() {
        let end = |place: usize| u32::try_from(recipe["scalars"][place].as_u64()?).ok();
        let scalars = (end(0)?..=end(1)?).filter_map(char::from_u32);
        Some(scalars.map(|scalar| template.replace("{}", scalar.encode_utf8(&mut [0; 4]))).collect())
    } else {
        words(recipe)
    }
}

fn words(recipe: &Value) -> Option<String> {
    let letters: Vec<char> = recipe["letters"].as_str()?.chars().collect();
    let (mut state, distinct) = (recipe["seed"].as_u64()?, recipe["distinct"].as_u64()?);
    let mut text = String::new();
    for _ in 0..recipe["words"].as_u64()? {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        text.extend(bijective((state >> 33) % distinct + 1, &letters));
        text.push(' ');
    }
    Some(text)
}

/// Return a number in bijective notation, most significant digit first.
fn bijective(mut number: u64, digits: &[char]) -> Vec<char> {
    let (base, mut word) = (digits.len() as u64, Vec::new());
    while number > 0 {
        number -= 1;
        word.push(digits[(number % base) as usize]);
        number /= base;
    }
    word.reverse();
    word
}
