//! Who may come in: the checks before every request.
//!
//! Three of them, in this order. The host by which we are addressed must be one of ours: a web page
//! whose name was made to point at this machine still says its own name. The origin, if a browser
//! tells one, must be the very host and port that is addressed: a page that another program serves
//! from this machine, on another port, is as foreign as any, unless the user has named it. And the token
//! must be right. Only then is the body read.
//!
//! Every door over HTTP stands behind this one check; what they may choose is which names and origins
//! are theirs, how long a body may be, and the form in which a refusal is written.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use axum::Router;
use axum::extract::{Request, State};
use axum::http::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
    ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_MAX_AGE, ACCESS_CONTROL_REQUEST_METHOD,
    AUTHORIZATION, CONTENT_SECURITY_POLICY, HOST, ORIGIN, REFERRER_POLICY, VARY, WWW_AUTHENTICATE,
    X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS,
};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};

use crate::body::{MAX_BODY_BYTES, read_whole};
use crate::problem::{ApiProblem, ProblemWriter};
use crate::token::AccessToken;

/// The names of this machine that only it itself uses.
const LOOPBACK: [&str; 3] = ["localhost", "127.0.0.1", "[::1]"];
/// What needs no token: it tells nothing.
const OPEN_PATHS: &[&str] = &["/health"];
/// What every answer tells a browser that should see it: it is data, for nobody else, and no page.
const FOR_BROWSERS: [(HeaderName, &str); 4] = [
    (X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (REFERRER_POLICY, "no-referrer"),
    (X_FRAME_OPTIONS, "DENY"),
    (CONTENT_SECURITY_POLICY, "default-src 'none'; frame-ancestors 'none'"),
];
/// What pages of named origins may send and do.
const FOR_PAGES: [(HeaderName, &str); 3] = [
    (ACCESS_CONTROL_ALLOW_METHODS, "GET, POST, PATCH, DELETE"),
    (
        ACCESS_CONTROL_ALLOW_HEADERS,
        "authorization, content-type, idempotency-key, last-event-id, x-hermes-session-id, \
         x-hermes-session-key, x-hermes-events",
    ),
    (ACCESS_CONTROL_MAX_AGE, "600"),
];

/// Names by which a server may be addressed. Ports do not matter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hosts(Vec<String>);

impl Hosts {
    /// Loopback by its usual names.
    #[must_use]
    pub fn loopback() -> Self {
        Self(LOOPBACK.map(str::to_owned).to_vec())
    }

    /// Loopback, the address that is listened on, and further names.
    #[must_use]
    pub fn of(address: SocketAddr, names: &[String]) -> Self {
        let mut hosts = Self::loopback();
        if !address.ip().is_unspecified() {
            hosts.0.push(match address.ip() {
                IpAddr::V4(ip) => ip.to_string(),
                IpAddr::V6(ip) => format!("[{ip}]"),
            });
        }
        hosts.0.extend(names.iter().map(|name| name.to_ascii_lowercase()));
        hosts
    }

    /// As they are compared: in lower case, without a port.
    #[must_use]
    pub fn names(&self) -> &[String] {
        &self.0
    }

    /// Whether `host` or `host:port` is one of them.
    fn has(&self, authority: &str) -> bool {
        let host = match authority.rsplit_once(':') {
            // The colons of a bare v6 address are not those of a port.
            Some((host, port))
                if !host.ends_with(':') && port.bytes().all(|b| b.is_ascii_digit()) =>
            {
                host
            }
            _ => authority,
        };
        self.0.iter().any(|ours| ours.eq_ignore_ascii_case(host))
    }
}

/// The checks before every request.
#[derive(Clone, Debug)]
pub struct AccessCheck {
    hosts: Hosts,
    token: Option<AccessToken>,
    open_paths: &'static [&'static str],
    origins: Vec<String>,
    max_body: usize,
    write_problem: ProblemWriter,
    /// What pages may load, where the answers are pages.
    pages: Option<&'static str>,
}

impl AccessCheck {
    /// Programs on this machine that know the token.
    #[must_use]
    pub fn loopback(token: AccessToken) -> Self {
        Self::new(Hosts::loopback(), Some(token))
    }

    /// Programs that address us by one of these names and know the token, if there is one.
    #[must_use]
    pub fn new(hosts: Hosts, token: Option<AccessToken>) -> Self {
        Self {
            hosts,
            token,
            open_paths: OPEN_PATHS,
            origins: Vec::new(),
            max_body: MAX_BODY_BYTES,
            write_problem: |problem| problem.clone().into_response(),
            pages: None,
        }
    }

    /// The answers are pages, and this is the policy for what they load. Their own forms tell where they stand, which
    /// they do not where no referrer is told at all.
    #[must_use]
    pub fn pages(self, policy: &'static str) -> Self {
        Self { pages: Some(policy), ..self }
    }

    /// Without a token: what stands behind the check asks for a login of its own.
    #[must_use]
    pub fn with_own_login(self) -> Self {
        Self { token: None, ..self }
    }

    /// The paths that need no token, instead of `/health` alone.
    #[must_use]
    pub fn open_paths(self, open_paths: &'static [&'static str]) -> Self {
        Self { open_paths, ..self }
    }

    /// Further origins whose pages may call, with the token: `https://chat.example`.
    #[must_use]
    pub fn origins(self, origins: Vec<String>) -> Self {
        Self { origins, ..self }
    }

    /// The largest body in bytes.
    #[must_use]
    pub fn max_body(self, max_body: usize) -> Self {
        Self { max_body, ..self }
    }

    /// How refusals are written, if not as an [`ApiProblem`] is by itself.
    #[must_use]
    pub fn problems_as(self, write_problem: ProblemWriter) -> Self {
        Self { write_problem, ..self }
    }

    /// Puts the checks before every route of a router, and the limits of bodies behind them.
    pub fn protect(self, router: Router) -> Router {
        router.layer(from_fn_with_state(Arc::new(self), check))
    }

    fn admit(
        &self,
        path: &str,
        uri_host: Option<&str>,
        headers: &HeaderMap,
    ) -> Result<(), ApiProblem> {
        let host = single(headers, HOST.as_str()).or(uri_host);
        if !host.is_some_and(|host| self.hosts.has(host)) {
            return Err(ApiProblem::new(
                StatusCode::FORBIDDEN,
                "foreign_host",
                format!("Requests for the host `{}` are not served", host.unwrap_or_default()),
                format!("Address the server as one of: {}", self.hosts.0.join(", ")),
            ));
        }
        let origin = single(headers, ORIGIN.as_str());
        if headers.contains_key(ORIGIN)
            && !is_own_origin(origin, host.unwrap_or_default())
            && !self.has_origin(origin)
        {
            return Err(ApiProblem::new(
                StatusCode::FORBIDDEN,
                "foreign_origin",
                "Requests from web pages of other origins are not served",
                "Call the server from a program, not from a page",
            ));
        }
        match &self.token {
            Some(token) if !self.open_paths.contains(&path) => check_token(token, headers),
            _ => Ok(()),
        }
    }

    /// Whether the user has named this origin.
    fn has_origin(&self, origin: Option<&str>) -> bool {
        origin.is_some_and(|origin| self.origins.iter().any(|ours| ours == origin))
    }

    /// Whether a browser asks for a page of a named origin what that may do. It sends no token with it.
    fn is_preflight(&self, request: &Request) -> bool {
        let host = single(request.headers(), HOST.as_str());
        request.method() == Method::OPTIONS
            && request.headers().contains_key(ACCESS_CONTROL_REQUEST_METHOD)
            && host.is_some_and(|host| self.hosts.has(host))
            && self.has_origin(single(request.headers(), ORIGIN.as_str()))
    }
}

/// Whether a page comes from the very host and port that is addressed.
fn is_own_origin(origin: Option<&str>, host: &str) -> bool {
    let Some(origin) = origin else { return false };
    let authority = origin.strip_prefix("http://").or_else(|| origin.strip_prefix("https://"));
    authority.is_some_and(|authority| authority.eq_ignore_ascii_case(host))
}

/// A header that stands there once and is text.
fn single<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    let mut values = headers.get_all(name).iter();
    match (values.next(), values.next()) {
        (Some(value), None) => value.to_str().ok(),
        _ => None,
    }
}

fn check_token(token: &AccessToken, headers: &HeaderMap) -> Result<(), ApiProblem> {
    const HINT: &str = "Send the header `Authorization: Bearer TOKEN`";
    let refused =
        |code, message: &str| ApiProblem::new(StatusCode::UNAUTHORIZED, code, message, HINT);
    let given = single(headers, AUTHORIZATION.as_str())
        .and_then(|value| value.split_once(' '))
        .filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer"));
    match given {
        None => Err(refused("missing_token", "This server wants a token")),
        Some((_, given)) if token.matches(given.trim()) => Ok(()),
        Some(_) => Err(refused("wrong_token", "The token is not the right one")),
    }
}

async fn check(State(access): State<Arc<AccessCheck>>, request: Request, next: Next) -> Response {
    let named = single(request.headers(), ORIGIN.as_str())
        .filter(|origin| access.has_origin(Some(origin)))
        .and_then(|origin| HeaderValue::from_str(origin).ok());
    let mut response = match access.is_preflight(&request) {
        true => StatusCode::NO_CONTENT.into_response(),
        false => answer(&access, request, next).await,
    };
    let headers = response.headers_mut();
    for (name, value) in FOR_BROWSERS {
        headers.insert(name, HeaderValue::from_static(value));
    }
    if let Some(policy) = access.pages {
        headers.insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static(policy));
        headers.insert(REFERRER_POLICY, HeaderValue::from_static("same-origin"));
    }
    if !access.origins.is_empty() {
        headers.append(VARY, HeaderValue::from_static("origin"));
    }
    if let Some(origin) = named {
        headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, origin);
        headers.insert(
            ACCESS_CONTROL_EXPOSE_HEADERS,
            HeaderValue::from_static(
                "x-hermes-session-id, x-hermes-session-key, x-hermes-completed",
            ),
        );
        for (name, value) in FOR_PAGES {
            headers.insert(name, HeaderValue::from_static(value));
        }
    }
    response
}

async fn answer(access: &AccessCheck, request: Request, next: Next) -> Response {
    let uri_host = request.uri().authority().map(axum::http::uri::Authority::as_str);
    let answered = match access.admit(request.uri().path(), uri_host, request.headers()) {
        Ok(()) => read_whole(access.max_body, request, next).await,
        Err(problem) => Err(problem),
    };
    answered.unwrap_or_else(|problem| {
        let mut response = (access.write_problem)(&problem);
        if problem.status() == StatusCode::UNAUTHORIZED {
            response.headers_mut().insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        response
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOKEN: &str = "0123456789abcdef";

    fn verdict(path: &str, headers: &[(&'static str, &str)]) -> Option<&'static str> {
        let access = AccessCheck::loopback(AccessToken::new(TOKEN).unwrap());
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            map.append(*name, value.parse().unwrap());
        }
        let problem = access.admit(path, None, &map).err()?;
        let value = serde_json::to_value(&problem).unwrap();
        ["foreign_host", "foreign_origin", "missing_token", "wrong_token"]
            .into_iter()
            .find(|code| value["code"] == *code)
    }

    #[test]
    fn only_our_own_names_are_served() {
        let token = format!("Bearer {TOKEN}");
        let from = |host: &str| verdict("/v1/tools", &[("host", host), ("authorization", &token)]);
        for ours in ["localhost", "127.0.0.1:8080", "[::1]:1", "LOCALHOST:80"] {
            assert_eq!(from(ours), None, "{ours}");
        }
        for foreign in ["evil.example", "localhost.evil.example", "127.0.0.1.nip.io:80", "", "::1"]
        {
            assert_eq!(from(foreign), Some("foreign_host"), "{foreign}");
        }
        let twice = [("host", "localhost"), ("host", "evil.example"), ("authorization", &token)];
        assert_eq!(verdict("/v1/tools", &twice), Some("foreign_host"));
        assert_eq!(verdict("/v1/tools", &[]), Some("foreign_host"));
    }

    #[test]
    fn pages_of_other_origins_are_refused_even_with_the_token() {
        let token = format!("Bearer {TOKEN}");
        let from = |origin: &str| {
            verdict(
                "/health",
                &[("host", "localhost:8766"), ("origin", origin), ("authorization", &token)],
            )
        };
        assert_eq!(from("http://localhost:8766"), None);
        for foreign in [
            "https://evil.example",
            "null",
            "file://localhost:8766",
            "http://localhost:8766@evil",
            "http://localhost:3000",
            "http://localhost",
            "http://127.0.0.1:8766",
        ] {
            assert_eq!(from(foreign), Some("foreign_origin"), "{foreign}");
        }
    }

    #[test]
    fn the_token_is_wanted_everywhere_but_for_health() {
        assert_eq!(verdict("/health", &[("host", "localhost")]), None);
        assert_eq!(verdict("/openapi.json", &[("host", "localhost")]), Some("missing_token"));
        let with = |value: &str| verdict("/", &[("host", "localhost"), ("authorization", value)]);
        assert_eq!(with("Basic eDp5"), Some("missing_token"));
        assert_eq!(with("Bearer 0123456789abcdeg"), Some("wrong_token"));
        assert_eq!(with(&format!("bearer {TOKEN}")), None);
    }

    #[test]
    fn pages_of_origins_the_user_has_named_are_served_with_the_token() {
        let access = AccessCheck::loopback(AccessToken::new(TOKEN).unwrap())
            .origins(vec!["https://chat.example".to_owned()]);
        let admit = |origin: &str, token: &str| {
            let mut map = HeaderMap::new();
            map.append("host", "localhost".parse().unwrap());
            map.append("origin", origin.parse().unwrap());
            map.append("authorization", format!("Bearer {token}").parse().unwrap());
            access.admit("/v1/models", None, &map).map_err(|problem| problem.code())
        };
        assert_eq!(admit("https://chat.example", TOKEN), Ok(()));
        assert_eq!(admit("https://chat.example", "0123456789abcdeX"), Err("wrong_token"));
        assert_eq!(admit("https://chat.example.evil", TOKEN), Err("foreign_origin"));
        assert_eq!(admit("http://chat.example", TOKEN), Err("foreign_origin"));
    }

    #[test]
    fn the_address_listened_on_is_a_name_too() {
        let hosts = Hosts::of("10.0.0.7:80".parse().unwrap(), &["Tools.example".to_owned()]);
        assert!(hosts.has("10.0.0.7:80") && hosts.has("tools.example"));
        let any = Hosts::of("0.0.0.0:80".parse().unwrap(), &[]);
        assert!(!any.has("0.0.0.0"));
    }
}
