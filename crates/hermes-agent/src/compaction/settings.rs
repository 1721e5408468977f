//! When a conversation is too long, and how much of it stays.

use hermes_tool::Vars;
use hermes_tool::settings::Settings;
use serde_json::Value;

/// The share of the window from which a conversation is compressed, unless another is configured.
const USUAL_SHARE: f64 = 0.5;
/// Shares of all or nothing are mistakes.
const LEAST_SHARE: f64 = 0.001;
const MOST_SHARE: f64 = 0.999;
/// Windows from this size on are cut at the plain share; smaller ones are used further.
const LARGE_WINDOW: u64 = 512_000;
/// The share for smaller windows, unless another is configured.
const SMALL_WINDOW_SHARE: f64 = 0.75;
/// No conversation shorter than this is compressed, if the window has room for it.
const FLOOR_TOKENS: u64 = 64_000;
/// The share for windows without room for the floor.
const TIGHT_SHARE: f64 = 0.85;

/// Settings of the section `compression`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CompactionSettings {
    /// Whether it happens by itself (`enabled`).
    pub automatic: Automatic,
    /// Share of the window from which it does, if one is configured (`threshold`).
    pub threshold: Option<f64>,
    /// Share of the threshold that stays word for word (`target_ratio`).
    pub target_ratio: f64,
    /// Messages at the beginning that stay, the first time (`protect_first_n`).
    pub protect_first: usize,
    /// Newest messages that are never pruned (`protect_last_n`).
    pub protect_last: usize,
    /// What a failed summary leads to (`abort_on_summary_failure`).
    pub on_failure: OnFailure,
}

/// Whether compression happens by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the words say it")]
pub enum Automatic {
    On,
    Off,
}

/// What happens when no summary can be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnFailure {
    /// One is put together without a model.
    Outline,
    /// The history stays as it is.
    Keep,
}

/// The section as it is written.
#[derive(Settings)]
#[settings(path = "compression", about = "Summarising old parts of a conversation", open)]
struct CompressionSection {
    /// Whether it happens by itself.
    #[setting(default = true)]
    enabled: bool,
    /// Share of the window from which it does; more for small windows if unset.
    #[setting(default = USUAL_SHARE, range = LEAST_SHARE..=MOST_SHARE)]
    threshold: f64,
    /// Share of the threshold that is kept word for word.
    #[setting(default = 0.20, range = LEAST_SHARE..=MOST_SHARE)]
    target_ratio: f64,
    /// Messages at the beginning that stay, the first time.
    #[setting(default = 3)]
    protect_first_n: usize,
    /// Messages at the end that stay.
    #[setting(default = 20)]
    protect_last_n: usize,
    /// Keep the conversation as it is when no summary can be made.
    abort_on_summary_failure: bool,
}

impl Default for CompactionSettings {
    fn default() -> Self {
        Self::from_config(&Value::Null)
    }
}

impl CompactionSettings {
    /// Reads a configuration; what is absent or makes no sense has its default.
    #[must_use]
    pub fn from_config(config: &Value) -> Self {
        let written = CompressionSection::read(config, &Vars::default());
        Self {
            automatic: if written.enabled { Automatic::On } else { Automatic::Off },
            // The default is written out in many files; only another value is a request.
            threshold: Some(written.threshold)
                .filter(|share| (share - USUAL_SHARE).abs() > f64::EPSILON),
            target_ratio: written.target_ratio,
            protect_first: written.protect_first_n,
            protect_last: written.protect_last_n,
            on_failure: match written.abort_on_summary_failure {
                true => OnFailure::Keep,
                false => OnFailure::Outline,
            },
        }
    }

    /// Tokens from which a conversation in this window is compressed. Room for an answer of
    /// `reserved` tokens is always left.
    #[must_use]
    pub fn threshold_tokens(&self, window: u64, reserved: u64) -> u64 {
        let usual = if window < LARGE_WINDOW { SMALL_WINDOW_SHARE } else { USUAL_SHARE };
        let tight = share_of(window, TIGHT_SHARE);
        let wanted = share_of(window, self.threshold.unwrap_or(usual));
        let wanted = wanted.max(FLOOR_TOKENS).min(tight);
        wanted.min(window.saturating_sub(reserved)).max(window / 4)
    }

    /// Tokens of the newest messages that stay word for word.
    #[must_use]
    pub fn tail_tokens(&self, threshold: u64) -> u64 {
        share_of(threshold, self.target_ratio)
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    reason = "a share between 0 and 1 of a count of tokens"
)]
fn share_of(tokens: u64, share: f64) -> u64 {
    (tokens as f64 * share) as u64
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_threshold_follows_the_window() {
        let settings = CompactionSettings::default();
        let at = |window| settings.threshold_tokens(window, 0);
        assert_eq!(at(1_000_000), 500_000);
        assert_eq!(at(200_000), 150_000);
        assert_eq!(at(80_000), 64_000);
        assert_eq!(at(32_000), 27_200);
    }

    #[test]
    fn an_answer_always_has_room() {
        let settings = CompactionSettings::default();
        assert_eq!(settings.threshold_tokens(200_000, 64_000), 136_000);
        assert_eq!(settings.threshold_tokens(200_000, 500_000), 50_000);
    }

    #[test]
    fn settings_are_read_and_nonsense_is_not() {
        let config = json!({"compression": {
            "enabled": false, "threshold": 0.6, "target_ratio": 7, "protect_last_n": 4,
            "abort_on_summary_failure": true}});
        let settings = CompactionSettings::from_config(&config);
        assert_eq!(settings.threshold_tokens(1_000_000, 0), 600_000);
        assert_eq!(settings.tail_tokens(100_000), 20_000);
        assert_eq!((settings.automatic, settings.protect_last), (Automatic::Off, 4));
        assert_eq!(settings.on_failure, OnFailure::Keep);
        let plain = json!({"compression": {"threshold": 0.5}});
        assert_eq!(CompactionSettings::from_config(&plain), CompactionSettings::default());
    }
}
