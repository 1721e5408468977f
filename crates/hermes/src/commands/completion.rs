//! `hermes completion`.

use crate::args::Shell;
use crate::exit::Exit;
use crate::ui::Ui;

/// Prints the script.
pub(crate) fn run(shell: Shell, mut command: clap::Command, ui: &mut Ui) -> anyhow::Result<Exit> {
    let shell = match shell {
        Shell::Bash => clap_complete::Shell::Bash,
        Shell::Zsh => clap_complete::Shell::Zsh,
        Shell::Fish => clap_complete::Shell::Fish,
    };
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut command, "hermes", &mut script);
    ui.line(String::from_utf8_lossy(&script).trim_end())?;
    Ok(Exit::Done)
}
