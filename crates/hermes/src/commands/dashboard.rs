//! `hermes dashboard`: everything is done by `hermes-dashboard`.

use hermes_dashboard::{DashboardArgs, DashboardOutput};
use hermes_host::setup::SetupPrompter as _;

use super::setup::TerminalPrompter;
use crate::exit::Exit;
use crate::host::{self, Host};
use crate::ui::Ui;
use crate::workers::{block_on, stop_on_signals};

pub(crate) fn run(args: &DashboardArgs, host: &Host, ui: &mut Ui) -> anyhow::Result<Exit> {
    host::warn_about_files(host, ui)?;
    let ui = std::cell::RefCell::new(ui);
    let mut tell = |line: &str| ui.borrow_mut().line(line).map_err(Into::into);
    let mut note = |line: &str| ui.borrow_mut().note(line).map_err(Into::into);
    let mut ask_secret = |question: &str| TerminalPrompter.ask_secret(question);
    let output = DashboardOutput { tell: &mut tell, note: &mut note, ask_secret: &mut ask_secret };
    block_on(async { hermes_dashboard::run(args, host, stop_on_signals()?, output).await })?;
    Ok(Exit::Done)
}
