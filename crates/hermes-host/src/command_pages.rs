//! What shells and `man` want to know about a command line: completion scripts and manual pages.

use std::path::Path;

use anyhow::Context as _;
use clap::Command;
use clap_complete::env::Shells;

/// By this variable a completion script asks the program for candidates.
pub const COMPLETION_VARIABLE: &str = "HERMES_COMPLETE";

/// The completion script of a shell, by its name.
///
/// # Errors
/// If there is none for it.
pub fn completion_script(shell: &str, mut command: Command) -> anyhow::Result<String> {
    let mut script = Vec::new();
    if shell == "nushell" {
        // It has no way to ask for candidates; commands and flags are in the script.
        let nushell = clap_complete_nushell::Nushell;
        clap_complete::generate(nushell, &mut command, "hermes", &mut script);
    } else {
        let shells = Shells::builtins();
        let found = shells.completer(shell).with_context(|| format!("no script for {shell}"))?;
        found.write_registration(COMPLETION_VARIABLE, "hermes", "hermes", "hermes", &mut script)?;
    }
    Ok(String::from_utf8_lossy(&script).trim_end().to_owned())
}

/// The manual page of the command that these words name.
///
/// # Errors
/// With the word that names none.
pub fn manual_page(words: &[String], mut command: Command) -> Result<String, String> {
    command.build();
    for word in words {
        let found = command.find_subcommand(word).cloned();
        command = found.ok_or_else(|| format!("no command `{word}` to tell about"))?;
    }
    let mut page = Vec::new();
    clap_mangen::Man::new(command).render(&mut page).map_err(|problem| problem.to_string())?;
    Ok(String::from_utf8_lossy(&page).trim_end().to_owned())
}

/// Writes the pages of all commands to a folder.
///
/// # Errors
/// If they cannot be written.
pub fn write_manual(folder: &Path, mut command: Command) -> anyhow::Result<()> {
    command.build();
    std::fs::create_dir_all(folder).with_context(|| format!("make {}", folder.display()))?;
    clap_mangen::generate_to(command, folder)
        .with_context(|| format!("write pages to {}", folder.display()))
}
