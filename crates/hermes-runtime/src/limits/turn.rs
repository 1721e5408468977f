//! The limit on all results of one turn together.

use std::cmp::Reverse;

use super::preview::{PERSISTED_OPEN, Preview};
use super::result::replacement;
use super::spill::SpillStore;

/// One text result of a turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TurnText {
    /// The id of the call, which names the file.
    pub id: String,
    /// What the model gets.
    pub text: String,
}

/// What [`enforce_turn_budget`] did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TurnCut {
    /// Places of the results that were replaced, in the order in which that happened.
    pub replaced: Vec<usize>,
    /// Whether the results fit now. They may not: what is already a preview cannot shrink.
    pub fits: bool,
}

/// Replaces results, largest first, until all of them together have at most `budget` characters.
///
/// Results that already stand for a stored file are left alone, and so is a result whose
/// replacement would not be shorter: moving it would only make the turn longer. The order of the
/// results never changes.
pub async fn enforce_turn_budget(
    results: &mut [TurnText],
    budget: usize,
    store: Option<&dyn SpillStore>,
) -> TurnCut {
    let mut report = TurnCut::default();
    // Bytes bound characters from above: the usual turn is never counted.
    if results.iter().map(|result| result.text.len()).sum::<usize>() <= budget {
        report.fits = true;
        return report;
    }
    let lengths: Vec<usize> = results.iter().map(|result| result.text.chars().count()).collect();
    let mut total: usize = lengths.iter().sum();
    let mut largest_first: Vec<usize> =
        (0..results.len()).filter(|index| !results[*index].text.contains(PERSISTED_OPEN)).collect();
    largest_first.sort_by_key(|index| Reverse(lengths[*index])); // stable
    for index in largest_first {
        if total <= budget {
            break;
        }
        let (result, chars) = (&mut results[index], lengths[index]);
        if cannot_shrink(&result.text, chars) {
            continue;
        }
        let limited = replacement(&result.text, chars, &result.id, store).await;
        let new_chars = limited.text.chars().count();
        // The path is only known after the write; a long one can tip the balance.
        if new_chars < chars {
            result.text = limited.text;
            total = total - chars + new_chars;
            report.replaced.push(index);
        }
    }
    report.fits = total <= budget;
    report
}

/// Whether a block, even one with an empty path, is no shorter than the text: then nothing needs to
/// be written to know that it would not help.
fn cannot_shrink(text: &str, chars: usize) -> bool {
    Preview::new(text, chars).stored_at("").chars().count() >= chars
}

#[cfg(test)]
mod tests {
    use super::super::result::tests::{Broken, MemoryStore};
    use super::*;

    fn results(lengths: &[usize]) -> Vec<TurnText> {
        lengths
            .iter()
            .enumerate()
            .map(|(index, length)| TurnText { id: format!("c{index}"), text: "x".repeat(*length) })
            .collect()
    }

    fn total(results: &[TurnText]) -> usize {
        results.iter().map(|result| result.text.chars().count()).sum()
    }

    #[tokio::test]
    async fn a_turn_within_its_budget_is_left_alone() {
        let mut turn = results(&[5000, 5000]);
        let before = turn.clone();
        let report = enforce_turn_budget(&mut turn, 10_000, None).await;
        assert_eq!(turn, before);
        assert!(report.fits && report.replaced.is_empty());
    }

    #[tokio::test]
    async fn the_largest_moves_first_and_only_as_many_as_needed() {
        let store = MemoryStore::default();
        let mut turn = results(&[4000, 9000, 6000]);
        let report = enforce_turn_budget(&mut turn, 13_000, Some(&store)).await;
        assert_eq!(report.replaced, [1]);
        assert!(report.fits && total(&turn) <= 13_000);
        assert!(turn[1].text.starts_with(PERSISTED_OPEN));
        assert_eq!(store.0.lock().unwrap()["/r/c1.txt"].len(), 9000);
    }

    #[tokio::test]
    async fn equals_move_in_their_order() {
        let store = MemoryStore::default();
        let mut turn = results(&[5000, 5000, 5000]);
        let report = enforce_turn_budget(&mut turn, 9000, Some(&store)).await;
        assert_eq!(report.replaced, [0, 1]);
    }

    #[tokio::test]
    async fn turn_budget_never_enlarges_a_small_result() {
        // Fifty results of 100 characters with a budget of 1,000: every block would be longer than
        // the text it replaces, so the turn would grow the more is moved.
        let store = MemoryStore::default();
        let mut turn = results(&[100; 50]);
        let before = turn.clone();
        let report = enforce_turn_budget(&mut turn, 1000, Some(&store)).await;
        assert_eq!(turn, before);
        assert!(!report.fits);
        assert!(store.0.lock().unwrap().is_empty(), "nothing is written in vain");

        for length in [300, 1500, 1600, 1700, 1800] {
            let mut turn = results(&[length]);
            enforce_turn_budget(&mut turn, 10, Some(&store)).await;
            assert!(total(&turn) <= length, "{length}");
        }
    }

    #[tokio::test]
    async fn stored_results_are_not_stored_again() {
        let mut turn = results(&[20_000, 3000]);
        turn[0].text.insert_str(0, PERSISTED_OPEN);
        let report = enforce_turn_budget(&mut turn, 10, Some(&MemoryStore::default())).await;
        assert_eq!(report.replaced, [1]);
        assert!(!report.fits);
    }

    #[tokio::test]
    async fn a_broken_store_still_brings_the_turn_down() {
        let mut turn = results(&[50_000, 10]);
        let report = enforce_turn_budget(&mut turn, 5000, Some(&Broken)).await;
        assert!(report.fits);
        assert!(turn[0].text.contains("[Truncated: "));
        assert_eq!(turn[1].text, "x".repeat(10));
    }
}
