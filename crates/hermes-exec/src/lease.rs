//! The right to use an environment, which keeps it from being closed meanwhile.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::environment::Environment;
use crate::settings::TerminalSettings;

/// Where the manager keeps one environment, or will when it is started.
pub(crate) struct EnvironmentSlot {
    pub(crate) environment: tokio::sync::Mutex<Option<Arc<Environment>>>,
    pub(crate) last_used: Mutex<Instant>,
}

/// An environment in use: it is not closed before this is dropped.
pub struct EnvironmentLease {
    /// The environment itself, for those who keep it beyond the lease.
    pub environment: Arc<Environment>,
    /// The name under which its background processes are listed.
    pub key: String,
    /// The settings it was made from.
    pub settings: Arc<TerminalSettings>,
    pub(crate) slot: Arc<EnvironmentSlot>,
}

impl std::ops::Deref for EnvironmentLease {
    type Target = Environment;

    fn deref(&self) -> &Environment {
        &self.environment
    }
}

impl Drop for EnvironmentLease {
    fn drop(&mut self) {
        self.slot.touch();
    }
}

impl EnvironmentSlot {
    pub(crate) fn touch(&self) {
        *self.last_used.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
    }

    pub(crate) fn idle(&self) -> Duration {
        self.last_used.lock().unwrap_or_else(PoisonError::into_inner).elapsed()
    }
}
