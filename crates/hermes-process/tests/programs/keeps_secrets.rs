//! A program with a secret in its environment, which says whether its children can read it.
//!
//! The argument says what it does about it: `nothing`, `shield` itself, `hide` the variable, or
//! keep its children `apart`. It prints one word for each place that a child was sent to.

use std::error::Error;
use std::io::Write as _;

use hermes_process::{Command, Confinement, hide_environment, prepare, shield_own_environment};
use nix::unistd::{Gid, Uid, setgid, setuid};

const NAME: &str = "HERMES_PROCESS_TEST_SECRET";

fn main() -> Result<(), Box<dyn Error>> {
    let what = std::env::args().nth(1).unwrap_or_default();
    let secret = own_secret().ok_or("no secret given")?;
    let mut confinement = None;
    match what.as_str() {
        "nothing" => become_ordinary()?,
        "shield" => {
            become_ordinary()?;
            shield_own_environment()?;
        }
        "hide" => {
            // A fork server from before has a copy of the block.
            prepare()?;
            if hide_environment([NAME])? != 1 {
                return Err("the variable was not found".into());
            }
        }
        "apart" => confinement = Some(Confinement::processes_only()),
        other => return Err(format!("unknown: {other}").into()),
    }
    if own_secret().as_ref() != Some(&secret) {
        return Err("our own view of the environment has changed".into());
    }
    prepare()?;
    let us = std::process::id();
    let fork_server = format!("pgrep -P {us} -x hermes-forksrv");
    for (place, script) in [
        ("our environment", format!("cat /proc/{us}/environ")),
        ("the fork server's environment", format!("cat /proc/$({fork_server})/environ")),
        ("our memory", format!("head -c 1 /proc/{us}/mem 2>&1 | grep -o denied")),
    ] {
        let mut command = Command::new("sh").args(["-c", &script]).cwd("/").env_inherit(["PATH"]);
        if let Some(confinement) = confinement.clone() {
            command = command.confine(confinement);
        }
        let done = command.run_blocking()?;
        let text = done.stdout.text();
        let seen = match text.trim() {
            // Reading at address zero fails in another way when memory may be read.
            "denied" => "closed",
            _ if text.contains(&secret) => "open",
            _ if place == "our memory" => "open",
            _ => "closed",
        };
        writeln!(std::io::stdout(), "{place}: {seen}")?;
    }
    Ok(())
}

#[expect(clippy::disallowed_methods, reason = "whether the process's own view stays as it was")]
fn own_secret() -> Option<String> {
    std::env::var(NAME).ok()
}

/// From root, who may look into everything, to nobody in particular; and as open as a program is
/// that was started by that user.
fn become_ordinary() -> Result<(), Box<dyn Error>> {
    const NOBODY: u32 = 65_534;
    if Uid::effective().is_root() {
        #[cfg(target_os = "linux")]
        nix::unistd::setgroups(&[])?;
        setgid(Gid::from_raw(NOBODY))?;
        setuid(Uid::from_raw(NOBODY))?;
        #[cfg(target_os = "linux")]
        nix::sys::prctl::set_dumpable(true)?;
    }
    Ok(())
}
