//! Which documents of a text are manifests of secrets, told by their kind.

use std::ops::Range;

use memchr::memmem;

/// Ways to say that a document holds secrets.
const KINDS: [&str; 3] = ["kind: Secret", "\"kind\": \"Secret\"", "\"kind\":\"Secret\""];
const SEPARATOR: &str = "\n---";

/// The documents of a text that hold secrets.
pub(super) fn documents(text: &str) -> Vec<Range<usize>> {
    let bytes = text.as_bytes();
    if KINDS.iter().all(|kind| memmem::find(bytes, kind.as_bytes()).is_none()) {
        return Vec::new();
    }
    let mut starts: Vec<usize> = memmem::find_iter(bytes, SEPARATOR).collect();
    starts.insert(0, 0);
    starts.push(text.len());
    starts
        .windows(2)
        .map(|pair| pair[0]..pair[1])
        .filter(|range| KINDS.iter().any(|kind| says(&text[range.clone()], kind)))
        .collect()
}

/// `kind: SecretStore` is another kind.
fn says(document: &str, kind: &str) -> bool {
    document.match_indices(kind).any(|(at, _)| {
        !document[at + kind.len()..].starts_with(|next: char| next.is_ascii_alphanumeric())
    })
}
