//! `hermes acp`: everything is done by `hermes-acp`.

use hermes_acp::AcpArgs;

use crate::exit::Exit;
use crate::host::{self, Host};
use crate::ui::Ui;
use crate::workers::{block_on, stop_on_signals};

pub(crate) fn run(args: &AcpArgs, host: &Host, ui: &mut Ui) -> anyhow::Result<Exit> {
    host::warn_about_files(host, ui)?;
    let tell = |line: &str| ui.line(format_args!("{line}")).map_err(Into::into);
    block_on(async { hermes_acp::run(args, host, stop_on_signals()?, tell).await })?;
    Ok(Exit::Done)
}
