//! What the tools of the toolset share: the sign-in, names of things, and the way to ask.

use hermes_media::spotify::{SignIn, Spotify, SpotifyError, SpotifyRequest, SpotifySettings};
use hermes_tool::settings::Settings as _;
use hermes_tool::{Availability, ToolContext, ToolError, ToolOutput, ToolResult, Vars};

use crate::host_services;

/// Most things that are asked for at a time.
pub(super) const MAX_LIMIT: u32 = 50;

/// Whether somebody is signed in.
pub(super) fn is_signed_in(vars: &Vars) -> Availability {
    match SignIn::find(vars, host_services::located(vars).as_ref()) {
        Some(_) => Availability::Available,
        None => Availability::unavailable(
            "nobody is signed in to Spotify",
            "set SPOTIFY_CLIENT_ID and SPOTIFY_REFRESH_TOKEN in .env of the home",
        ),
    }
}

/// Asks Spotify.
pub(super) async fn ask(request: &SpotifyRequest, cx: &ToolContext) -> ToolResult {
    let settings = SpotifySettings::read(cx.config(), cx.vars());
    let mut spotify =
        Spotify::open(&settings, cx.vars(), host_services::home(cx)).map_err(failed)?;
    let answer = spotify.ask(request, cx.cancellation()).await.map_err(failed)?;
    ToolOutput::json(&answer)
}

fn failed(error: SpotifyError) -> ToolError {
    match error {
        SpotifyError::Service(error) => ToolError::from(error).with("success", false),
        other => ToolError::answer(other.to_string()).with("success", false),
    }
}

/// The bare name of a thing that may be given as such, as `spotify:album:NAME` or as a link.
pub(super) fn id(given: Option<&str>, what: &str) -> Result<String, ToolError> {
    let given = given.map(str::trim).filter(|given| !given.is_empty());
    let given = given.ok_or_else(|| ToolError::answer(format!("{what} is missing")))?;
    let bare = if let Some(uri) = given.strip_prefix("spotify:") {
        uri.rsplit(':').next().unwrap_or_default()
    } else if let Some(link) = given.strip_prefix("https://open.spotify.com/") {
        let path = link.split(['?', '#']).next().unwrap_or_default();
        path.rsplit('/').next().unwrap_or_default()
    } else {
        given
    };
    let is_name =
        !bare.is_empty() && bare.len() <= 64 && bare.chars().all(|c| c.is_ascii_alphanumeric());
    if is_name {
        Ok(bare.to_owned())
    } else {
        Err(ToolError::answer(format!("{what} {given:?} is no name, URI or link of Spotify")))
    }
}

/// What an action cannot do without.
pub(super) fn needed<T>(value: Option<T>, what: &str) -> Result<T, ToolError> {
    value.ok_or_else(|| ToolError::answer(format!("this action needs {what}")))
}

/// How many, within what Spotify takes.
pub(super) fn limit(wished: Option<u32>) -> Option<u32> {
    wished.map(|limit| limit.clamp(1, MAX_LIMIT))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn things_are_named_in_three_ways() {
        for given in
            ["abc123", " spotify:album:abc123 ", "https://open.spotify.com/album/abc123?si=x"]
        {
            assert_eq!(id(Some(given), "album").unwrap(), "abc123");
        }
        for given in [None, Some(""), Some("a b"), Some("../me"), Some("spotify:album:")] {
            assert!(id(given, "album").is_err(), "{given:?}");
        }
    }
}
