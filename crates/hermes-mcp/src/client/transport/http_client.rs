//! HTTP clients with a server's headers, certificates and proxies.

use std::sync::Once;
use std::time::Duration;

use hermes_tool::Vars;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};

use super::environment::expand;
use crate::client::connect_error::ConnectError;
use crate::client::protocol::VERSION;
use crate::client::settings::{ClientCertificate, HttpSettings, ServerSettings, Verify};

/// Longest pause between two parts of a stream.
const READ_LIMIT: Duration = Duration::from_secs(300);
/// Most redirects followed.
const MOST_REDIRECTS: usize = 10;
const VERSION_HEADER: &str = "mcp-protocol-version";

/// Which headers a client sends by itself.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Headers {
    /// The user's, and the protocol version.
    Server,
    /// None: for other hosts, such as one that gives tokens.
    None,
}

/// Installs the TLS implementation, once per process.
pub(crate) fn install_tls() {
    static PROVIDER: Once = Once::new();
    PROVIDER.call_once(|| {
        // An error means that there is one already, which serves as well.
        let _ = rustls::crypto::ring::default_provider().install_default();
    });
}

/// A client for one server.
pub(crate) fn client(
    settings: &ServerSettings,
    http: &HttpSettings,
    headers: Headers,
    vars: &Vars,
) -> Result<reqwest::Client, ConnectError> {
    install_tls();
    let server = || settings.name.to_string();
    let mut builder = reqwest::Client::builder()
        .connect_timeout(settings.connect_timeout)
        .read_timeout(READ_LIMIT)
        .redirect(match headers {
            Headers::Server => reqwest::redirect::Policy::limited(MOST_REDIRECTS),
            // A login sends secrets in its bodies, which a redirect would carry anywhere.
            Headers::None => reqwest::redirect::Policy::none(),
        })
        .no_proxy();
    builder = proxies(vars).into_iter().fold(builder, reqwest::ClientBuilder::proxy);
    if headers == Headers::Server {
        builder = builder.default_headers(header_map(settings, http)?);
    }
    let user_home = vars.get("HOME");
    let read = |key: &'static str, path: &str| {
        let path = expand(path, user_home);
        std::fs::read(&path).map_err(|source| ConnectError::TlsFile {
            server: server(),
            key,
            path,
            why: source.to_string(),
        })
    };
    let unusable = |key: &'static str, path: &str| {
        let (path, server) = (path.to_owned(), server());
        move |source: reqwest::Error| ConnectError::TlsFile {
            server,
            key,
            path,
            why: source.to_string(),
        }
    };
    match &http.tls.verify {
        Verify::WellKnown => {}
        Verify::Nothing => builder = builder.tls_danger_accept_invalid_certs(true),
        Verify::Authority(path) => {
            let pem = read("ssl_verify", path)?;
            let authorities = reqwest::Certificate::from_pem_bundle(&pem)
                .map_err(unusable("ssl_verify", path))?;
            builder = builder.tls_certs_only(authorities);
        }
    }
    if let Some(ClientCertificate { cert, key, password }) = &http.tls.client {
        if password.is_some() {
            return Err(ConnectError::LockedKey { server: server() });
        }
        let mut pem = read("client_cert", cert)?;
        if let Some(key) = key {
            pem.push(b'\n');
            pem.extend(read("client_key", key)?);
        }
        let identity = reqwest::Identity::from_pem(&pem).map_err(unusable("client_cert", cert))?;
        builder = builder.identity(identity);
    }
    builder
        .build()
        .map_err(|error| ConnectError::Client { server: server(), why: error.to_string() })
}

/// A client for anything else, without a server's headers and settings.
pub(crate) fn plain_client(vars: &Vars) -> Option<reqwest::Client> {
    install_tls();
    let builder = reqwest::Client::builder().no_proxy();
    proxies(vars).into_iter().fold(builder, reqwest::ClientBuilder::proxy).build().ok()
}

/// The usual variables for proxies, in either case.
fn proxies(vars: &Vars) -> Vec<reqwest::Proxy> {
    let either = |name: &str| vars.non_blank(&name.to_lowercase()).or(vars.non_blank(name));
    let except = either("NO_PROXY").and_then(reqwest::NoProxy::from_string);
    let all = either("ALL_PROXY");
    let http = either("HTTP_PROXY").or(all).and_then(|url| reqwest::Proxy::http(url).ok());
    let https = either("HTTPS_PROXY").or(all).and_then(|url| reqwest::Proxy::https(url).ok());
    http.into_iter().chain(https).map(|proxy| proxy.no_proxy(except.clone())).collect()
}

fn header_map(settings: &ServerSettings, http: &HttpSettings) -> Result<HeaderMap, ConnectError> {
    let mut map = HeaderMap::new();
    map.insert(VERSION_HEADER, HeaderValue::from_static(VERSION));
    for (name, value) in &http.headers {
        let wrong =
            || ConnectError::Header { server: settings.name.to_string(), name: name.clone() };
        let key = HeaderName::from_bytes(name.trim().as_bytes()).map_err(|_| wrong())?;
        let mut value = HeaderValue::from_str(value.trim()).map_err(|_| wrong())?;
        value.set_sensitive(true);
        map.insert(key, value);
    }
    Ok(map)
}
