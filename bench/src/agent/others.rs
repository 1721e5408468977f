//! Other agents, from npm.
//!
//! A launcher in another language is gone round: it would be charged to the program.

use std::path::PathBuf;

use super::side::Side;
use crate::npm::Package;

/// A program to compare with, or why there is none.
pub(crate) type Found = Result<PathBuf, String>;

const CODEX: Package = Package {
    name: "@openai/codex@0.166.0",
    program: "@openai/codex-linux-x64/vendor/x86_64-unknown-linux-musl/bin/codex",
};
const GOOSE: Package =
    Package { name: "@aaif/goose@0.20.1", program: "@aaif/goose-binary-linux-x64/bin/goose" };

/// Finds the program of a side, or installs it.
pub(super) fn find(side: Side) -> Found {
    let package = match side {
        Side::Codex => CODEX,
        Side::Goose => GOOSE,
        Side::Ours | Side::Reference => return Err("it is not on npm".to_owned()),
    };
    package.find().map_err(|problem| format!("could not be installed: {problem:#}"))
}
