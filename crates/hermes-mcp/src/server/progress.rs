//! Progress as the protocol wants it: numbers that only grow.

use std::time::Duration;

use hermes_tool::Progress;
use rmcp::model::{ProgressNotificationParam, ProgressToken};

/// What a finished call counts as.
const WHOLE: f64 = 100.0;
/// The step for news that does not say how far the work is.
const STEP: f64 = 1.0;
/// The step that keeps a number growing although the share has not grown.
const NUDGE: f64 = 0.001;

/// How long a call may say nothing before its client hears that it still runs. Many clients give up
/// after a minute without a sign.
pub(super) const SILENCE: Duration = Duration::from_secs(5);

/// Turns notes of a tool into notifications.
#[derive(Debug)]
pub(super) struct Meter {
    token: ProgressToken,
    last: Option<f64>,
}

impl Meter {
    pub(super) fn new(token: ProgressToken) -> Self {
        Self { token, last: None }
    }

    /// The notification for a note.
    pub(super) fn notification(&mut self, note: Progress) -> ProgressNotificationParam {
        let share = note.fraction.map(|fraction| fraction.clamp(0.0, 1.0) * WHOLE);
        let value = match (share, self.last) {
            (Some(share), Some(last)) if share <= last => last + NUDGE,
            (Some(share), _) => share,
            (None, last) => last.unwrap_or_default() + STEP,
        };
        self.last = Some(value);
        let news = ProgressNotificationParam::new(self.token.clone(), value);
        let news = if share.is_some() { news.with_total(WHOLE) } else { news };
        if note.message.is_empty() { news } else { news.with_message(note.message) }
    }

    /// The notification that says nothing but that the call still runs.
    pub(super) fn still_running(&mut self, for_so_long: Duration) -> ProgressNotificationParam {
        let message = format!("still running after {} s", for_so_long.as_secs());
        self.notification(Progress { message, fraction: None })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rmcp::model::NumberOrString;

    fn value(meter: &mut Meter, fraction: Option<f64>) -> f64 {
        meter.notification(Progress { message: String::new(), fraction }).progress
    }

    #[test]
    fn numbers_only_grow() {
        let mut meter = Meter::new(ProgressToken(NumberOrString::Number(1)));
        let mut last = -1.0;
        for fraction in [Some(0.0), Some(0.5), Some(0.5), None, Some(0.2), Some(7.0)] {
            let next = value(&mut meter, fraction);
            assert!(next > last, "{fraction:?}: {next} after {last}");
            last = next;
        }
    }

    #[test]
    fn a_known_share_has_a_total() {
        let mut meter = Meter::new(ProgressToken(NumberOrString::Number(1)));
        let half = meter.notification(Progress { message: "half".into(), fraction: Some(0.5) });
        assert_eq!((half.progress, half.total), (50.0, Some(100.0)));
        assert_eq!(meter.still_running(SILENCE).total, None);
    }
}
