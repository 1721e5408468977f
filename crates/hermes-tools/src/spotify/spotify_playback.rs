//! `spotify_playback`: what plays, and how.

use hermes_media::spotify::SpotifyRequest;
use hermes_tool::{CallDisplay, ToolContext, ToolError, ToolResult, tool};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

use super::player::{ask, is_signed_in, limit, needed};

/// Arguments of `spotify_playback`.
#[derive(Deserialize, JsonSchema)]
struct Playback {
    /// What to do.
    action: PlaybackAction,
    /// The device to do it on; the active one if absent.
    device_id: Option<String>,
    /// A country, such as DE: only what can be played there.
    market: Option<String>,
    /// The album, artist or playlist to play (play).
    context_uri: Option<String>,
    /// The tracks to play (play).
    #[serde(default)]
    uris: Vec<String>,
    /// Where in the context to begin: {"position": 3} or {"uri": …} (play).
    offset: Option<Map<String, Value>>,
    /// Where in the track, in thousandths of a second (play, seek).
    position_ms: Option<u64>,
    /// track, context or off (set_repeat); true or false (set_shuffle).
    state: Option<String>,
    /// How loud, from 0 to 100 (set_volume).
    volume_percent: Option<u8>,
    /// How many (recently_played).
    limit: Option<u32>,
    /// Only what was played after this moment, in thousandths of a second since 1970 (recently_played).
    after: Option<u64>,
    /// Only what was played before it (recently_played).
    before: Option<u64>,
}

#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum PlaybackAction {
    GetState,
    GetCurrentlyPlaying,
    Play,
    Pause,
    Next,
    Previous,
    Seek,
    SetRepeat,
    SetShuffle,
    SetVolume,
    RecentlyPlayed,
}

/// See what plays on Spotify, and control it: play, pause, skip, seek, repeat, shuffle, volume.
#[tool(
    toolset = "spotify",
    emoji = "🎵",
    effects(network, writes),
    check = is_signed_in,
    requires_env("SPOTIFY_REFRESH_TOKEN"),
    display = CallDisplay::DEFAULT.args(&["action", "context_uri"])
)]
async fn spotify_playback(args: Playback, cx: &ToolContext) -> ToolResult {
    ask(&request(args)?, cx).await
}

fn request(args: Playback) -> Result<SpotifyRequest, ToolError> {
    use PlaybackAction as Action;
    let device = args.device_id.clone();
    let on_device = |request: SpotifyRequest| request.query("device_id", device);
    Ok(match args.action {
        Action::GetState => SpotifyRequest::get("/me/player").query("market", args.market),
        Action::GetCurrentlyPlaying => {
            SpotifyRequest::get("/me/player/currently-playing").query("market", args.market)
        }
        Action::Play => {
            let mut body = Map::new();
            let mut put = |name: &str, value: Option<Value>| {
                if let Some(value) = value {
                    body.insert(name.to_owned(), value);
                }
            };
            put("context_uri", args.context_uri.map(Value::from));
            put("uris", (!args.uris.is_empty()).then(|| args.uris.into()));
            put("offset", args.offset.map(Value::Object));
            put("position_ms", args.position_ms.map(Value::from));
            on_device(SpotifyRequest::put("/me/player/play")).body(Value::Object(body))
        }
        Action::Pause => on_device(SpotifyRequest::put("/me/player/pause")),
        Action::Next => on_device(SpotifyRequest::post("/me/player/next")),
        Action::Previous => on_device(SpotifyRequest::post("/me/player/previous")),
        Action::Seek => {
            let position = needed(args.position_ms, "position_ms")?;
            on_device(SpotifyRequest::put("/me/player/seek").query("position_ms", Some(position)))
        }
        Action::SetRepeat => {
            let state = one_of(args.state, &["track", "context", "off"])?;
            on_device(SpotifyRequest::put("/me/player/repeat").query("state", Some(state)))
        }
        Action::SetShuffle => {
            let state = one_of(args.state, &["true", "false"])?;
            on_device(SpotifyRequest::put("/me/player/shuffle").query("state", Some(state)))
        }
        Action::SetVolume => {
            let volume = needed(args.volume_percent, "volume_percent")?.min(100);
            on_device(
                SpotifyRequest::put("/me/player/volume").query("volume_percent", Some(volume)),
            )
        }
        Action::RecentlyPlayed => SpotifyRequest::get("/me/player/recently-played")
            .query("limit", limit(args.limit))
            .query("after", args.after)
            .query("before", args.before),
    })
}

fn one_of(state: Option<String>, words: &[&str]) -> Result<String, ToolError> {
    let state = needed(state, "state")?.trim().to_lowercase();
    let state = match state.as_str() {
        "on" | "yes" => "true".to_owned(),
        "no" if words.contains(&"false") => "false".to_owned(),
        "off" if words.contains(&"false") => "false".to_owned(),
        _ => state,
    };
    if words.contains(&state.as_str()) {
        Ok(state)
    } else {
        Err(ToolError::answer(format!("state is one of {}", words.join(", "))))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn asked(args: Value) -> (String, String, Option<Value>) {
        request(serde_json::from_value(args).unwrap()).unwrap().parts()
    }

    #[test]
    fn each_action_is_one_request() {
        let plain = |args: Value| {
            let (method, path, body) = asked(args);
            assert_eq!(body, None);
            format!("{method} {path}")
        };
        assert_eq!(
            plain(json!({"action": "get_state", "market": "DE"})),
            "GET /me/player?market=DE"
        );
        assert_eq!(
            plain(json!({"action": "pause", "device_id": "d"})),
            "PUT /me/player/pause?device_id=d"
        );
        assert_eq!(plain(json!({"action": "next"})), "POST /me/player/next");
        assert_eq!(
            plain(json!({"action": "seek", "position_ms": 9})),
            "PUT /me/player/seek?position_ms=9"
        );
        assert_eq!(
            plain(json!({"action": "set_shuffle", "state": "ON"})),
            "PUT /me/player/shuffle?state=true"
        );
        assert_eq!(
            plain(json!({"action": "set_volume", "volume_percent": 120})),
            "PUT /me/player/volume?volume_percent=100"
        );
        let recent = json!({"action": "recently_played", "limit": 900, "before": 5});
        assert_eq!(plain(recent), "GET /me/player/recently-played?limit=50&before=5");
        let play =
            json!({"action": "play", "context_uri": "spotify:album:x", "offset": {"position": 2}});
        let body = json!({"context_uri": "spotify:album:x", "offset": {"position": 2}});
        assert_eq!(asked(play), ("PUT".into(), "/me/player/play".into(), Some(body)));
    }

    #[test]
    fn what_an_action_needs_is_said() {
        for args in [
            json!({"action": "seek"}),
            json!({"action": "set_volume"}),
            json!({"action": "set_repeat", "state": "maybe"}),
        ] {
            assert!(request(serde_json::from_value(args).unwrap()).is_err());
        }
    }
}
