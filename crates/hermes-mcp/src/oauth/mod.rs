//! Logging in to a server that asks for it: OAuth 2.1, as the protocol wants it.
//!
//! A server that refuses a request says so with a challenge. [`Login`] takes it from there: it finds out
//! whom the server trusts, becomes a client there, sends a person to the page where they log in, waits for
//! them to come back, and keeps what they bring. Later it renews tokens before they end, once for all calls
//! and all processes that need it.
//!
//! | module | what |
//! |---|---|
//! | [`settings`] | what the configuration says |
//! | [`challenge`], [`metadata`] | what servers say; pure |
//! | `discover` | asking them |
//! | `register` | becoming a client |
//! | [`auth_method`], `jwt` | showing who we are |
//! | `token` | getting tokens |
//! | [`callback`] | where the browser comes back to |
//! | [`store`] | what is kept on disk |
//! | [`login`] | all of it, in order |
//! | [`authorizer`], [`login_to`] | a login for the client, and for a person who asks for one |
//!
//! Why not the SDK's own code for this: it keeps tokens in one opaque store, cannot share a renewal between
//! processes, and has no listener, no pasted address and no login without a person.
//!
//! What never happens here: a browser is opened, or a port taken, when nobody is there to log in
//! ([`Guide`] is absent); a token is sent to another server than the one it was got for; a secret appears
//! in a message, a log line or a debug output; a login goes on with a server that calls itself somebody
//! else.

pub mod auth_method;
mod bridge;
pub mod callback;
pub mod challenge;
mod clock;
mod discover;
mod jwt;
pub mod login;
pub mod metadata;
mod random;
mod register;
pub mod settings;
pub mod store;
mod token;
mod web;

#[cfg(test)]
mod tests;

use hermes_tool::BoxFuture;
use url::Url;

pub use bridge::{authorizer, login_to};
pub use login::Login;
pub use settings::{IdentityProvider, LoginSettings, OAuthGrant, SigningKey};
pub use store::TokenStore;

/// Why there is no token.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LoginError {
    /// A person has to log in, and nobody is there or they did not.
    #[error("{0}")]
    Needed(String),
    /// Something else is wrong.
    #[error("{0}")]
    Failed(String),
}

/// The page where a person logs in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoginPage {
    /// The server that wants it.
    pub server: String,
    /// The page.
    pub url: Url,
    /// Where the page sends the browser afterwards.
    pub redirect_uri: String,
    /// The port we listen on, for a tunnel.
    pub port: u16,
}

/// What a person said instead of coming back by themselves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Said {
    /// The address they ended at, or its query.
    Pasted(String),
    /// That they will not.
    Skipped,
}

/// Whoever brings a person to the page.
pub trait Guide: Send + Sync {
    /// Shows the page. Ends only if the person says something; coming back is noticed elsewhere, and then
    /// this is dropped.
    fn show(&self, page: LoginPage) -> BoxFuture<Said>;
}
