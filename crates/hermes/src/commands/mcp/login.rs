//! `hermes mcp login`.

use std::sync::Arc;

use hermes_mcp::client::settings::TransportSettings;
use hermes_mcp::oauth;
use hermes_store::config_edit::Edit;
use hermes_tui::line_prompt::is_interactive;

use super::entries;
use super::guide::TerminalGuide;
use crate::exit::{Exit, UsageError};
use crate::host::Host;
use crate::ui::Ui;
use crate::workers::block_on;

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
    let guide = Arc::new(TerminalGuide { vars: host.vars().clone() });
    let login = oauth::login_to(&settings, host.vars(), &host.mcp_logins(), guide)?;
    block_on(login.renew_login())?;
    if http.oauth.is_none() {
        let auth = Edit::Set(entries::path(name, &["auth"])?, "oauth".into());
        entries::edit(host, &[auth], ui)?;
        ui.note("(auth: oauth is now in its entry)")?;
    }
    ui.line(format_args!("\nlogged in to {name}"))?;
    Ok(Exit::Done)
}
