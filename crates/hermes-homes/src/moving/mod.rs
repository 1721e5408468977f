//! Moving in from a home of the Python program.
//!
//! ```text
//! carry     its files into a folder beside our home; databases by their own engine
//! convert   what means something there only: variables among the settings, keys among the sign-ins
//! part      a part of a home, and what becomes of it
//! survey    what all of it comes to here, part by part: this comes along, this does not, and why
//! ```
//!
//! The old home is only read. Everything is put together beside our own and looked at there, and the two change places in one
//! step; a dry run ends before it. A home that is ours already is only looked at: both programs read the same files.

mod carry;
mod convert;
mod part;
mod survey;
mod verb;

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail, ensure};
use hermes_host::{Host, HostOptions};
use hermes_store::home::Home;
use serde::Serialize;

use crate::staging::Staging;
use crate::swap::put_in_place;
use part::MovedPart;

pub(crate) use verb::MigrateArgs;

/// What moving in came to, or would.
#[derive(Debug, Serialize)]
pub(crate) struct Moved {
    pub(crate) from: PathBuf,
    pub(crate) to: PathBuf,
    /// Whether it is one and the same home.
    pub(crate) in_place: bool,
    pub(crate) dry_run: bool,
    pub(crate) files: usize,
    pub(crate) bytes: u64,
    pub(crate) parts: Vec<MovedPart>,
    /// What a person should know or do.
    pub(crate) warnings: Vec<String>,
    /// Where what was here before is.
    pub(crate) before: Option<PathBuf>,
}

/// How a move is wanted.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MoveWish {
    /// Ends before anything is changed.
    pub(crate) dry_run: bool,
    /// Also where a home is in use.
    pub(crate) force: bool,
}

/// Moves in from a home, or says what is in one that both programs use.
pub(crate) fn move_in(host: &Host, from: Option<&Path>, wish: MoveWish) -> anyhow::Result<Moved> {
    let to = host.home().root();
    let from = match from {
        None => to.to_owned(),
        Some(folder) => fs::canonicalize(folder)
            .with_context(|| format!("there is no folder {}", folder.display()))?,
    };
    ensure!(
        ["config.yaml", "state.db", ".env"].iter().any(|name| from.join(name).exists()),
        "{} is no home: it has neither config.yaml nor state.db nor .env",
        from.display()
    );
    if fs::canonicalize(to).is_ok_and(|own| own == from) {
        return Ok(look_at_own(host, from));
    }
    ensure!(
        !to.starts_with(&from) && !from.starts_with(to),
        "{} and {} lie within each other; set HERMES_HOME to another folder",
        from.display(),
        to.display()
    );
    if let Some(pid) = hermes_gateway::running(to) {
        bail!("the gateway runs (process {pid}); `hermes gateway stop` ends it");
    }
    let is_used = to.join("state.db").exists() || to.join("config.yaml").exists();
    if is_used && !wish.force && !wish.dry_run {
        bail!(
            "{} is in use; --force replaces it (what is there is kept as a snapshot)",
            to.display()
        );
    }
    let staging = Staging::beside(to)?;
    let carried = carry::carry(&from, staging.path())?;
    let mut warnings = carried.warnings;
    let mut parts = Vec::new();
    for home in &carried.homes {
        let inside = staging.path().join(&home.relative);
        let converted = convert::convert(&Home::at(&inside))?;
        let survey = survey::survey(&open(host, &inside)?, &home.files);
        if home.relative.as_os_str().is_empty() {
            parts.extend(converted.parts);
            parts.extend(survey.parts);
            warnings.extend(survey.warnings);
        } else {
            let name = home.relative.file_name().unwrap_or_default().to_string_lossy();
            let problems = survey.parts.iter().filter(|part| part.is_left()).count();
            let note = match problems {
                0 => String::new(),
                _ => format!("`hermes -p {name} migrate` says what of it does not work here"),
            };
            parts.push(MovedPart::comes("profile", [name.into_owned()]).because(note));
        }
    }
    parts.extend(carried.left);
    warnings.extend(survey::about_the_old_program(&from, &parts));
    let (files, bytes) = (carried.homes.iter().map(|home| home.files.len()).sum(), carried.bytes);
    let before = match wish.dry_run {
        true => None,
        false => put_in_place(staging, to, "before-migrate")?,
    };
    let to = to.to_owned();
    Ok(Moved {
        from,
        to,
        in_place: false,
        dry_run: wish.dry_run,
        files,
        bytes,
        parts,
        warnings,
        before,
    })
}

fn look_at_own(host: &Host, root: PathBuf) -> Moved {
    let files = carry::list(&root).unwrap_or_default();
    let survey = survey::survey(host, &files);
    let mut warnings = survey.warnings;
    warnings.extend(survey::about_the_old_program(&root, &survey.parts));
    Moved {
        to: root.clone(),
        from: root,
        in_place: true,
        dry_run: true,
        files: files.len(),
        bytes: 0,
        parts: survey.parts,
        warnings,
        before: None,
    }
}

/// A host in a home that is not ours yet.
fn open(host: &Host, root: &Path) -> anyhow::Result<Host> {
    let options = HostOptions { vars: Some(host.process_vars().clone()), ..HostOptions::at(root) };
    Ok(Host::open(options)?.with_deliveries(host.deliveries().clone()))
}
