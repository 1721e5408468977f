//! This program itself: where it came from, a newer one, and getting rid of it.
//!
//! ```text
//! origin      which way it was installed, told from where it lies
//! release     what there is that is newer, and its files
//! update      a newer one in its place, after a checksum and a question
//! uninstall   what of it is on this machine, and taking that away
//! ```
//!
//! What a package manager put somewhere is the package manager's: then we say the command and do nothing.

mod origin;
mod release;
mod uninstall;
mod update;

use clap::{Args, Subcommand};
use hermes_host::Host;
use hermes_skills::report::VerbReport;
use serde_json::json;

use crate::verbs::HomesPrompter;
use origin::Installed;

/// The commands that are about the program.
#[derive(Clone, Debug, Subcommand)]
pub enum ProgramVerb {
    /// Look for a newer version and, after a question, put it in the place of this one
    Update(update::UpdateArgs),
    /// Remove the program from this machine; the home stays unless that is said
    Uninstall(uninstall::UninstallArgs),
    /// The version, where the program is and how it was installed
    Version(VersionArgs),
}

/// How the version is told.
#[derive(Clone, Debug, Args)]
pub struct VersionArgs {
    /// Print JSON for programs
    #[arg(long)]
    json: bool,
}

impl ProgramVerb {
    /// What of the rules it changes, so that a model may not do it through a command.
    #[must_use]
    pub fn changes(&self) -> Option<&'static str> {
        match self {
            Self::Update(args) if args.only_looks() => None,
            Self::Update(_) => Some("replace the program"),
            Self::Uninstall(_) => Some("remove the program"),
            Self::Version(_) => None,
        }
    }

    /// Does what the words say.
    ///
    /// # Errors
    /// A sentence for a person.
    pub fn run(&self, host: &Host, out: &mut dyn HomesPrompter) -> anyhow::Result<VerbReport> {
        let installed = Installed::this()?;
        match self {
            Self::Update(args) => args.run(&installed, host, out),
            Self::Uninstall(args) => args.run(&installed, host, out),
            Self::Version(VersionArgs { json: false }) => Ok(VerbReport::text(format!(
                "hermes {}\n  program    {}\n  from       {}\n  machine    {}",
                release::OWN_VERSION,
                installed.program.display(),
                installed.origin.words(),
                release::TARGET_TRIPLE,
            ))),
            Self::Version(VersionArgs { json: true }) => Ok(VerbReport::json(&json!({
                "version": release::OWN_VERSION,
                "program": installed.program,
                "origin": installed.origin.name(),
                "target": release::TARGET_TRIPLE,
            }))),
        }
    }
}
