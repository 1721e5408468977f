//! Other people's servers, whose tools become ours.

pub mod elicitation;
pub mod request_error;
pub mod roots;
pub mod sampling;
