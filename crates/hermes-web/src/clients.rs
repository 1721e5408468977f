//! The clients behind the door, each made when it is first needed.
//!
//! What a connection may lead to is decided in a client's resolver, so that there is one client for each combination
//! of scheme, permission and route. Connections are kept within a client and so never serve a request with another
//! permission.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, Once, PoisonError};
use std::time::Duration;

use hermes_guard::url::Policy;
use reqwest::Client;

use crate::proxy::ProxySettings;
use crate::resolve::{JudgingResolver, NameLookup, Scheme};

/// How long a connection may take to come about.
const CONNECT: Duration = Duration::from_secs(10);
/// How long an unused connection is kept.
const IDLE: Duration = Duration::from_secs(30);

/// What tells the clients apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct ClientKind {
    pub(crate) scheme: Scheme,
    /// Whether private addresses are open.
    pub(crate) private: bool,
    pub(crate) route: WebRoute,
}

/// How a request leaves this machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum WebRoute {
    Direct,
    /// The proxy's own name is resolved by the system, without a check: the user named it.
    Proxy,
}

/// Makes and keeps clients.
pub(crate) struct Clients {
    pub(crate) lookup: Arc<dyn NameLookup>,
    pub(crate) proxies: ProxySettings,
    pub(crate) user_agent: String,
    made: Mutex<HashMap<ClientKind, Client>>,
}

impl Clients {
    pub(crate) fn new(
        lookup: Arc<dyn NameLookup>,
        proxies: ProxySettings,
        user_agent: String,
    ) -> Self {
        Self { lookup, proxies, user_agent, made: Mutex::default() }
    }

    pub(crate) fn get(&self, kind: ClientKind) -> Result<Client, reqwest::Error> {
        let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(client) = made.get(&kind) {
            return Ok(client.clone());
        }
        let client = self.make(kind)?;
        made.insert(kind, client.clone());
        Ok(client)
    }

    fn make(&self, kind: ClientKind) -> Result<Client, reqwest::Error> {
        static PROVIDER: Once = Once::new();
        PROVIDER.call_once(|| {
            // An error means that there is one already, which serves as well.
            let _ = rustls::crypto::ring::default_provider().install_default();
        });
        let mut builder = Client::builder()
            .connect_timeout(CONNECT)
            .pool_idle_timeout(IDLE)
            .tcp_nodelay(true)
            .user_agent(&self.user_agent)
            .referer(false)
            .redirect(reqwest::redirect::Policy::none())
            .retry(reqwest::retry::never())
            .no_proxy();
        builder = match kind.route {
            WebRoute::Proxy => self.proxies.apply(builder)?,
            WebRoute::Direct => builder.dns_resolver(JudgingResolver {
                lookup: Arc::clone(&self.lookup),
                policy: if kind.private { Policy::PrivateToo } else { Policy::PublicOnly },
                scheme: kind.scheme,
            }),
        };
        if kind.scheme == Scheme::Http && kind.route == WebRoute::Direct {
            // Reading the system's certificates takes longer than a whole call to a near server.
            builder = builder.tls_certs_only([]);
        }
        builder.build()
    }
}
