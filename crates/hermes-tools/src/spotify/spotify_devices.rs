//! `spotify_devices`: where music can play.

use hermes_media::spotify::SpotifyRequest;
use hermes_tool::{CallDisplay, ToolContext, ToolError, ToolResult, tool};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::player::{ask, is_signed_in, needed};

/// Arguments of `spotify_devices`.
#[derive(Deserialize, JsonSchema)]
struct Devices {
    /// What to do.
    action: DevicesAction,
    /// The device to go on with (transfer).
    device_id: Option<String>,
    /// Whether it begins to play there at once (transfer).
    play: Option<bool>,
}

#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum DevicesAction {
    List,
    Transfer,
}

/// List the devices Spotify can play on, or move the music to one of them.
#[tool(
    toolset = "spotify",
    emoji = "🎵",
    effects(network, writes),
    check = is_signed_in,
    requires_env("SPOTIFY_REFRESH_TOKEN"),
    display = CallDisplay::DEFAULT.args(&["action", "device_id"])
)]
async fn spotify_devices(args: Devices, cx: &ToolContext) -> ToolResult {
    ask(&request(args)?, cx).await
}

fn request(args: Devices) -> Result<SpotifyRequest, ToolError> {
    Ok(match args.action {
        DevicesAction::List => SpotifyRequest::get("/me/player/devices"),
        DevicesAction::Transfer => {
            let device = needed(args.device_id, "device_id")?;
            let mut body = json!({"device_ids": [device]});
            if let Some(play) = args.play {
                body["play"] = play.into();
            }
            SpotifyRequest::put("/me/player").body(body)
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn music_moves_to_one_device() {
        let args = json!({"action": "transfer", "device_id": "d", "play": true});
        let request = request(serde_json::from_value(args).unwrap()).unwrap();
        let body = json!({"device_ids": ["d"], "play": true});
        assert_eq!(request.parts(), ("PUT".into(), "/me/player".into(), Some(body)));
        let missing = serde_json::from_value(json!({"action": "transfer"})).unwrap();
        assert!(super::request(missing).is_err());
    }
}
