//! `hermes mcp login`.

use std::path::PathBuf;
use std::sync::Arc;

use hermes_mcp::client::settings::{HttpSettings, OAuthSettings, ServerSettings, TransportSettings};
use hermes_mcp::oauth::{Login, LoginSettings};
use hermes_store::config_edit::Edit;

use super::guide::TerminalGuide;
use super::{connect, entries};
use crate::approve::is_interactive;
use crate::exit::{Exit, UsageError};
use crate::host::Host;
use crate::ui::Ui;

pub(super) fn run(name: &str, host: &Host, ui: &mut Ui) -> anyhow::Result<Exit> {
    host.require_sound_config()?;
    let settings = entries::usable(host, name, ui)?;
    let (TransportSettings::Http(http) | TransportSettings::Sse(http)) = &settings.transport else {
        return Err(UsageError::new(format!(
            "MCP server `{name}` is a program on this machine; there is nothing to log in to"
        ))
        .into());
    };
    if !is_interactive() {
        anyhow::bail!("a login needs a person: run `hermes mcp login {name}` in a terminal");
    }
    let client = connect::http_client(&settings, http, host)?;
    let guide = Arc::new(TerminalGuide { vars: host.vars.clone() });
    let login = Login::new(login_settings(&settings, http, host), client, Some(guide));
    connect::block_on(login.renew_login())??;
    if http.oauth.is_none() {
        let auth = Edit::Set(entries::path(name, &["auth"])?, "oauth".into());
        entries::edit(host, &[auth], ui)?;
        ui.note("(auth: oauth is now in its entry)")?;
    }
    ui.line(format_args!("logged in to {name}"))?;
    Ok(Exit::Done)
}

/// Where logins are kept.
pub(super) fn folder(host: &Host) -> PathBuf {
    host.home.mcp_tokens()
}
