//! Chores of this repository, in Rust: `cargo xtask docs`, `tidy`, `dist` and `order`.
//!
//! [`docs`] writes the reference pages under `docs/reference` from the code they describe, so that
//! none of them can say something the program does not do; with `--check` it only compares.
//! [`tidy`] holds the house to its rules where a compiler or a linter cannot: file sizes, essays,
//! who may depend on whom, forbidden words, links that lead nowhere. Both are part of the test run; nothing is
//! built, downloaded or started by them, and `docs/reference` is the only place written to.
//! [`dist`] makes the packages of a release, [`order`] lays out the program for the linker.

mod dist;
mod docs;
mod order;
mod tidy;

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Parser;

/// Chores of this repository.
#[derive(Debug, Parser)]
#[command(name = "cargo xtask")]
enum Chore {
    /// Write the reference pages under docs/reference
    Docs {
        /// Write nothing; fail if a page differs from what would be written
        #[arg(long)]
        check: bool,
    },
    /// Check the rules of the house and report every breach
    Tidy,
    /// Make the packages of a release: archives, wheels, npm and Debian packages, formula, installer
    Dist(dist::DistArgs),
    /// Count which functions everyday runs use and write the order in which the linker lays them out
    Order(order::OrderArgs),
}

fn main() -> anyhow::Result<ExitCode> {
    let chore = Chore::parse();
    let root = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."));
    let out = &mut io::stdout().lock();
    let passed = match chore {
        Chore::Docs { check: false } => docs::write(root, out)?,
        Chore::Docs { check: true } => docs::check(root, out)?,
        Chore::Tidy => tidy::run(root, out)?,
        Chore::Dist(args) => {
            dist::run(root, &args, out)?;
            Passed::Yes
        }
        Chore::Order(args) => {
            order::run(root, &args, out)?;
            Passed::Yes
        }
    };
    out.flush()?;
    Ok(match passed {
        Passed::Yes => ExitCode::SUCCESS,
        Passed::No => ExitCode::FAILURE,
    })
}

/// Whether a chore found everything in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Passed {
    Yes,
    No,
}

/// Where cargo puts what it builds.
#[expect(clippy::disallowed_methods, reason = "what cargo itself reads, not a setting of Hermes")]
fn target_folder(root: &Path) -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from)
}
