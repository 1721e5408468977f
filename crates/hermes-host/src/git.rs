//! Asking git, which is a program on this machine and the person's own.

use std::path::Path;
use std::time::Duration;

use hermes_process::{Command, End, FinishedProcess};

/// How long it may take: a large checkout has to be written.
const LIMIT: Duration = Duration::from_secs(120);
/// What it needs to know to find programs and its settings.
const VARIABLES: [&str; 8] = [
    "PATH",
    "HOME",
    "XDG_CONFIG_HOME",
    "GIT_CONFIG_GLOBAL",
    "GIT_AUTHOR_NAME",
    "GIT_AUTHOR_EMAIL",
    "GIT_COMMITTER_NAME",
    "GIT_COMMITTER_EMAIL",
];

/// A call of git in a folder, which never asks anybody anything.
pub(crate) fn command(folder: &Path, args: &[&str]) -> Command {
    Command::new("git")
        .args(args.iter().map(|arg| (*arg).to_owned()))
        .cwd(folder.to_owned())
        .env_inherit(VARIABLES)
        .env("GIT_TERMINAL_PROMPT", "0")
        .env("GIT_EDITOR", "true")
        .env("LC_ALL", "C.UTF-8")
        .deadline(LIMIT)
}

/// What git said, if it went well; else why not.
pub(crate) fn said(done: &FinishedProcess) -> anyhow::Result<String> {
    if done.end == End::Exited(0) {
        return Ok(done.stdout.text());
    }
    let why = [done.stderr.text(), done.stdout.text()];
    let why = why.iter().map(|text| text.trim()).find(|text| !text.is_empty());
    anyhow::bail!("git: {}", why.unwrap_or("it did not end well and does not say why"))
}
