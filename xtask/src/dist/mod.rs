//! `cargo xtask dist`: what a release consists of, from the binaries to the ways people install them.
//!
//! For each target there is an archive with its checksum, a Python wheel and an npm package that carry the same
//! binary, and for Linux a Debian package. Beside them: a Homebrew formula, the npm package that picks the right one of
//! the others, and the installer for a shell, with the checksums of this very release written into it.
//!
//! A binary is built by [`build`] with zig as the linker, so that it asks for an old C library wherever it is built,
//! or is given with `--binary`. All packages are written here, byte by byte and with fixed times, by the crates that
//! the program itself uses for archives: the same binary gives the same packages on every machine, and no packaging
//! tool has to be installed.
//!
//! What never happens here: nothing is uploaded, tagged or signed; that is the release workflow's work.

mod archive;
mod build;
mod deb;
mod elf;
mod formula;
mod installer;
mod npm;
mod target;
mod wheel;

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use hermes_store::atomic::{self, WriteOptions};
use sha2::{Digest, Sha256};

use target::Target;

/// The version of the workspace, which is the version of a release.
const VERSION: &str = env!("CARGO_PKG_VERSION");
/// Where releases are downloaded from, in the formula and in the installer.
const DOWNLOADS: &str = concat!(env!("CARGO_PKG_REPOSITORY"), "/releases/download");
/// One sentence, for the places where packages are listed.
const SUMMARY: &str = "An agent with tools, and the tools runtime under it: one small binary";
/// What a package says of its home.
const HOMEPAGE: &str = env!("CARGO_PKG_REPOSITORY");
/// Packages are there for everybody to read.
const PACKAGE_MODE: u32 = 0o644;
/// Written beside the binary in every archive.
const PAPERS: [&str; 4] = ["README.md", "CHANGELOG.md", "LICENSE-MIT", "LICENSE-APACHE"];

/// What of a release to make.
#[derive(Debug, clap::Args)]
pub(crate) struct DistArgs {
    /// Target to make packages for; may be given more than once [default: all that can be built here]
    #[arg(long = "target", value_name = "TRIPLE")]
    targets: Vec<String>,
    /// Take this binary for a target instead of building it
    #[arg(long = "binary", value_name = "TRIPLE=FILE")]
    binaries: Vec<String>,
    /// Folder for the packages
    #[arg(long, value_name = "DIR", default_value = "dist")]
    out: PathBuf,
    /// Build the model engine in
    #[arg(long)]
    local: bool,
}

/// Makes the packages and tells what was made.
pub(crate) fn run(root: &Path, args: &DistArgs, out: &mut impl Write) -> anyhow::Result<()> {
    let given = given_binaries(&args.binaries)?;
    let targets = match (&args.targets[..], &given[..]) {
        ([], []) => vec![target::HOST],
        ([], given) => given.iter().map(|(target, _)| *target).collect(),
        (names, _) => names.iter().map(|name| Target::named(name)).collect::<Result<_, _>>()?,
    };
    fs::create_dir_all(&args.out).with_context(|| format!("create {}", args.out.display()))?;

    let mut archives = Vec::new();
    for target in targets {
        let binary = match given.iter().find(|(of, _)| *of == target) {
            Some((_, file)) => file.clone(),
            None => build::binary(
                root,
                target,
                if args.local { build::Engine::Within } else { build::Engine::Without },
            )?,
        };
        let binary = fs::read(&binary).with_context(|| format!("read {}", binary.display()))?;
        elf::check_c_library(&binary, target)?;
        let archive = save(&args.out, archive::pack(root, target, &binary)?, out)?;
        save_sum(&args.out, &archive, out)?;
        archives.push((target, archive));
        save(&args.out, wheel::pack(root, target, &binary)?, out)?;
        save(&args.out, npm::pack_binary(root, target, &binary)?, out)?;
        if let Some(package) = deb::pack(root, target, &binary)? {
            save(&args.out, package, out)?;
        }
    }
    save(&args.out, npm::pack_chooser(root, archives.iter().map(|(target, _)| *target))?, out)?;
    save(&args.out, formula::write(&archives), out)?;
    save(&args.out, installer::write(root, &archives)?, out)?;
    Ok(())
}

/// A file of a release.
struct Package {
    name: String,
    bytes: Vec<u8>,
}

impl Package {
    /// The checksum by which a download is told from anything else.
    fn sha256(&self) -> String {
        Sha256::digest(&self.bytes).iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

fn save(folder: &Path, package: Package, out: &mut impl Write) -> anyhow::Result<Package> {
    let path = folder.join(&package.name);
    atomic::write(&path, &package.bytes, WriteOptions::new_file_mode(PACKAGE_MODE))?;
    writeln!(out, "{:>9} kB  {}", package.bytes.len() / 1000, path.display())?;
    Ok(package)
}

/// Writes the checksum of a package beside it, in the form that `sha256sum --check` reads.
fn save_sum(folder: &Path, package: &Package, out: &mut impl Write) -> anyhow::Result<()> {
    let line = format!("{}  {}\n", package.sha256(), package.name);
    let name = format!("{}.sha256", package.name);
    save(folder, Package { name, bytes: line.into_bytes() }, out).map(drop)
}

fn given_binaries(given: &[String]) -> anyhow::Result<Vec<(Target, PathBuf)>> {
    given
        .iter()
        .map(|pair| match pair.split_once('=') {
            Some((name, file)) => Ok((Target::named(name)?, PathBuf::from(file))),
            None => bail!("--binary takes TRIPLE=FILE, not {pair:?}"),
        })
        .collect()
}
