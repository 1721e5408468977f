//! The command line, described once: parsing, help and completion derive from these types.
//!
//! One type a command, one field an argument; the doc comment of a field is its line of help. What
//! a command does is in the module of its name in `commands`. Flags that every command takes are
//! in [`GlobalFlags`] and may stand before or after the command.
//!
//! What never happens here: a value is looked up or checked beyond its syntax. Whether a tool of
//! that name exists is for the command to find out, which can then suggest another.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

use crate::exit;

/// An agent's tools, by hand and for programs.
#[derive(Debug, Parser)]
#[command(
    name = "hermes",
    version,
    about = "A tools runtime for agents: list tools, call them, see what a model would see",
    after_help = exit::TABLE,
    arg_required_else_help = true,
    max_term_width = 100
)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) flags: GlobalFlags,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// Flags that every command takes.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct GlobalFlags {
    /// Approve configured shell hooks without asking (also HERMES_ACCEPT_HOOKS=1)
    #[arg(long, global = true)]
    pub(crate) accept_hooks: bool,
    /// Run without shell hooks and plugins (also HERMES_SAFE_MODE=1)
    #[arg(long, global = true)]
    pub(crate) safe_mode: bool,
    /// Run flagged commands without asking; what is never allowed still is not (also
    /// HERMES_YOLO_MODE=1)
    #[arg(long, global = true)]
    pub(crate) yolo: bool,
    /// Say more on stderr; twice for debugging
    #[arg(short, long, global = true, action = clap::ArgAction::Count)]
    pub(crate) verbose: u8,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// List, inspect, call, enable and disable tools
    #[command(subcommand)]
    Tools(ToolsCommand),
    /// List toolsets and what they stand for
    #[command(subcommand)]
    Toolsets(ToolsetsCommand),
    /// Read and change config.yaml
    #[command(subcommand)]
    Config(ConfigCommand),
    /// List, try and revoke shell hooks
    #[command(subcommand)]
    Hooks(HooksCommand),
    /// See and change which commands run, are asked about or are refused
    #[command(subcommand)]
    Approvals(ApprovalsCommand),
    /// Look at and go back to the state of a project before a tool changed it
    #[command(subcommand)]
    Checkpoints(CheckpointsCommand),
    /// Check this installation and say what to mend
    Doctor(DoctorArgs),
    /// Print a completion script: `source <(hermes completion bash)`
    Completion {
        /// The shell to complete in
        shell: Shell,
    },
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum Shell {
    Bash,
    Zsh,
    Fish,
}

#[derive(Debug, Args)]
pub(crate) struct DoctorArgs {
    /// Print JSON for programs
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ToolsCommand {
    /// List tools with their toolset and whether they can work here
    #[command(visible_alias = "ls")]
    List(ToolsList),
    /// Show one tool: what it does, what it takes, what it needs
    Show(ToolsShow),
    /// Call a tool and print its result
    Call(ToolsCall),
    /// Print the definitions a model would get
    Schema(ToolsSchema),
    /// Offer toolsets (or SERVER:TOOL of an MCP server) on a platform
    Enable(ToolsToggle),
    /// Stop offering toolsets (or SERVER:TOOL of an MCP server) on a platform
    Disable(ToolsToggle),
}

#[derive(Debug, Args)]
pub(crate) struct ToolsList {
    /// Only the tools of this toolset
    #[arg(long, short, value_name = "TOOLSET")]
    pub(crate) toolset: Option<String>,
    /// Every tool any toolset names, also those this build does not have
    #[arg(long, short)]
    pub(crate) all: bool,
    /// Print JSON for programs
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ToolsShow {
    /// The tool
    pub(crate) name: String,
    /// Print JSON for programs
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  hermes tools call todo '{\"todos\": []}'
  hermes tools call read_file --arg path=README.md --arg limit=20
  echo '{\"path\": \"README.md\"}' | hermes tools call read_file -")]
pub(crate) struct ToolsCall {
    /// The tool
    pub(crate) name: String,
    /// Arguments as a JSON object; `-` reads them from stdin
    #[arg(value_name = "JSON", conflicts_with = "arg")]
    pub(crate) json: Option<String>,
    /// One argument: `key=text`, or `key:=JSON` for a value that is not text
    #[arg(long, short, value_name = "KEY=VALUE")]
    pub(crate) arg: Vec<String>,
    /// Show the coerced arguments and what hooks would say; do not run the tool
    #[arg(long, short = 'n')]
    pub(crate) dry_run: bool,
    /// The task whose environment and state the call uses
    #[arg(long, value_name = "ID", default_value = "default")]
    pub(crate) task_id: String,
    /// Give up after this many seconds; 0 waits for ever
    #[arg(long, value_name = "SECONDS", default_value_t = 300.0)]
    pub(crate) timeout: f64,
}

#[derive(Debug, Args)]
pub(crate) struct ToolsSchema {
    /// Toolsets to offer, separated by commas; what the command line gets by default
    #[arg(long, short, value_delimiter = ',', value_name = "TOOLSET,…")]
    pub(crate) toolsets: Option<Vec<String>>,
    /// Toolsets to take away
    #[arg(long, value_delimiter = ',', value_name = "TOOLSET,…")]
    pub(crate) disable: Vec<String>,
    /// Shape the schemas as this provider wants them
    #[arg(long, short, default_value = "openai")]
    pub(crate) provider: String,
    /// The model's context window, which decides whether tools hide behind tool_search
    #[arg(long, value_name = "TOKENS")]
    pub(crate) context: Option<usize>,
    /// Print bytes and estimated tokens per tool instead
    #[arg(long)]
    pub(crate) size: bool,
    /// With --size: print JSON for programs
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ToolsToggle {
    /// Toolsets, or SERVER:TOOL
    #[arg(required = true)]
    pub(crate) names: Vec<String>,
    /// The platform to change
    #[arg(long, default_value = crate::host::PLATFORM)]
    pub(crate) platform: String,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ToolsetsCommand {
    /// List every toolset
    #[command(visible_alias = "ls")]
    List {
        /// Print JSON for programs
        #[arg(long)]
        json: bool,
    },
    /// Show one toolset: its tools, its includes, what is missing
    Show {
        /// The toolset
        name: String,
        /// Print JSON for programs
        #[arg(long)]
        json: bool,
    },
    /// Print the tools that toolsets stand for, or what a platform gets
    Resolve {
        /// Toolsets; with none, what the platform's configuration says
        names: Vec<String>,
        /// The platform
        #[arg(long, default_value = crate::host::PLATFORM)]
        platform: String,
        /// Print JSON for programs
        #[arg(long)]
        json: bool,
    },
    /// List the distributions that batches draw toolsets from
    Distributions {
        /// Draw once from this distribution
        #[arg(long, value_name = "NAME")]
        sample: Option<String>,
        /// Make the draw repeatable
        #[arg(long, requires = "sample")]
        seed: Option<u64>,
        /// Print JSON for programs
        #[arg(long)]
        json: bool,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum ConfigCommand {
    /// Print the configuration in force; secrets are masked
    Show {
        /// Print JSON for programs
        #[arg(long)]
        json: bool,
    },
    /// Print one value
    Get {
        /// The key, such as `tools.coercion`
        key: String,
    },
    /// Set a value; comments stay. Names of secrets go to .env
    Set {
        /// The key, such as `tools.coercion`, or the name of a secret
        key: String,
        /// The value; read as YAML, so `true`, `42` and `[a, b]` mean what they say
        value: String,
    },
    /// Remove a value
    Unset {
        /// The key
        key: String,
    },
    /// Print where the configuration is
    Path,
    /// Open the configuration in $VISUAL or $EDITOR, and check it afterwards
    Edit,
    /// Check the configuration: syntax, unknown keys, wrong kinds of values
    Check {
        /// Check this file instead
        file: Option<PathBuf>,
        /// Print JSON for programs
        #[arg(long)]
        json: bool,
    },
    /// List the keys that are known, with defaults
    Keys {
        /// Print JSON for programs
        #[arg(long)]
        json: bool,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum HooksCommand {
    /// List configured shell hooks and whether they may run
    #[command(visible_alias = "ls")]
    List {
        /// Print JSON for programs
        #[arg(long)]
        json: bool,
    },
    /// Run the hooks of an event once on a made-up call and show what they answer
    Test {
        /// The event, such as pre_tool_call
        event: String,
        /// The tool the made-up call is for
        #[arg(long, default_value = "terminal")]
        tool: String,
        /// Its arguments, as a JSON object
        #[arg(long, value_name = "JSON", default_value = "{\"command\": \"echo hello\"}")]
        args: String,
        /// Print JSON for programs
        #[arg(long)]
        json: bool,
    },
    /// Allow configured hooks to run: all of them, or those with this command
    Approve {
        /// The hook's command, exactly as configured
        command: Option<String>,
    },
    /// Take back the consent to a hook
    Revoke {
        /// The hook's command, exactly as configured
        command: String,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum ApprovalsCommand {
    /// Say what would become of a command, and why; nothing runs
    Test(ApprovalsTest),
    /// List the rules in force: yours, what you allowed for good, and what is looked for
    #[command(visible_alias = "ls")]
    List {
        /// Print JSON for programs
        #[arg(long)]
        json: bool,
    },
    /// Add a rule for a command, a pattern of commands, or a category
    Add(ApprovalsAdd),
    /// Take back a rule or a lasting approval
    Revoke {
        /// The rule or category, as listed
        key: String,
    },
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  hermes approvals test 'git push --force' --why
  hermes approvals test 'rm -r build' --audience nobody --json
  printf '%s\\n' '\"ls -l\"' '\"rm -rf /\"' | hermes approvals test --stdin")]
pub(crate) struct ApprovalsTest {
    /// The command, as one argument
    #[arg(required_unless_present = "stdin")]
    pub(crate) command: Option<String>,
    /// Who could be asked
    #[arg(long, value_name = "WHO", default_value = "terminal")]
    pub(crate) audience: TestAudience,
    /// Also say what could go wrong and how to change the verdict
    #[arg(long)]
    pub(crate) why: bool,
    /// Print JSON for programs
    #[arg(long)]
    pub(crate) json: bool,
    /// Analyse many commands: a JSON string a line in, a JSON object a line out
    #[arg(long, conflicts_with_all = ["command", "why", "json", "audience"])]
    pub(crate) stdin: bool,
}

/// Who could be asked about a command.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum TestAudience {
    /// A person at a terminal
    Terminal,
    /// A person in a chat
    Chat,
    /// Nobody: a scheduled job
    Cron,
    /// Nobody at all
    Nobody,
}

#[derive(Debug, Args)]
#[command(group(clap::ArgGroup::new("effect").required(true)), after_help = "\
Examples:
  hermes approvals add --allow 'git push *'
  hermes approvals add --deny 'terraform destroy*'
  hermes approvals add --allow 'recursive delete'")]
pub(crate) struct ApprovalsAdd {
    /// Never run it
    #[arg(long, group = "effect")]
    pub(crate) deny: bool,
    /// Always ask first
    #[arg(long, group = "effect")]
    pub(crate) ask: bool,
    /// Run it without asking
    #[arg(long, group = "effect")]
    pub(crate) allow: bool,
    /// A command, a pattern (`*`, `?`, `[abc]`) of whole commands, or a category
    #[arg(value_name = "PATTERN|CATEGORY")]
    pub(crate) rule: String,
}

#[derive(Debug, Subcommand)]
pub(crate) enum CheckpointsCommand {
    /// List the checkpoints of a project, newest first
    #[command(visible_alias = "ls")]
    List {
        /// The project; the one of the current directory by default
        #[arg(long, value_name = "DIR")]
        dir: Option<PathBuf>,
        /// Print JSON for programs
        #[arg(long)]
        json: bool,
    },
    /// Show what changed since a checkpoint
    Show {
        /// The checkpoint, as listed
        hash: String,
        /// Only this file, relative to the project
        #[arg(long, value_name = "FILE")]
        file: Option<PathBuf>,
        /// The project; the one of the current directory by default
        #[arg(long, value_name = "DIR")]
        dir: Option<PathBuf>,
    },
    /// Go back to a checkpoint: shows the difference, asks, and saves the present state first
    Restore {
        /// The checkpoint, as listed
        hash: String,
        /// Only this file, relative to the project
        #[arg(long, value_name = "FILE")]
        file: Option<PathBuf>,
        /// The project; the one of the current directory by default
        #[arg(long, value_name = "DIR")]
        dir: Option<PathBuf>,
        /// Do not ask
        #[arg(long, short)]
        yes: bool,
    },
    /// Remove checkpoints that are too old, too many or of projects that are gone
    Prune,
    /// Say how many checkpoints there are and how much room they take
    Status {
        /// Print JSON for programs
        #[arg(long)]
        json: bool,
    },
}
