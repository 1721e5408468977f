//! The words and their options.

use std::path::PathBuf;

use clap::{ArgGroup, Args, Subcommand};

use crate::hub::verbs::HubVerb;

/// What can be asked of skills: `hermes skills …` and `/skills …`.
#[derive(Clone, Debug, Subcommand)]
pub enum SkillsVerb {
    /// Other people's skills
    #[command(flatten)]
    Hub(HubVerb),
    /// Begin a skill: a folder with a SKILL.md that passes every check
    New {
        /// Its name: lower-case letters, digits and hyphens
        name: String,
        /// What it is for and when to use it
        #[arg(long, default_value = "Say what this is for, and when to use it.")]
        description: String,
        /// The folder to put it in, if not the skills of this home
        #[arg(long)]
        path: Option<PathBuf>,
    },
    /// Check a SKILL.md, or all below a folder; fails if one would be refused
    Lint {
        /// A SKILL.md, the folder of a skill, or one with many
        path: PathBuf,
        /// Print JSON for programs
        #[arg(long)]
        json: bool,
    },
    /// Say whether a folder or file is safe to install, and why
    Scan(ScanArgs),
    /// List skills
    List(SkillsListArgs),
    /// Show a skill, or a file of one
    #[command(alias = "show")]
    View {
        /// Its name, or its path with the category
        name: String,
        /// A file of it
        file: Option<String>,
        /// Print JSON for programs
        #[arg(long)]
        json: bool,
    },
    /// Offer a skill again, or no longer
    #[command(group = ArgGroup::new("choice").required(true).args(["enable", "disable"]))]
    Config {
        /// The skill
        name: String,
        /// Offer it again
        #[arg(long)]
        enable: bool,
        /// No longer offer it
        #[arg(long)]
        disable: bool,
        /// Only on this platform (cli, telegram …)
        #[arg(long)]
        platform: Option<String>,
    },
    /// Changes that wait
    #[command(flatten)]
    Pending(PendingVerb),
    /// Skills that came with the program
    #[command(flatten)]
    Bundled(BundledVerb),
}

/// A folder that nobody has installed yet, and how hard to look.
#[derive(Clone, Debug, Args)]
#[command(after_help = "\
Exit codes:
    0  safe
    3  caution: a person should look at the findings
    4  dangerous
    1  the files could not be read
    2  usage error")]
pub struct ScanArgs {
    /// The folder of a skill, or one file
    pub path: PathBuf,
    /// Where it comes from, such as owner/repo/skill; decides how far it is trusted
    #[arg(long, value_name = "ID")]
    pub source: Option<String>,
    /// Every finding asks for caution, however light
    #[arg(long)]
    pub strict: bool,
    /// Also note where Python files decide at run time what they run
    #[arg(long)]
    pub deep: bool,
    /// Print JSON for programs
    #[arg(long)]
    pub json: bool,
}

/// What `list` shows.
#[derive(Clone, Debug, Args)]
pub struct SkillsListArgs {
    /// Where they come from
    #[arg(long, default_value = "all", value_parser = ["all", "hub", "builtin", "local", "agent", "external", "plugin"])]
    pub source: String,
    /// Only those that are offered
    #[arg(long)]
    pub enabled_only: bool,
    /// As they are offered on this platform (cli, telegram …)
    #[arg(long)]
    pub platform: Option<String>,
    /// Say why a skill is not offered, or not to every session
    #[arg(long)]
    pub why: bool,
    /// Print JSON for programs
    #[arg(long)]
    pub json: bool,
}

/// Changes of the agent that wait for a person.
#[derive(Clone, Debug, Subcommand)]
pub enum PendingVerb {
    /// List changes of the agent that wait for your word
    Pending {
        /// Print JSON for programs
        #[arg(long)]
        json: bool,
    },
    /// Make a change that waits
    Approve {
        /// Its id, or the beginning of it
        id: String,
    },
    /// Drop a change that waits
    Reject {
        /// Its id, or the beginning of it
        id: String,
    },
    /// Have changes of the agent wait for your word, or not
    Approval {
        /// on or off
        #[arg(value_parser = ["on", "off"])]
        state: String,
    },
    /// Show what a change that waits would do, or how a skill that came with Hermes was changed
    Diff {
        /// Id of a change, or name of a skill
        what: String,
    },
}

/// Skills that came with the program.
#[derive(Clone, Debug, Subcommand)]
pub enum BundledVerb {
    /// List skills that came with Hermes and were changed here
    ListModified {
        /// Print JSON for programs
        #[arg(long)]
        json: bool,
    },
    /// Have a skill that came with Hermes follow its updates again
    Reset {
        /// The skill
        name: String,
        /// Put the original in its place now
        #[arg(long)]
        restore: bool,
    },
    /// Put back skills that came with Hermes and are damaged here; changed and deleted ones stay as they are
    RepairOfficial {
        /// Print JSON for programs
        #[arg(long)]
        json: bool,
    },
    /// Never put the skills that come with Hermes into this home
    OptOut {
        /// Remove those that were not changed
        #[arg(long)]
        remove: bool,
    },
    /// Put the skills that come with Hermes into this home again
    OptIn {
        /// Now, not at the next start
        #[arg(long)]
        sync: bool,
    },
}

/// What can be asked of the curator: `hermes curator …`.
#[derive(Clone, Debug, Subcommand)]
pub enum CuratorVerb {
    /// Show how skills are used and what would happen to them
    #[command(alias = "usage")]
    Status {
        /// Print JSON for programs
        #[arg(long)]
        json: bool,
    },
    /// Look over skills now: put away what nobody used for long
    Run {
        /// Only say what would be done
        #[arg(long, conflicts_with = "consolidate")]
        dry_run: bool,
        /// Also have a model merge skills of the agent's own that overlap
        #[arg(long)]
        consolidate: bool,
    },
    /// Keep a skill from being put away or deleted by the agent
    Pin {
        /// The skill
        name: String,
    },
    /// Let a skill be put away again
    Unpin {
        /// The skill
        name: String,
    },
    /// Put a skill away
    Archive {
        /// The skill
        name: String,
    },
    /// List skills that were put away
    ListArchived {
        /// Print JSON for programs
        #[arg(long)]
        json: bool,
    },
    /// Bring back a skill that was put away
    Restore {
        /// Its name in the archive
        name: String,
    },
    /// Put away everything that was not used for so many days
    Prune {
        /// Days without use
        #[arg(long, default_value_t = 90, value_parser = clap::value_parser!(u32).range(1..))]
        days: u32,
        /// Only say what would be done
        #[arg(long)]
        dry_run: bool,
    },
    /// Copy all skills into one file
    Backup,
    /// Put all skills back as they are in a copy
    Rollback {
        /// The copy; the newest if none is named
        file: Option<PathBuf>,
    },
    /// Stop looking after skills
    Pause,
    /// Look after skills again
    Resume,
}

/// What can be asked of bundles: `hermes bundles …`.
#[derive(Clone, Debug, Subcommand)]
pub enum BundlesVerb {
    /// List bundles: several skills behind one slash command
    #[command(alias = "reload")]
    List {
        /// Print JSON for programs
        #[arg(long)]
        json: bool,
    },
    /// Show a bundle, and which of its skills can be used
    Show {
        /// The bundle
        name: String,
        /// Print JSON for programs
        #[arg(long)]
        json: bool,
    },
    /// Make a bundle
    Create {
        /// By which it is called after the slash
        name: String,
        /// Its skills, in order
        #[arg(required = true, value_delimiter = ',')]
        skills: Vec<String>,
        /// A line for lists
        #[arg(long)]
        description: Option<String>,
        /// What the model is told with the skills
        #[arg(long)]
        instruction: Option<String>,
    },
    /// Remove a bundle; its skills stay
    Delete {
        /// The bundle
        name: String,
    },
}

impl SkillsVerb {
    /// The platform it names, where that has to be one there is. A name that is none can be taken out of the settings
    /// again.
    #[must_use]
    pub fn platform(&self) -> Option<&str> {
        match self {
            Self::List(args) => args.platform.as_deref(),
            Self::Config { disable: true, platform, .. } => platform.as_deref(),
            _ => None,
        }
    }

    /// What of the rules it changes, so that a model may not do it through a command. Every verb is named, so that a new
    /// one has to be placed.
    #[must_use]
    pub fn changes(&self) -> Option<&'static str> {
        match self {
            Self::Hub(_) => Some("find or bring in other people's skills"),
            Self::Config { .. } => Some("change which skills are offered"),
            Self::Pending(
                PendingVerb::Approve { .. }
                | PendingVerb::Reject { .. }
                | PendingVerb::Approval { .. },
            ) => Some("decide about changes that wait for the user"),
            Self::Pending(PendingVerb::Pending { .. } | PendingVerb::Diff { .. })
            | Self::New { .. }
            | Self::Lint { .. }
            | Self::Scan(_)
            | Self::List(_)
            | Self::View { .. }
            | Self::Bundled(_) => None,
        }
    }
}

impl CuratorVerb {
    /// What of the rules it changes, so that a model may not do it through a command. Every verb is named, so that a new
    /// one has to be placed.
    #[must_use]
    pub fn changes(&self) -> Option<&'static str> {
        match self {
            Self::Pin { .. } | Self::Unpin { .. } | Self::Rollback { .. } => {
                Some("change which skills are kept")
            }
            Self::Status { .. }
            | Self::Run { .. }
            | Self::Archive { .. }
            | Self::ListArchived { .. }
            | Self::Restore { .. }
            | Self::Prune { .. }
            | Self::Backup
            | Self::Pause
            | Self::Resume => None,
        }
    }
}
