//! `./install` with archives that lie beside it.

use std::path::Path;

use crate::support::{Run, Sandbox, write};

fn target() -> String {
    format!("{}-unknown-linux-gnu", std::env::consts::ARCH)
}

/// An archive as a release has it, of a program that tells its version.
fn archive(sandbox: &Sandbox, folder: &Path, version: &str) -> String {
    let name = format!("hermes-v{version}-{}", target());
    let line = format!(
        "cd {} && mkdir {name} && printf '#!/bin/sh\\necho program {version} \"$*\"\\n' > {name}/hermes && \
         chmod +x {name}/hermes && tar -czf {name}.tar.gz {name} && rm -r {name} && \
         sha256sum {name}.tar.gz > {name}.tar.gz.sha256",
        folder.display()
    );
    sandbox.shell(&line).exits(0);
    format!("{name}.tar.gz")
}

/// A clone with nothing but the script in it.
fn clone(sandbox: &Sandbox) -> std::path::PathBuf {
    let folder = sandbox.scratch("clone");
    std::fs::create_dir(&folder).unwrap();
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../install");
    std::fs::copy(script, folder.join("install")).unwrap();
    folder
}

fn install(sandbox: &Sandbox, folder: &Path, more: &str) -> Run {
    let to = sandbox.scratch("bin");
    sandbox.shell(&format!("{}/install --to {} {more}", folder.display(), to.display()))
}

#[test]
fn the_newest_archive_is_checked_installed_and_begun_with() {
    let sandbox = Sandbox::new();
    let folder = clone(&sandbox);
    archive(&sandbox, &folder, "0.9.0");
    let newest = archive(&sandbox, &folder, "0.10.0");
    let run = install(&sandbox, &folder, "").exits(0);
    let run = run.says("program 0.10.0 --version").says("to your PATH");
    run.says("program 0.10.0 -z Say in one sentence");
    let run = install(&sandbox, &folder, "--no-run").exits(0);
    assert!(!run.out.contains(" -z "), "{run:?}");

    // One byte more.
    let path = folder.join(&newest);
    let mut bytes = std::fs::read(&path).unwrap();
    bytes.push(0);
    write(&path, &bytes);
    std::fs::remove_file(sandbox.scratch("bin/hermes")).unwrap();
    install(&sandbox, &folder, "").exits(1).notes("the checksum of");
    std::fs::remove_file(folder.join(format!("{newest}.sha256"))).unwrap();
    install(&sandbox, &folder, "").exits(1).notes(".sha256 is not there");
    assert!(!sandbox.scratch("bin/hermes").exists(), "nothing was installed");
}

#[test]
fn what_makes_no_sense_is_refused() {
    let sandbox = Sandbox::new();
    let folder = clone(&sandbox);
    install(&sandbox, &folder, "--from /no/such.tar.gz").exits(1).notes("is not there");
    write(&folder.join("hermes-v1-mips-unknown-linux-gnu.tar.gz"), b"");
    let other = format!("--from {}/hermes-v1-mips-unknown-linux-gnu.tar.gz", folder.display());
    install(&sandbox, &folder, &other).exits(1).notes("is not for this machine");
    install(&sandbox, &folder, "--nonsense").exits(1).notes("unknown argument --nonsense");
}
