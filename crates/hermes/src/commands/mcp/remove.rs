//! `hermes mcp remove`.

use hermes_mcp::oauth::TokenStore;
use hermes_store::config_edit::Edit;

use super::entries;
use crate::exit::Exit;
use crate::host::Host;
use crate::ui::Ui;

pub(super) fn run(name: &str, host: &Host, ui: &mut Ui) -> anyhow::Result<Exit> {
    host.require_sound_config()?;
    entries::find(host, name)?;
    entries::edit(host, &[Edit::Unset(entries::path(name, &[])?)], ui)?;
    let had_login = TokenStore::new(&host.mcp_logins(), name).forget()?;
    ui.line(format_args!("removed {name}{}", if had_login { " and its login" } else { "" }))?;
    Ok(Exit::Done)
}
