//! Finding out whom a server trusts.

use reqwest::Client as Http;
use serde::de::DeserializeOwned;
use url::Url;

use super::LoginError;
use super::challenge::Challenge;
use super::metadata::{self, ResourceMetadata, ServerMetadata};
use super::web;

/// How often a description may have moved.
const MOST_MOVES: usize = 3;

/// What there is to know before a login.
pub(super) struct Discovered {
    /// What the server calls itself; tokens are asked for under this name.
    pub(super) resource: String,
    /// What it says tokens can allow.
    pub(super) scopes: Option<Vec<String>>,
    /// Who gives tokens, and how.
    pub(super) metadata: ServerMetadata,
}

/// Asks the server, and then whom it trusts.
pub(super) async fn discover(
    http: &Http,
    server: &Url,
    challenge: &Challenge,
) -> Result<Discovered, LoginError> {
    let described = describe_resource(http, server, challenge).await?;
    let Some(described) = described else {
        // Servers from before descriptions are their own authorization servers.
        let origin = metadata::origin(server)
            .ok_or_else(|| LoginError::Failed(format!("{server} has no host")))?;
        let found = match describe_server(http, &origin, Named::ByHost, server).await? {
            Some(found) => Some(found),
            None => ServerMetadata::undescribed(server),
        };
        let metadata = found
            .ok_or_else(|| LoginError::Failed(format!("{server} says nothing about logging in")))?;
        return Ok(Discovered { resource: plain(server), scopes: None, metadata });
    };
    let resource = described.resource.unwrap_or_default();
    if !metadata::is_about(&resource, server) {
        return Err(LoginError::Failed(format!(
            "the server at {} says it is {resource:?}; no login goes there",
            web::short(server)
        )));
    }
    let mut issuers = described.authorization_servers;
    if issuers.is_empty() {
        issuers.extend(metadata::origin(server));
    }
    for issuer in issuers.iter().filter(|issuer| metadata::is_usable(issuer, server)) {
        if let Some(metadata) = describe_server(http, issuer, Named::ByServer, server).await? {
            return Ok(Discovered { resource, scopes: described.scopes_supported, metadata });
        }
    }
    Err(LoginError::Failed(format!(
        "none of the authorization servers of {} can be used",
        web::short(server)
    )))
}

async fn describe_resource(
    http: &Http,
    server: &Url,
    challenge: &Challenge,
) -> Result<Option<ResourceMetadata>, LoginError> {
    let places = match &challenge.resource_metadata {
        Some(place) => vec![place.clone()],
        None => metadata::resource_metadata_urls(server),
    };
    first(http, &places, server).await
}

async fn describe_server(
    http: &Http,
    issuer: &Url,
    by: Named,
    server: &Url,
) -> Result<Option<ServerMetadata>, LoginError> {
    let Some(found): Option<ServerMetadata> =
        first(http, &metadata::server_metadata_urls(issuer), server).await?
    else {
        return Ok(None);
    };
    check(&found, issuer, by, server)?;
    Ok(Some(found))
}

/// How we came to ask an authorization server.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Named {
    /// The protected server names it.
    ByServer,
    /// Nobody does; it is looked for at the protected server's own host, as in 2025-03-26.
    ByHost,
}

/// Whether a description may be followed: it is by whom it says, and keeps codes and secrets safe.
fn check(found: &ServerMetadata, issuer: &Url, by: Named, server: &Url) -> Result<(), LoginError> {
    let who = web::short(issuer);
    // The name it was looked for by (RFC 8414, 3.3), or one server could speak for another. A path that is
    // only a slash is the same as none: addresses are written either way.
    let is_theirs = match by {
        _ if found.issuer.is_empty() => true,
        Named::ByServer => {
            found.issuer.trim_end_matches('/') == issuer.as_str().trim_end_matches('/')
        }
        Named::ByHost => {
            Url::parse(&found.issuer).is_ok_and(|named| named.origin() == issuer.origin())
        }
    };
    if !is_theirs {
        return Err(LoginError::Failed(format!("{who} calls itself {:?}", found.issuer)));
    }
    let endpoints = [
        found.authorization_endpoint.as_ref(),
        Some(&found.token_endpoint),
        found.registration_endpoint.as_ref(),
    ];
    if let Some(open) = endpoints.iter().flatten().find(|url| !metadata::is_usable(url, server)) {
        return Err(LoginError::Failed(format!("{who} wants secrets in the clear, at {open}")));
    }
    match &found.code_challenge_methods_supported {
        Some(methods) if !methods.iter().any(|method| method == "S256") => Err(LoginError::Failed(
            format!("{who} does not protect codes with S256, so no login goes there"),
        )),
        _ => Ok(()),
    }
}

/// The first of several places that has a description. Places that cannot be reached have none.
async fn first<T: DeserializeOwned>(
    http: &Http,
    places: &[Url],
    server: &Url,
) -> Result<Option<T>, LoginError> {
    let mut unreachable = None;
    for place in places.iter().filter(|place| metadata::is_usable(place, server)) {
        match follow(http, place, server).await {
            Ok(answer) if answer.status.is_success() && answer.body.is_object() => {
                return answer.read(place).map(Some);
            }
            Ok(_) => {}
            Err(problem) => unreachable = Some(problem),
        }
    }
    match unreachable {
        Some(problem) => Err(problem),
        None => Ok(None),
    }
}

/// A description may have moved. Nothing secret is in the question, so we go after it, a few times.
async fn follow(http: &Http, place: &Url, server: &Url) -> Result<web::HttpAnswer, LoginError> {
    let mut place = place.clone();
    let mut answer = web::send(http.get(place.clone()), &place).await?;
    for _ in 0..MOST_MOVES {
        let moved = answer.moved_to.as_deref().and_then(|to| place.join(to).ok());
        let Some(next) = moved.filter(|next| metadata::is_usable(next, server)) else { break };
        place = next;
        answer = web::send(http.get(place.clone()), &place).await?;
    }
    Ok(answer)
}

/// The server's address as its name: without what follows the path.
fn plain(server: &Url) -> String {
    let mut plain = server.clone();
    plain.set_fragment(None);
    plain.set_query(None);
    plain.to_string()
}
