//! Which way a program was installed, told from where it lies.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context as _;

/// The name of our packages where a manager keeps them.
const PACKAGE: &str = "hermes-rs";

/// Who put a program where it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum InstallOrigin {
    /// An archive of a release, or its installer: nobody else looks after it.
    Archive,
    /// pip, in an environment of Python.
    Wheel,
    /// `uv tool`.
    UvTool,
    /// pipx.
    Pipx,
    /// npm.
    Npm,
    /// dpkg.
    Debian,
    /// Homebrew.
    Homebrew,
    /// `cargo install`.
    Cargo,
    /// A folder in which cargo builds.
    BuildFolder,
    /// The image of a container.
    Container,
}

impl InstallOrigin {
    /// The word for programs.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Archive => "archive",
            Self::Wheel => "wheel",
            Self::UvTool => "uv",
            Self::Pipx => "pipx",
            Self::Npm => "npm",
            Self::Debian => "deb",
            Self::Homebrew => "brew",
            Self::Cargo => "cargo",
            Self::BuildFolder => "build",
            Self::Container => "container",
        }
    }

    /// The words for people.
    pub(super) fn words(self) -> &'static str {
        match self {
            Self::Archive => "an archive of a release",
            Self::Wheel => "a Python wheel (pip)",
            Self::UvTool => "a Python wheel (uv tool)",
            Self::Pipx => "a Python wheel (pipx)",
            Self::Npm => "an npm package",
            Self::Debian => "a Debian package",
            Self::Homebrew => "Homebrew",
            Self::Cargo => "cargo install",
            Self::BuildFolder => "a build of your own",
            Self::Container => "the image of a container",
        }
    }
}

/// A program and who put it there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Installed {
    pub(super) program: PathBuf,
    pub(super) origin: InstallOrigin,
}

impl Installed {
    /// This program.
    pub(super) fn this() -> anyhow::Result<Self> {
        let program = std::env::current_exe().context("find this program")?;
        let program = fs::canonicalize(&program).unwrap_or(program);
        Ok(Self { origin: look(&program, Path::new("/")), program })
    }

    /// The command that brings a newer version; none where we do it.
    pub(super) fn update_command(&self) -> Option<String> {
        Some(match self.origin {
            InstallOrigin::Archive => return None,
            InstallOrigin::Wheel => format!("{} -m pip install --upgrade {PACKAGE}", self.python()),
            InstallOrigin::UvTool => format!("uv tool upgrade {PACKAGE}"),
            InstallOrigin::Pipx => format!("pipx upgrade {PACKAGE}"),
            InstallOrigin::Npm => format!("npm install --global {PACKAGE}@latest"),
            InstallOrigin::Debian => format!("apt install ./{PACKAGE}_VERSION_ARCH.deb"),
            InstallOrigin::Homebrew => "brew upgrade hermes".to_owned(),
            InstallOrigin::Cargo => match self.cargo_source() {
                Some(CargoSource::Clone(folder)) => {
                    format!("cd {folder} && git pull && ./install --no-run")
                }
                Some(CargoSource::Git(url)) => {
                    format!("cargo install --locked --force --git {url} hermes")
                }
                _ => "cargo install --locked --force hermes".to_owned(),
            },
            InstallOrigin::BuildFolder => "git pull && cargo build --release".to_owned(),
            InstallOrigin::Container => {
                "docker pull IMAGE, and begin the container anew".to_owned()
            }
        })
    }

    /// The command that removes it; none where we do it.
    pub(super) fn remove_command(&self) -> Option<String> {
        Some(match self.origin {
            InstallOrigin::Archive => return None,
            InstallOrigin::Wheel => format!("{} -m pip uninstall {PACKAGE}", self.python()),
            InstallOrigin::UvTool => format!("uv tool uninstall {PACKAGE}"),
            InstallOrigin::Pipx => format!("pipx uninstall {PACKAGE}"),
            InstallOrigin::Npm => format!("npm uninstall --global {PACKAGE}"),
            InstallOrigin::Debian => format!("apt remove {PACKAGE}"),
            InstallOrigin::Homebrew => "brew uninstall hermes".to_owned(),
            InstallOrigin::Cargo => "cargo uninstall hermes".to_owned(),
            InstallOrigin::BuildFolder => "cargo clean".to_owned(),
            InstallOrigin::Container => "docker rm CONTAINER".to_owned(),
        })
    }

    fn python(&self) -> String {
        let beside = self.program.with_file_name("python");
        if beside.exists() { beside.display().to_string() } else { "python3".to_owned() }
    }

    fn cargo_source(&self) -> Option<CargoSource> {
        let root = self.program.parent()?.parent()?;
        let line = cargo_line(root)?;
        let (_, source) = line.split_once('(')?;
        let (source, _) = source.split_once(')')?;
        Some(if let Some(url) = source.strip_prefix("path+file://") {
            let folder = url.strip_suffix("/crates/hermes").unwrap_or(url);
            CargoSource::Clone(folder.to_owned())
        } else if let Some(url) = source.strip_prefix("git+") {
            CargoSource::Git(url.split('#').next().unwrap_or(url).to_owned())
        } else {
            CargoSource::Registry
        })
    }
}

/// Where cargo took the source from.
#[derive(Debug)]
enum CargoSource {
    Clone(String),
    Git(String),
    Registry,
}

/// The line about us in cargo's list of what it installed below a folder.
fn cargo_line(root: &Path) -> Option<String> {
    let list = fs::read_to_string(root.join(".crates.toml")).ok()?;
    list.lines().find(|line| line.trim_start().starts_with("\"hermes ")).map(str::to_owned)
}

/// Who put a program there; `root` is where the system's own files begin.
fn look(program: &Path, root: &Path) -> InstallOrigin {
    let names: Vec<&str> =
        program.components().filter_map(|part| part.as_os_str().to_str()).collect();
    let has = |name: &str| names.contains(&name);
    let has_both = |one: &str, two: &str| names.windows(2).any(|pair| pair == [one, two]);
    if has("node_modules") {
        return InstallOrigin::Npm;
    }
    if has("Cellar") {
        return InstallOrigin::Homebrew;
    }
    if has_both("uv", "tools") {
        return InstallOrigin::UvTool;
    }
    if has_both("pipx", "venvs") {
        return InstallOrigin::Pipx;
    }
    let folder = program.parent();
    let above = folder.and_then(Path::parent);
    let is_in_bin = folder.is_some_and(|folder| folder.ends_with("bin"));
    if let (true, Some(above)) = (is_in_bin, above) {
        if has_wheel(above) {
            return InstallOrigin::Wheel;
        }
        if cargo_line(above).is_some() {
            return InstallOrigin::Cargo;
        }
    }
    if lists(&root.join("var/lib/dpkg/info").join(format!("{PACKAGE}.list")), program, root) {
        return InstallOrigin::Debian;
    }
    let is_profile = folder.is_some_and(|folder| {
        folder.ends_with("debug") || folder.ends_with("release") || folder.ends_with("deps")
    });
    if is_profile
        && folder.is_some_and(|folder| folder.join("deps").is_dir() || folder.ends_with("deps"))
    {
        return InstallOrigin::BuildFolder;
    }
    let is_container = root.join(".dockerenv").exists() || root.join("run/.containerenv").exists();
    if is_container && program == root.join("usr/local/bin/hermes") {
        return InstallOrigin::Container;
    }
    InstallOrigin::Archive
}

/// Whether an environment of Python has our wheel.
fn has_wheel(prefix: &Path) -> bool {
    let entries = |folder: PathBuf| fs::read_dir(folder).into_iter().flatten().flatten();
    entries(prefix.join("lib"))
        .filter(|entry| entry.file_name().to_string_lossy().starts_with("python"))
        .flat_map(|python| ["site-packages", "dist-packages"].map(|name| python.path().join(name)))
        .flat_map(entries)
        .any(|entry| {
            let name = entry.file_name().to_string_lossy().into_owned();
            name.starts_with("hermes_rs-") && name.ends_with(".dist-info")
        })
}

/// Whether dpkg's list of a package names a program.
fn lists(list: &Path, program: &Path, root: &Path) -> bool {
    let Ok(inner) = program.strip_prefix(root) else { return false };
    let wanted = Path::new("/").join(inner);
    fs::read_to_string(list).is_ok_and(|text| text.lines().any(|line| Path::new(line) == wanted))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(path: &Path, text: &str) {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        hermes_store::atomic::write(path, text.as_bytes(), Default::default()).unwrap();
    }

    #[test]
    fn every_way_of_installing_is_told_from_the_place() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        write(&root.join("venv/lib/python3.11/site-packages/hermes_rs-0.1.0.dist-info/RECORD"), "");
        write(
            &root.join("cargo/.crates.toml"),
            "[v1]\n\"hermes 0.1.0 (path+file:///src/hermes/crates/hermes)\" = [\"hermes\"]\n",
        );
        write(&root.join("var/lib/dpkg/info/hermes-rs.list"), "/.\n/usr/bin/hermes\n");
        fs::create_dir_all(root.join("src/target/debug/deps")).unwrap();
        write(&root.join(".dockerenv"), "");
        let at = |path: &str| Installed {
            program: root.join(path),
            origin: look(&root.join(path), root),
        };
        for (path, origin) in [
            ("venv/bin/hermes", InstallOrigin::Wheel),
            ("home/.local/share/uv/tools/hermes-rs/bin/hermes", InstallOrigin::UvTool),
            ("home/.local/pipx/venvs/hermes-rs/bin/hermes", InstallOrigin::Pipx),
            (
                "usr/lib/node_modules/hermes-rs/node_modules/hermes-rs-linux-x64/bin/hermes",
                InstallOrigin::Npm,
            ),
            ("opt/homebrew/Cellar/hermes/0.1.0/bin/hermes", InstallOrigin::Homebrew),
            ("cargo/bin/hermes", InstallOrigin::Cargo),
            ("usr/bin/hermes", InstallOrigin::Debian),
            ("src/target/debug/hermes", InstallOrigin::BuildFolder),
            ("usr/local/bin/hermes", InstallOrigin::Container),
            ("home/.local/bin/hermes", InstallOrigin::Archive),
            ("opt/release/hermes", InstallOrigin::Archive),
        ] {
            let found = at(path);
            assert_eq!(found.origin, origin, "{path}");
            let is_ours = origin == InstallOrigin::Archive;
            assert_eq!(found.update_command().is_none(), is_ours, "{path}");
            assert_eq!(found.remove_command().is_none(), is_ours, "{path}");
        }
        assert_eq!(
            at("cargo/bin/hermes").update_command().unwrap(),
            "cd /src/hermes && git pull && ./install --no-run"
        );
    }
}
