//! `cargo xtask order`: which functions of the program are used by everyday runs, so that the linker lays them side by
//! side.
//!
//! A system maps a program piece by piece, as its pages are first touched, and maps the neighbours of a page along with
//! it. Functions that start-up needs are scattered over thirty megabytes when the compiler chooses the order; a run of
//! one question then maps nearly all of them. Side by side they are four megabytes, and a third of the memory is saved.
//!
//! Everyday runs are counted by callgrind (a question, a question with tool calls, the list of tools), on a release
//! build that has kept its names. The names go to `crates/hermes/link/order.txt`, from where the program's build script
//! hands them to the linker. A name that no longer exists does no harm, so the file is made anew only now and then:
//! when peak memory has grown.

mod callgrind;

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, ensure};
use hermes_process::{Command, End};
use hermes_store::atomic::{self, WriteOptions};
use hermes_testkit::{ModelServer, Script, TempHome};

/// The file that the build script of the program hands to the linker.
const FILE: &str = "crates/hermes/link/order.txt";
/// What the scripted model says in a run with tool calls.
const DIALOGUE: &str = include_str!("dialogue.json");
/// The source tree is there for everybody to read.
const FILE_MODE: u32 = 0o644;

/// What to count.
#[derive(Debug, clap::Args)]
pub(crate) struct OrderArgs {
    /// Count on this program, which has kept its names, instead of building one
    #[arg(long, value_name = "FILE")]
    program: Option<PathBuf>,
}

/// Builds, counts and writes the order.
pub(crate) fn run(root: &Path, args: &OrderArgs, out: &mut impl Write) -> anyhow::Result<()> {
    let program = match &args.program {
        Some(program) => program.clone(),
        None => build(root)?,
    };
    let work = tempfile::tempdir().context("make a folder to work in")?;
    let mut names = callgrind::Names::default();
    for arguments in
        [&["-z", "hello"][..], &["-z", "look around"], &["tools", "list"], &["--version"]]
    {
        let server = ModelServer::start(Script::parse(DIALOGUE)?);
        let home = TempHome::with_model(&server.url())?;
        // One file for each process: the fork server is a copy of the program and writes down what it did, too.
        let counted = tempfile::tempdir().context("make a folder for what is counted")?;
        let done = Command::new("valgrind")
            .args(["--tool=callgrind", "--demangle=no", "--quiet"])
            .arg(format!("--callgrind-out-file={}/%p", counted.path().display()))
            .arg(&program)
            .args(arguments.iter().copied())
            .cwd(work.path())
            .env_inherit(["PATH"])
            .env("HOME", work.path())
            .env("HERMES_HOME", home.path())
            .run_blocking()
            .context("count with valgrind (is it installed?)")?;
        ensure!(
            done.end == End::Exited(0),
            "`hermes {}` ended with {:?}: {}",
            arguments.join(" "),
            done.end,
            done.stderr.text()
        );
        for entry in std::fs::read_dir(counted.path()).context("look for what was counted")? {
            let text = std::fs::read_to_string(entry?.path()).context("read what was counted")?;
            names.add(&text, &program);
        }
        writeln!(out, "{:>6} functions after `hermes {}`", names.len(), arguments.join(" "))?;
    }
    let path = root.join(FILE);
    std::fs::create_dir_all(path.parent().unwrap_or(root))?;
    atomic::write(&path, names.lines().as_bytes(), WriteOptions::new_file_mode(FILE_MODE))?;
    writeln!(out, "wrote {FILE}; build again to use it")?;
    Ok(())
}

/// The release build, with its names.
fn build(root: &Path) -> anyhow::Result<PathBuf> {
    let status = Command::new("cargo")
        .args([
            "rustc",
            "--release",
            "--locked",
            "--package",
            "hermes",
            "--bin",
            "hermes",
            "--",
            "-C",
            "strip=none",
        ])
        .cwd(root)
        .env_inherit(["PATH", "HOME", "CARGO_HOME", "RUSTUP_HOME", "CARGO_TARGET_DIR"])
        .run_in_foreground()
        .context("start cargo")?;
    ensure!(status.success(), "the release build failed");
    Ok(crate::target_folder(root).join("release/hermes"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_dialogue_is_a_script() {
        assert_eq!(Script::parse(DIALOGUE).unwrap().routes.len(), 1);
    }
}
