//! The client against small servers, well-behaved and hostile ones.
#![allow(clippy::expect_used, clippy::unwrap_used, reason = "a test fails by panicking")]

mod basics;
mod double;
mod host;
mod hostile;
mod http;
mod lifetime;
mod tls;
