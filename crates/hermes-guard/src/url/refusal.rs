//! Why a URL is not visited.

use std::net::IpAddr;

/// Why a URL is not visited, and what would allow it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UrlRefusal {
    /// The scheme is not http or https.
    #[error("only http:// and https:// URLs are visited")]
    NotWeb,
    /// There is no host.
    #[error("the URL names no host")]
    NoHost,
    /// The part with the host can be read in two ways.
    #[error(
        "the URL is malformed between its scheme and its path: write scheme://host/path, without \
         backslashes, blanks or control characters in the host"
    )]
    Authority,
    /// The parser gave up.
    #[error("the URL cannot be read: {0}")]
    Unreadable(String),
    /// A service that hands out a machine's credentials.
    #[error("{0} is a cloud metadata address; it is blocked whatever the settings say")]
    Metadata(String),
    /// An address that is not on the public internet.
    #[error(
        "{host} is not on the public internet ({range}); set security.allow_private_urls to true to \
         allow private addresses"
    )]
    Private {
        /// The host or address that was refused.
        host: String,
        /// What kind of address it is.
        range: &'static str,
    },
    /// The name led nowhere, so nothing could be judged.
    #[error("{0} could not be resolved, so where it leads could not be checked")]
    Unresolved(String),
}

impl UrlRefusal {
    /// The rule, as a short stable name.
    #[must_use]
    pub fn rule(&self) -> &'static str {
        match self {
            Self::NotWeb => "not_web",
            Self::NoHost => "no_host",
            Self::Authority => "malformed_authority",
            Self::Unreadable(_) => "unreadable_url",
            Self::Metadata(_) => "metadata_address",
            Self::Private { .. } => "private_address",
            Self::Unresolved(_) => "unresolved_host",
        }
    }

    pub(super) fn metadata(address: IpAddr) -> Self {
        Self::Metadata(address.to_string())
    }

    pub(super) fn private(address: IpAddr, range: &'static str) -> Self {
        Self::Private { host: address.to_string(), range }
    }

    /// The same about a name that led to the address.
    pub(super) fn behind(self, name: &str) -> Self {
        let both = |address: String| {
            if address == name.trim_matches(['[', ']']) {
                address
            } else {
                format!("{name} (at {address})")
            }
        };
        match self {
            Self::Metadata(address) => Self::Metadata(both(address)),
            Self::Private { host, range } => Self::Private { host: both(host), range },
            other => other,
        }
    }
}
