//! Which turns of a trajectory make way for a summary.

use super::options::ProtectedTurns;

/// What is done with a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CompressPlan {
    /// It is short enough.
    Short,
    /// It is too long, and nothing of it may go.
    Stuck,
    /// These turns go.
    Region(std::ops::Range<usize>),
}

/// Decides for turns with these speakers and token counts. Takes as few turns as are needed, from the first that may go,
/// and never ends between a call and its answer.
#[must_use]
pub fn decide(
    from: &[&str],
    tokens: &[u64],
    protected: &ProtectedTurns,
    target: u64,
    summary: u64,
) -> CompressPlan {
    let total: u64 = tokens.iter().sum();
    if total <= target {
        return CompressPlan::Short;
    }
    let count = from.len();
    let kept = protected.places(from);
    let middle = count / 2;
    let mut start = kept.iter().filter(|place| **place < middle).max().map_or(0, |last| last + 1);
    let end = kept.iter().filter(|place| **place >= middle).min().copied().unwrap_or(count);
    let is_tool = |place: usize| from.get(place) == Some(&"tool");
    if let Some(first) = (start..=end).find(|place| *place < count && !is_tool(*place)) {
        start = first;
    }
    if start >= end {
        return CompressPlan::Stuck;
    }
    let need = total - target + summary;
    let (mut cut, mut taken) = (start, 0);
    while cut < end && taken < need {
        taken += tokens[cut];
        cut += 1;
    }
    let reached = cut;
    while cut < end && is_tool(cut) {
        cut += 1;
    }
    if is_tool(cut) {
        cut = reached;
        while cut > start && is_tool(cut) {
            cut -= 1;
        }
    }
    if cut > start { CompressPlan::Region(start..cut) } else { CompressPlan::Stuck }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn plan(from: &str, tokens: &[u64], target: u64, summary: u64) -> CompressPlan {
        let from: Vec<&str> = from.chars().map(word).collect();
        decide(&from, tokens, &ProtectedTurns::default(), target, summary)
    }

    fn word(letter: char) -> &'static str {
        match letter {
            's' => "system",
            'h' => "human",
            'g' => "gpt",
            _ => "tool",
        }
    }

    #[test]
    fn a_row_below_the_target_stays_and_so_does_one_of_protected_turns() {
        assert_eq!(plan("shgt", &[1, 1, 1, 1], 4, 1), CompressPlan::Short);
        assert_eq!(plan("shgtg", &[9, 9, 9, 9, 9], 4, 1), CompressPlan::Stuck);
    }

    #[test]
    fn as_few_turns_go_as_are_needed_and_answers_go_with_their_calls() {
        // s h g t | g t g t g t | g t g g: 14 turns of 10, of which 140 - 100 + 5 must go.
        let tokens = [10; 14];
        assert_eq!(plan("shgtgtgtgtgtgg", &tokens, 100, 5), CompressPlan::Region(4..10));
        assert_eq!(plan("shgtgtgtgtgtgg", &tokens, 120, 5), CompressPlan::Region(4..8));
        assert_eq!(plan("shgtgtgtgtgtgg", &tokens, 1, 5), CompressPlan::Region(4..10));
    }

    #[test]
    fn a_cut_that_would_fall_before_a_protected_answer_goes_back() {
        // The last four are t g t g: the call of the first of them must stay with it.
        assert_eq!(plan("shgtgtgtgtg", &[10; 11], 1, 5), CompressPlan::Region(4..6));
    }

    proptest! {
        #[test]
        fn no_region_separates_a_call_from_its_answer_or_takes_a_protected_turn(
            letters in "sh(gt|g|h){0,20}", sizes in proptest::collection::vec(0_u64..200, 42), target in 0_u64..2_000
        ) {
            let from: Vec<&str> = letters.chars().map(word).collect();
            let tokens = &sizes[..from.len()];
            let protected = ProtectedTurns::default();
            if let CompressPlan::Region(region) = decide(&from, tokens, &protected, target, 50) {
                prop_assert!(!region.is_empty() && region.end <= from.len());
                prop_assert_ne!(from.get(region.end).copied(), Some("tool"));
                prop_assert_ne!(from[region.start], "tool");
                for place in protected.places(&from) {
                    prop_assert!(!region.contains(&place), "{place} of {from:?}");
                }
            }
        }
    }
}
