//! So many in any minute.

use std::collections::VecDeque;
use std::sync::Mutex;
use std::time::Duration;

use tokio::time::Instant;

const MINUTE: Duration = Duration::from_secs(60);

/// Lets a number of requests through in any sixty seconds.
#[derive(Debug)]
pub struct RateWindow {
    most: usize,
    passed: Mutex<VecDeque<Instant>>,
}

impl RateWindow {
    /// So many a minute.
    #[must_use]
    pub fn per_minute(most: u32) -> Self {
        Self { most: most as usize, passed: Mutex::default() }
    }

    /// Whether one more may pass now; if so, it has.
    pub fn admit(&self) -> bool {
        let now = Instant::now();
        let mut passed = self.passed.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        while passed.front().is_some_and(|first| now.duration_since(*first) >= MINUTE) {
            passed.pop_front();
        }
        let is_free = passed.len() < self.most;
        if is_free {
            passed.push_back(now);
        }
        is_free
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn the_window_slides() {
        let window = RateWindow::per_minute(2);
        assert!(window.admit());
        tokio::time::advance(Duration::from_secs(40)).await;
        assert!(window.admit());
        assert!(!window.admit());
        tokio::time::advance(Duration::from_secs(20)).await;
        assert!(window.admit(), "the first is a minute old");
        assert!(!window.admit(), "the second is not");
    }
}
