//! What the host brings for messages.

pub use super::post::{DELIVERED_ANYWAY, Messenger};
