//! What verbs write into `.env` and `config.yaml` of a home, entry by entry; the rest of the two files stays as it is.
//!
//! ```text
//! auth      keys of model providers
//! fallback  models that stand in when the first cannot answer
//! webhook   routes by which other programs start something
//! ```
//!
//! What never happens here: a key that is stored is shown. The secret of a route is told once, when it is made.

mod auth;
mod fallback;
mod webhook;

pub use auth::AuthVerb;
pub use fallback::{AddFallback, FallbackVerb};
pub use webhook::{SubscribeArgs, WebhookVerb};
