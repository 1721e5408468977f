//! The words of `hermes rl`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use crate::verbs::parse_time;

/// What is said where a policy's server tells no ids.
pub(super) const NO_IDS: &str = "the policy's server told no token ids with log-probabilities, so there is nothing to train on\n  \
     vLLM tells them since 0.10.2 (`return_token_ids`); for rewards and conversations alone: \
     hermes rl env process --without-tokens";

/// What can be done for reinforcement learning.
#[derive(Debug, Subcommand)]
pub enum RlVerb {
    /// Be an environment: run rollouts of a policy and say what they are worth
    #[command(subcommand)]
    Env(Box<EnvVerb>),
}

/// What an environment can do.
#[derive(Debug, Subcommand)]
pub enum EnvVerb {
    /// Leave scored groups with a trainer, over the trajectory API of Atropos
    #[command(
        after_help = "Example: hermes rl env serve --name sql --dataset tasks.jsonl --reward verify --policy http://127.0.0.1:8001/v1 --api http://127.0.0.1:8000"
    )]
    Serve(ServeArgs),
    /// Write scored groups to a file
    #[command(
        after_help = "Example: hermes rl env process --name sql --dataset tasks.jsonl --reward cmd:./score.py --policy http://127.0.0.1:8001/v1"
    )]
    Process(ProcessArgs),
    /// Say how often rollouts pass, as pass@k
    #[command(
        after_help = "Example: hermes rl env evaluate --name eval --dataset test.jsonl --reward verify --policy http://127.0.0.1:8001/v1"
    )]
    Evaluate(EvaluateArgs),
}

/// How rollouts go.
#[derive(Debug, Args)]
pub struct RolloutArgs {
    /// What the run is called; its folder is made below --out
    #[arg(long)]
    pub name: String,
    /// The items: a .jsonl file as for batch runs. Not needed with an environment that gives its own
    #[arg(long, value_name = "FILE", required_unless_present = "own_items")]
    pub dataset: Option<PathBuf>,
    /// Take the items from the class of --reward py:FILE
    #[arg(long, conflicts_with = "dataset")]
    pub own_items: bool,
    /// Who says what a rollout is worth: verify, cmd:PROGRAM, http:URL or py:FILE
    #[arg(long)]
    pub reward: String,
    /// How long a reward may take: 90s, 5m
    #[arg(long, default_value = "5m", value_parser = parse_time)]
    pub reward_timeout: f64,
    /// Where the policy is served, with its /v1
    #[arg(long, value_name = "URL")]
    pub policy: String,
    /// What requests call it; the first that its server lists if not given
    #[arg(long)]
    pub model: Option<String>,
    /// The variable that holds its key
    #[arg(long, value_name = "NAME")]
    pub api_key_env: Option<String>,
    /// Sampling parameters as a JSON object, sent as they are; none are sent otherwise
    #[arg(long, value_name = "JSON", default_value = "{}")]
    pub sampling: String,
    /// Rollouts of each item
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=4_096))]
    pub group_size: Option<u32>,
    /// Rollouts at the same time
    #[arg(long, default_value_t = 16, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub num_workers: u32,
    /// The toolsets of every rollout, separated by commas
    #[arg(long, value_delimiter = ',')]
    pub toolsets: Vec<String>,
    /// Draw toolsets from this distribution, once for a group
    #[arg(long, conflicts_with = "toolsets")]
    pub distribution: Option<String>,
    /// Most model calls of a rollout
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..))]
    pub max_turns: Option<u32>,
    /// More instructions
    #[arg(long)]
    pub system_prompt: Option<String>,
    /// Where rollouts work: local, docker, …
    #[arg(long)]
    pub backend: Option<String>,
    /// Whether their containers reach the network: on or off
    #[arg(long, value_parser = ["on", "off"], default_value = "off")]
    pub network: String,
    /// A command before the first turn
    #[arg(long, value_name = "CMD")]
    pub setup: Option<String>,
    /// A command after the last turn; zero is a pass
    #[arg(long, value_name = "CMD")]
    pub verify: Option<String>,
    /// Longest time of a rollout: 90s, 30m
    #[arg(long, default_value = "30m", value_parser = parse_time)]
    pub row_timeout: f64,
    /// Tries after the first when something other than the model failed
    #[arg(long, default_value_t = 3)]
    pub retries: u32,
    /// All chance comes from this number
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// The Python that runs environments, if not that of the settings
    #[arg(long, value_name = "PROGRAM")]
    pub python: Option<String>,
    /// Settings of the environment, YAML; those below `env` go to its class
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// Where folders of runs are made
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Print events as JSON lines
    #[arg(long)]
    pub json: bool,
    /// Say nothing on the way
    #[arg(long, conflicts_with = "json")]
    pub quiet: bool,
}

/// How groups get to a trainer.
#[derive(Debug, Args)]
pub struct ServeArgs {
    /// How rollouts go.
    #[command(flatten)]
    pub rollouts: RolloutArgs,
    /// Where the trajectory API is
    #[arg(long, value_name = "URL", default_value = "http://localhost:8000")]
    pub api: String,
    /// Its share among environments
    #[arg(long, default_value_t = 1.0)]
    pub weight: f64,
    /// Longest sequence in tokens; longer ones are cut off at the end
    #[arg(long, value_parser = clap::value_parser!(u32).range(16..))]
    pub max_token_length: Option<u32>,
    /// Batches that may wait for the trainer
    #[arg(long, default_value_t = 2, value_parser = clap::value_parser!(u64).range(1..=100))]
    pub ahead: u64,
    /// Stop after so many groups
    #[arg(long, value_name = "N")]
    pub groups: Option<u64>,
}

/// How groups get into a file.
#[derive(Debug, Args)]
pub struct ProcessArgs {
    /// How rollouts go.
    #[command(flatten)]
    pub rollouts: RolloutArgs,
    /// So many groups; one of each row if not given
    #[arg(long, value_name = "N")]
    pub groups: Option<u64>,
    /// The file; groups.jsonl in the folder of the run if not given
    #[arg(long, value_name = "FILE")]
    pub to: Option<PathBuf>,
    /// Longest sequence in tokens
    #[arg(long, value_parser = clap::value_parser!(u32).range(16..))]
    pub max_token_length: Option<u32>,
    /// Rewards and conversations only, for policies whose server tells no token ids
    #[arg(long)]
    pub without_tokens: bool,
}

/// How a policy is measured.
#[derive(Debug, Args)]
pub struct EvaluateArgs {
    /// How rollouts go.
    #[command(flatten)]
    pub rollouts: RolloutArgs,
    /// Only the first rows
    #[arg(long, value_name = "N")]
    pub rows: Option<u64>,
    /// A rollout passes with this reward or more
    #[arg(long, default_value_t = 1.0)]
    pub pass_at_reward: f64,
}

impl RlVerb {
    /// How rollouts of the verb go.
    #[must_use]
    pub fn rollouts(&self) -> &RolloutArgs {
        let Self::Env(verb) = self;
        match &**verb {
            EnvVerb::Serve(args) => &args.rollouts,
            EnvVerb::Process(args) => &args.rollouts,
            EnvVerb::Evaluate(args) => &args.rollouts,
        }
    }
}
