//! `hermes browser`: the Chromium that the browser tools drive.

use hermes_browser::{find_chromium, install_command};
use hermes_process::Command;
use hermes_tui::line_prompt::{answer, is_interactive};

use crate::args::BrowserCommand;
use crate::exit::{Exit, UsageError};
use crate::host::{self, Host};
use crate::ui::Ui;

/// Where programs are that install others.
const PATH: &str = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/// Runs one of the subcommands.
pub(crate) fn run(command: &BrowserCommand, host: &Host, ui: &mut Ui) -> anyhow::Result<Exit> {
    host::warn_about_files(host, ui)?;
    match command {
        BrowserCommand::Status { json } => status(*json, host, ui),
        BrowserCommand::Install { yes } => install(*yes, host, ui),
    }
}

fn status(as_json: bool, host: &Host, ui: &mut Ui) -> anyhow::Result<Exit> {
    match find_chromium(host.vars()) {
        found if as_json => {
            let problem = found.as_ref().err().map(ToString::to_string);
            let exit = if found.is_ok() { Exit::Done } else { Exit::Failed };
            ui.json(&serde_json::json!({"program": found.ok(), "problem": problem}))?;
            Ok(exit)
        }
        Ok(program) => {
            ui.line(format_args!("{}", program.display()))?;
            Ok(Exit::Done)
        }
        Err(error) => {
            ui.line(format_args!("{error}"))?;
            Ok(Exit::Failed)
        }
    }
}

/// Installs Chromium with the system's package manager, after asking.
fn install(yes: bool, host: &Host, ui: &mut Ui) -> anyhow::Result<Exit> {
    if let Ok(program) = find_chromium(host.vars()) {
        ui.line(format_args!("There is one already: {}", program.display()))?;
        return Ok(Exit::Done);
    }
    let Some(command) = install_command() else {
        return Err(UsageError::new(
            "no package manager was found that we know; install Chromium or Chrome by hand, then try again".to_owned(),
        )
        .into());
    };
    let is_root = nix::unistd::geteuid().is_root();
    let words: Vec<&str> =
        if is_root { command.to_vec() } else { ["sudo"].iter().chain(command).copied().collect() };
    let line = words.join(" ");
    if !yes {
        if !is_interactive() {
            let hint = format!("this would run `{line}`; say --yes to do so without being asked");
            return Err(UsageError::new(hint).into());
        }
        let agreed = answer(&format!("Run `{line}`? [y/N] "));
        if !matches!(agreed.as_deref(), Some("y" | "yes")) {
            ui.line(format_args!("Nothing was installed."))?;
            return Ok(Exit::Failed);
        }
    }
    let mut words = words.into_iter();
    let program = words.next().unwrap_or_default();
    let ended = Command::new(program)
        .args(words)
        .env("PATH", PATH)
        .env("DEBIAN_FRONTEND", "noninteractive")
        .env_inherit(["HOME", "LANG", "TERM", "http_proxy", "https_proxy", "no_proxy"])
        .run_in_foreground()?;
    if !ended.success() {
        anyhow::bail!("`{line}` did not succeed ({ended}); see what it says above");
    }
    status(false, host, ui)
}
