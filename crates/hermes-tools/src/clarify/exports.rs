//! The question as a model puts it.

pub use super::clarify::{Clarify, MAX_CHOICES};
