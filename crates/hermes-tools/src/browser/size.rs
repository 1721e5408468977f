//! Long pages: what fits is shown, the rest is put where it can be read.

use std::fmt::Write as _;

use hermes_store::atomic::{self, WriteOptions};
use hermes_store::home::ensure_private_dir;
use hermes_tool::ToolContext;
use sha2::{Digest as _, Sha256};

use crate::host_services;

/// Longest snapshot that is shown whole, in characters.
const LONGEST: usize = 15_000;
/// Longest text that is stored, in characters.
const STORED: usize = 2_000_000;

/// A text that is short enough, cut at the end of a line if need be; the last line says where the rest is.
pub(crate) async fn fitted(text: String, cx: &ToolContext) -> String {
    let Some((cut, _)) = text.char_indices().nth(LONGEST) else { return text };
    let end = text[..cut].rfind('\n').unwrap_or(cut);
    let shown = text[..end].to_owned();
    let (lines, all) = (shown.lines().count(), text.lines().count());
    let mut short = shown;
    let _ = write!(short, "\n[{} more lines", all - lines);
    if let Some(path) = stored(text, cx).await {
        let _ = write!(
            short,
            "; the whole snapshot is in {path}, read on with read_file, offset={}",
            lines + 1
        );
    }
    short.push(']');
    short
}

async fn stored(text: String, cx: &ToolContext) -> Option<String> {
    let folder = host_services::home(cx)?.cache().join("web");
    let write = move || {
        let kept = match text.char_indices().nth(STORED) {
            Some((end, _)) => &text[..end],
            None => &text,
        };
        let hash = Sha256::digest(kept.as_bytes());
        let name: String = hash.iter().take(5).map(|byte| format!("{byte:02x}")).collect();
        let path = folder.join(format!("browser-snapshot-{name}.txt"));
        ensure_private_dir(&folder).ok()?;
        atomic::write(&path, kept.as_bytes(), WriteOptions::default()).ok()?;
        Some(path.display().to_string())
    };
    tokio::task::spawn_blocking(write).await.ok().flatten()
}

#[cfg(test)]
mod tests {
    use hermes_store::home::Home;
    use hermes_tool::{ContextParts, Services};
    use std::sync::Arc;

    use super::*;

    #[tokio::test]
    async fn a_long_snapshot_is_cut_at_a_line_and_the_rest_can_be_read() {
        let folder = tempfile::tempdir().unwrap();
        let services = Services::default().with(Arc::new(Home::at(folder.path())));
        let cx: ToolContext = ContextParts { services, ..ContextParts::default() }.into();
        assert_eq!(fitted("short".to_owned(), &cx).await, "short");
        let long: String = (0..2000).map(|at| format!("- link \"number {at}\"\n")).collect();
        let shown = fitted(long.trim_end().to_owned(), &cx).await;
        let last = shown.lines().last().unwrap();
        let lines = shown.lines().count() - 1;
        assert!(last.starts_with(&format!("[{} more lines; ", 2000 - lines)), "{last}");
        assert!(last.ends_with(&format!("offset={}]", lines + 1)), "{last}");
        let path = last.split(" is in ").nth(1).unwrap().split(", read").next().unwrap();
        assert_eq!(std::fs::read_to_string(path).unwrap(), long.trim_end());
    }
}
