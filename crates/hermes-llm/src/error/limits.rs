//! Rate limits and window sizes: numbers that servers give away in their complaints. All matching is on lower-case text.

use std::sync::LazyLock;
use std::time::Duration;

use regex::Regex;

/// Numbers below this are no windows or caps of a real model, but counts of something else.
const SMALLEST_WINDOW: u64 = 256;

fn patterns(sources: &[&str]) -> Vec<Regex> {
    sources.iter().filter_map(|source| Regex::new(source).ok()).collect()
}

/// Patterns that name the window, the surest first.
static WINDOW: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    patterns(&[
        r"> ?(\d[\d,_]*) (?:maximum|max\b)",
        r"exceed context limit: \d[\d,_]* \+ \d[\d,_]* > (\d[\d,_]*)",
        r"maximum number of tokens allowed[^0-9]{0,5}(\d[\d,_]*)",
        r#"n_ctx["\\]*\s*[:=(]+\s*(\d[\d,_]*)"#,
        r"(?:maximum|max|available|allowed|only)[a-z' ]{0,20}(?:context|prompt|input)[a-z' ]{0,20}(?:length|size|window|limit)?[^0-9]{0,25}(\d[\d,_]*)",
        r"context (?:length|size|window|limit)[^0-9]{0,30}(\d[\d,_]*)",
        r"context_length[^0-9]{0,10}(\d[\d,_]*)",
        r"(?:limit|maximum|max) (?:is|of)[^0-9]{0,10}(\d[\d,_]*) ?tokens",
        r"exceeds? the limit (?:of )?(\d[\d,_]*)",
    ])
});

/// Window and prompt, where the text shows both: what is left is the cap.
static WINDOW_AND_PROMPT: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    patterns(&[
        // prompt + output > window
        r"(?P<prompt>\d[\d,_]*) \+ \d[\d,_]* > (?P<window>\d[\d,_]*)",
        // output > window - prompt
        r"\d[\d,_]* > (?P<window>\d[\d,_]*) - (?P<prompt>\d[\d,_]*)",
        r"maximum context length (?:is|of) (?P<window>\d[\d,_]*) tokens.{0,160}?\(?(?P<prompt>\d[\d,_]*) (?:in the messages|of text input|input tokens|in your prompt)",
    ])
});

/// Patterns that name the cap itself.
static CAP: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    patterns(&[
        r"available[_ a-z]*[:=]?\s*(\d[\d,_]*)",
        r"max[_ a-z]*tokens[^0-9]{0,20}\d[\d,_]* ?> ?(\d[\d,_]*)",
        r"at most (\d[\d,_]*) (?:completion|output)? ?tokens",
        r"(?:less than or equal to|must be (?:<=|at most|no more than)|cannot exceed|maximum (?:value|allowed)?(?: is| of)?)\D{0,20}(\d[\d,_]*)",
        r"range of max[_ a-z]*tokens should be \[\d+, ?(\d[\d,_]*)\]",
    ])
});

/// A time to wait, in the words of a complaint: `6m0s`, `1.2s`, `20ms`, `7 seconds`.
static WAIT: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let announced = r#"(?:retrydelay["\\:\s]+|try again in |retry in |retry after )"#;
    let time = r"(\d[\d.]{0,9}) ?([a-z]*)";
    Regex::new(&format!("{announced}{time}(?:{time})?")).ok()
});

/// The time that a complaint asks to wait, where it does so in its text.
#[must_use]
pub fn wait_time(text: &str) -> Option<Duration> {
    let found = WAIT.as_ref()?.captures(text)?;
    let seconds = |place: usize| {
        let number: f64 = found.get(place)?.as_str().parse().ok()?;
        let unit = found.get(place + 1)?.as_str();
        Some(match unit {
            "ms" => number / 1000.0,
            _ if unit.starts_with('m') => number * 60.0,
            _ if unit.starts_with('h') => number * 3600.0,
            _ => number,
        })
    };
    let total = seconds(1)? + seconds(3).unwrap_or(0.0);
    Duration::try_from_secs_f64(total).ok()
}

fn number(text: &str) -> Option<u64> {
    text.replace([',', '_'], "").parse().ok()
}

fn first(patterns: &[Regex], text: &str) -> Option<u64> {
    let found = |pattern: &Regex| number(pattern.captures(text)?.get(1)?.as_str());
    patterns.iter().filter_map(found).find(|number| *number >= SMALLEST_WINDOW)
}

/// The window that a complaint about an overflow names.
#[must_use]
pub fn context_limit(text: &str) -> Option<u64> {
    first(&WINDOW, text)
}

/// The output cap that a complaint names, or that follows from window and prompt. `None` if the prompt
/// alone is too large: then no cap helps.
#[must_use]
pub fn output_limit(text: &str) -> Option<u64> {
    for pattern in WINDOW_AND_PROMPT.iter() {
        let Some(found) = pattern.captures(text) else { continue };
        let named = |name: &str| number(found.name(name)?.as_str());
        if let (Some(window), Some(prompt)) = (named("window"), named("prompt")) {
            return window.checked_sub(prompt).filter(|left| *left >= SMALLEST_WINDOW);
        }
    }
    first(&CAP, text)
}
