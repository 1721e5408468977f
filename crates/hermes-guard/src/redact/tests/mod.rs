//! Secrets are put together from parts here, so that no scanner takes these files for a leak.

use super::*;

mod corpora;
mod files;
mod modes;
mod names;
mod near_misses;
mod notations;
mod properties;
mod wire;

/// Text that looks generated.
const RANDOM: &str = "aB3dE5gH7jK9mN1pQ3sT5vW7xY9zA1bC3dE5";

fn full(text: &str) -> String {
    redact(text, RedactMode::Full).into_owned()
}

fn code(text: &str) -> String {
    redact(text, RedactMode::CodeFile).into_owned()
}

/// Each text becomes the wanted one, and stays it.
fn all_become(redact: fn(&str) -> String, cases: &[(&str, &str)]) {
    for (text, wanted) in cases {
        assert_eq!(redact(text), *wanted, "{text}");
        assert_eq!(redact(wanted), *wanted, "a second time: {wanted}");
    }
}

fn all_stay(redact: fn(&str) -> String, texts: &[&str]) {
    for text in texts {
        assert_eq!(redact(text), *text);
    }
}
