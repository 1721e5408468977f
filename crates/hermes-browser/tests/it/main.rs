//! A real Chromium on a site of our own.
//!
//! `scripts/test-parts/chromium start` installs it; without it these tests fail and say so.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod actions;
mod dialogs;
mod endurance;
mod frames;
mod hostile;
mod providers;
mod scene;
mod snapshots;
mod witness;
