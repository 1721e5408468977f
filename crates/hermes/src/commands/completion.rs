//! `hermes completion` and `hermes man`.

use std::path::Path;

use clap::ValueEnum as _;
use hermes_host::{completion_script, manual_page, write_manual};

use crate::args::Shell;
use crate::exit::{Exit, UsageError};
use crate::ui::Ui;

/// Prints the script.
pub(crate) fn run(shell: Shell, command: clap::Command, ui: &mut Ui) -> anyhow::Result<Exit> {
    let name = shell.to_possible_value().map(|value| value.get_name().to_owned());
    ui.line(completion_script(&name.unwrap_or_default(), command)?)?;
    Ok(Exit::Done)
}

/// Prints the page of a command, or writes all pages to a folder.
pub(crate) fn man(
    words: &[String],
    folder: Option<&Path>,
    command: clap::Command,
    ui: &mut Ui,
) -> anyhow::Result<Exit> {
    match folder {
        Some(folder) => {
            write_manual(folder, command)?;
            ui.note(format_args!("`man -l {}/hermes.1` shows the first.", folder.display()))?;
        }
        None => ui.line(manual_page(words, command).map_err(UsageError::new)?)?,
    }
    Ok(Exit::Done)
}
