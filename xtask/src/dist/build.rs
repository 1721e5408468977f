//! Builds the binary of a target with zig as compiler and linker of C: it knows every target's C library and every
//! old version of glibc, and comes from a package index like any other tool. For macOS the system's own linker is used,
//! on macOS: its frameworks are not zig's to give.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, ensure};
use hermes_process::Command;

use super::target::Target;
use crate::target_folder;

/// The zig and the cargo command that releases are made with.
const TOOLS: [&str; 2] = ["ziglang==0.17.0", "cargo-zigbuild==0.24.0"];
/// Where they are kept, seen from the folder of builds.
const TOOLS_FOLDER: &str = "dist-tools";

/// Whether the model engine is part of the binary.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Engine {
    Within,
    Without,
}

/// Builds the program for a target and tells where the binary is.
pub(super) fn binary(root: &Path, target: Target, engine: Engine) -> anyhow::Result<PathBuf> {
    let folder = target_folder(root);
    if target.is_macos() {
        ensure!(
            cfg!(target_os = "macos"),
            "{} is built on macOS; scripts/check-macos type-checks it here",
            target.triple
        );
        let build = Command::new("cargo").args(["build", "--target", target.triple]);
        return finish(build, root, target, engine);
    }
    let tools = folder.join(TOOLS_FOLDER);
    let cargo = tools.join("bin/cargo-zigbuild");
    if !cargo.exists() {
        fs::create_dir_all(&tools).with_context(|| format!("create {}", tools.display()))?;
        run(
            Command::new("python3").args(["-m", "venv"]).arg(&tools),
            "make an environment for zig",
        )?;
        run(
            Command::new(tools.join("bin/pip")).args(["install", "--quiet"]).args(TOOLS),
            "install zig",
        )?;
    }
    let build = Command::new(cargo)
        .args(["zigbuild", "--target", target.zig])
        .env("PATH", search_path(&tools)?)
        // The packed form of corrections at start is known to newer loaders only; see crates/hermes/build.rs.
        .env("HERMES_OLD_LOADERS", "1");
    finish(build, root, target, engine)
}

/// Runs a build to which only what is to be built is missing.
fn finish(build: Command, root: &Path, target: Target, engine: Engine) -> anyhow::Result<PathBuf> {
    let mut build = build.args(["--release", "--locked", "--package", "hermes"]).cwd(root);
    if engine == Engine::Within {
        build = build.args(["--features", "local"]);
    }
    run(build, "build the program")?;
    let binary = target_folder(root).join(target.triple).join("release/hermes");
    ensure!(binary.exists(), "the build left no {}", binary.display());
    Ok(binary)
}

fn run(command: Command, act: &str) -> anyhow::Result<()> {
    let command = command.env_inherit([
        "HOME",
        "PATH",
        "CARGO_HOME",
        "RUSTUP_HOME",
        "CARGO_TARGET_DIR",
        "PIP_INDEX_URL",
    ]);
    let status = command.run_in_foreground().with_context(|| act.to_owned())?;
    ensure!(status.success(), "could not {act}: {status}");
    Ok(())
}

/// The search path with the tools' own folder in front.
#[expect(
    clippy::disallowed_methods,
    reason = "the path that programs are looked for in, not a setting of Hermes"
)]
fn search_path(tools: &Path) -> anyhow::Result<OsString> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::iter::once(tools.join("bin")).chain(std::env::split_paths(&path));
    std::env::join_paths(folders).context("put the tools' folder into the search path")
}
