//! What the commands take: one type a command, one field an argument; the doc comment of a field is its
//! line of help.
//!
//! What a command does is in the module of its name in `commands`. Flags that every command takes are
//! in [`GlobalFlags`] and may stand before or after the command.
//!
//! What never happens here: a value is looked up or checked beyond its syntax. Whether a tool of
//! that name exists is for the command to find out, which can then suggest another.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};
use hermes_host::candidates;

/// Flags about the conversation; they may stand before `chat` or after it.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Conversation")]
pub(crate) struct TalkFlags {
    /// Ask one question, print the answer and leave; `-` or nothing reads it from stdin
    #[arg(
        short = 'z',
        long,
        value_name = "PROMPT",
        num_args = 0..=1,
        default_missing_value = "-",
        allow_hyphen_values = true
    )]
    pub(crate) oneshot: Option<String>,
    /// The model
    #[arg(short, long, add = candidates::models())]
    pub(crate) model: Option<String>,
    /// Who serves it
    #[arg(long)]
    pub(crate) provider: Option<String>,
    /// The toolsets it may use, separated by commas
    #[arg(short, long, value_name = "A,B", value_delimiter = ',', add = candidates::toolsets())]
    pub(crate) toolsets: Vec<String>,
    /// Skills to load from the start, separated by commas
    #[arg(short = 's', long, value_name = "A,B", value_delimiter = ',')]
    pub(crate) skills: Vec<String>,
    /// Go on with a session, by id, beginning of an id, or title
    #[arg(short, long, value_name = "ID|TITLE", conflicts_with = "go_on", add = candidates::sessions())]
    pub(crate) resume: Option<String>,
    /// Go on with the newest session, or the newest of this title
    #[arg(
        short = 'c',
        long = "continue",
        value_name = "TITLE",
        num_args = 0..=1,
        require_equals = false
    )]
    pub(crate) go_on: Option<Option<String>>,
    /// Look and plan first: tools that change something wait until the plan is accepted
    #[arg(long)]
    pub(crate) plan: bool,
    /// Work in a git worktree of its own, new or of this name; merge or drop it at the end
    #[arg(short, long, value_name = "NAME", num_args = 0..=1, require_equals = true)]
    pub(crate) worktree: Option<Option<String>>,
    /// Model calls for one answer
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) max_turns: Option<u32>,
    /// Leave SOUL.md, project files and memory out of the instructions
    #[arg(long)]
    pub(crate) ignore_rules: bool,
    /// Tell the model the id of its session
    #[arg(long)]
    pub(crate) pass_session_id: bool,
    /// Where the session came from, for lists; `cli` by default
    #[arg(long, value_name = "TAG")]
    pub(crate) source: Option<String>,
    /// With -z: print the whole result as JSON for programs
    #[arg(long)]
    pub(crate) json: bool,
    /// With -z: print what happens as JSON, one event a line, the result last
    #[arg(long, conflicts_with = "json")]
    pub(crate) json_stream: bool,
    /// With -z: tell no steps on stderr, only errors
    #[arg(long)]
    pub(crate) quiet: bool,
    /// With -z: write tokens and cost to this file, as JSON
    #[arg(long, value_name = "FILE")]
    pub(crate) usage_file: Option<PathBuf>,
    /// With -z: show an image with the question
    #[arg(long = "image", value_name = "FILE")]
    pub(crate) images: Vec<PathBuf>,
}

impl TalkFlags {
    /// The first of these flags that means nothing in a conversation.
    pub(crate) fn only_with_a_question(&self) -> Option<&'static str> {
        let given = [
            (self.json, "--json"),
            (self.json_stream, "--json-stream"),
            (self.usage_file.is_some(), "--usage-file"),
            (!self.images.is_empty(), "--image"),
        ];
        given.into_iter().find(|(is_given, _)| *is_given).map(|(_, name)| name)
    }

    /// These flags, and where they say nothing, those that stood before the command.
    pub(crate) fn over(self, before: &Self) -> Self {
        let before = before.clone();
        Self {
            oneshot: self.oneshot.or(before.oneshot),
            model: self.model.or(before.model),
            provider: self.provider.or(before.provider),
            toolsets: if self.toolsets.is_empty() { before.toolsets } else { self.toolsets },
            skills: if self.skills.is_empty() { before.skills } else { self.skills },
            resume: self.resume.or(before.resume),
            go_on: self.go_on.or(before.go_on),
            plan: self.plan || before.plan,
            worktree: self.worktree.or(before.worktree),
            max_turns: self.max_turns.or(before.max_turns),
            ignore_rules: self.ignore_rules || before.ignore_rules,
            pass_session_id: self.pass_session_id || before.pass_session_id,
            source: self.source.or(before.source),
            json: self.json || before.json,
            json_stream: self.json_stream || before.json_stream,
            quiet: self.quiet || before.quiet,
            usage_file: self.usage_file.or(before.usage_file),
            images: if self.images.is_empty() { before.images } else { self.images },
        }
    }
}

#[derive(Debug, Args)]
pub(crate) struct ChatArgs {
    /// Ask this one question, print the answer and leave
    #[arg(short, long, value_name = "PROMPT")]
    pub(crate) query: Option<String>,
    #[command(flatten)]
    pub(crate) talk: TalkFlags,
}

/// Flags that every command takes.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Everywhere")]
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
    /// Use another state folder: the profile of this name
    #[arg(short, long, global = true, value_name = "NAME", add = candidates::profiles())]
    pub(crate) profile: Option<String>,
    /// Use built-in settings instead of config.yaml
    #[arg(long, global = true)]
    pub(crate) ignore_user_config: bool,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum Shell {
    Bash,
    Zsh,
    Fish,
    Elvish,
    Powershell,
    Nushell,
}

#[derive(Debug, Args)]
pub(crate) struct DoctorArgs {
    /// Mend what needs no decision of yours, then look
    #[arg(long)]
    pub(crate) fix: bool,
    /// Ask nobody: look at files only
    #[arg(long)]
    pub(crate) offline: bool,
    /// Print JSON for programs
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct InsightsArgs {
    /// How many days back
    #[arg(default_value_t = 30, value_parser = clap::value_parser!(u32).range(1..=36_500))]
    pub(crate) days: u32,
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
    #[arg(add = candidates::tools())]
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
    #[arg(add = candidates::tools())]
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
    #[arg(long, default_value = "openai")]
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
    #[arg(required = true, add = candidates::toolsets())]
    pub(crate) names: Vec<String>,
    /// The platform to change
    #[arg(long, default_value = hermes_host::PLATFORM)]
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
        #[arg(long, default_value = hermes_host::PLATFORM)]
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
        #[arg(add = candidates::keys())]
        key: String,
    },
    /// Set a value; comments stay. Names of secrets go to .env
    Set {
        /// The key, such as `tools.coercion`, or the name of a secret
        #[arg(add = candidates::keys())]
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
    /// Analyse many commands: a JSON string (or an array of them, for one session) a line in, a JSON object a line out
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
pub(crate) enum ModelCommand {
    /// Show the model in force, where it is and what it costs
    Show {
        /// Print JSON for programs
        #[arg(long)]
        json: bool,
    },
    /// Choose the model for this and later conversations
    Set {
        /// The model, as its provider calls it
        model: String,
        /// Who serves it
        #[arg(long)]
        provider: Option<String>,
    },
    /// List the providers that are known, and whether there is a key
    Providers {
        /// Print JSON for programs
        #[arg(long)]
        json: bool,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum MemoryCommand {
    /// Print all notes, and how much room they take
    Show {
        /// Print JSON for programs
        #[arg(long)]
        json: bool,
    },
    /// Add a note
    Add {
        /// The note
        text: String,
        #[command(flatten)]
        options: MemoryOptions,
    },
    /// Put another note in the place of one
    Replace {
        /// A part of the note that no other holds
        old: String,
        /// The new note
        new: String,
        #[command(flatten)]
        options: MemoryOptions,
    },
    /// Remove a note
    #[command(visible_alias = "rm")]
    Remove {
        /// A part of the note that no other holds
        old: String,
        #[command(flatten)]
        options: MemoryOptions,
    },
    /// List the changes that wait for your word (`memory.write_approval`)
    Pending {
        /// Print JSON for programs
        #[arg(long)]
        json: bool,
    },
    /// Make a change that waits
    Approve(MemoryChoice),
    /// Throw away a change that waits
    Reject(MemoryChoice),
    /// Print where the notes are
    Path {
        /// Print JSON for programs
        #[arg(long)]
        json: bool,
    },
}

#[derive(Debug, Args)]
pub(crate) struct MemoryChoice {
    /// The change, by its id or the beginning of it; `all` for every one
    pub(crate) id: String,
    /// Print JSON for programs
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct MemoryOptions {
    /// Whose notes
    #[arg(long, short, default_value = "memory")]
    pub(crate) target: MemoryWhose,
    /// Print JSON for programs
    #[arg(long)]
    pub(crate) json: bool,
}

/// Whose notes.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum MemoryWhose {
    /// What the agent noted for itself
    Memory,
    /// What the agent knows of you
    User,
}

#[derive(Debug, Subcommand)]
pub(crate) enum BrowserCommand {
    /// Say which Chromium the browser tools use
    Status {
        /// Print JSON for programs
        #[arg(long)]
        json: bool,
    },
    /// Install Chromium with the system's package manager, after asking
    Install {
        /// Do not ask
        #[arg(long)]
        yes: bool,
    },
}
