//! The words of `hermes batch`.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use hermes_exec::BackendKind;
use hermes_tool::settings::SettingValue as _;

use crate::derive::{ExportCut, ExportFormat};

/// What can be done with batch runs.
#[derive(Debug, Subcommand)]
pub enum BatchVerb {
    /// Run an agent on every row of a data set: `hermes batch run tasks.jsonl --name first`
    #[command(after_help = EXITS, override_help = include_str!("help/run.txt"))]
    Run(Box<RunArgs>),
    /// Go on with a run that was stopped or killed: `hermes batch resume first`
    #[command(after_help = EXITS, override_help = include_str!("help/resume.txt"))]
    Resume(ResumeArgs),
    /// Say which lines of a data set are rows, and what is wrong with the others
    #[command(after_help = "Example: hermes batch check tasks.jsonl")]
    Check {
        /// A .jsonl file (also .gz, .zst), a folder of them, or - for stdin
        dataset: PathBuf,
        /// Print JSON for programs
        #[arg(long)]
        json: bool,
    },
    /// Show how far a run is; also while it runs, and from elsewhere
    #[command(after_help = "Example: hermes batch status first --json")]
    Status {
        /// The run.
        #[command(flatten)]
        run: RunName,
        /// Stay and tell what changes, until nobody works on the run any more
        #[arg(long)]
        watch: bool,
        /// Print JSON for programs
        #[arg(long)]
        json: bool,
    },
    /// Show the record of one task
    #[command(after_help = "Example: hermes batch show first task-17")]
    Show {
        /// The run.
        #[command(flatten)]
        run: RunName,
        /// The task
        id: String,
        /// Print the record as it is stored: JSON for programs
        #[arg(long, visible_alias = "json")]
        raw: bool,
        /// Print how every attempt went, those that no longer count too
        #[arg(long, conflicts_with = "raw")]
        attempts: bool,
    },
    /// Put tasks back, so that the next resume runs them again: failed ones, or those named
    #[command(after_help = "Example: hermes batch retry first --class infra")]
    Retry {
        /// The run.
        #[command(flatten)]
        run: RunName,
        /// Only failures of this class, such as infra.image or infra (all below it)
        #[arg(long = "class", value_name = "CLASS")]
        classes: Vec<String>,
        /// These tasks, however they ended
        #[arg(long = "id", value_name = "ID")]
        ids: Vec<String>,
        /// Those that a filter dropped too
        #[arg(long)]
        discarded: bool,
    },
    /// Make trajectories.jsonl, failed.jsonl and discarded.jsonl anew from the records
    #[command(after_help = "Example: hermes batch merge first --filter verify_passed")]
    Merge {
        /// The run.
        #[command(flatten)]
        run: RunName,
        /// Judge the records anew by these rules instead of those of the run; `none` keeps all
        #[arg(long = "filter", value_name = "RULE")]
        filters: Vec<String>,
    },
    /// Make statistics.json anew from the records, and show it
    #[command(after_help = "Example: hermes batch stats first --json")]
    Stats {
        /// The run.
        #[command(flatten)]
        run: RunName,
        /// Print JSON for programs
        #[arg(long)]
        json: bool,
    },
    /// Write the records in a form that trainers read
    #[command(override_help = include_str!("help/export.txt"))]
    Export {
        /// The run.
        #[command(flatten)]
        run: RunName,
        /// The form
        #[arg(long, value_enum, default_value = "sharegpt")]
        format: ExportFormat,
        /// The file
        #[arg(long)]
        out: PathBuf,
        /// Only tasks that ended so
        #[arg(long, value_delimiter = ',', default_value = "ok")]
        status: Vec<String>,
        /// Leave out reasoning in tags of its own
        #[arg(long)]
        strip_think: bool,
        /// Where prompt and completion part
        #[arg(long, value_enum, default_value = "first")]
        cut: ExportCut,
        /// Write rows in an order drawn with this number
        #[arg(long, value_name = "SEED")]
        shuffle: Option<u64>,
        /// Begin another file after so many rows
        #[arg(long, value_name = "ROWS")]
        shard_size: Option<usize>,
        /// Parts with their shares, each in a file of its own: train=0.98,val=0.02
        #[arg(long, value_delimiter = ',')]
        split: Vec<String>,
    },
    /// Make trajectories short enough to train on: the middle of long ones becomes a summary
    #[command(after_help = "\
Example: hermes batch compress data/first/trajectories.jsonl --target-max-tokens 16000
Killed or stopped, the same command goes on where it was. Exit codes: 0 done, 1 some rows have no summary and stay as
they are, 3 no file to read, 4 stopped.")]
    Compress(CompressArgs),
    /// List the distributions that toolsets are drawn from, with their chances
    #[command(after_help = "Example: hermes batch distributions balanced")]
    Distributions {
        /// Only this one
        name: Option<String>,
        /// Print JSON for programs
        #[arg(long)]
        json: bool,
    },
    /// Remove what killed starts of a run left behind: containers, sandboxes, working folders
    #[command(after_help = "Example: hermes batch gc first --prune-images")]
    Gc {
        /// The run.
        #[command(flatten)]
        run: RunName,
        /// Images too that were fetched for the run, as far as nothing uses them
        #[arg(long)]
        prune_images: bool,
    },
    /// Take over what the Python program finished: its batch_*.jsonl become records of a run
    #[command(
        after_help = "Example: hermes batch import data/old tasks.jsonl --name new --model some/model",
        override_help = include_str!("help/import.txt")
    )]
    Import {
        /// The folder of the other program's run
        from: PathBuf,
        /// What the run goes on with.
        #[command(flatten)]
        args: Box<RunArgs>,
    },
    /// Write the job files of a run for an engine that places work, and stop
    #[command(
        after_help = "Example: hermes batch manifest slurm first --shards 20",
        override_help = include_str!("help/manifest.txt")
    )]
    Manifest {
        /// The engine
        #[arg(value_enum)]
        engine: JobEngine,
        /// The run.
        #[command(flatten)]
        run: RunName,
        /// Into how many parts the run is cut
        #[arg(long, value_name = "N")]
        shards: Option<u32>,
        /// The image that pods run
        #[arg(long, default_value = "hermes:latest")]
        image: String,
        /// The folder of the run as pods see it, below where the claim is mounted
        #[arg(long, value_name = "DIR")]
        folder: Option<String>,
        /// The claim of the volume that holds the run
        #[arg(long, default_value = "hermes-runs")]
        claim: String,
        /// The secret that holds the keys
        #[arg(long, default_value = "hermes-keys")]
        secret: String,
        /// How workers go.
        #[command(flatten)]
        start: StartArgs,
    },
    /// Show the driver that places workers on Ray
    #[command(after_help = "Example: hermes batch ray-driver --print")]
    RayDriver {
        /// Print its text
        #[arg(long, required = true)]
        print: bool,
    },
    /// Work on one part of a run without a coordinator, or on what a coordinator says on stdin
    #[command(
        after_help = "Example: hermes batch worker --name first --shard 0/4",
        override_help = include_str!("help/worker.txt")
    )]
    Worker {
        /// The run
        #[arg(long = "name", visible_alias = "run", required_unless_present = "stdio")]
        run: Option<String>,
        /// Which part of how many, from 0: takes pending tasks in the order of the data set, each n-th
        #[arg(long, value_name = "I/N", required_unless_present = "stdio")]
        shard: Option<String>,
        /// Talk to a coordinator in JSON lines on stdin and stdout
        #[arg(long, conflicts_with_all = ["run", "shard"])]
        stdio: bool,
        /// Tasks at the same time, with --stdio
        #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=10_000))]
        slots: u32,
        /// How long tasks may finish once nobody asks for more, with --stdio: 30s, 2m
        #[arg(long, default_value = "30s", value_parser = parse_time)]
        grace: f64,
        /// How this start goes.
        #[command(flatten)]
        start: StartArgs,
    },
}

/// For the reference pages; the help says the same in fewer lines.
const EXITS: &str = "\
Exit codes:
    0  every task has a record
    1  some tasks failed for good
    2  usage error
    3  no line of the data set is a row
    4  stopped early (budget, time, drained); resume goes on
    5  somebody else works on the run
  130  interrupted twice";

/// Who places parts of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum JobEngine {
    /// An array of jobs
    Slurm,
    /// An indexed job
    K8s,
}

/// Where a start works.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum RunnerKind {
    /// On this machine
    #[default]
    Local,
    /// On the nodes of a Ray cluster
    Ray,
    /// In an array of Slurm jobs
    Slurm,
}

/// Where a start works, and what the engine there is told.
#[derive(Clone, Debug, Default, Args)]
pub struct PlaceArgs {
    /// Where tasks are worked on
    #[arg(long, value_enum, default_value = "local")]
    pub on: RunnerKind,
    /// Spread the tasks over so many processes: one that dies costs only its own
    #[arg(long, value_name = "P", value_parser = clap::value_parser!(u32).range(1..=1_000))]
    pub processes: Option<u32>,
    /// Into how many parts a Slurm array cuts the run
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000))]
    pub shards: Option<u32>,
    /// More for sbatch; can be given again
    #[arg(long, value_name = "ARG", allow_hyphen_values = true)]
    pub slurm_args: Vec<String>,
    /// The Python that can import ray, if not that of the settings
    #[arg(long, value_name = "PROGRAM")]
    pub python: Option<String>,
    /// Where Ray is, if not where the settings or RAY_ADDRESS say
    #[arg(long, value_name = "ADDRESS")]
    pub ray_address: Option<String>,
    /// Where the nodes have this program already
    #[arg(long, value_name = "PATH")]
    pub remote_binary: Option<String>,
}

/// A run by its name.
#[derive(Clone, Debug, Args)]
pub struct RunName {
    /// The name of the run, or its folder
    pub run: String,
}

/// What begins a run and is kept in it for all its starts.
#[derive(Debug, Args)]
pub struct RunArgs {
    /// A .jsonl file (also .gz, .zst), a folder of them, or - for stdin
    #[arg(required_unless_present_any = ["dataset_file", "list_distributions"])]
    pub dataset: Option<PathBuf>,
    /// The same, as an option
    #[arg(long, alias = "dataset_file", hide = true, conflicts_with = "dataset")]
    pub dataset_file: Option<PathBuf>,
    /// What the run is called; its folder is made below --out
    #[arg(
        long,
        visible_alias = "run-name",
        alias = "run_name",
        required_unless_present = "list_distributions"
    )]
    pub name: Option<String>,
    /// Go on if the run is there already, with the same options
    #[arg(long)]
    pub resume: bool,
    /// With --resume: go on with these options from now on, although the run was begun with others
    #[arg(long, requires = "resume")]
    pub new_generation: bool,
    /// With --resume: rows whose text has changed under their id are run again
    #[arg(long, requires = "resume")]
    pub accept_changed: bool,
    /// Draw toolsets from this distribution
    #[arg(long)]
    pub distribution: Option<String>,
    /// A file with distributions of your own, YAML or JSON
    #[arg(long, value_name = "FILE")]
    pub distribution_file: Option<PathBuf>,
    /// List the distributions and stop
    #[arg(long, alias = "list_distributions")]
    pub list_distributions: bool,
    /// The same toolsets for every task, separated by commas
    #[arg(long, value_delimiter = ',', conflicts_with = "distribution")]
    pub toolsets: Vec<String>,
    /// Which model works on the tasks, if not the configured one
    #[arg(long)]
    pub model: Option<String>,
    /// Who serves it
    #[arg(long)]
    pub provider: Option<String>,
    /// Where it is served
    #[arg(long, alias = "base_url")]
    pub base_url: Option<String>,
    /// The only ones an aggregator may ask, separated by commas
    #[arg(long, alias = "providers_allowed", value_name = "NAMES", value_delimiter = ',')]
    pub providers_allowed: Vec<String>,
    /// Those it may not ask
    #[arg(long, alias = "providers_ignored", value_name = "NAMES", value_delimiter = ',')]
    pub providers_ignored: Vec<String>,
    /// Whom it asks first
    #[arg(long, alias = "providers_order", value_name = "NAMES", value_delimiter = ',')]
    pub providers_order: Vec<String>,
    /// What counts among the others
    #[arg(long, alias = "provider_sort", value_parser = ["price", "throughput", "latency"])]
    pub provider_sort: Option<String>,
    /// Most model calls of a task
    #[arg(long, alias = "max_turns", default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..))]
    pub max_turns: u32,
    /// Most tokens of an answer
    #[arg(long, alias = "max_tokens")]
    pub max_tokens: Option<u32>,
    /// Most tokens of a task
    #[arg(long)]
    pub max_task_tokens: Option<u64>,
    /// How freely the model chooses words
    #[arg(long, value_parser = parse_amount)]
    pub temperature: Option<f64>,
    /// How much the model thinks
    #[arg(long, alias = "reasoning_effort", value_parser = ["none", "minimal", "low", "medium", "high", "xhigh", "max", "ultra"])]
    pub reasoning_effort: Option<String>,
    /// Have it not think
    #[arg(long, alias = "reasoning_disabled")]
    pub reasoning_disabled: bool,
    /// More instructions, which trajectories do not show
    #[arg(long, alias = "ephemeral_system_prompt")]
    pub ephemeral_system_prompt: Option<String>,
    /// A JSON list of messages that were said before
    #[arg(long, alias = "prefill_messages_file", value_name = "FILE")]
    pub prefill_messages_file: Option<PathBuf>,
    /// All chance of the run comes from this number; printed and kept if not given
    #[arg(long)]
    pub seed: Option<u64>,
    /// Tasks for each row
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub samples: u32,
    /// Only the first rows
    #[arg(long, alias = "max_samples")]
    pub max_samples: Option<usize>,
    /// Longest time of a task: 90, 30m, 2h
    #[arg(long, value_parser = parse_time)]
    pub row_timeout: Option<f64>,
    /// How often a task is tried again when something other than the model failed
    #[arg(long)]
    pub retries: Option<u32>,
    /// Where tasks run: local, docker, singularity, modal, daytona, vercel_sandbox
    #[arg(long, value_parser = parse_backend)]
    pub backend: Option<String>,
    /// Whether containers reach the network
    #[arg(long, value_parser = ["on", "off"])]
    pub network: Option<String>,
    /// Processors of a container, or of a worker on a cluster
    #[arg(long, value_parser = parse_amount)]
    pub cpus: Option<f64>,
    /// Memory of a task: 512m, 2g
    #[arg(long, value_parser = parse_megabytes)]
    pub memory: Option<u64>,
    /// Disk of a container, or longest file of a task on this machine: 10g
    #[arg(long, value_parser = parse_megabytes)]
    pub disk: Option<u64>,
    /// Processes of a task, on this machine or in docker
    #[arg(long)]
    pub pids: Option<u64>,
    /// A command before the first turn of every task
    #[arg(long)]
    pub setup: Option<String>,
    /// A command after the last turn of every task; its exit code is kept
    #[arg(long)]
    pub verify: Option<String>,
    /// Keep trajectories without any reasoning
    #[arg(long)]
    pub no_require_reasoning: bool,
    /// Drop trajectories by a rule: verify_passed, finished, no_errors, min_turns:N, max_tokens:N, regex:P, dedup, cmd:PROGRAM
    #[arg(long = "filter", value_name = "RULE")]
    pub filters: Vec<String>,
    /// Say what would run, and run nothing
    #[arg(long)]
    pub dry_run: bool,
    /// Accepted for other programs' sake; nothing is cut off in a log
    #[arg(long, alias = "log_prefix_chars", hide = true)]
    pub log_prefix_chars: Option<u32>,
    /// Where this start works.
    #[command(flatten)]
    pub place: PlaceArgs,
    /// How this start goes.
    #[command(flatten)]
    pub start: StartArgs,
}

/// What is compressed, and how; a file of settings says the rest.
#[derive(Debug, Args)]
pub struct CompressArgs {
    /// A .jsonl file of trajectories, or a folder of them
    pub input: PathBuf,
    /// The file or folder to write, if not the same name with _compressed
    #[arg(long)]
    pub out: Option<PathBuf>,
    /// A YAML file of settings, if not configs/trajectory_compression.yaml
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// Most tokens of a row
    #[arg(long, alias = "target_max_tokens", value_name = "N")]
    pub target_max_tokens: Option<u64>,
    /// What counts tokens
    #[arg(long, value_name = "NAME")]
    pub tokenizer: Option<String>,
    /// Only this share of the rows, in percent
    #[arg(long, alias = "sample_percent", value_name = "P", value_parser = parse_percent)]
    pub sample_percent: Option<f64>,
    /// What the share is drawn with
    #[arg(long, default_value_t = 42)]
    pub seed: u64,
    /// Which model writes summaries
    #[arg(long)]
    pub model: Option<String>,
    /// Where it is served
    #[arg(long, alias = "base_url")]
    pub base_url: Option<String>,
    /// The variable that holds the key for it
    #[arg(long, value_name = "NAME")]
    pub api_key_env: Option<String>,
    /// Say what would be done, and write nothing
    #[arg(long, alias = "dry_run")]
    pub dry_run: bool,
    /// Print the totals as JSON
    #[arg(long)]
    pub json: bool,
}

/// A run that is there.
#[derive(Debug, Args)]
pub struct ResumeArgs {
    /// By name below the folder of runs, or by path.
    #[command(flatten)]
    pub run: RunName,
    /// The data set, if it has moved
    #[arg(long)]
    pub dataset: Option<PathBuf>,
    /// Rows whose text has changed under their id are run again
    #[arg(long)]
    pub accept_changed: bool,
    /// Where this start works.
    #[command(flatten)]
    pub place: PlaceArgs,
    /// How this start goes.
    #[command(flatten)]
    pub start: StartArgs,
}

/// What may differ between two starts of a run.
#[derive(Clone, Debug, Default, Args)]
pub struct StartArgs {
    /// Tasks at the same time
    #[arg(long, alias = "num_workers", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub num_workers: Option<u32>,
    /// Accepted for other programs' sake; tasks are handed out one by one
    #[arg(long, alias = "batch_size", hide = true)]
    pub batch_size: Option<u32>,
    /// Begin nothing new once this many dollars are spent
    #[arg(long, value_name = "USD", value_parser = parse_amount)]
    pub max_cost: Option<f64>,
    /// Begin nothing new once this many tokens are used
    #[arg(long, value_name = "N")]
    pub max_total_tokens: Option<u64>,
    /// Begin nothing new after this time: 90, 30m, 8h
    #[arg(long, value_parser = parse_time)]
    pub deadline: Option<f64>,
    /// Most requests in a minute
    #[arg(long)]
    pub rpm: Option<u32>,
    /// Most tokens sent in a minute
    #[arg(long)]
    pub input_tpm: Option<u64>,
    /// Most tokens received in a minute
    #[arg(long)]
    pub output_tpm: Option<u64>,
    /// Most requests at the same time
    #[arg(long)]
    pub max_concurrency: Option<usize>,
    /// The key (shows in ps; --api-key-env is better)
    #[arg(long, alias = "api_key", hide = true)]
    pub api_key: Option<String>,
    /// The variable that holds the key
    #[arg(long, value_name = "NAME", conflicts_with = "api_key")]
    pub api_key_env: Option<String>,
    /// The file that holds the key
    #[arg(long, value_name = "FILE", conflicts_with_all = ["api_key", "api_key_env"])]
    pub api_key_file: Option<PathBuf>,
    /// The folder that runs are kept in
    #[arg(long, value_name = "DIR", value_parser = parse_folder)]
    pub out: Option<PathBuf>,
    /// Print events as JSON lines
    #[arg(long)]
    pub json: bool,
    /// Print nothing on the way
    #[arg(long, short)]
    pub quiet: bool,
}

/// Seconds of `90`, `90s`, `30m`, `2h`.
pub(crate) fn parse_time(text: &str) -> Result<f64, String> {
    let (number, unit) = match text.char_indices().last() {
        Some((place, 's')) => (&text[..place], 1.0),
        Some((place, 'm')) => (&text[..place], 60.0),
        Some((place, 'h')) => (&text[..place], 3600.0),
        _ => (text, 1.0),
    };
    match number.trim().parse::<f64>() {
        Ok(number) if number > 0.0 && number * unit <= 31_536_000.0 => Ok(number * unit),
        _ => Err("a time is a number with s, m or h: 90s, 30m, 2h".to_owned()),
    }
}

/// Where commands run, by any of its names.
fn parse_backend(text: &str) -> Result<String, String> {
    let found = BackendKind::from_config(&serde_json::Value::from(text));
    found.map(|kind| kind.name().to_owned()).ok_or_else(|| {
        let known: Vec<&str> = BackendKind::ALL.into_iter().map(BackendKind::name).collect();
        format!("there are {}", known.join(", "))
    })
}

/// A number that is not below zero.
fn parse_amount(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(number) if number.is_finite() && number >= 0.0 => Ok(number),
        _ => Err("not a number from 0 on".to_owned()),
    }
}

/// A folder of this machine, and no address: what is taken for one by mistake would be a folder named `s3:`.
fn parse_folder(text: &str) -> Result<PathBuf, String> {
    match text.split_once("://") {
        Some((scheme, _)) => Err(format!(
            "records are kept in a folder of this machine or one that is mounted; {scheme}:// cannot be written"
        )),
        None => Ok(PathBuf::from(text)),
    }
}

/// More than nothing, at most all.
fn parse_percent(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(share) if share > 0.0 && share <= 100.0 => Ok(share),
        _ => Err("a share is more than 0 and at most 100".to_owned()),
    }
}

/// MB of `2g`, `512m`, `512`.
fn parse_megabytes(text: &str) -> Result<u64, String> {
    let lower = text.to_ascii_lowercase();
    let (number, unit) = match lower.char_indices().last() {
        Some((place, 'g')) => (&lower[..place], 1024.0),
        Some((place, 'm')) => (&lower[..place], 1.0),
        _ => (lower.as_str(), 1.0),
    };
    match number.trim().parse::<f64>() {
        Ok(number) if number > 0.0 && number * unit < 1e9 => Ok((number * unit) as u64),
        _ => Err("a size is a number with m or g: 512m, 2g".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_help_is_short_and_names_each_option_of_its_verb() {
        use clap::Subcommand as _;
        let mut command = BatchVerb::augment_subcommands(clap::Command::new("batch"));
        let names: Vec<String> =
            command.get_subcommands().map(|verb| verb.get_name().to_owned()).collect();
        assert!(names.len() > 15, "{names:?}");
        for name in names {
            let verb = command.find_subcommand_mut(&name).unwrap().clone().term_width(80);
            let help = verb.clone().render_long_help().to_string();
            let lines = help.lines().count();
            assert!(lines < 60, "{name}: {lines} lines");
            assert!(help.lines().all(|line| line.chars().count() <= 80), "{name}");
            let is_shown = |arg: &&clap::Arg| !arg.is_hide_set() && arg.get_id() != "help";
            if name == "import" {
                continue; // It says where its options are listed.
            }
            for long in verb.get_arguments().filter(is_shown).filter_map(clap::Arg::get_long) {
                assert!(help.contains(&format!("--{long}")), "{name}: --{long}");
            }
        }
    }

    #[test]
    fn times_and_sizes_have_units() {
        assert_eq!(parse_time("30m"), Ok(1800.0));
        assert_eq!(parse_time("1.5h"), Ok(5400.0));
        assert_eq!(parse_time("90"), Ok(90.0));
        assert!(parse_time("-1").is_err() && parse_time("x").is_err() && parse_time("é").is_err());
        assert_eq!(parse_megabytes("2g"), Ok(2048));
        assert!(parse_megabytes("").is_err());
        assert_eq!(parse_backend("apptainer").as_deref(), Ok("singularity"));
        assert!(parse_backend("moon").is_err() && parse_amount("nan").is_err());
        assert!(parse_folder("s3://bucket/x").is_err() && parse_folder("data").is_ok());
    }
}
