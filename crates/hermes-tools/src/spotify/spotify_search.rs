//! `spotify_search`: music and people found by words.

use hermes_media::spotify::SpotifyRequest;
use hermes_tool::{CallDisplay, ToolContext, ToolError, ToolResult, tool};
use schemars::JsonSchema;
use serde::Deserialize;

use super::player::{ask, is_signed_in, limit};

/// Kinds of things that can be searched for.
const KINDS: [&str; 7] = ["album", "artist", "playlist", "track", "show", "episode", "audiobook"];

/// Arguments of `spotify_search`.
#[derive(Deserialize, JsonSchema)]
struct Search {
    /// What to look for; `artist:`, `album:`, `year:` and the like narrow it down.
    query: String,
    /// The kinds: album, artist, playlist, track, show, episode, audiobook. Tracks if absent.
    #[serde(default)]
    types: Vec<String>,
    /// How many of each kind.
    limit: Option<u32>,
    /// How many to skip.
    offset: Option<u32>,
    /// A country, such as DE: only what can be played there.
    market: Option<String>,
    /// `audio`, for what is hosted elsewhere as well.
    include_external: Option<String>,
}

/// Search Spotify for tracks, albums, artists, playlists, shows and episodes.
#[tool(
    toolset = "spotify",
    emoji = "🎵",
    effects(network),
    check = is_signed_in,
    requires_env("SPOTIFY_REFRESH_TOKEN"),
    display = CallDisplay::verb("search").args(&["query"])
)]
async fn spotify_search(args: Search, cx: &ToolContext) -> ToolResult {
    ask(&request(args)?, cx).await
}

fn request(args: Search) -> Result<SpotifyRequest, ToolError> {
    let query = args.query.trim().to_owned();
    if query.is_empty() {
        return Err(ToolError::answer("query is empty; say what to look for"));
    }
    let mut kinds: Vec<String> = args.types.iter().map(|kind| kind.trim().to_lowercase()).collect();
    if kinds.is_empty() {
        kinds.push("track".to_owned());
    }
    if let Some(odd) = kinds.iter().find(|kind| !KINDS.contains(&kind.as_str())) {
        let words = format!("{odd:?} is no kind; there are {}", KINDS.join(", "));
        return Err(ToolError::answer(words));
    }
    Ok(SpotifyRequest::get("/search")
        .query("q", Some(query))
        .query("type", Some(kinds.join(",")))
        .query("limit", limit(args.limit))
        .query("offset", args.offset)
        .query("market", args.market)
        .query("include_external", args.include_external))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn asked(args: Value) -> Result<String, ToolError> {
        request(serde_json::from_value(args).unwrap()).map(|request| request.parts().1)
    }

    #[test]
    fn kinds_are_checked_and_tracks_are_usual() {
        assert_eq!(asked(json!({"query": " a b "})).unwrap(), "/search?q=a+b&type=track");
        let both = json!({"query": "x", "types": ["Album", "artist"], "limit": 5});
        assert_eq!(asked(both).unwrap(), "/search?q=x&type=album%2Cartist&limit=5");
        assert!(asked(json!({"query": "x", "types": ["song"]})).is_err());
        assert!(asked(json!({"query": " "})).is_err());
    }
}
