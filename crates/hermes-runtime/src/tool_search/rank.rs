//! Ranking by BM25: rare words count more, and long texts have to work harder.

use std::collections::HashMap;

/// How soon repeating a word stops helping.
const K1: f64 = 1.5;
/// How much the length of a text matters.
const B: f64 = 0.75;

/// The words of a text: runs of ASCII letters and digits in lower case. Underscores, dots, hyphens
/// and colons, which join the parts of tool names, separate words like anything else does.
pub(super) fn words(text: &str) -> impl Iterator<Item = String> {
    text.split(|char: char| !char.is_ascii_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_ascii_lowercase)
}

/// A text as a bag of words.
#[derive(Clone, Debug, Default)]
pub(super) struct Document {
    counts: HashMap<String, u32>,
    length: usize,
}

impl Document {
    /// The bag of these words.
    pub(super) fn new(words: impl Iterator<Item = String>) -> Self {
        let mut document = Self::default();
        for word in words {
            *document.counts.entry(word).or_default() += 1;
            document.length += 1;
        }
        document
    }

    fn count(&self, word: &str) -> f64 {
        self.counts.get(word).copied().unwrap_or(0).into()
    }
}

/// Places of the documents that match, best first; equal ones keep their order. A word that occurs
/// twice in the query counts twice.
pub(super) fn rank(documents: &[&Document], query: &[String]) -> Vec<usize> {
    let total = documents.len() as f64;
    let length: usize = documents.iter().map(|document| document.length).sum();
    let average = length as f64 / total; // no documents: no one divides by it
    let weights: Vec<(&str, f64)> = query
        .iter()
        .map(|word| {
            let holders = documents.iter().filter(|document| document.count(word) > 0.0);
            (word.as_str(), inverse_frequency(total, holders.count() as f64))
        })
        .collect();
    let mut scored: Vec<(usize, f64)> = documents
        .iter()
        .map(|document| score(document, &weights, average))
        .enumerate()
        .filter(|(_, score)| *score > 0.0)
        .collect();
    scored.sort_by(|(_, left), (_, right)| right.total_cmp(left)); // stable
    scored.into_iter().map(|(place, _)| place).collect()
}

fn inverse_frequency(total: f64, holders: f64) -> f64 {
    (1.0 + (total - holders + 0.5) / (holders + 0.5)).ln()
}

fn score(document: &Document, weights: &[(&str, f64)], average: f64) -> f64 {
    weights
        .iter()
        .map(|(word, weight)| (document.count(word), weight))
        .filter(|(count, _)| *count > 0.0) // so the document has words, and the average is not zero
        .map(|(count, weight)| {
            let norm = K1 * (1.0 - B + B * document.length as f64 / average);
            weight * count * (K1 + 1.0) / (count + norm)
        })
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn query(text: &str) -> Vec<String> {
        words(text).collect()
    }

    fn ranked(texts: &[&str], text: &str) -> Vec<usize> {
        let documents: Vec<Document> =
            texts.iter().map(|text| Document::new(words(text))).collect();
        rank(&documents.iter().collect::<Vec<_>>(), &query(text))
    }

    #[test]
    fn words_are_runs_of_ascii_letters_and_digits() {
        let found: Vec<String> = words("mcp__GitHub.create-issue:v2 Größe").collect();
        assert_eq!(found, ["mcp", "github", "create", "issue", "v2", "gr", "e"]);
    }

    #[test]
    fn scores_follow_the_formula() {
        let documents = [Document::new(words("a b b")), Document::new(words("c"))];
        let refs: Vec<&Document> = documents.iter().collect();
        // N = 2, df = 1: idf = ln(1 + 1.5/1.5) = ln 2; tf = 2, dl = 3, average = 2.
        let idf = inverse_frequency(2.0, 1.0);
        assert!((idf - 2_f64.ln()).abs() < 1e-12);
        let expected = 2_f64.ln() * 2.0 * 2.5 / (2.0 + 1.5 * (0.25 + 0.75 * 1.5));
        assert!((score(refs[0], &[("b", idf)], 2.0) - expected).abs() < 1e-12);
        assert_eq!(rank(&refs, &query("b")), [0]);
    }

    #[test]
    fn rare_words_beat_common_ones() {
        let texts = ["list files", "list issues", "list pulls", "merge pulls"];
        assert_eq!(ranked(&texts, "list merge")[0], 3);
    }

    #[test]
    fn short_texts_beat_long_ones_and_equals_keep_their_order() {
        assert_eq!(ranked(&["x a b c d", "x a", "x b"], "x"), [1, 2, 0]);
    }

    #[test]
    fn a_repeated_query_word_counts_twice() {
        let texts = ["red red", "blue", "blue"]; // the rarer word wins unless outweighed
        assert_eq!(ranked(&texts, "red blue")[0], 0);
        assert_eq!(ranked(&texts, "red blue blue blue blue blue")[0], 1);
    }

    #[test]
    fn nothing_matches_nothing() {
        assert_eq!(ranked(&[], "x"), [0; 0]);
        assert_eq!(ranked(&["", "y"], "x"), [0; 0]);
    }
}
