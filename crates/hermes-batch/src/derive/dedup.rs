//! Finds rows that are nearly the same as an earlier one, without comparing each with each.

use std::collections::HashMap;

use sha2::{Digest as _, Sha256};

/// Hashes of a signature.
const HASHES: usize = 128;
/// Rows whose signatures agree on a whole band are compared; eight hashes each find nearly every pair of nine tenths.
const BAND: usize = 8;
/// Words that are taken together.
const SHINGLE: usize = 3;
/// The share of a signature that must agree.
const ALIKE: f64 = 0.9;

/// Remembers rows by their signatures.
#[derive(Debug, Default)]
pub(super) struct NearCopies {
    signatures: Vec<[u32; HASHES]>,
    bands: HashMap<(usize, u64), Vec<u32>>,
}

impl NearCopies {
    /// Whether a text is nearly the same as one before; remembers it if not.
    pub(super) fn is_copy(&mut self, text: &str) -> bool {
        let signature = signature(text);
        let keys: Vec<(usize, u64)> =
            signature.chunks(BAND).enumerate().map(|(band, part)| (band, mixed(part))).collect();
        let alike = |place: &u32| {
            let other = &self.signatures[*place as usize];
            let same = signature.iter().zip(other).filter(|(one, two)| one == two).count();
            same as f64 / HASHES as f64 >= ALIKE
        };
        if keys.iter().filter_map(|key| self.bands.get(key)).flatten().any(alike) {
            return true;
        }
        let place = u32::try_from(self.signatures.len()).unwrap_or(u32::MAX);
        self.signatures.push(signature);
        keys.into_iter().for_each(|key| self.bands.entry(key).or_default().push(place));
        false
    }
}

/// The least hash of all runs of words, for each of many hash functions: the share of equal ones is the share of runs
/// that two texts have in common.
fn signature(text: &str) -> [u32; HASHES] {
    let words: Vec<String> = text.split_whitespace().map(str::to_lowercase).collect();
    let mut least = [u32::MAX; HASHES];
    for run in words.windows(SHINGLE.min(words.len()).max(1)) {
        let digest: [u8; 32] = Sha256::digest(run.join(" ")).into();
        let (one, two) = digest.split_at(8);
        let number = |bytes: &[u8]| {
            bytes.iter().take(8).fold(0_u64, |sum, byte| sum << 8 | u64::from(*byte))
        };
        let (one, two) = (number(one), number(two) | 1);
        for (place, least) in least.iter_mut().enumerate() {
            let hash = one.wrapping_add(two.wrapping_mul(place as u64 + 1));
            *least = (*least).min((hash >> 32) as u32);
        }
    }
    least
}

fn mixed(part: &[u32]) -> u64 {
    part.iter().fold(0x9e37_79b9_7f4a_7c15, |sum, value| {
        (sum ^ u64::from(*value)).wrapping_mul(0xff51_afd7_ed55_8ccd).rotate_left(31)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_with_a_word_changed_is_a_copy_and_another_one_is_not() {
        let text = |salt: usize| (0..400).map(|n| format!("word{} ", n * salt)).collect::<String>();
        let mut seen = NearCopies::default();
        assert!(!seen.is_copy(&text(1)));
        assert!(seen.is_copy(&text(1).replace("word200 ", "other ")));
        assert!(!seen.is_copy(&text(3)));
        assert!(!seen.is_copy("") && seen.is_copy(" "));
        let half = text(1).replace("word1", "x").replace("word2", "y");
        assert!(!seen.is_copy(&half), "half of it is not nearly all of it");
    }
}
