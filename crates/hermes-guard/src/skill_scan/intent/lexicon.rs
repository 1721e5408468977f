//! Words and what they stand for, read from `lexicon.txt`.

use super::concept::Concept;

const TEXT: &str = include_str!("lexicon.txt");

/// What ends a sentence.
const ENDS: &[&str] = &[". ", "! ", "? ", "; ", "。", "！", "？"];

/// A word, what it stands for, and whether more letters may follow it.
pub(super) struct Word {
    pub(super) text: &'static str,
    pub(super) concept: Concept,
    pub(super) is_stem: bool,
}

/// Every word of the lexicon.
pub(super) fn words() -> Vec<Word> {
    let end = |&text: &&'static str| Word { text, concept: Concept::End, is_stem: true };
    let mut words: Vec<Word> = ENDS.iter().map(end).collect();
    let mut concept = None;
    for line in TEXT.lines().filter(|line| !line.starts_with('#')) {
        match line.strip_prefix('[').and_then(|head| head.strip_suffix(']')) {
            Some(head) => concept = named(head),
            None => words.extend(concept.into_iter().flat_map(|concept| {
                let written = line.split('|').map(str::trim).filter(|word| !word.is_empty());
                written.map(move |word| Word {
                    text: word.trim_end_matches('*'),
                    concept,
                    is_stem: word.ends_with('*'),
                })
            })),
        }
    }
    words
}

fn named(head: &str) -> Option<Concept> {
    let concept = match head {
        "Not" => Concept::Not,
        "Forged" => Concept::Forged,
        "Warn" => Concept::Warn,
        "Tell" => Concept::Tell,
        "Silently" => Concept::Silently,
        "Send" => Concept::Send,
        "Put" => Concept::Put,
        "Secret" => Concept::Secret,
        "Contents" => Concept::Contents,
        "Talk" => Concept::Talk,
        "Private" => Concept::Private,
        "Elsewhere" => Concept::Elsewhere,
        "Fetch" => Concept::Fetch,
        "Obey" => Concept::Obey,
        "Unasked" => Concept::Unasked,
        "Always" => Concept::Always,
        "AgentFile" => Concept::AgentFile,
        "Write" => Concept::Write,
        "Disable" => Concept::Disable,
        "Safety" => Concept::Safety,
        "Consent" => Concept::Consent,
        "Credentialed" => Concept::Credentialed,
        "Evade" => Concept::Evade,
        "Watch" => Concept::Watch,
        "Soothe" => Concept::Soothe,
        "Foreign" => Concept::Foreign,
        "Heed" => Concept::Heed,
        "Crown" => Concept::Crown,
        "Solicit" => Concept::Solicit,
        "Destroy" => Concept::Destroy,
        "Access" => Concept::Access,
        "Outsider" => Concept::Outsider,
        _ => return None,
    };
    Some(concept)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_heading_names_a_concept_and_every_word_is_plain() {
        for line in TEXT.lines() {
            if let Some(head) = line.strip_prefix('[') {
                assert!(named(head.trim_end_matches(']')).is_some(), "{line}");
            }
        }
        for word in words() {
            assert!(!word.text.is_empty(), "a bar too many");
            assert_eq!(word.text, word.text.to_lowercase(), "in lower case");
        }
    }
}
