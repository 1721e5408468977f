//! Retry policy: whether a failed model call is tried again, after which backoff, and when a fallback model takes over.
//! Pure: randomness is handed in.

use std::time::Duration;

use crate::model::ErrorClass;

/// How often a call is tried again unless the configuration says otherwise.
pub const DEFAULT_RETRIES: u32 = 3;

/// The longest wait that a server can ask for.
pub const LONGEST_REQUESTED: Duration = Duration::from_secs(600);

/// A wait is made of pieces no longer than this, so that an interrupt is prompt.
pub const SLICE: Duration = Duration::from_millis(200);

/// What may help after a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Remedy {
    /// Nothing: the same request would fail again.
    None,
    /// Waiting, then the same request.
    Wait,
    /// A changed request, once: see [`Model::adapt`](crate::Model::adapt).
    Adapt,
    /// A shorter history.
    Compress,
}

/// When another provider is worth a try.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fallback {
    /// Never for this class alone; only when all tries are used up.
    WhenOut,
    /// After this many failures.
    After(u32),
}

/// What may help after a failure of this class.
#[must_use]
pub fn remedy(class: ErrorClass) -> Remedy {
    use ErrorClass as C;
    match class {
        C::Auth | C::Billing | C::ModelNotFound | C::Policy | C::FormatError => Remedy::None,
        C::ContentPolicy | C::Tls | C::Cancelled | C::NotRunning => Remedy::None,
        C::PayloadTooLarge | C::ContextOverflow => Remedy::Compress,
        C::OutputCap | C::ThinkingSignature | C::SchemaGrammar | C::ImageRejected => Remedy::Adapt,
        C::StreamUnsupported => Remedy::Adapt,
        C::RateLimit | C::UpstreamRateLimit | C::Overloaded | C::Timeout => Remedy::Wait,
        C::ServerError | C::Dropped | C::InvalidResponse | C::Unknown => Remedy::Wait,
    }
}

/// When another provider is worth a try after failures of this class.
#[must_use]
pub fn fallback(class: ErrorClass) -> Fallback {
    use ErrorClass as C;
    match class {
        C::Auth | C::Billing | C::ModelNotFound | C::Policy | C::FormatError => Fallback::After(1),
        C::ContentPolicy | C::RateLimit | C::UpstreamRateLimit | C::NotRunning => {
            Fallback::After(1)
        }
        C::Overloaded | C::Timeout | C::Dropped => Fallback::After(2),
        _ => Fallback::WhenOut,
    }
}

/// How long to wait before try number `attempt` (from 1), with a `random` number from 0 to 1.
#[must_use]
pub fn delay(
    class: ErrorClass,
    attempt: u32,
    retry_after: Option<Duration>,
    random: f64,
) -> Duration {
    let limited = matches!(class, ErrorClass::RateLimit | ErrorClass::UpstreamRateLimit);
    if let Some(asked) = retry_after.filter(|_| limited || class == ErrorClass::Overloaded) {
        return asked.min(LONGEST_REQUESTED);
    }
    let (base, cap) = if class == ErrorClass::InvalidResponse { (5, 120) } else { (2, 60) };
    let doubled = 1_u64.checked_shl(attempt.saturating_sub(1)).unwrap_or(u64::MAX);
    let seconds = doubled.saturating_mul(base).min(cap);
    Duration::from_secs(seconds).mul_f64(1.0 + random.clamp(0.0, 1.0) / 2.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seconds(class: ErrorClass, attempt: u32, random: f64) -> f64 {
        delay(class, attempt, None, random).as_secs_f64()
    }

    #[test]
    fn delays_double_up_to_a_cap_and_vary_by_half() {
        let of = |attempt| seconds(ErrorClass::ServerError, attempt, 0.0);
        assert_eq!([of(1), of(2), of(3), of(6), of(90)], [2.0, 4.0, 8.0, 60.0, 60.0]);
        assert!((seconds(ErrorClass::ServerError, 1, 1.0) - 3.0).abs() < 1e-9);
        assert!((seconds(ErrorClass::ServerError, 1, 7.0) - 3.0).abs() < 1e-9);
        let invalid = |attempt| seconds(ErrorClass::InvalidResponse, attempt, 0.0);
        assert_eq!([invalid(1), invalid(2), invalid(9)], [5.0, 10.0, 120.0]);
    }

    #[test]
    fn a_server_that_names_a_time_is_believed_within_reason() {
        let asked = |seconds| Some(Duration::from_secs(seconds));
        let of = |class, seconds| delay(class, 1, asked(seconds), 0.0).as_secs();
        assert_eq!(of(ErrorClass::RateLimit, 30), 30);
        assert_eq!(of(ErrorClass::RateLimit, 6000), 600);
        assert_eq!(of(ErrorClass::ServerError, 30), 2);
    }

    #[test]
    fn what_cannot_get_better_is_not_repeated() {
        assert_eq!(remedy(ErrorClass::Auth), Remedy::None);
        assert_eq!(remedy(ErrorClass::ContextOverflow), Remedy::Compress);
        assert_eq!(remedy(ErrorClass::Unknown), Remedy::Wait);
        assert_eq!(remedy(ErrorClass::OutputCap), Remedy::Adapt);
        assert_eq!(fallback(ErrorClass::RateLimit), Fallback::After(1));
        assert_eq!(fallback(ErrorClass::Overloaded), Fallback::After(2));
        assert_eq!(fallback(ErrorClass::Unknown), Fallback::WhenOut);
    }
}
