//! The command line, described once: parsing, help and completion derive from these types.
//!
//! This is the whole, with every command; what each of them takes is in `args`, or beside the command
//! where there is much of it.

use std::path::PathBuf;

use clap::{Parser, Subcommand};
use hermes_acp::AcpArgs;
use hermes_api::ApiArgs;
use hermes_batch::rollouts::RlVerb;
use hermes_batch::verbs::BatchVerb;
use hermes_cron::verbs::CronVerb;
use hermes_dashboard::DashboardArgs;
use hermes_gateway::verbs::MessagingVerb;
use hermes_homes::checkpoints::CheckpointsVerb;
use hermes_homes::entries::{AuthVerb, FallbackVerb, WebhookVerb};
use hermes_homes::program::ProgramVerb;
use hermes_homes::verbs::HomesVerb;
use hermes_local::verbs::LocalVerb;
use hermes_skills::verbs::{BundlesVerb, CuratorVerb, SkillsVerb};

use crate::args::{
    ApprovalsCommand, BrowserCommand, ChatArgs, ConfigCommand, DoctorArgs, GlobalFlags,
    HooksCommand, InsightsArgs, MemoryCommand, ModelCommand, Shell, TalkFlags, ToolsCommand,
    ToolsetsCommand,
};
use crate::commands::mcp::McpCommand;
use crate::commands::plugins::PluginsCommand;
use crate::commands::serve::ServeArgs;
use crate::commands::sessions::args::SessionsCommand;
use crate::exit;

/// An agent's tools, by hand and for programs.
#[derive(Debug, Parser)]
#[command(
    name = "hermes",
    version,
    about = "An agent with tools: talk with it, ask it one question, or use its tools by hand",
    after_help = exit::TABLE,
    max_term_width = 100
)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) flags: GlobalFlags,
    #[command(flatten)]
    pub(crate) talk: TalkFlags,
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Talk with the agent (also without any command)
    Chat(ChatArgs),
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
    /// List, enable, try and disable plugins
    #[command(subcommand)]
    Plugins(PluginsCommand),
    /// See and change which commands run, are asked about or are refused
    #[command(subcommand)]
    Approvals(ApprovalsCommand),
    /// Run an agent on every row of a data set, and keep exactly one record for each
    #[command(subcommand)]
    Batch(BatchVerb),
    /// Reinforcement learning: be the environment of a trainer
    #[command(subcommand)]
    Rl(RlVerb),
    /// The Chromium that the browser tools drive
    #[command(subcommand)]
    Browser(BrowserCommand),
    /// Look at and go back to the state of a project before a tool changed it
    #[command(subcommand)]
    Checkpoints(CheckpointsVerb),
    /// List, search, export and tidy past conversations
    #[command(subcommand)]
    Sessions(SessionsCommand),
    /// See and change the notes that sessions begin with
    #[command(subcommand)]
    Memory(MemoryCommand),
    /// Know-how the agent loads: list, read, write and check skills
    #[command(subcommand)]
    Skills(SkillsVerb),
    /// See and steer what happens to skills that nobody uses
    #[command(subcommand)]
    Curator(CuratorVerb),
    /// Several skills behind one slash command
    #[command(subcommand)]
    Bundles(BundlesVerb),
    /// Have things done at set times: make, look after and run jobs
    #[command(subcommand)]
    Cron(CronVerb),
    /// Servers of tools: add, try and look after them, and offer ours to other programs
    #[command(subcommand)]
    Mcp(McpCommand),
    /// Offer our tools to programs, over HTTP
    Serve(ServeArgs),
    /// Be the agent of a code editor (Agent Client Protocol)
    Acp(AcpArgs),
    /// Offer the agent to chat front ends and libraries, over HTTP
    Api(ApiArgs),
    /// Look after everything in a browser: chat, sessions, approvals, jobs, settings
    Dashboard(DashboardArgs),
    #[command(flatten)]
    Messaging(MessagingVerb),
    /// What other programs may start by calling the gateway: list, make and remove routes
    Webhook {
        #[command(subcommand)]
        command: Option<WebhookVerb>,
    },
    #[command(flatten)]
    Homes(HomesVerb),
    #[command(flatten)]
    Program(ProgramVerb),
    /// Show how sessions were used: messages, models, tools, cost
    Insights(InsightsArgs),
    /// See and choose the model that answers
    Model {
        #[command(subcommand)]
        command: Option<ModelCommand>,
    },
    /// The models that stand in when the first cannot answer
    Fallback {
        #[command(subcommand)]
        command: Option<FallbackVerb>,
    },
    /// The keys of model providers: which there are, storing and forgetting one
    Auth {
        #[command(subcommand)]
        command: Option<AuthVerb>,
    },
    /// Store the key of a provider (as `auth add`)
    Login {
        /// The provider: openrouter, anthropic, …
        provider: String,
    },
    /// Forget the key of a provider (as `auth remove`)
    Logout {
        /// The provider
        provider: String,
    },
    /// Models on this machine, without an account: list, fetch and remove them
    #[command(subcommand)]
    Local(LocalVerb),
    /// Get from nothing to a model that answers, in three questions
    Setup,
    /// Show what a conversation takes up before the first word
    PromptSize {
        /// Print JSON for programs
        #[arg(long)]
        json: bool,
    },
    /// Check this installation and say what to mend
    Doctor(DoctorArgs),
    /// Print the manual page of a command, or write all pages to a folder
    Man {
        /// The command: `hermes man sessions list`
        command: Vec<String>,
        /// Write all pages to this folder instead
        #[arg(long, value_name = "DIR", conflicts_with = "command")]
        dir: Option<PathBuf>,
    },
    /// Print a completion script: `source <(hermes completion bash)`
    Completion {
        /// The shell to complete in
        shell: Shell,
    },
}
