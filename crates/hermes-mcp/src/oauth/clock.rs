//! The time as tokens know it.

/// Seconds since 1970, as `expires_at` and the claims of a signed note count them.
pub(super) fn now() -> f64 {
    jiff::Timestamp::now().as_duration().as_secs_f64()
}
