//! `spotify_library`: what the person has saved.

use hermes_media::spotify::SpotifyRequest;
use hermes_tool::{CallDisplay, ToolContext, ToolError, ToolResult, tool};
use schemars::JsonSchema;
use serde::Deserialize;

use super::player::{MAX_LIMIT, ask, id, is_signed_in, limit};

/// Arguments of `spotify_library`.
#[derive(Deserialize, JsonSchema)]
struct Library {
    /// Tracks or albums.
    kind: LibraryKind,
    /// What to do.
    action: LibraryAction,
    /// What is meant, as spotify:track:… (save, remove).
    #[serde(default)]
    uris: Vec<String>,
    /// The same by ids.
    #[serde(default)]
    ids: Vec<String>,
    /// The same, in any form.
    #[serde(default)]
    items: Vec<String>,
    /// How many (list).
    limit: Option<u32>,
    /// How many to skip (list).
    offset: Option<u32>,
    /// A country, such as DE: only what can be played there (list).
    market: Option<String>,
}

#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum LibraryKind {
    Tracks,
    Albums,
}

#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum LibraryAction {
    List,
    Save,
    Remove,
}

/// List what the person has saved on Spotify, save something, or remove it.
#[tool(
    toolset = "spotify",
    emoji = "🎵",
    effects(network, writes),
    check = is_signed_in,
    requires_env("SPOTIFY_REFRESH_TOKEN"),
    display = CallDisplay::DEFAULT.args(&["action", "kind"])
)]
async fn spotify_library(args: Library, cx: &ToolContext) -> ToolResult {
    ask(&request(&args)?, cx).await
}

fn request(args: &Library) -> Result<SpotifyRequest, ToolError> {
    let (path, one) = match args.kind {
        LibraryKind::Tracks => ("/me/tracks", "track"),
        LibraryKind::Albums => ("/me/albums", "album"),
    };
    let meant = || {
        let all = args.uris.iter().chain(&args.ids).chain(&args.items);
        let uris: Result<Vec<String>, ToolError> =
            all.map(|item| Ok(format!("spotify:{one}:{}", id(Some(item), "item")?))).collect();
        match uris?.as_slice() {
            [] => Err(ToolError::answer("this action needs uris, ids or items")),
            uris if uris.len() > MAX_LIMIT as usize => {
                Err(ToolError::answer(format!("at most {MAX_LIMIT} things at a time")))
            }
            uris => Ok(uris.join(",")),
        }
    };
    Ok(match args.action {
        LibraryAction::List => SpotifyRequest::get(path)
            .query("limit", limit(args.limit))
            .query("offset", args.offset)
            .query("market", args.market.clone()),
        LibraryAction::Save => SpotifyRequest::put("/me/library").query("uris", Some(meant()?)),
        LibraryAction::Remove => {
            SpotifyRequest::delete("/me/library").query("uris", Some(meant()?))
        }
    })
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn asked(args: Value) -> Result<(String, String, Option<Value>), ToolError> {
        request(&serde_json::from_value(args).unwrap()).map(|request| request.parts())
    }

    #[test]
    fn things_are_saved_by_any_of_their_names() {
        let save = json!({"kind": "albums", "action": "save", "ids": ["a1"],
            "uris": ["spotify:album:b2"], "items": ["https://open.spotify.com/album/c3"]});
        let path =
            "/me/library?uris=spotify%3Aalbum%3Ab2%2Cspotify%3Aalbum%3Aa1%2Cspotify%3Aalbum%3Ac3";
        assert_eq!(asked(save).unwrap(), ("PUT".into(), path.into(), None));
        let list = json!({"kind": "tracks", "action": "list", "limit": 2});
        assert_eq!(asked(list).unwrap().1, "/me/tracks?limit=2");
        assert!(asked(json!({"kind": "tracks", "action": "remove"})).is_err());
    }
}
