//! The user's sign-in: a key that runs out after an hour, and one that gets the next.

use std::path::Path;

use hermes_store::atomic::{self, WriteOptions};
use hermes_store::home::Home;
use hermes_store::lock::{EDIT_WAIT, FileLock, Wait, lock_path};
use hermes_tool::Vars;
use jiff::Timestamp;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::service::{Service, ServiceError};

/// So many seconds before its end a key counts as run out.
const MARGIN: i64 = 60;
/// The name of the entry in the file of sign-ins.
const ENTRY: &str = "spotify";
/// Larger files of sign-ins are not read.
const MAX_FILE: u64 = 1 << 20;

/// Who the requests are made for: client and refresh token of one account.
#[derive(Clone)]
pub struct SignIn {
    client: String,
    access: String,
    refresh: String,
    expires_at: i64,
    /// Whether it came from the file, and so goes back there.
    in_file: bool,
}

/// What is wrong with a sign-in.
#[derive(Debug, thiserror::Error)]
pub enum SignInError {
    /// There is none.
    #[error(
        "nobody is signed in to Spotify: set SPOTIFY_CLIENT_ID and SPOTIFY_REFRESH_TOKEN in .env, or sign in with a \
         program that writes auth.json"
    )]
    Nobody,
    /// A fresh key was refused or could not be got.
    #[error("the sign-in to Spotify cannot be renewed: {0}")]
    Renewal(#[from] ServiceError),
}

impl std::fmt::Debug for SignIn {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SignIn").field("client", &self.client).finish_non_exhaustive()
    }
}

impl SignIn {
    /// The one of the variables, or that of the home.
    #[must_use]
    pub fn find(vars: &Vars, home: Option<&Home>) -> Option<Self> {
        let var = |name: &str| vars.non_blank(name).map(str::to_owned);
        if let (Some(client), Some(refresh)) =
            (var("SPOTIFY_CLIENT_ID"), var("SPOTIFY_REFRESH_TOKEN"))
        {
            let none = String::new();
            return Some(Self { client, access: none, refresh, expires_at: 0, in_file: false });
        }
        let file = read(&home?.auth_file())?;
        let entry = entry_of(&file)?;
        let text = |name: &str| entry[name].as_str().map(str::to_owned);
        Some(Self {
            client: text("client_id").or_else(|| var("SPOTIFY_CLIENT_ID"))?,
            access: text("access_token").unwrap_or_default(),
            refresh: text("refresh_token")?,
            expires_at: moment(&entry["expires_at"]),
            in_file: true,
        })
    }

    pub(super) fn key(&self) -> &str {
        &self.access
    }

    pub(super) fn has_run_out(&self) -> bool {
        self.access.is_empty() || self.expires_at - MARGIN <= Timestamp::now().as_second()
    }

    /// Gets a fresh key, and keeps it in the file it came from.
    pub(super) async fn renew(
        &mut self,
        accounts: &Service,
        home: Option<&Home>,
        cancel: &CancellationToken,
    ) -> Result<(), SignInError> {
        let fields = [
            ("grant_type", "refresh_token"),
            ("refresh_token", self.refresh.as_str()),
            ("client_id", self.client.as_str()),
        ];
        let call = accounts.post("/api/token")?.hiding(&self.refresh).form(&fields);
        let reply = call.send(cancel).await?;
        let answer = reply.json()?;
        let key = answer["access_token"].as_str();
        key.ok_or_else(|| reply.unreadable("no key"))?.clone_into(&mut self.access);
        let lasts = answer["expires_in"].as_i64().unwrap_or(3_600);
        self.expires_at = Timestamp::now().as_second().saturating_add(lasts);
        if let Some(next) = answer["refresh_token"].as_str() {
            next.clone_into(&mut self.refresh);
        }
        if let Some(home) = home.filter(|_| self.in_file) {
            let (renewed, file) = (self.clone(), home.auth_file());
            let kept = tokio::task::spawn_blocking(move || renewed.keep(&file)).await;
            if let Err(error) = kept.map_err(|error| error.to_string()).flatten() {
                // The key in hand still works; the next run renews again.
                tracing::warn!(error, "the renewed sign-in was not kept");
            }
        }
        Ok(())
    }

    fn keep(&self, path: &Path) -> Result<(), String> {
        let wait = Wait::AtMost(EDIT_WAIT);
        let _alone =
            FileLock::acquire(&lock_path(path), wait).map_err(|error| error.to_string())?;
        let mut file = read(path).ok_or("the file of sign-ins cannot be read")?;
        let entry = entry_of_mut(&mut file).ok_or("the sign-in is gone")?;
        entry["access_token"] = self.access.as_str().into();
        entry["refresh_token"] = self.refresh.as_str().into();
        entry["expires_at"] = json!(self.expires_at);
        let text = serde_json::to_string_pretty(&file).map_err(|error| error.to_string())?;
        atomic::write(path, text.as_bytes(), WriteOptions::SECRET)
            .map_err(|error| error.to_string())
    }
}

fn read(path: &Path) -> Option<Value> {
    let is_small = path.metadata().is_ok_and(|file| file.is_file() && file.len() <= MAX_FILE);
    let text = is_small.then(|| std::fs::read(path).ok()).flatten()?;
    serde_json::from_slice(&text).ok()
}

/// Where the entry is: among the providers, or at the top in older files.
fn entry_of(file: &Value) -> Option<&Value> {
    [&file["providers"][ENTRY], &file[ENTRY]].into_iter().find(|entry| entry.is_object())
}

fn entry_of_mut(file: &mut Value) -> Option<&mut Value> {
    let is_new = file["providers"][ENTRY].is_object();
    let holder = if is_new { file.get_mut("providers")? } else { file };
    holder.get_mut(ENTRY).filter(|entry| entry.is_object())
}

/// Seconds since 1970, given as such or as a date.
fn moment(value: &Value) -> i64 {
    let number = value.as_f64().map(|seconds| {
        #[expect(clippy::cast_possible_truncation, reason = "fractions of a second do not matter")]
        let whole = seconds as i64;
        whole
    });
    let date = || value.as_str()?.parse::<Timestamp>().ok().map(Timestamp::as_second);
    number.or_else(date).unwrap_or_default()
}
