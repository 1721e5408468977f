//! The packages of a release are installed into empty folders by the installers people use, and what they install
//! runs.
//!
//! The binary inside is a script of one line that starts the program that was built for the tests: what is tried here
//! is the packages, and a debug build is too large to be packed five times. `scripts/check-dist` does the same with
//! the real one.

#![allow(clippy::disallowed_methods, reason = "a test of programs that are not ours")]
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const TRIPLE: &str = "x86_64-unknown-linux-gnu";

/// A folder with the packages of a release in it.
struct Release {
    folder: tempfile::TempDir,
}

impl Release {
    fn make() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let binary = folder.path().join("binary");
        fs::write(&binary, format!("#!/bin/sh\nexec '{}' \"$@\"\n", built_program().display()))
            .unwrap();
        let made = Command::new(env!("CARGO_BIN_EXE_xtask"))
            .arg("dist")
            .arg(format!("--binary={TRIPLE}={}", binary.display()))
            .arg("--out")
            .arg(folder.path().join("dist"))
            .output()
            .unwrap();
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
        Self { folder }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// The one package whose name ends so.
    fn package(&self, ending: &str) -> PathBuf {
        let mut found: Vec<_> = fs::read_dir(self.path("dist"))
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .filter(|path| path.to_str().unwrap().ends_with(ending))
            .collect();
        assert_eq!(found.len(), 1, "packages that end with {ending}: {found:?}");
        found.remove(0)
    }
}

/// The `hermes` that `cargo nextest run --workspace` builds beside this test.
fn built_program() -> PathBuf {
    let program = Path::new(env!("CARGO_BIN_EXE_xtask")).with_file_name("hermes");
    assert!(
        program.exists(),
        "{} is not built; run `cargo build -p hermes` first",
        program.display()
    );
    program
}

fn succeeds(command: &mut Command) -> String {
    let done = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert!(done.status.success(), "{command:?}: {}{}", text(&done.stdout), text(&done.stderr));
    text(&done.stdout)
}

fn tells_its_version(program: &Path) {
    let told = succeeds(Command::new(program).arg("--version"));
    assert!(told.starts_with(&format!("hermes {}", env!("CARGO_PKG_VERSION"))), "{told}");
}

#[test]
fn the_wheel_is_installed_by_pip() {
    let release = Release::make();
    let prefix = release.path("python");
    succeeds(
        Command::new("python3")
            .args([
                "-m",
                "pip",
                "install",
                "--quiet",
                "--no-index",
                "--no-deps",
                "--disable-pip-version-check",
            ])
            .args(["--root-user-action=ignore", "--ignore-installed", "--prefix"])
            .arg(&prefix)
            .arg(release.package(".whl")),
    );
    tells_its_version(&prefix.join("bin/hermes"));
    let module = fs::read_dir(prefix.join("lib")).unwrap().next().unwrap().unwrap().path();
    let told =
        succeeds(Command::new("python3").env("PYTHONPATH", module.join("site-packages")).args([
            "-m",
            "hermes_rs",
            "--version",
        ]));
    assert!(told.starts_with("hermes "), "{told}");
}

#[test]
fn the_npm_packages_are_installed_by_npm() {
    let release = Release::make();
    let prefix = release.path("node");
    succeeds(
        Command::new("npm")
            .args(["install", "--global", "--offline", "--no-audit", "--no-fund", "--prefix"])
            .arg(&prefix)
            .arg(release.package(&format!("linux-x64-{}.tgz", env!("CARGO_PKG_VERSION"))))
            .arg(release.package(&format!("hermes-rs-{}.tgz", env!("CARGO_PKG_VERSION")))),
    );
    tells_its_version(&prefix.join("bin/hermes"));
}

#[test]
fn the_debian_package_is_read_by_dpkg() {
    let release = Release::make();
    let package = release.package(".deb");
    let words = succeeds(Command::new("dpkg-deb").arg("--info").arg(&package));
    assert!(words.contains("libc6 (>= 2.28)"), "{words}");
    let root = release.path("debian");
    succeeds(Command::new("dpkg-deb").arg("--extract").arg(&package).arg(&root));
    tells_its_version(&root.join("usr/bin/hermes"));
}

#[test]
fn the_installer_takes_what_has_the_right_checksum_and_nothing_else() {
    let release = Release::make();
    let (dist, to) = (release.path("dist"), release.path("local/bin"));
    let install = || {
        let mut command = Command::new("sh");
        command.arg(dist.join("hermes-installer.sh")).arg("--to").arg(&to).arg("--from").arg(&dist);
        command
    };
    let told = succeeds(&mut install());
    assert!(told.contains("installed hermes"), "{told}");
    tells_its_version(&to.join("hermes"));
    let sums = release.package(".tar.gz.sha256");
    succeeds(Command::new("sha256sum").arg("--check").arg(&sums).current_dir(&dist));

    fs::remove_file(to.join("hermes")).unwrap();
    let archive = release.package(".tar.gz");
    let mut bytes = fs::read(&archive).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(&archive, bytes).unwrap();
    let refused = install().output().unwrap();
    assert!(!refused.status.success());
    let why = String::from_utf8_lossy(&refused.stderr);
    assert!(why.contains("checksum") && why.contains("nothing was installed"), "{why}");
    assert!(!to.join("hermes").exists());
}

#[test]
fn the_same_binary_gives_the_same_packages() {
    let (one, other) = (Release::make(), Release::make());
    for entry in fs::read_dir(one.path("dist")).unwrap() {
        let entry = entry.unwrap();
        let twin = other.path("dist").join(entry.file_name());
        assert!(
            fs::read(entry.path()).unwrap() == fs::read(twin).unwrap(),
            "{:?}",
            entry.file_name()
        );
    }
}

#[test]
fn a_target_nobody_knows_is_named_with_those_that_are() {
    let refused = Command::new(env!("CARGO_BIN_EXE_xtask"))
        .args(["dist", "--target", "riscv64"])
        .output()
        .unwrap();
    assert!(!refused.status.success());
    let why = String::from_utf8_lossy(&refused.stderr);
    assert!(why.contains("riscv64") && why.contains("aarch64-apple-darwin"), "{why}");
}
