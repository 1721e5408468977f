//! `spotify_albums`: an album and its tracks.

use hermes_media::spotify::SpotifyRequest;
use hermes_tool::{CallDisplay, ToolContext, ToolError, ToolResult, tool};
use schemars::JsonSchema;
use serde::Deserialize;

use super::player::{ask, id, is_signed_in, limit};

/// Arguments of `spotify_albums`.
#[derive(Deserialize, JsonSchema)]
struct Albums {
    /// What to do.
    action: AlbumsAction,
    /// The album: its id, URI or link.
    album_id: Option<String>,
    /// The same, under another name.
    id: Option<String>,
    /// A country, such as DE: only what can be played there.
    market: Option<String>,
    /// How many tracks.
    limit: Option<u32>,
    /// How many tracks to skip.
    offset: Option<u32>,
}

#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum AlbumsAction {
    Get,
    Tracks,
}

/// Look at an album on Spotify, or list its tracks.
#[tool(
    toolset = "spotify",
    emoji = "🎵",
    effects(network),
    check = is_signed_in,
    requires_env("SPOTIFY_REFRESH_TOKEN"),
    display = CallDisplay::DEFAULT.args(&["action", "album_id"])
)]
async fn spotify_albums(args: Albums, cx: &ToolContext) -> ToolResult {
    ask(&request(args)?, cx).await
}

fn request(args: Albums) -> Result<SpotifyRequest, ToolError> {
    let album = id(args.album_id.as_deref().or(args.id.as_deref()), "album_id")?;
    let path = format!("/albums/{album}");
    Ok(match args.action {
        AlbumsAction::Get => SpotifyRequest::get(path).query("market", args.market),
        AlbumsAction::Tracks => SpotifyRequest::get(format!("{path}/tracks"))
            .query("limit", limit(args.limit))
            .query("offset", args.offset)
            .query("market", args.market),
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_album_is_named_in_either_field() {
        let args = json!({"action": "tracks", "id": "spotify:album:x1", "limit": 3, "offset": 6});
        let request = request(serde_json::from_value(args).unwrap()).unwrap();
        assert_eq!(request.parts().1, "/albums/x1/tracks?limit=3&offset=6");
    }
}
