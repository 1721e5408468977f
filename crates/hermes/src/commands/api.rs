//! `hermes api`: everything is done by `hermes-api`.

use hermes_api::ApiArgs;

use crate::exit::Exit;
use crate::host::{self, Host};
use crate::ui::Ui;
use crate::workers::{block_on, stop_on_signals};

pub(crate) fn run(args: &ApiArgs, host: &Host, ui: &mut Ui) -> anyhow::Result<Exit> {
    host::warn_about_files(host, ui)?;
    let ui = std::cell::RefCell::new(ui);
    let tell = |line: &str| ui.borrow_mut().line(format_args!("{line}")).map_err(Into::into);
    let note = |line: &str| ui.borrow_mut().note(format_args!("{line}")).map_err(Into::into);
    block_on(async { hermes_api::run(args, host, stop_on_signals()?, tell, note).await })?;
    Ok(Exit::Done)
}
