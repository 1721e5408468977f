//! Why nothing came.

use std::time::Duration;

use hermes_guard::url::UrlRefusal;
use hermes_guard::url::sites::Blocked;
use hermes_tool::thousands;

/// Why a request was not made, or has no usable answer. An answer with an error status is none of these.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FetchError {
    /// A rule speaks against the address, or against where it leads.
    #[error("{0}")]
    Refused(UrlRefusal),
    /// A key of a known service is in the address.
    #[error(
        "Blocked: the URL contains what looks like an API key or token; keys do not belong in URLs"
    )]
    SecretInUrl,
    /// The address is itself a key, and somebody else would get to see it.
    #[error(
        "Blocked: the URL carries a credential in its parameter `{0}`, and the page would be fetched \
         by somebody else's service"
    )]
    CredentialInUrl(String),
    /// The user does not want the site visited.
    #[error("{} is blocked by the rule `{}` in {}", .0.host, .0.rule, .0.source)]
    Site(Blocked),
    /// It went on to yet another address too often.
    #[error("{host} redirected more than {limit} times")]
    Redirects {
        /// The host that sent the last redirect.
        host: String,
        /// How many were followed.
        limit: usize,
    },
    /// The body is longer than the caller takes.
    #[error("the answer of {host} is longer than {} bytes", thousands(*.limit))]
    TooLarge {
        /// The host that sent it.
        host: String,
        /// The most that would have been taken.
        limit: usize,
    },
    /// It took too long.
    #[error("{host} did not answer within {} s", .after.as_secs_f64())]
    Timeout {
        /// The host that was asked.
        host: String,
        /// How long was waited.
        after: Duration,
    },
    /// No connection, or it broke.
    #[error("{host}: {why}")]
    Connection {
        /// The host that was asked.
        host: String,
        /// What the network said.
        why: String,
    },
    /// The body is packed in a way that cannot be undone.
    #[error("the answer of {host} cannot be unpacked: {why}")]
    Encoding {
        /// The host that sent it.
        host: String,
        /// What is wrong with it.
        why: String,
    },
    /// The request could not be put together.
    #[error("the request could not be made: {0}")]
    Request(String),
}

impl FetchError {
    /// Whether a rule spoke against the request: asking again changes nothing.
    #[must_use]
    pub fn is_refusal(&self) -> bool {
        matches!(
            self,
            Self::Refused(_) | Self::SecretInUrl | Self::CredentialInUrl(_) | Self::Site(_)
        )
    }

    /// Whether it concerns a secret: then nothing of the whole call is done, not just this address.
    #[must_use]
    pub fn is_about_a_secret(&self) -> bool {
        matches!(self, Self::SecretInUrl | Self::CredentialInUrl(_))
    }

    /// The rule of the user's own list that spoke, if it was one: for a result's `blocked_by_policy`.
    #[must_use]
    pub fn blocked_site(&self) -> Option<&Blocked> {
        match self {
            Self::Site(blocked) => Some(blocked),
            _ => None,
        }
    }

    /// What a model is told. It hears of the rule, not of the setting that would lift it.
    #[must_use]
    pub fn for_model(&self) -> String {
        match self {
            Self::Refused(UrlRefusal::Private { host, range }) => {
                format!("Blocked: {host} is not on the public internet ({range})")
            }
            Self::Refused(UrlRefusal::Metadata(host)) => {
                format!("Blocked: {host} is a cloud metadata address")
            }
            Self::Refused(refusal) => format!("Blocked: {refusal}"),
            Self::Site(blocked) => {
                format!("Blocked: {} is on the user's list of blocked sites", blocked.host)
            }
            other => other.to_string(),
        }
    }
}
