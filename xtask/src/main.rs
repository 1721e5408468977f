//! Chores of this repository, in Rust: `cargo xtask docs` and `cargo xtask tidy`.
//!
//! [`docs`] writes the reference pages under `docs/reference` from the code they describe, so that
//! none of them can say something the program does not do; with `--check` it only compares.
//! [`tidy`] holds the house to its rules where a compiler or a linter cannot: file sizes, essays,
//! who may depend on whom, forbidden words, links that lead nowhere.
//!
//! Both are part of the test run. What never happens here: nothing is built, downloaded or
//! started, and `docs/reference` is the only place written to.

mod docs;
mod tidy;

use std::io::{self, Write};
use std::path::Path;
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
}

fn main() -> anyhow::Result<ExitCode> {
    let chore = Chore::parse();
    let root = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."));
    let out = &mut io::stdout().lock();
    let passed = match chore {
        Chore::Docs { check: false } => docs::write(root, out)?,
        Chore::Docs { check: true } => docs::check(root, out)?,
        Chore::Tidy => tidy::run(root, out)?,
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
