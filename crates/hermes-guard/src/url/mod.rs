//! Which web addresses may be visited.
//!
//! A model names URLs, and pages name more of them. Without a check, either could lead a tool to the
//! machine's own services, to the neighbours in its network, or to the address where clouds hand out
//! credentials. The check has two halves, because a name says nothing about where it leads:
//!
//! 1. [`check`] reads the URL: scheme, authority, host. A host that is an address, in any spelling
//!    that resolvers accept (`127.1`, `0x7f000001`, `[::ffff:7f00:1]`), is judged at once.
//! 2. The caller resolves the name, and [`UrlTarget::admit`] judges every address it got. The result,
//!    [`Pinned`], is what a connection is made to. Connecting to anything else, such as a second
//!    lookup of the name, would let a name server answer differently the second time.
//!
//! Every redirect is a new URL and takes the same way through [`UrlTarget::redirect`].
//!
//! * [`address`]: the ranges of addresses, and which are open under no setting at all.
//! * [`credentials`]: query parameters that carry credentials.
//! * [`iri`]: URLs as people write them, made fit for the wire.
//! * [`secrets`]: keys of known services, which do not belong in a URL at all.
//! * [`sites`]: the user's own list of blocked sites.
//!
//! # What never happens here
//!
//! Nothing is resolved or fetched. Nothing is guessed: what cannot be read for certain is refused.

use std::net::{IpAddr, SocketAddr};

use ::url::{Host, Url};

pub mod address;
pub mod credentials;
pub mod iri;
mod refusal;
pub mod secrets;
pub mod sites;
#[cfg(test)]
mod tests;

pub use address::{Policy, address_allowed};
pub use refusal::UrlRefusal;

/// Names of credential services; closed under every policy.
const METADATA_NAMES: [&str; 2] = ["metadata.google.internal", "metadata.goog"];

/// A media service that answers with private addresses inside its own network; over https only.
const PRIVATELY_RESOLVED: &str = "multimedia.nt.qq.com.cn";

/// A URL whose text passed; its addresses are still to be judged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UrlTarget {
    url: Url,
    policy: Policy,
}

/// A URL together with the addresses that were judged, and so the only ones to connect to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pinned {
    target: UrlTarget,
    addresses: Vec<SocketAddr>,
}

/// Judges the text of a URL.
///
/// # Errors
/// Why the URL is not visited.
pub fn check(url: &str, policy: Policy) -> Result<UrlTarget, UrlRefusal> {
    let url = url.trim_matches([' ', '\t', '\r', '\n']);
    check_authority(url)?;
    UrlTarget::new(
        Url::parse(url).map_err(|error| UrlRefusal::Unreadable(error.to_string()))?,
        policy,
    )
}

/// Parsers disagree about backslashes and drop control characters, so that one sees another host than
/// the next. Such an authority has no honest use.
fn check_authority(url: &str) -> Result<(), UrlRefusal> {
    let (scheme, rest) = url.split_once(':').ok_or(UrlRefusal::NotWeb)?;
    if !scheme.eq_ignore_ascii_case("http") && !scheme.eq_ignore_ascii_case("https") {
        return Err(UrlRefusal::NotWeb);
    }
    let rest = rest.strip_prefix("//").ok_or(UrlRefusal::Authority)?;
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let forbidden =
        |character: char| character == '\\' || character.is_control() || character.is_whitespace();
    if authority.contains(forbidden) {
        return Err(UrlRefusal::Authority);
    }
    if authority.is_empty() {
        return Err(UrlRefusal::NoHost);
    }
    Ok(())
}

impl UrlTarget {
    fn new(mut url: Url, policy: Policy) -> Result<Self, UrlRefusal> {
        if !matches!(url.scheme(), "http" | "https") {
            return Err(UrlRefusal::NotWeb);
        }
        let host = match url.host().ok_or(UrlRefusal::NoHost)? {
            Host::Domain(name) => name,
            Host::Ipv4(address) => {
                address::judge(IpAddr::V4(address), policy)?;
                return Ok(Self { url, policy });
            }
            Host::Ipv6(address) => {
                address::judge(IpAddr::V6(address), policy)?;
                return Ok(Self { url, policy });
            }
        };
        let name = host.trim_end_matches('.');
        if name.is_empty() {
            return Err(UrlRefusal::NoHost);
        }
        if METADATA_NAMES.contains(&name) {
            return Err(UrlRefusal::Metadata(name.to_owned()));
        }
        let local = name == "localhost" || name.ends_with(".localhost");
        if local && policy == Policy::PublicOnly {
            return Err(UrlRefusal::Private { host: name.to_owned(), range: "loopback" });
        }
        if name.len() != host.len() {
            // The dot at the end would otherwise hide the name from whoever compares it later.
            let name = name.to_owned();
            url.set_host(Some(&name)).map_err(|error| UrlRefusal::Unreadable(error.to_string()))?;
            return Self::new(url, policy);
        }
        Ok(Self { url, policy })
    }

    /// The URL in its parsed form.
    #[must_use]
    pub fn url(&self) -> &Url {
        &self.url
    }

    /// The host: lower-case, without a dot at its end, IPv6 addresses in brackets.
    #[must_use]
    pub fn host(&self) -> &str {
        self.url.host_str().unwrap_or_default()
    }

    /// The port, given or the scheme's own.
    #[must_use]
    pub fn port(&self) -> u16 {
        self.url.port_or_known_default().unwrap_or_default()
    }

    /// The address, when the host is one: there is nothing to resolve.
    #[must_use]
    pub fn literal_address(&self) -> Option<IpAddr> {
        match self.url.host()? {
            Host::Ipv4(address) => Some(address.into()),
            Host::Ipv6(address) => Some(address.into()),
            Host::Domain(_) => None,
        }
    }

    /// Judges what the host resolved to. For a host that is an address, that address alone counts.
    ///
    /// # Errors
    /// One blocked address is enough for a refusal, and so is no address at all.
    pub fn admit(self, resolved: impl IntoIterator<Item = IpAddr>) -> Result<Pinned, UrlRefusal> {
        let addresses: Vec<IpAddr> = match self.literal_address() {
            Some(address) => vec![address],
            None => resolved.into_iter().collect(),
        };
        if addresses.is_empty() {
            return Err(UrlRefusal::Unresolved(self.host().to_owned()));
        }
        let policy = if self.url.scheme() == "https" && self.host() == PRIVATELY_RESOLVED {
            Policy::PrivateToo
        } else {
            self.policy
        };
        for &address in &addresses {
            address::judge(address, policy).map_err(|refusal| refusal.behind(self.host()))?;
        }
        let port = self.port();
        let addresses = addresses.into_iter().map(|ip| SocketAddr::new(ip, port)).collect();
        Ok(Pinned { target: self, addresses })
    }

    /// Judges where a redirect leads: the text of a `Location` header, which may be relative.
    ///
    /// # Errors
    /// Why the new URL is not visited.
    pub fn redirect(&self, location: &str) -> Result<Self, UrlRefusal> {
        let location = location.trim_matches([' ', '\t', '\r', '\n']);
        if location.starts_with("//") {
            return check(&format!("{}:{location}", self.url.scheme()), self.policy);
        }
        if has_scheme(location) {
            return check(location, self.policy);
        }
        // `\host` and `/\host` are authorities to some parsers and paths to others.
        if location.starts_with(['\\']) || location.starts_with("/\\") {
            return Err(UrlRefusal::Authority);
        }
        if location.contains(char::is_control) {
            return Err(UrlRefusal::Authority);
        }
        let url =
            self.url.join(location).map_err(|error| UrlRefusal::Unreadable(error.to_string()))?;
        Self::new(url, self.policy)
    }
}

fn has_scheme(text: &str) -> bool {
    let scheme = text.split([':', '/', '?', '#']).next().unwrap_or_default();
    text[scheme.len()..].starts_with(':')
        && scheme.starts_with(|first: char| first.is_ascii_alphabetic())
        && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte))
}

impl Pinned {
    /// The address as it was asked for, before redirects.
    #[must_use]
    pub fn target(&self) -> &UrlTarget {
        &self.target
    }

    /// The addresses to connect to, in the resolver's order; never empty.
    #[must_use]
    pub fn addresses(&self) -> &[SocketAddr] {
        &self.addresses
    }
}
