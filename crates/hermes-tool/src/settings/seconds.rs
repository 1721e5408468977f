//! Lengths of time, which the file gives in seconds.

use std::time::Duration;

use serde_json::Value;

use super::scalar::as_f64;
use super::{Kind, SettingValue};

/// A length of time that is written as a number of seconds, never negative.
#[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd)]
pub struct Seconds(f64);

impl Seconds {
    /// A hundred years: longer values are taken for mistakes, and would not fit a `Duration`'s arithmetic.
    const MOST: f64 = 100.0 * 366.0 * 86_400.0;

    /// For defaults and ranges, which are constants.
    #[must_use]
    pub const fn new(seconds: f64) -> Self {
        Self(seconds)
    }

    /// The same as the standard library's type.
    #[must_use]
    pub fn duration(self) -> Duration {
        Duration::try_from_secs_f64(self.0).unwrap_or_default()
    }

    /// For settings where zero stands for "no limit".
    #[must_use]
    pub fn unless_zero(self) -> Option<Duration> {
        (self.0 > 0.0).then(|| self.duration())
    }
}

impl std::fmt::Display for Seconds {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.0)
    }
}

impl SettingValue for Seconds {
    const KIND: Kind = Kind::Number;

    fn from_config(value: &Value) -> Option<Self> {
        as_f64(value).filter(|seconds| (0.0..=Self::MOST).contains(seconds)).map(Self)
    }

    fn to_config(&self) -> String {
        self.0.to_string()
    }
}
