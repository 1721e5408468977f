//! The token that a command of ours makes for itself.

use hermes_serve::{AccessToken, kept_token};
use hermes_store::home::ensure_private_dir;

use crate::host::Host;
use crate::ui::Ui;

/// The token in a file of the state folder, and where that is, for whoever started the command.
pub(crate) fn own_token(host: &Host, file: &str, ui: &mut Ui) -> anyhow::Result<AccessToken> {
    let folder = host.home().root();
    ensure_private_dir(folder)?;
    let token = kept_token(folder, file)?;
    ui.note(format_args!("(the token is in {})", folder.join(file).display()))?;
    Ok(token)
}
