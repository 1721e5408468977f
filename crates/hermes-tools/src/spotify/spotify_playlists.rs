//! `spotify_playlists`: lists of tracks, read and changed.

use hermes_media::spotify::SpotifyRequest;
use hermes_tool::{CallDisplay, ToolContext, ToolError, ToolResult, tool};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::player::{ask, id, is_signed_in, limit, needed};

/// Most tracks of one change.
const MAX_URIS: usize = 100;

/// Arguments of `spotify_playlists`.
#[derive(Deserialize, JsonSchema)]
struct Playlists {
    /// What to do.
    action: PlaylistsAction,
    /// The list: its id, URI or link (all but list and create).
    playlist_id: Option<String>,
    /// Its name (create, update_details).
    name: Option<String>,
    /// What it is about (create, update_details).
    description: Option<String>,
    /// Whether everybody sees it (create, update_details).
    public: Option<bool>,
    /// Whether others may change it (create, update_details).
    collaborative: Option<bool>,
    /// The tracks, as spotify:track:… (add_items, remove_items).
    #[serde(default)]
    uris: Vec<String>,
    /// Where in the list they go, counted from 0; the end if absent (add_items).
    position: Option<u32>,
    /// The version of the list that is meant (remove_items).
    snapshot_id: Option<String>,
    /// A country, such as DE: only what can be played there.
    market: Option<String>,
    /// How many.
    limit: Option<u32>,
    /// How many to skip.
    offset: Option<u32>,
}

#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum PlaylistsAction {
    List,
    Get,
    Create,
    AddItems,
    RemoveItems,
    UpdateDetails,
}

/// List, read, make and change playlists on Spotify.
#[tool(
    toolset = "spotify",
    emoji = "🎵",
    effects(network, writes),
    check = is_signed_in,
    requires_env("SPOTIFY_REFRESH_TOKEN"),
    display = CallDisplay::DEFAULT.args(&["action", "name", "playlist_id"])
)]
async fn spotify_playlists(args: Playlists, cx: &ToolContext) -> ToolResult {
    ask(&request(&args)?, cx).await
}

fn request(args: &Playlists) -> Result<SpotifyRequest, ToolError> {
    use PlaylistsAction as Action;
    let list =
        || id(args.playlist_id.as_deref(), "playlist_id").map(|id| format!("/playlists/{id}"));
    Ok(match args.action {
        Action::List => SpotifyRequest::get("/me/playlists")
            .query("limit", limit(args.limit))
            .query("offset", args.offset),
        Action::Get => SpotifyRequest::get(list()?).query("market", args.market.clone()),
        Action::Create => {
            needed(args.name.as_ref(), "name")?;
            SpotifyRequest::post("/me/playlists").body(details(args))
        }
        Action::UpdateDetails => SpotifyRequest::put(list()?).body(details(args)),
        Action::AddItems => {
            let mut body = json!({"uris": tracks(&args.uris)?});
            if let Some(position) = args.position {
                body["position"] = position.into();
            }
            SpotifyRequest::post(format!("{}/items", list()?)).body(body)
        }
        Action::RemoveItems => {
            let items: Vec<Value> =
                tracks(&args.uris)?.iter().map(|uri| json!({"uri": uri})).collect();
            let mut body = json!({"items": items});
            if let Some(version) = &args.snapshot_id {
                body["snapshot_id"] = version.as_str().into();
            }
            SpotifyRequest::delete(format!("{}/items", list()?)).body(body)
        }
    })
}

fn tracks(uris: &[String]) -> Result<&[String], ToolError> {
    match uris.len() {
        0 => Err(ToolError::answer("this action needs uris")),
        1..=MAX_URIS => Ok(uris),
        _ => Err(ToolError::answer(format!("at most {MAX_URIS} uris at a time"))),
    }
}

fn details(args: &Playlists) -> Value {
    let fields = [
        ("name", args.name.clone().map(Value::from)),
        ("description", args.description.clone().map(Value::from)),
        ("public", args.public.map(Value::from)),
        ("collaborative", args.collaborative.map(Value::from)),
    ];
    let given = fields.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?)));
    Value::Object(given.collect::<Map<_, _>>())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(args: Value) -> Result<(String, String, Option<Value>), ToolError> {
        request(&serde_json::from_value(args).unwrap()).map(|request| request.parts())
    }

    #[test]
    fn lists_are_made_and_changed() {
        let made = asked(json!({"action": "create", "name": "Rain", "public": false})).unwrap();
        let body = json!({"name": "Rain", "public": false});
        assert_eq!(made, ("POST".into(), "/me/playlists".into(), Some(body)));
        let add = json!({"action": "add_items", "playlist_id": "p1", "uris": ["a"], "position": 0});
        let body = json!({"uris": ["a"], "position": 0});
        assert_eq!(asked(add).unwrap(), ("POST".into(), "/playlists/p1/items".into(), Some(body)));
        let remove = json!({"action": "remove_items", "playlist_id": "p1", "uris": ["a"], "snapshot_id": "s"});
        let body = json!({"items": [{"uri": "a"}], "snapshot_id": "s"});
        assert_eq!(
            asked(remove).unwrap(),
            ("DELETE".into(), "/playlists/p1/items".into(), Some(body))
        );
    }

    #[test]
    fn what_is_missing_is_said() {
        for args in [
            json!({"action": "create"}),
            json!({"action": "get"}),
            json!({"action": "add_items", "playlist_id": "p1"}),
            json!({"action": "add_items", "playlist_id": "p1", "uris": vec!["a"; 101]}),
        ] {
            assert!(asked(args).is_err());
        }
    }
}
