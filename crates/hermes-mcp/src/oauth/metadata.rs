//! What servers publish about logging in, where it stands, and whether it may be believed.
//!
//! A protected server names the authorization servers it trusts ([`ResourceMetadata`]); one of those says
//! where to log in, get tokens and register ([`ServerMetadata`]). Everything here is pure: addresses to
//! look at, shapes, and checks. What never happens: a resource that is not the server we talk to is
//! taken for it, or an address is used that could carry a secret in the clear.

use serde::{Deserialize, Serialize};
use url::Url;

/// What a protected server says about itself (RFC 9728).
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
pub struct ResourceMetadata {
    /// Its own name.
    pub resource: Option<String>,
    /// Whom it trusts.
    #[serde(default)]
    pub authorization_servers: Vec<Url>,
    /// What tokens can allow.
    pub scopes_supported: Option<Vec<String>>,
}

/// What an authorization server says about itself (RFC 8414).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ServerMetadata {
    /// Its own name.
    #[serde(default)]
    pub issuer: String,
    /// Where people log in.
    pub authorization_endpoint: Option<Url>,
    /// Where tokens are had.
    pub token_endpoint: Url,
    /// Where clients register.
    pub registration_endpoint: Option<Url>,
    /// What tokens can allow.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scopes_supported: Option<Vec<String>>,
    /// How clients may show who they are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token_endpoint_auth_methods_supported: Option<Vec<String>>,
    /// How a code is tied to whoever asked for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code_challenge_methods_supported: Option<Vec<String>>,
    /// Whether a client may be named by the address of its description.
    #[serde(default)]
    pub client_id_metadata_document_supported: bool,
    /// Whether it promises to say who it is when it sends somebody back (RFC 9207).
    #[serde(default)]
    pub authorization_response_iss_parameter_supported: bool,
}

impl ServerMetadata {
    /// Whether this scope is on offer.
    #[must_use]
    pub fn offers(&self, scope: &str) -> bool {
        self.scopes_supported.iter().flatten().any(|offered| offered == scope)
    }

    /// The endpoints of servers from before there were descriptions.
    #[must_use]
    pub fn undescribed(server: &Url) -> Option<Self> {
        let at = |path: &str| origin(server)?.join(path).ok();
        Some(Self {
            issuer: origin(server)?.as_str().trim_end_matches('/').to_owned(),
            authorization_endpoint: at("/authorize"),
            token_endpoint: at("/token")?,
            registration_endpoint: at("/register"),
            scopes_supported: None,
            token_endpoint_auth_methods_supported: None,
            code_challenge_methods_supported: None,
            client_id_metadata_document_supported: false,
            authorization_response_iss_parameter_supported: false,
        })
    }
}

/// Scheme, host and port of an address.
#[must_use]
pub fn origin(url: &Url) -> Option<Url> {
    let mut origin = url.clone();
    origin.set_path("/");
    origin.set_query(None);
    origin.set_fragment(None);
    origin.set_username("").ok()?;
    origin.set_password(None).ok()?;
    origin.has_host().then_some(origin)
}

/// Where a server may describe itself, the most particular place first.
#[must_use]
pub fn resource_metadata_urls(server: &Url) -> Vec<Url> {
    well_known(server, &[(Insert::Before, "oauth-protected-resource")], Root::Too)
}

/// Where an authorization server may describe itself, in the order to look.
#[must_use]
pub fn server_metadata_urls(issuer: &Url) -> Vec<Url> {
    let kinds = [
        (Insert::Before, "oauth-authorization-server"),
        (Insert::Before, "openid-configuration"),
        (Insert::After, "openid-configuration"),
    ];
    well_known(issuer, &kinds, Root::Not)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Insert {
    Before,
    After,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Root {
    Too,
    Not,
}

fn well_known(url: &Url, kinds: &[(Insert, &str)], root: Root) -> Vec<Url> {
    let Some(base) = origin(url) else { return Vec::new() };
    let path = url.path().trim_end_matches('/');
    let mut places: Vec<Url> = Vec::new();
    let mut push = |path: String| {
        if let Ok(place) = base.join(&path)
            && !places.contains(&place)
        {
            places.push(place);
        }
    };
    for (insert, name) in kinds {
        match insert {
            Insert::Before => push(format!("/.well-known/{name}{path}")),
            Insert::After => push(format!("{path}/.well-known/{name}")),
        }
    }
    if root == Root::Too {
        for (_, name) in kinds {
            push(format!("/.well-known/{name}"));
        }
    }
    places
}

/// Whether a description is of the server we talk to: the same origin, and a path that leads to it.
#[must_use]
pub fn is_about(resource: &str, server: &Url) -> bool {
    let Ok(resource) = Url::parse(resource) else { return false };
    let folder = |url: &Url| format!("{}/", url.path().trim_end_matches('/'));
    resource.origin() == server.origin() && folder(server).starts_with(&folder(&resource))
}

/// Whether an address that a server named may be used: never one in the clear, unless the server itself
/// is reached in the clear, as in tests and at home.
#[must_use]
pub fn is_usable(named: &Url, server: &Url) -> bool {
    match named.scheme() {
        "https" => true,
        "http" => server.scheme() == "http",
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(text: &str) -> Url {
        Url::parse(text).unwrap()
    }

    fn texts(urls: &[Url]) -> Vec<&str> {
        urls.iter().map(Url::as_str).collect()
    }

    #[test]
    fn a_server_describes_itself_under_its_path_or_at_its_root() {
        assert_eq!(
            texts(&resource_metadata_urls(&url("https://a.example/public/mcp?x=1"))),
            [
                "https://a.example/.well-known/oauth-protected-resource/public/mcp",
                "https://a.example/.well-known/oauth-protected-resource"
            ]
        );
        assert_eq!(resource_metadata_urls(&url("https://a.example/")).len(), 1);
    }

    #[test]
    fn an_issuer_with_a_path_has_three_places_and_one_without_two() {
        assert_eq!(
            texts(&server_metadata_urls(&url("https://a.example/tenant"))),
            [
                "https://a.example/.well-known/oauth-authorization-server/tenant",
                "https://a.example/.well-known/openid-configuration/tenant",
                "https://a.example/tenant/.well-known/openid-configuration"
            ]
        );
        assert_eq!(
            texts(&server_metadata_urls(&url("https://a.example"))),
            [
                "https://a.example/.well-known/oauth-authorization-server",
                "https://a.example/.well-known/openid-configuration"
            ]
        );
    }

    #[test]
    fn a_description_of_another_server_is_not_believed() {
        let server = url("https://a.example/api/mcp");
        for right in
            ["https://a.example", "https://a.example/api", "https://A.example:443/api/mcp/"]
        {
            assert!(is_about(right, &server), "{right}");
        }
        for wrong in [
            "https://evil.example/api/mcp",
            "http://a.example/api/mcp",
            "https://a.example:444/api/mcp",
            "https://a.example/ap",
            "https://a.example/api/mcp/more",
            "nonsense",
        ] {
            assert!(!is_about(wrong, &server), "{wrong}");
        }
    }

    #[test]
    fn nothing_goes_in_the_clear_unless_the_server_does() {
        let (open, closed) = (url("http://127.0.0.1:1/mcp"), url("https://a.example/mcp"));
        assert!(is_usable(&url("http://127.0.0.1:2/token"), &open));
        assert!(!is_usable(&url("http://a.example/token"), &closed));
        assert!(!is_usable(&url("file:///token"), &open));
    }
}
