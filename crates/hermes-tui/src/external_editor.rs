//! Handing the terminal to an interactive program, such as the person's own editor.

use std::path::Path;

use anyhow::Context;
use hermes_tool::Vars;

/// Runs `program` (a command line, as `$EDITOR` may hold one) on a file and waits for it.
///
/// # Errors
///
/// If the program cannot be started or ends with a failure.
pub fn open_in_editor(program: &str, file: &Path, vars: &Vars) -> anyhow::Result<()> {
    let words = shlex::split(program)
        .filter(|words| !words.is_empty())
        .with_context(|| format!("`{program}` is not a command"))?;
    let environment = vars.iter().map(|(name, value)| (name.to_owned(), value.to_owned()));
    let status = hermes_process::Command::new(&words[0])
        .args(words[1..].iter().cloned())
        .arg(file)
        .envs(environment)
        .run_in_foreground()
        .with_context(|| format!("open {} in `{program}`", file.display()))?;
    anyhow::ensure!(status.success(), "`{program}` ended with {status}");
    Ok(())
}
