//! Where long results go, and what their files are called.

use std::fmt;
use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Duration;

use hermes_tool::BoxFuture;
use sha2::{Digest, Sha256};

/// The folder of spilled results inside a temporary directory.
pub const SPILL_FOLDER: &str = "hermes-results";
/// How long one write may take before the result is cut instead.
pub const SPILL_TIMEOUT: Duration = Duration::from_secs(30);
/// Most characters of an id that go into a file name (a hash may follow).
pub const MAX_STEM_CHARS: usize = 120;

const HASH_CHARS: usize = 12;
const NAMELESS: &str = "tool_result";
const EDGE: [char; 3] = ['.', '_', '-'];

/// Writes long results to where the model's `read_file` can reach them.
///
/// The caller enforces [`SPILL_TIMEOUT`] by dropping the future. A store must not block the thread
/// that polls it.
pub trait SpillStore: Send + Sync {
    /// Stores the text as `hermes-results/<stem>.txt` and gives the path to show to the model, or
    /// says in a few words why it could not.
    fn write(&self, stem: &FileStem, content: Arc<str>) -> BoxFuture<Result<String, String>>;
}

/// The name of a spilled file without its extension: safe on every file system and in every shell,
/// and different for different ids.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FileStem(String);

impl FileStem {
    /// The stem for the id of a tool call. Clean ids of ordinary length keep their name; all others
    /// are cleaned and marked with a hash of the raw id, so that no two of them collide.
    #[must_use]
    pub fn for_id(id: &str) -> Self {
        let clean = replace_runs(id);
        let trimmed = clean.trim_matches(EDGE);
        // Everything in `trimmed` is ASCII, so bytes are characters.
        if trimmed == id && !trimmed.is_empty() && trimmed.len() <= MAX_STEM_CHARS {
            return Self(clean);
        }
        let base = if trimmed.is_empty() { NAMELESS } else { trimmed };
        let base = base[..base.len().min(MAX_STEM_CHARS)].trim_end_matches(EDGE);
        let mut stem = format!("{base}_");
        for byte in &Sha256::digest(id)[..HASH_CHARS / 2] {
            let _ = write!(stem, "{byte:02x}"); // writing to a String cannot fail
        }
        Self(stem)
    }

    /// The stem as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The file name: the stem and `.txt`.
    #[must_use]
    pub fn file_name(&self) -> String {
        format!("{}.txt", self.0)
    }
}

impl fmt::Display for FileStem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Each run of characters that do not belong in a file name becomes one underscore.
fn replace_runs(id: &str) -> String {
    let mut clean = String::with_capacity(id.len());
    let mut in_run = false;
    for char in id.chars() {
        let allowed = char.is_ascii_alphanumeric() || EDGE.contains(&char);
        if allowed {
            clean.push(char);
        } else if !in_run {
            clean.push('_');
        }
        in_run = !allowed;
    }
    clean
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn stem(id: &str) -> String {
        FileStem::for_id(id).0
    }

    #[test]
    fn clean_ids_keep_their_name() {
        assert_eq!(stem("call_A-1.b"), "call_A-1.b");
        assert_eq!(stem(&"a".repeat(120)), "a".repeat(120));
    }

    #[test]
    fn changed_ids_carry_a_hash_of_the_raw_id() {
        // printf 'call:/1' | sha256sum
        assert_eq!(stem("call:/1"), "call_1_7218df2aa6dc");
        assert_ne!(stem("call:1"), stem("call/1"));
    }

    #[test]
    fn trimmed_edges_count_as_a_change() {
        assert!(stem("call_1_").starts_with("call_1_"));
        assert_eq!(stem("call_1_").len(), "call_1".len() + 13);
        assert!(!stem("../../etc/passwd").contains('/'));
        assert!(stem("../../etc/passwd").starts_with("etc_passwd_"));
    }

    #[test]
    fn empty_ids_get_a_name() {
        assert_eq!(stem(""), "tool_result_e3b0c44298fc");
        assert!(stem("///").starts_with("tool_result_"));
    }

    #[test]
    fn long_ids_are_cut_and_trimmed_again() {
        let id = format!("{}{}", "a".repeat(119), "-tail");
        let name = stem(&id);
        assert!(name.starts_with(&format!("{}_", "a".repeat(119))));
        assert_eq!(name.len(), 119 + 1 + 12);
    }

    proptest! {
        #[test]
        fn every_stem_is_one_safe_path_component(id in any::<String>()) {
            let name = stem(&id);
            prop_assert!(name.len() <= MAX_STEM_CHARS + 1 + HASH_CHARS);
            prop_assert!(name.chars().all(|c| c.is_ascii_alphanumeric() || EDGE.contains(&c)));
            prop_assert!(!name.starts_with(EDGE));
        }
    }
}
