//! What a change does to a file's syntax: refused beforehand where it would break data, told afterwards.
//!
//! The checks are [`hermes_syntax`]'s, which a program may be built without (the feature `syntax`): then
//! nothing is refused, and the answer says that nothing was checked.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

/// Why the content must not be written: it would break a file that was valid. May block for seconds.
#[cfg(feature = "syntax")]
pub(super) fn objection(path: &Path, before: Option<&[u8]>, after: &[u8]) -> Option<String> {
    // Some parsers quote the line they stumble over, and there may be a secret in it.
    let quoted = |error: hermes_syntax::SyntaxError| redacted(&error.to_string());
    hermes_syntax::gate(path, before, after).map(quoted)
}

/// What the change did to the file's syntax, as the `lint` field. May block for seconds.
#[cfg(feature = "syntax")]
pub(super) fn report(path: &Path, before: Option<&[u8]>, after: &[u8]) -> Value {
    let mut report = hermes_syntax::check_write(path, before, after).to_json();
    if let Some(Value::String(output)) = report.get_mut("output") {
        *output = redacted(output);
    }
    report
}

#[cfg(feature = "syntax")]
fn redacted(text: &str) -> String {
    hermes_guard::redact::redact_file(text).into_owned()
}

/// Nobody here who could object.
#[cfg(not(feature = "syntax"))]
pub(super) fn objection(_: &Path, _: Option<&[u8]>, _: &[u8]) -> Option<String> {
    None
}

/// That nothing was checked.
#[cfg(not(feature = "syntax"))]
pub(super) fn report(_: &Path, _: Option<&[u8]>, _: &[u8]) -> Value {
    skipped("this program was built without syntax checks")
}

/// [`objection`] for those who must not block.
pub(super) async fn objection_async(
    path: &Path,
    before: Option<&[u8]>,
    after: &[u8],
) -> Option<String> {
    // A check that was broken off says nothing against the content.
    on_a_blocking_thread(path, before, after, objection).await.unwrap_or_default()
}

/// [`report`] for those who must not block.
pub(super) async fn report_async(path: &Path, before: Option<&[u8]>, after: &[u8]) -> Value {
    let report = on_a_blocking_thread(path, before, after, report).await;
    report.unwrap_or_else(|| skipped("the syntax check was broken off"))
}

fn skipped(reason: &str) -> Value {
    json!({"status": "skipped", "message": reason})
}

/// Nothing when the check panicked or the program is ending.
async fn on_a_blocking_thread<T: Send + 'static>(
    path: &Path,
    before: Option<&[u8]>,
    after: &[u8],
    check: fn(&Path, Option<&[u8]>, &[u8]) -> T,
) -> Option<T> {
    let (path, before, after): (PathBuf, Option<Vec<u8>>, Vec<u8>) =
        (path.to_owned(), before.map(<[u8]>::to_vec), after.to_vec());
    tokio::task::spawn_blocking(move || check(&path, before.as_deref(), &after)).await.ok()
}
