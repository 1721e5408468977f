//! The words and their options.

use std::path::PathBuf;

use clap::{Args, Subcommand};

/// What can be asked of the hub.
#[derive(Clone, Debug, Subcommand)]
pub enum HubVerb {
    /// Find skills in registries and repositories.
    Search(SearchArgs),
    /// Page through everything that can be installed.
    Browse(BrowseArgs),
    /// Fetch, scan and install a skill.
    Install(InstallArgs),
    /// Show a skill without installing it.
    Inspect {
        /// An identifier or a name.
        identifier: String,
        /// Print JSON.
        #[arg(long)]
        json: bool,
    },
    /// Say which installed skills have updates.
    Check {
        /// Only this one.
        name: Option<String>,
        /// Print JSON.
        #[arg(long)]
        json: bool,
    },
    /// Bring installed skills up to date; what you changed is kept.
    Update {
        /// Only this one.
        name: Option<String>,
        /// Also replace what you changed; your copy goes to the archive.
        #[arg(long)]
        force: bool,
        /// Print JSON.
        #[arg(long)]
        json: bool,
    },
    /// Scan installed skills again.
    Audit {
        /// Only this one.
        name: Option<String>,
        /// Also tell where Python code looks up names at run time; this blocks nothing.
        #[arg(long)]
        deep: bool,
        /// Print JSON.
        #[arg(long)]
        json: bool,
    },
    /// Remove a skill that was installed from the hub.
    Uninstall {
        /// The skill.
        name: String,
    },
    /// Offer a skill of your own to a repository.
    Publish(PublishArgs),
    /// Save the list of installed skills, or install one.
    #[command(subcommand)]
    Snapshot(SnapshotVerb),
    /// Repositories to look for skills in.
    #[command(subcommand)]
    Tap(TapVerb),
}

/// What to look for.
#[derive(Clone, Debug, Args)]
pub struct SearchArgs {
    /// Words; a web site's address lists what it offers.
    #[arg(required = true)]
    pub query: Vec<String>,
    /// A source (github, clawhub, …) or a provider (openai, anthropic, …).
    #[arg(long, default_value = "all")]
    pub source: String,
    /// Most results.
    #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u16).range(1..=500))]
    pub limit: u16,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
}

/// Which page of everything.
#[derive(Clone, Debug, Args)]
pub struct BrowseArgs {
    /// Which page, from 1.
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..))]
    pub page: u16,
    /// How many on a page.
    #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u16).range(1..=100))]
    pub size: u16,
    /// A source or a provider.
    #[arg(long, default_value = "all")]
    pub source: String,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
}

/// What to install, and how.
#[derive(Clone, Debug, Args)]
pub struct InstallArgs {
    /// An identifier (owner/repo/folder, a URL, …) or a name that only one skill has.
    pub identifier: String,
    /// The category folder to put it in.
    #[arg(long)]
    pub category: Option<String>,
    /// Another name than the source's.
    #[arg(long)]
    pub name: Option<String>,
    /// Replace what is there (your own goes to the archive), and install in spite of `caution`.
    #[arg(long)]
    pub force: bool,
    /// Do not ask.
    #[arg(long, short)]
    pub yes: bool,
    /// Let exactly this content in although it is blocked: the hash from the report.
    #[arg(long, value_name = "SHA256")]
    pub accept_hash: Option<String>,
    /// In a chat: use it in this session already.
    #[arg(long, hide = true)]
    pub now: bool,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
}

/// What to publish, and where.
#[derive(Clone, Debug, Args)]
pub struct PublishArgs {
    /// The skill's folder.
    pub path: PathBuf,
    /// Where to.
    #[arg(long, default_value = "github", value_parser = ["github", "clawhub"])]
    pub to: String,
    /// The repository that is asked to take it, owner/name.
    #[arg(long)]
    pub repo: Option<String>,
}

/// The list of installed skills.
#[derive(Clone, Debug, Subcommand)]
pub enum SnapshotVerb {
    /// Write it to a file.
    Export {
        /// The file; `-` is stdout.
        file: PathBuf,
    },
    /// Install everything on it.
    Import {
        /// The file.
        file: PathBuf,
        /// Replace what is there.
        #[arg(long)]
        force: bool,
    },
}

/// Repositories to look in.
#[derive(Clone, Debug, Subcommand)]
pub enum TapVerb {
    /// List them.
    List {
        /// Print JSON for programs
        #[arg(long)]
        json: bool,
    },
    /// Look in one more.
    Add {
        /// owner/name
        repo: String,
        /// The folder with the skills.
        #[arg(long)]
        path: Option<String>,
    },
    /// Look in one less.
    Remove {
        /// owner/name
        repo: String,
    },
}
