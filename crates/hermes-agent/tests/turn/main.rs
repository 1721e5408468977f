//! The turn loop with a model that says what the test tells it to.

#![allow(clippy::expect_used, clippy::unwrap_used, reason = "a failed step fails the test")]

mod fake;

mod delegation;
mod errors;
mod interrupt;
mod recording;
mod recovery;
mod tools;
