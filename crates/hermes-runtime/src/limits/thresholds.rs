//! From a tool's declared limit and the model's context window to a number of characters.

use std::collections::BTreeMap;

use hermes_tool::ResultLimit;

/// Characters one result may have when nothing else is said.
pub const DEFAULT_RESULT_CHARS: usize = 100_000;
/// Characters all results of one turn may have together when nothing else is said.
pub const DEFAULT_TURN_CHARS: usize = 200_000;

const MIN_RESULT_CHARS: usize = 8_000;
const MIN_TURN_CHARS: usize = 16_000;
/// A rough but steady estimate; a tokenizer would be exact and far too slow here.
const CHARS_PER_TOKEN: u64 = 4;
const RESULT_PERCENT: u64 = 15;
const TURN_PERCENT: u64 = 30;

/// How long a result may be before it is moved to a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Threshold {
    /// A text strictly longer than this many characters is moved.
    Chars(usize),
    /// Never moved.
    Unlimited,
}

impl Threshold {
    /// The length of a text if it is strictly longer than this. A text has no more characters than
    /// bytes, so most texts are never counted.
    pub(super) fn chars_over(self, text: &str) -> Option<usize> {
        let Self::Chars(most) = self else { return None };
        if text.len() <= most {
            return None;
        }
        Some(text.chars().count()).filter(|chars| *chars > most)
    }

    /// Whether a text is too long.
    #[must_use]
    pub fn is_exceeded_by(self, text: &str) -> bool {
        self.chars_over(text).is_some()
    }
}

/// The sizes that hold for one session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResultLimits {
    /// Most characters of one result; tools may ask for less, never for more.
    pub per_result: usize,
    /// Most characters of all results of one turn.
    pub per_turn: usize,
    /// Explicit thresholds by tool name; they win over what the tool declared and are not scaled.
    pub overrides: BTreeMap<String, Threshold>,
}

impl Default for ResultLimits {
    fn default() -> Self {
        Self {
            per_result: DEFAULT_RESULT_CHARS,
            per_turn: DEFAULT_TURN_CHARS,
            overrides: BTreeMap::new(),
        }
    }
}

impl ResultLimits {
    /// Limits for a model with this many tokens of context: a share of the window, between a floor
    /// that keeps tools usable and the defaults. An unknown (or zero) window gives the defaults.
    #[must_use]
    pub fn for_context_window(tokens: Option<u64>) -> Self {
        let Some(tokens) = tokens.filter(|tokens| *tokens > 0) else {
            return Self::default();
        };
        let window = u128::from(tokens) * u128::from(CHARS_PER_TOKEN);
        let share = |percent: u64, floor: usize, ceiling: usize| {
            let chars = window * u128::from(percent) / 100;
            usize::try_from(chars).unwrap_or(ceiling).clamp(floor, ceiling)
        };
        Self {
            per_result: share(RESULT_PERCENT, MIN_RESULT_CHARS, DEFAULT_RESULT_CHARS),
            per_turn: share(TURN_PERCENT, MIN_TURN_CHARS, DEFAULT_TURN_CHARS),
            overrides: BTreeMap::new(),
        }
    }

    /// These limits with an explicit threshold for one tool.
    #[must_use]
    pub fn with_override(mut self, tool: impl Into<String>, threshold: Threshold) -> Self {
        self.overrides.insert(tool.into(), threshold);
        self
    }

    /// The threshold of one tool: overridden, else the smaller of what the tool
    /// declared and [`per_result`](Self::per_result). A tool that declared none stays unlimited.
    #[must_use]
    pub fn threshold(&self, tool: &str, declared: ResultLimit) -> Threshold {
        if let Some(threshold) = self.overrides.get(tool) {
            return *threshold;
        }
        match declared {
            ResultLimit::Unlimited => Threshold::Unlimited,
            ResultLimit::Default => Threshold::Chars(self.per_result),
            ResultLimit::Chars(chars) => Threshold::Chars(chars.min(self.per_result)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tools_may_ask_for_less_but_not_for_more() {
        let limits = ResultLimits::default();
        let threshold = |declared| limits.threshold("t", declared);
        assert_eq!(threshold(ResultLimit::Default), Threshold::Chars(100_000));
        assert_eq!(threshold(ResultLimit::Chars(30_000)), Threshold::Chars(30_000));
        assert_eq!(threshold(ResultLimit::Chars(900_000)), Threshold::Chars(100_000));
        assert_eq!(threshold(ResultLimit::Unlimited), Threshold::Unlimited);
    }

    #[test]
    fn an_override_wins_over_the_declaration_in_both_directions() {
        let limits = ResultLimits::default()
            .with_override("big", Threshold::Chars(500_000))
            .with_override("small", Threshold::Chars(10));
        assert_eq!(limits.threshold("big", ResultLimit::Chars(1)), Threshold::Chars(500_000));
        assert_eq!(limits.threshold("small", ResultLimit::Unlimited), Threshold::Chars(10));
    }

    #[test]
    fn small_windows_shrink_both_limits_within_their_bounds() {
        let sizes = |tokens| {
            let limits = ResultLimits::for_context_window(tokens);
            (limits.per_result, limits.per_turn)
        };
        assert_eq!(sizes(None), (100_000, 200_000));
        assert_eq!(sizes(Some(0)), (100_000, 200_000));
        assert_eq!(sizes(Some(1_000)), (8_000, 16_000));
        assert_eq!(sizes(Some(32_768)), (19_660, 39_321)); // 131 072 chars: 19 660.8 and 39 321.6
        assert_eq!(sizes(Some(200_000)), (100_000, 200_000));
        assert_eq!(sizes(Some(u64::MAX)), (100_000, 200_000));
    }

    #[test]
    fn a_scaled_limit_also_caps_declared_ones() {
        let limits = ResultLimits::for_context_window(Some(1_000));
        assert_eq!(limits.threshold("t", ResultLimit::Chars(50_000)), Threshold::Chars(8_000));
    }
}
