//! The arguments of `hermes sessions`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

#[derive(Debug, Subcommand)]
pub(crate) enum SessionsCommand {
    /// List sessions, those with the newest activity first
    #[command(visible_alias = "ls")]
    List(List),
    /// Pick a session from a list and go on with it
    Browse,
    /// Show a session: its facts and what was said
    Show {
        /// The session: id, beginning of an id, or title
        session: String,
        /// Print JSON for programs
        #[arg(long)]
        json: bool,
    },
    /// Search what was said in all sessions
    Search(Search),
    /// Write sessions to a file, or to stdout
    Export(Export),
    /// Give a session another title
    Rename {
        /// The session: id, beginning of an id, or title
        session: String,
        /// The new title
        #[arg(required = true)]
        title: Vec<String>,
    },
    /// Remove a session for good
    Delete {
        /// The session: id, beginning of an id, or title
        session: String,
        /// Do not ask
        #[arg(long, short)]
        yes: bool,
    },
    /// Remove old sessions for good: those without activity for 90 days, unless filters say otherwise
    Prune {
        #[command(flatten)]
        filter: Filter,
        /// Only show what would be removed
        #[arg(long, short = 'n')]
        dry_run: bool,
        /// Do not ask
        #[arg(long, short)]
        yes: bool,
        /// Print JSON for programs
        #[arg(long)]
        json: bool,
    },
    /// Take sessions out of the list; searches still find them
    Archive {
        /// The session; with none, those the filters choose
        session: Option<String>,
        /// Put the session back into the list
        #[arg(long, requires = "session")]
        undo: bool,
        #[command(flatten)]
        filter: Filter,
        /// Only show what would be archived
        #[arg(long, short = 'n')]
        dry_run: bool,
    },
    /// Say how many sessions there are and how much room they take
    Stats {
        /// Print JSON for programs
        #[arg(long)]
        json: bool,
    },
    /// Merge the search index and give unused room back
    Optimize,
    /// Check the database, and mend it if it is damaged; a copy is made first
    Repair {
        /// Only check
        #[arg(long)]
        check: bool,
        /// Print JSON for programs
        #[arg(long)]
        json: bool,
    },
}

#[derive(Debug, Args)]
pub(crate) struct List {
    /// Only sessions of this source, such as cli, cron or subagent
    #[arg(long)]
    pub(crate) source: Option<String>,
    /// Only sessions that work in this folder or below [default: the current one]
    #[arg(long, value_name = "DIR", num_args = 0..=1, default_missing_value = ".")]
    pub(crate) workspace: Option<PathBuf>,
    /// At most so many; 0 for all
    #[arg(long, default_value_t = 20)]
    pub(crate) limit: usize,
    /// Archived sessions as well
    #[arg(long)]
    pub(crate) all: bool,
    /// Print JSON for programs
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  hermes sessions search zebra crossing
  hermes sessions search '\"exact phrase\" NOT draft' --sort newest
  hermes sessions search 'read_file OR write_file' --role assistant --role tool")]
pub(crate) struct Search {
    /// Words, all of them wanted; \"phrases\", pre*, OR and NOT
    #[arg(required = true)]
    pub(crate) query: Vec<String>,
    /// At most so many sessions (1 to 10)
    #[arg(long, default_value_t = 5)]
    pub(crate) limit: usize,
    /// By time instead of by how well it fits
    #[arg(long)]
    pub(crate) sort: Option<SortBy>,
    /// Whose words: user, assistant, tool [default: user and assistant]
    #[arg(long, value_name = "ROLE", value_delimiter = ',')]
    pub(crate) role: Vec<String>,
    /// Print JSON for programs
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum SortBy {
    Newest,
    Oldest,
}

#[derive(Debug, Args)]
pub(crate) struct Export {
    /// The file; `-` for stdout
    #[arg(default_value = "-")]
    pub(crate) out: String,
    /// The form
    #[arg(long, default_value = "jsonl")]
    pub(crate) format: ExportFormat,
    /// Only this session: id, beginning of an id, or title
    #[arg(long, value_name = "SESSION")]
    pub(crate) session_id: Option<String>,
    /// Only sessions of this source
    #[arg(long, conflicts_with = "session_id")]
    pub(crate) source: Option<String>,
    /// Hide what looks like a secret
    #[arg(long)]
    pub(crate) redact: bool,
    /// Only a part of what was said
    #[arg(long)]
    pub(crate) only: Option<ExportOnly>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum ExportFormat {
    /// One JSON object a line
    Jsonl,
    /// Markdown
    #[value(alias = "markdown")]
    Md,
    /// A page on its own
    Html,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum ExportOnly {
    /// What the person said
    UserPrompts,
}

/// Which sessions are meant: those that meet all that is said.
#[derive(Debug, Default, Args)]
pub(crate) struct Filter {
    /// No activity for so long: `90d`, `12h`, `2w`; a number counts days
    #[arg(long, value_name = "AGE")]
    pub(crate) older_than: Option<String>,
    /// Some activity within so long
    #[arg(long, value_name = "AGE")]
    pub(crate) newer_than: Option<String>,
    /// No activity since this day or time: `2026-01-31`, `2026-01-31T12:00:00Z`
    #[arg(long, value_name = "DATE", conflicts_with = "older_than")]
    pub(crate) before: Option<String>,
    /// Some activity since this day or time
    #[arg(long, value_name = "DATE", conflicts_with = "newer_than")]
    pub(crate) after: Option<String>,
    /// Of this source
    #[arg(long)]
    pub(crate) source: Option<String>,
    /// With this in the title
    #[arg(long, value_name = "TEXT")]
    pub(crate) title: Option<String>,
    /// Working in this folder or below
    #[arg(long, value_name = "DIR")]
    pub(crate) cwd: Option<PathBuf>,
    /// With this in the model's name
    #[arg(long, value_name = "TEXT")]
    pub(crate) model: Option<String>,
    /// With at least so many messages
    #[arg(long, value_name = "N")]
    pub(crate) min_messages: Option<i64>,
    /// With at most so many messages
    #[arg(long, value_name = "N")]
    pub(crate) max_messages: Option<i64>,
}
