//! The words and their options.

use clap::{Args, Subcommand};

use crate::store::JobDraft;

/// What can be asked of jobs: `hermes cron …` and `/cron …`.
#[derive(Clone, Debug, Subcommand)]
pub enum CronVerb {
    /// List jobs and when they run next
    List {
        /// Also those that are paused or over
        #[arg(long, short)]
        all: bool,
        /// Print JSON for programs
        #[arg(long)]
        json: bool,
    },
    /// Make a job: `hermes cron create '0 9 * * MON-FRI' 'What is new in the repository?'`
    #[command(alias = "add")]
    Create {
        /// `30m`, `every 2h`, `0 9 * * MON-FRI`, `@daily`, `2026-12-24T18:00`
        schedule: String,
        /// What the agent is asked
        prompt: Option<String>,
        /// What else it is told
        #[command(flatten)]
        options: JobArgs,
        /// Print JSON for programs
        #[arg(long)]
        json: bool,
    },
    /// Change a job; what is not said stays
    Edit {
        /// Its id, the beginning of it, or its name
        job: String,
        /// When it runs
        #[arg(long)]
        schedule: Option<String>,
        /// What the agent is asked
        #[arg(long)]
        prompt: Option<String>,
        /// What else it is told
        #[command(flatten)]
        options: JobArgs,
        /// Print JSON for programs
        #[arg(long)]
        json: bool,
    },
    /// Have a job wait
    Pause {
        /// Its id, the beginning of it, or its name
        job: String,
        /// Print JSON for programs
        #[arg(long)]
        json: bool,
    },
    /// Let a job run again
    Resume {
        /// Its id, the beginning of it, or its name
        job: String,
        /// Print JSON for programs
        #[arg(long)]
        json: bool,
    },
    /// Run a job now, here, and show what it says
    Run {
        /// Its id, the beginning of it, or its name
        job: String,
        /// Print JSON for programs
        #[arg(long)]
        json: bool,
    },
    /// Remove a job; what it said stays
    #[command(alias = "delete", alias = "rm")]
    Remove {
        /// Its id, the beginning of it, or its name
        job: String,
        /// Print JSON for programs
        #[arg(long)]
        json: bool,
    },
    /// Say who runs the jobs, and whether that works
    Status {
        /// Print JSON for programs
        #[arg(long)]
        json: bool,
    },
    /// Show past runs, the newest first
    Runs {
        /// Only of this job
        job: Option<String>,
        /// At most so many
        #[arg(long, default_value_t = 20)]
        limit: usize,
        /// Print JSON for programs
        #[arg(long)]
        json: bool,
    },
    /// Run what is due now, and leave
    Tick {
        /// Print JSON for programs
        #[arg(long)]
        json: bool,
    },
    /// Run jobs as they become due, until told to stop
    Daemon,
    /// List ready-made jobs, or make one: `hermes cron blueprint morning-brief time=07:30`
    #[command(name = "blueprint")]
    JobBlueprint {
        /// The ready-made job; without one all are listed
        name: Option<String>,
        /// What it leaves open, as `slot=value`
        values: Vec<String>,
        /// Show the job and make nothing
        #[arg(long)]
        dry_run: bool,
        /// Print JSON for programs
        #[arg(long)]
        json: bool,
    },
    /// See what is suggested, and say yes or no to it
    Suggestions {
        /// What to do with them; without a word they are listed
        #[command(subcommand)]
        verb: Option<SuggestionVerb>,
        /// Print JSON for programs
        #[arg(long)]
        json: bool,
    },
    /// Show the next times of a schedule, and make nothing
    Next {
        /// As for `create`
        schedule: String,
        /// How many, up to 1,000
        #[arg(long, short = 'n', default_value_t = 5, value_parser = clap::value_parser!(u16).range(1..=1_000))]
        count: u16,
        /// The zone, if not the configured one
        #[arg(long)]
        zone: Option<String>,
        /// Begin here, if not now
        #[arg(long)]
        from: Option<String>,
        /// Print JSON for programs
        #[arg(long)]
        json: bool,
    },
}

impl CronVerb {
    /// Whether it changes nothing and runs nothing.
    #[must_use]
    pub fn only_looks(&self) -> bool {
        matches!(
            self,
            Self::List { .. }
                | Self::Status { .. }
                | Self::Runs { .. }
                | Self::Next { .. }
                | Self::JobBlueprint { name: None, .. }
                | Self::JobBlueprint { dry_run: true, .. }
                | Self::Suggestions { verb: None, .. }
        )
    }
}

/// What can be done with suggestions.
#[derive(Clone, Debug, Subcommand)]
pub enum SuggestionVerb {
    /// Make the job that is suggested
    Accept {
        /// Its number in the list
        number: usize,
    },
    /// Never suggest it again
    Dismiss {
        /// Its number in the list
        number: usize,
    },
    /// Suggest ready-made jobs that nobody has yet
    Catalog,
    /// Take back all that wait for an answer; they may come again
    Clear,
}

/// What a job can be told beside schedule and prompt.
#[derive(Clone, Debug, Default, Args)]
pub struct JobArgs {
    /// What people call it
    #[arg(long)]
    name: Option<String>,
    /// Who hears of it: local, origin, all, or a platform
    #[arg(long)]
    deliver: Option<String>,
    /// How often it runs; 0 is without end
    #[arg(long)]
    repeat: Option<u64>,
    /// A skill to load; can be given several times
    #[arg(long = "skill")]
    skills: Vec<String>,
    /// A program of the home's `scripts` folder whose output goes before the prompt
    #[arg(long)]
    script: Option<String>,
    /// Ask no agent: the output of the script is the message
    #[arg(long)]
    no_agent: bool,
    /// The folder to work in
    #[arg(long)]
    workdir: Option<String>,
    /// The model, if not the configured one
    #[arg(long, short)]
    model: Option<String>,
    /// Who serves it
    #[arg(long)]
    provider: Option<String>,
    /// A toolset it has; can be given several times
    #[arg(long = "toolset")]
    toolsets: Vec<String>,
    /// A job whose last output it is shown; can be given several times
    #[arg(long)]
    context_from: Vec<String>,
}

impl JobArgs {
    pub(super) fn draft(&self, schedule: Option<&str>, prompt: Option<&str>) -> JobDraft {
        let some = |list: &Vec<String>| Some(list.clone()).filter(|list| !list.is_empty());
        JobDraft {
            schedule: schedule.map(str::to_owned),
            prompt: prompt.map(str::to_owned),
            name: self.name.clone(),
            repeat: self.repeat,
            deliver: self.deliver.clone(),
            origin: None,
            skills: some(&self.skills),
            model: self.model.clone(),
            provider: self.provider.clone(),
            script: self.script.clone(),
            no_agent: self.no_agent.then_some(true),
            context_from: some(&self.context_from),
            toolsets: some(&self.toolsets),
            workdir: self.workdir.clone(),
        }
    }
}
