//! `spotify_queue`: what plays next.

use hermes_media::spotify::SpotifyRequest;
use hermes_tool::{CallDisplay, ToolContext, ToolError, ToolResult, tool};
use schemars::JsonSchema;
use serde::Deserialize;

use super::player::{ask, is_signed_in, needed};

/// Arguments of `spotify_queue`.
#[derive(Deserialize, JsonSchema)]
struct Queue {
    /// What to do.
    action: QueueAction,
    /// The track or episode to add, as spotify:track:… (add).
    uri: Option<String>,
    /// The device whose queue it is; the active one if absent.
    device_id: Option<String>,
}

#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum QueueAction {
    Get,
    Add,
}

/// See what Spotify plays next, or add something to it.
#[tool(
    toolset = "spotify",
    emoji = "🎵",
    effects(network, writes),
    check = is_signed_in,
    requires_env("SPOTIFY_REFRESH_TOKEN"),
    display = CallDisplay::DEFAULT.args(&["action", "uri"])
)]
async fn spotify_queue(args: Queue, cx: &ToolContext) -> ToolResult {
    ask(&request(args)?, cx).await
}

fn request(args: Queue) -> Result<SpotifyRequest, ToolError> {
    Ok(match args.action {
        QueueAction::Get => SpotifyRequest::get("/me/player/queue"),
        QueueAction::Add => SpotifyRequest::post("/me/player/queue")
            .query("uri", Some(needed(args.uri, "uri")?))
            .query("device_id", args.device_id),
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_track_goes_to_the_end_of_the_queue() {
        let args = json!({"action": "add", "uri": "spotify:track:x", "device_id": "d"});
        let request = request(serde_json::from_value(args).unwrap()).unwrap();
        let path = "/me/player/queue?uri=spotify%3Atrack%3Ax&device_id=d";
        assert_eq!(request.parts(), ("POST".into(), path.into(), None));
    }
}
