//! What the reference of settings shows of the web tools.

pub use super::settings::WebSettings;
