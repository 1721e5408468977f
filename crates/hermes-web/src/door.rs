//! The door itself: one request, every hop judged.

use std::net::{IpAddr, SocketAddr};
use std::path::Path;
use std::sync::Arc;

use ::url::{Origin, Url};
use hermes_guard::url::credentials::credential_parameter;
use hermes_guard::url::{self, Policy, UrlTarget, iri, secrets};
use hermes_tool::Vars;
use hermes_tool::settings::Settings as _;
use hyper_util::client::proxy::matcher::Matcher;
use reqwest::header::{ACCEPT_ENCODING, HeaderValue, LOCATION};
use reqwest::{Method, Response};

use crate::body::{self, ACCEPTED};
use crate::clients::{ClientKind, Clients, WebRoute};
use crate::error::FetchError;
use crate::proxy::ProxySettings;
use crate::request::{FetchRequest, Fetched, UrlAuthor};
use crate::resolve::{JudgingResolver, NameLookup, Scheme, SystemLookup, refusal_in};
use crate::settings::WebAccessSettings;
use crate::sites::SitePolicy;

/// What a door is made of.
pub struct DoorOptions {
    /// Which addresses are open.
    pub policy: Policy,
    /// Origins the user named as his own servers: open although they are private.
    pub own_origins: Vec<Url>,
    /// The user's list of blocked sites.
    pub sites: SitePolicy,
    /// Where requests go instead of straight to the server.
    pub proxies: ProxySettings,
    /// How we introduce ourselves.
    pub user_agent: String,
    /// Who resolves names.
    pub lookup: Arc<dyn NameLookup>,
}

impl Default for DoorOptions {
    fn default() -> Self {
        Self {
            policy: Policy::PublicOnly,
            own_origins: Vec::new(),
            sites: SitePolicy::default(),
            proxies: ProxySettings::default(),
            user_agent: concat!("hermes/", env!("CARGO_PKG_VERSION")).to_owned(),
            lookup: Arc::new(SystemLookup),
        }
    }
}

impl DoorOptions {
    /// What the user set: permission, blocked sites (files below `home`), proxies.
    #[must_use]
    pub fn read(config: &serde_json::Value, vars: &Vars, home: &Path) -> Self {
        let settings = WebAccessSettings::read(config, vars);
        Self {
            policy: settings.policy(),
            sites: SitePolicy::new(&settings.website_blocklist, home),
            proxies: ProxySettings::from_vars(vars),
            ..Self::default()
        }
    }
}

/// Every request to an address from outside goes through here. Cheap to clone.
#[derive(Clone)]
pub struct HttpDoor {
    inner: Arc<Inner>,
}

struct Inner {
    policy: Policy,
    own_origins: Vec<Origin>,
    sites: SitePolicy,
    proxied: Matcher,
    clients: Clients,
}

impl HttpDoor {
    /// A door with these rules; nothing is connected yet.
    #[must_use]
    pub fn new(options: DoorOptions) -> Self {
        let inner = Inner {
            policy: options.policy,
            own_origins: options.own_origins.iter().map(Url::origin).collect(),
            sites: options.sites,
            proxied: options.proxies.matcher(),
            clients: Clients::new(options.lookup, options.proxies, options.user_agent),
        };
        Self { inner: Arc::new(inner) }
    }

    /// Makes a request and reads the whole answer, whatever its status.
    ///
    /// # Errors
    /// A rule speaks against the address or where it leads, a limit is passed, or the network fails.
    pub async fn fetch(&self, request: FetchRequest) -> Result<Fetched, FetchError> {
        let first = match request.author {
            UrlAuthor::Outside => self.inner.admit(&request.url)?,
            UrlAuthor::User => of_the_user(&request.url)?,
        };
        let mut host = first.host().to_owned();
        let fetching = self.inner.follow(first, &request, &mut host);
        match tokio::time::timeout(request.limits.time, fetching).await {
            Ok(done) => done,
            Err(_) => Err(FetchError::Timeout { host, after: request.limits.time }),
        }
    }

    /// Judges the text of an address as [`HttpDoor::fetch`] would, without connecting.
    ///
    /// # Errors
    /// The rule that speaks against it.
    pub fn check(&self, address: &str) -> Result<Url, FetchError> {
        Ok(self.inner.admit(address)?.url().clone())
    }

    /// Judges the text of an address that somebody else's service will fetch for us: what [`HttpDoor::check`] refuses,
    /// and addresses that are keys themselves. The name is still to be judged, see [`HttpDoor::judge`].
    ///
    /// # Errors
    /// The rule that speaks against it.
    pub fn check_for_third_party(&self, address: &str) -> Result<Url, FetchError> {
        let url = self.check(address)?;
        match credential_parameter(&url) {
            Some(name) => Err(FetchError::CredentialInUrl(name)),
            None => Ok(url),
        }
    }

    /// Judges an address and, with one look-up, everything its name leads to: for connections that others make (a
    /// browser, a fetching service). Who connects resolves again, so such a caller must also judge where it ended up.
    ///
    /// # Errors
    /// The rule that speaks against it.
    pub async fn judge(&self, address: &str) -> Result<Url, FetchError> {
        let target = self.inner.admit(address)?;
        let kind = self.inner.kind_of(target.url(), UrlAuthor::Outside);
        if kind.route == WebRoute::Proxy {
            self.inner.judge_beforehand(&target, kind).await?;
        } else if target.literal_address().is_none() {
            self.inner.resolve(&target, kind).await.map_err(FetchError::Refused)?;
        }
        Ok(target.url().clone())
    }

    /// Judges one address of a machine, such as the one a browser says it connected to.
    ///
    /// # Errors
    /// The range that speaks against it.
    pub fn judge_connected(&self, address: IpAddr) -> Result<(), FetchError> {
        hermes_guard::url::address::judge(address, self.inner.policy).map_err(FetchError::Refused)
    }
}

impl Inner {
    fn admit(&self, address: &str) -> Result<UrlTarget, FetchError> {
        if secrets::carries_vendor_key(address) {
            return Err(FetchError::SecretInUrl);
        }
        let address = iri::normalise(address);
        // An own origin is recognised by the parsed form, and judged with the permission it has.
        let own = Url::parse(&address).is_ok_and(|url| self.is_own(&url));
        let policy = if own { Policy::PrivateToo } else { self.policy };
        let target = url::check(&address, policy).map_err(FetchError::Refused)?;
        match self.sites.verdict(target.host()) {
            Some(blocked) => Err(FetchError::Site(blocked)),
            None => Ok(target),
        }
    }

    fn is_own(&self, url: &Url) -> bool {
        self.own_origins.contains(&url.origin())
    }

    async fn follow(
        &self,
        first: UrlTarget,
        request: &FetchRequest,
        host: &mut String,
    ) -> Result<Fetched, FetchError> {
        let origin = first.url().origin();
        let mut target = first;
        for _ in 0..=request.limits.redirects {
            target.host().clone_into(host);
            let response = self.send(&target, request, target.url().origin() == origin).await?;
            let Some(next) = redirect_of(&response, &request.method) else {
                let (status, headers) = (response.status(), response.headers().clone());
                let body = body::read(response, request.limits.bytes, host).await?;
                return Ok(Fetched { url: target.url().clone(), status, headers, body });
            };
            let next = target.redirect(&next).map_err(FetchError::Refused)?;
            let stays = next.url().origin() == origin;
            target = match request.author {
                UrlAuthor::User if stays => of_the_user(next.url().as_str())?,
                _ => self.admit(next.url().as_str())?,
            };
        }
        Err(FetchError::Redirects { host: host.clone(), limit: request.limits.redirects })
    }

    async fn send(
        &self,
        target: &UrlTarget,
        request: &FetchRequest,
        at_origin: bool,
    ) -> Result<Response, FetchError> {
        let url = target.url();
        let author = if at_origin { request.author } else { UrlAuthor::Outside };
        let kind = self.kind_of(url, author);
        if kind.route == WebRoute::Proxy {
            self.judge_beforehand(target, kind).await?;
        }
        let client =
            self.clients.get(kind).map_err(|error| FetchError::Request(error.to_string()))?;
        let mut building = client
            .request(request.method.clone(), url.clone())
            .header(ACCEPT_ENCODING, HeaderValue::from_static(ACCEPTED))
            .headers(request.headers.clone());
        if at_origin {
            building = building.headers(request.for_origin.clone());
            if let Some(body) = &request.body {
                building = building.body(body.clone());
            }
        }
        building.send().await.map_err(|error| match refusal_in(&error) {
            Some(refusal) => FetchError::Refused(refusal),
            None => body::connection(target.host(), &error),
        })
    }

    fn kind_of(&self, url: &Url, author: UrlAuthor) -> ClientKind {
        let private =
            self.policy == Policy::PrivateToo || author == UrlAuthor::User || self.is_own(url);
        ClientKind { scheme: Scheme::of(url), private, route: self.route(url) }
    }

    fn route(&self, url: &Url) -> WebRoute {
        match url.as_str().parse() {
            Ok(uri) if self.proxied.intercept(&uri).is_some() => WebRoute::Proxy,
            _ => WebRoute::Direct,
        }
    }

    /// The proxy connects, so that all we can do is to look where the name leads from here.
    async fn judge_beforehand(
        &self,
        target: &UrlTarget,
        kind: ClientKind,
    ) -> Result<(), FetchError> {
        if target.literal_address().is_some() {
            return Ok(());
        }
        match self.resolve(target, kind).await {
            Ok(_) | Err(url::UrlRefusal::Unresolved(_)) => Ok(()),
            Err(refusal) => Err(FetchError::Refused(refusal)),
        }
    }

    async fn resolve(
        &self,
        target: &UrlTarget,
        kind: ClientKind,
    ) -> Result<Vec<SocketAddr>, url::UrlRefusal> {
        let lookup = Arc::clone(&self.clients.lookup);
        let policy = if kind.private { Policy::PrivateToo } else { Policy::PublicOnly };
        JudgingResolver::admit(lookup, policy, kind.scheme, target.host().to_owned()).await
    }
}

/// An address with a host from the user's settings: only what is closed to everybody is refused.
fn of_the_user(address: &str) -> Result<UrlTarget, FetchError> {
    url::check(&iri::normalise(address), Policy::PrivateToo).map_err(FetchError::Refused)
}

/// Where an answer sends us, if we go there by ourselves.
fn redirect_of(response: &Response, method: &Method) -> Option<String> {
    let follows = matches!(response.status().as_u16(), 301 | 302 | 303 | 307 | 308)
        && matches!(*method, Method::GET | Method::HEAD);
    let location = response.headers().get(LOCATION).filter(|_| follows)?;
    Some(String::from_utf8_lossy(location.as_bytes()).into_owned())
}

#[cfg(test)]
mod tests;
