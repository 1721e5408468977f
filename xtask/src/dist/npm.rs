//! The npm packages: one for each target that carries its binary, and `hermes-rs`, which names them all as optional
//! dependencies and starts the one that npm found fit for the machine.

use std::path::Path;

use serde_json::json;

use super::archive::{TarGz, read};
use super::target::Target;
use super::{HOMEPAGE, Package, SUMMARY, VERSION};

/// Starts the binary of the package that fits this machine and ends as it ends.
const LAUNCHER: &str = r#"#!/usr/bin/env node
"use strict";
const { spawnSync } = require("node:child_process");
const name = `@hermes-rs/${process.platform}-${process.arch}`;
let program;
try {
  program = require.resolve(`${name}/bin/hermes`);
} catch {
  console.error(`hermes-rs: the package ${name} is missing. It is an optional dependency of this one: install again ` +
    `without --omit=optional. If there is no such package, Hermes has no binary for this machine yet; build it from source.`);
  process.exit(1);
}
const { status, signal, error } = spawnSync(program, process.argv.slice(2), { stdio: "inherit" });
if (error) {
  console.error(`hermes-rs: ${program} does not start: ${error.message}`);
  process.exit(1);
}
if (signal) process.kill(process.pid, signal);
process.exit(status ?? 1);
"#;

/// The package that carries the binary of a target.
pub(super) fn pack_binary(root: &Path, target: Target, binary: &[u8]) -> anyhow::Result<Package> {
    let (os, cpu) = target.npm;
    let manifest = json!({
        "name": target.npm_name(),
        "version": VERSION,
        "description": format!("The hermes binary for {}", target.triple),
        "license": "MIT OR Apache-2.0",
        "repository": HOMEPAGE,
        "os": [os],
        "cpu": [cpu],
        "files": ["bin/hermes"],
    });
    let mut tar = TarGz::new();
    tar.file("package/package.json", &pretty(&manifest)?)?;
    tar.program("package/bin/hermes", binary)?;
    for licence in ["LICENSE-MIT", "LICENSE-APACHE"] {
        tar.file(&format!("package/{licence}"), &read(root, licence)?)?;
    }
    Ok(Package { name: format!("hermes-rs-{os}-{cpu}-{VERSION}.tgz"), bytes: tar.finish()? })
}

/// The package that people install.
pub(super) fn pack_chooser(
    root: &Path,
    targets: impl Iterator<Item = Target>,
) -> anyhow::Result<Package> {
    let packages: serde_json::Map<_, _> =
        targets.map(|target| (target.npm_name(), VERSION.into())).collect();
    let manifest = json!({
        "name": "hermes-rs",
        "version": VERSION,
        "description": SUMMARY,
        "license": "MIT OR Apache-2.0",
        "repository": HOMEPAGE,
        "bin": {"hermes": "hermes.js", "hermes-rs": "hermes.js"},
        "engines": {"node": ">=18"},
        "optionalDependencies": packages,
    });
    let mut tar = TarGz::new();
    tar.file("package/package.json", &pretty(&manifest)?)?;
    tar.program("package/hermes.js", LAUNCHER.as_bytes())?;
    tar.file("package/README.md", &read(root, "README.md")?)?;
    Ok(Package { name: format!("hermes-rs-{VERSION}.tgz"), bytes: tar.finish()? })
}

fn pretty(manifest: &serde_json::Value) -> anyhow::Result<Vec<u8>> {
    let mut bytes = serde_json::to_vec_pretty(manifest)?;
    bytes.push(b'\n');
    Ok(bytes)
}
