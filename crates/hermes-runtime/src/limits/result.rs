//! The limit on one result.

use std::sync::Arc;
use std::time::Duration;

use super::preview::Preview;
use super::spill::{FileStem, SPILL_TIMEOUT, SpillStore};
use super::thresholds::Threshold;

/// A result that fits, and what it took.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limited {
    /// What the model gets.
    pub text: String,
    /// What was done to the result.
    pub action: LimitAction,
}

/// What was done to a result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LimitAction {
    /// Nothing.
    Kept,
    /// The whole text is in a file; a block with its path and a preview took its place.
    Spilled {
        /// The path shown to the model.
        path: String,
    },
    /// There was nowhere to put it: only the preview and a note are left.
    Truncated {
        /// Why it could not be stored.
        reason: String,
    },
}

/// Moves a text that is longer than its threshold to the store.
///
/// Never fails: without a store, or when the write fails or takes longer than [`SPILL_TIMEOUT`],
/// the text is cut and says so. Needs a Tokio runtime with time enabled, but only for texts that
/// are too long.
pub async fn limit_result(
    text: String,
    id: &str,
    threshold: Threshold,
    store: Option<&dyn SpillStore>,
) -> Limited {
    match threshold.chars_over(&text) {
        Some(chars) => replacement(&text, chars, id, store).await,
        None => Limited { text, action: LimitAction::Kept },
    }
}

/// What stands in for a text, whatever its length: it is stored now.
pub(super) async fn replacement(
    text: &str,
    chars: usize,
    id: &str,
    store: Option<&dyn SpillStore>,
) -> Limited {
    let preview = Preview::new(text, chars);
    match save(text, id, store, SPILL_TIMEOUT).await {
        Ok(path) => {
            Limited { text: preview.stored_at(&path), action: LimitAction::Spilled { path } }
        }
        Err(reason) => {
            Limited { text: preview.truncated(&reason), action: LimitAction::Truncated { reason } }
        }
    }
}

async fn save(
    text: &str,
    id: &str,
    store: Option<&dyn SpillStore>,
    patience: Duration,
) -> Result<String, String> {
    let store = store.ok_or("no place to write to")?;
    let write = store.write(&FileStem::for_id(id), Arc::from(text));
    tokio::time::timeout(patience, write)
        .await
        .unwrap_or_else(|_| Err(format!("writing took longer than {} s", patience.as_secs())))
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use std::collections::BTreeMap;
    use std::sync::Mutex;

    use hermes_tool::BoxFuture;

    /// A store in memory with paths `/r/<stem>.txt`.
    #[derive(Default)]
    pub(in super::super) struct MemoryStore(pub(in super::super) Mutex<BTreeMap<String, String>>);

    impl SpillStore for MemoryStore {
        fn write(&self, stem: &FileStem, content: Arc<str>) -> BoxFuture<Result<String, String>> {
            let path = format!("/r/{}", stem.file_name());
            self.0.lock().unwrap().insert(path.clone(), content.to_string());
            Box::pin(std::future::ready(Ok(path)))
        }
    }

    pub(in super::super) struct Broken;

    impl SpillStore for Broken {
        fn write(&self, _: &FileStem, _: Arc<str>) -> BoxFuture<Result<String, String>> {
            Box::pin(std::future::ready(Err("disk full".into())))
        }
    }

    struct Stuck;

    impl SpillStore for Stuck {
        fn write(&self, _: &FileStem, _: Arc<str>) -> BoxFuture<Result<String, String>> {
            Box::pin(std::future::pending())
        }
    }

    #[tokio::test]
    async fn spills_only_what_is_strictly_longer() {
        let store = MemoryStore::default();
        let limited = |text: &str| {
            let text = text.to_owned();
            let store = &store;
            async move { limit_result(text, "call_1", Threshold::Chars(10), Some(store)).await }
        };
        let kept = limited("0123456789").await;
        assert_eq!((kept.text.as_str(), &kept.action), ("0123456789", &LimitAction::Kept));
        assert!(store.0.lock().unwrap().is_empty());

        let spilled = limited("0123456789a").await;
        let path = "/r/call_1.txt".to_owned();
        assert_eq!(store.0.lock().unwrap()[&path], "0123456789a");
        assert!(spilled.text.contains(&path));
        assert_eq!(spilled.action, LimitAction::Spilled { path });
    }

    #[tokio::test]
    async fn lengths_are_characters() {
        let text = "é".repeat(10);
        let limited = limit_result(text.clone(), "c", Threshold::Chars(10), None).await;
        assert_eq!(limited.text, text);
    }

    #[tokio::test]
    async fn an_unlimited_result_stays_whatever_its_size() {
        let text = "x".repeat(1_000_000);
        let limited = limit_result(text, "c", Threshold::Unlimited, None).await;
        assert_eq!(limited.action, LimitAction::Kept);
    }

    #[tokio::test]
    async fn a_failed_write_leaves_a_preview_and_a_note() {
        let text = "x".repeat(5000);
        let limited = limit_result(text, "c", Threshold::Chars(100), Some(&Broken)).await;
        assert!(limited.text.contains("\n\n[Truncated: "));
        assert!(limited.text.contains("disk full"));
        assert!(!limited.text.contains("persisted-output"));
    }

    #[tokio::test]
    async fn without_a_store_the_result_is_cut() {
        let limited = limit_result("x".repeat(5000), "c", Threshold::Chars(100), None).await;
        assert!(matches!(limited.action, LimitAction::Truncated { .. }));
        assert!(limited.text.len() < 2000);
    }

    #[tokio::test]
    async fn a_store_that_hangs_is_given_up() {
        let saved = save("text", "c", Some(&Stuck), Duration::from_millis(5)).await;
        assert!(saved.unwrap_err().contains("longer than"));
    }
}
