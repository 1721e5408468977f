//! Names are resolved when a connection is made, and what they resolve to is judged there.
//!
//! A check before the request would be a different look-up from the one the connection makes, and a name server can
//! answer the second one differently. Here there is one look-up, inside the client's own connector: the addresses that
//! were judged are the addresses it gets.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use futures_util::future::BoxFuture;
use hermes_guard::url::{self, Policy, UrlRefusal};
use reqwest::dns::{Addrs, Name, Resolve, Resolving};

/// Turns names into addresses; the system's resolver, or one a test brings.
pub trait NameLookup: Send + Sync {
    /// All addresses of a name.
    fn lookup(&self, name: String) -> BoxFuture<'static, io::Result<Vec<IpAddr>>>;
}

/// The system's resolver.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemLookup;

impl NameLookup for SystemLookup {
    fn lookup(&self, name: String) -> BoxFuture<'static, io::Result<Vec<IpAddr>>> {
        Box::pin(async move {
            let found = tokio::net::lookup_host((name.as_str(), 0)).await?;
            Ok(found.map(|address| address.ip()).collect())
        })
    }
}

/// Which scheme the connections of a resolver are for: one exception of the rules depends on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Scheme {
    Http,
    Https,
}

impl Scheme {
    pub(crate) fn of(url: &::url::Url) -> Self {
        if url.scheme() == "https" { Self::Https } else { Self::Http }
    }

    fn text(self) -> &'static str {
        match self {
            Self::Http => "http",
            Self::Https => "https",
        }
    }
}

/// Resolves and judges in one step, for the connector of one client.
pub(crate) struct JudgingResolver {
    pub(crate) lookup: Arc<dyn NameLookup>,
    pub(crate) policy: Policy,
    pub(crate) scheme: Scheme,
}

impl JudgingResolver {
    pub(crate) async fn admit(
        lookup: Arc<dyn NameLookup>,
        policy: Policy,
        scheme: Scheme,
        name: String,
    ) -> Result<Vec<SocketAddr>, UrlRefusal> {
        let target = url::check(&format!("{}://{name}/", scheme.text()), policy)?;
        let found = lookup.lookup(name.clone()).await.map_err(|_| UrlRefusal::Unresolved(name))?;
        let pinned = target.admit(found)?;
        Ok(pinned.addresses().to_vec())
    }
}

impl Resolve for JudgingResolver {
    fn resolve(&self, name: Name) -> Resolving {
        let lookup = Arc::clone(&self.lookup);
        let (policy, scheme) = (self.policy, self.scheme);
        let name = name.as_str().to_owned();
        Box::pin(async move {
            let addresses = Self::admit(lookup, policy, scheme, name).await?;
            let addresses: Addrs = Box::new(addresses.into_iter().map(|mut address| {
                // The connector puts the URL's own port in.
                address.set_port(0);
                address
            }));
            Ok(addresses)
        })
    }
}

/// The rule that stopped a connection, if it was one: the client wraps it several times.
pub(crate) fn refusal_in(error: &reqwest::Error) -> Option<UrlRefusal> {
    let mut next: Option<&(dyn std::error::Error + 'static)> = Some(error);
    while let Some(error) = next {
        if let Some(refusal) = error.downcast_ref::<UrlRefusal>() {
            return Some(refusal.clone());
        }
        next = error.source();
    }
    None
}
