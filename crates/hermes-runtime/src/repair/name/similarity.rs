//! How alike two names are: the share of their characters that lies in matching blocks.
//!
//! The longest common block is found first, then, recursively, the longest ones to its left and
//! to its right. The similarity is twice the length of all blocks over the length of both names.

use super::MAX_COMPARED_CHARS;

/// A share of matching characters, in millionths: names are too short for two different shares
/// to fall together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Similarity(u32);

impl Similarity {
    const WHOLE: u32 = 1_000_000;

    pub(super) const fn percent(percent: u32) -> Self {
        Self(percent * (Self::WHOLE / 100))
    }

    /// The share that so many matching characters are, of two names with so many in all.
    fn of(matching: usize, total: usize) -> Self {
        let millionths = 2 * matching * Self::WHOLE as usize / total.max(1);
        Self(u32::try_from(millionths).unwrap_or(Self::WHOLE))
    }
}

/// Compare two names; `None` if they are less alike than the cutoff, or too long to compare.
pub(super) fn compare(left: &str, right: &str, cutoff: Similarity) -> Option<Similarity> {
    let left: Vec<char> = left.chars().take(MAX_COMPARED_CHARS + 1).collect();
    let right: Vec<char> = right.chars().take(MAX_COMPARED_CHARS + 1).collect();
    let total = left.len() + right.len();
    let shorter = left.len().min(right.len());
    if left.len().max(right.len()) > MAX_COMPARED_CHARS || Similarity::of(shorter, total) < cutoff {
        return None;
    }
    Some(Similarity::of(matching(&left, &right), total)).filter(|similarity| *similarity >= cutoff)
}

/// The number of characters in matching blocks.
fn matching(left: &[char], right: &[char]) -> usize {
    let mut count = 0;
    let mut todo = vec![(left, right)];
    while let Some((left, right)) = todo.pop() {
        let block = longest_block(left, right);
        if block.length > 0 {
            count += block.length;
            todo.push((&left[..block.left], &right[..block.right]));
            todo.push((&left[block.left + block.length..], &right[block.right + block.length..]));
        }
    }
    count
}

#[derive(Default)]
struct Block {
    left: usize,
    right: usize,
    length: usize,
}

/// The longest common block; of equally long ones the first in the left name, then the right.
fn longest_block(left: &[char], right: &[char]) -> Block {
    let mut best = Block::default();
    // Of the block that ends at the current left character and each right one.
    let mut lengths = vec![0; right.len()];
    for (i, a) in left.iter().enumerate() {
        let mut before = 0;
        for (j, b) in right.iter().enumerate() {
            let length = if a == b { before + 1 } else { 0 };
            before = std::mem::replace(&mut lengths[j], length);
            if length > best.length {
                best = Block { left: i + 1 - length, right: j + 1 - length, length };
            }
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_matching_blocks() {
        for (left, right, blocks) in TABLE {
            let (left, right): (Vec<char>, Vec<char>) =
                (left.chars().collect(), right.chars().collect());
            assert_eq!(matching(&left, &right), *blocks, "{left:?} {right:?}");
        }
    }

    const TABLE: &[(&str, &str, usize)] = &[
        ("searchfile", "browser_types", 4),
        ("run_terminal", "bacbac", 1),
        ("browser_types", "memory", 2),
        ("session_list", "todo", 1),
        ("file_search", "terminal", 2),
        ("read_file", "browser_click", 4),
        ("browser_click", "session_search", 4),
        ("web_extract", "skill_view", 1),
        ("write_file", "vision_analyze", 2),
        ("process", "file_search", 2),
        ("todo", "search_files", 0),
        ("abcabc", "skills_view", 0),
        ("session_search", "process", 3),
        ("search_files", "web_search", 6),
        ("a_aabbba", "babab_aababbb", 7),
        ("_a_bb", "a_bbb_a", 4),
        ("aa_a_a_", "_b_b_b", 3),
        ("bbba__b", "aa_aa__", 3),
        ("_babab_baaa", "__ba_aababa_a", 7),
        ("bbaab", "bb_aaaa___b", 5),
        ("_aabaa_a", "a_a_ab_bbb_b__", 3),
        ("_ab_ba_", "abbabb", 4),
        ("aa_aba_ab_", "bab_aa_a", 4),
        ("baabbb_ab", "_aba__a", 3),
        ("_bbab", "ababaabb_bbaa", 4),
        ("__aaaaabbb_aa", "bababbaa__a_a", 5),
    ];

    #[test]
    fn knows_both_ends_and_the_cutoff() {
        let least = Similarity::percent(0);
        assert_eq!(compare("same", "same", least), Some(Similarity::percent(100)));
        assert_eq!(compare("abc", "xyz", least), Some(least));
        assert_eq!(compare("", "", least), Some(least));
        assert_eq!(
            compare("write_file", "read_files", Similarity::percent(70)),
            Some(Similarity::percent(70)),
        );
        assert_eq!(compare("write_file", "read_files", Similarity::percent(71)), None);
        let long = "x".repeat(MAX_COMPARED_CHARS + 1);
        assert_eq!(compare(&long, &long, least), None);
    }
}
