//! Compares Hermes with the Python reference package, side by side in one run.
//!
//! Numbers of two machines, or of two days on one, cannot be compared; ratios taken in
//! one run can. So both sides are measured here in turns, each in processes of its own
//! with the same bare environment, and judged by ratio. `reference.py` measures the
//! reference, `--measure` measures ours, and both print the JSON that
//! `measurements.rs` describes. Nothing is judged that was not measured in this run.

mod agent;
mod code;
mod files;
mod mcp;
mod measurements;
mod npm;
mod ours;
mod process;
mod reference;
mod report;
mod rows;
mod sessions;
mod sides;
mod skills;
mod start;
mod terminal;
mod timing;
mod tui;
mod units;
mod web;

use std::ffi::{OsStr, OsString};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use clap::Parser;
use serde::Serialize;

use crate::files::{Contest, Times};
use crate::measurements::{Measurements, Phase};
use crate::process::Sandbox;
use crate::reference::Reference;
use crate::report::Report;
use crate::sides::Sides;
use crate::start::Starts;
use crate::terminal::{Numbers as TerminalNumbers, Part};

/// Compare Hermes with the Python reference package.
///
/// Exit code: 0 when all judged targets are met, 1 when one is missed, 2 when something
/// could not be measured.
#[derive(Parser)]
struct Args {
    /// Which rows to measure [default: all].
    #[arg(value_name = "GROUP")]
    groups: Vec<Group>,

    /// Print JSON instead of a table.
    #[arg(long)]
    json: bool,

    /// Leave the reference out; its targets are then not judged.
    #[arg(long)]
    skip_reference: bool,

    /// Leave out the other agents, which npm installs on first use (about 1 GB).
    #[arg(long)]
    skip_others: bool,

    /// The Python (3.11 or newer) that installs the reference on first use.
    #[arg(long, default_value = "python3", value_name = "PROGRAM")]
    python: OsString,

    /// Also measure a debug build: to try the benchmark itself, never for numbers.
    #[arg(long, hide = true)]
    any_build: bool,

    /// Measure our side and print its JSON: how the benchmark calls itself.
    #[arg(long, hide = true)]
    measure: Option<Phase>,

    /// Measure our side of a job of the file rows and print its JSON.
    #[arg(long, hide = true)]
    job: Option<PathBuf>,

    /// Measure our side of some of the terminal rows and print its JSON.
    #[arg(long, hide = true)]
    part: Option<Part>,

    /// Hold a conversation of the agent rows and print what it took as JSON.
    #[arg(long, hide = true)]
    conversation: Option<PathBuf>,

    /// The files that part works on.
    #[arg(long, hide = true)]
    texts: Option<PathBuf>,
}

/// Rows that are measured together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Group {
    /// Starting, definitions, calls, memory.
    Runtime,
    /// The file tools.
    Files,
    /// The terminal, the guard, redaction.
    Terminal,
    /// Searching past sessions.
    Sessions,
    /// Whole conversations with a scripted model.
    Agent,
    /// Tools of other programs, by the Model Context Protocol.
    Mcp,
    /// Scripts that call tools.
    Code,
    /// Listing, viewing and indexing skills.
    Skills,
    /// Reading web pages.
    Web,
    /// The chat at a terminal.
    Tui,
}

impl Args {
    fn wants(&self, group: Group) -> bool {
        self.groups.is_empty() || self.groups.contains(&group)
    }
}

/// Everything `--json` prints: the judged rows, and what they were made from.
#[derive(Serialize)]
struct Output<'a> {
    #[serde(flatten)]
    report: &'a Report,
    #[serde(flatten)]
    runtime: Option<RuntimeNumbers>,
    #[serde(skip_serializing_if = "Option::is_none")]
    files: Option<Vec<Times>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    terminal: Option<TerminalNumbers>,
    #[serde(skip_serializing_if = "Option::is_none")]
    sessions: Option<sessions::Numbers>,
    #[serde(skip_serializing_if = "Option::is_none")]
    agent: Option<agent::Numbers>,
    #[serde(skip_serializing_if = "Option::is_none")]
    mcp: Option<mcp::Numbers>,
    #[serde(skip_serializing_if = "Option::is_none")]
    code: Option<code::Numbers>,
    #[serde(skip_serializing_if = "Option::is_none")]
    skills: Option<skills::Numbers>,
    web: Option<web::Numbers>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tui: Option<tui::Numbers>,
}

/// What the rows of the runtime are made from.
#[derive(Serialize)]
struct RuntimeNumbers {
    starts: Starts,
    ours: Measurements,
    reference: Option<Measurements>,
}

// The allocator of the program that is compared.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let args = Args::parse();
    let ended = match (args.measure, &args.job, args.part, &args.conversation) {
        (Some(phase), ..) => ours::print(phase).map(|()| ExitCode::SUCCESS),
        (None, Some(job), ..) => files::print(job).map(|()| ExitCode::SUCCESS),
        (None, None, Some(part), _) => {
            terminal::print(part, args.texts.as_deref()).map(|()| ExitCode::SUCCESS)
        }
        (None, None, None, Some(job)) => agent::print(job).map(|()| ExitCode::SUCCESS),
        (None, None, None, None) => run(&args).map(|report| match report.misses_a_target() {
            true => ExitCode::from(1),
            false => ExitCode::SUCCESS,
        }),
    };
    match ended {
        Ok(code) => code,
        Err(error) => {
            let _ = writeln!(std::io::stderr(), "hermes-bench: {error:#}");
            ExitCode::from(2)
        }
    }
}

fn run(args: &Args) -> Result<Report> {
    if cfg!(debug_assertions) && !args.any_build {
        bail!("a debug build says nothing about speed; run `cargo run --release -p hermes-bench`");
    }
    let this_program = std::env::current_exe().context("finding this program")?;
    let reference = match args.skip_reference {
        true => None,
        false => Some(Reference::install(&args.python)?),
    };

    let sandbox = Sandbox::new()?;
    let (ours, reference) = (this_program.as_path(), reference.as_ref());
    let runtime = match args.wants(Group::Runtime) {
        true => Some(measure_runtime(&sandbox, ours, reference)?),
        false => None,
    };
    let files = match args.wants(Group::Files) {
        true => Some(Contest { sandbox: &sandbox, ours, reference }.measure()?),
        false => None,
    };
    let terminal = match args.wants(Group::Terminal) {
        true => Some(terminal::Contest { sandbox: &sandbox, ours, reference }.measure()?),
        false => None,
    };
    let sessions = match args.wants(Group::Sessions) {
        true => Some(sessions::measure()?),
        false => None,
    };
    let agent = match args.wants(Group::Agent) {
        true => Some(measure_agent(&sandbox, ours, reference, args)?),
        false => None,
    };
    let mcp = match args.wants(Group::Mcp) {
        true => Some(mcp::measure(&sandbox, reference)?),
        false => None,
    };

    let code = match args.wants(Group::Code) {
        true => Some(code::measure()?),
        false => None,
    };
    let skills = match args.wants(Group::Skills) {
        true => Some(skills::measure()?),
        false => None,
    };
    let web = match args.wants(Group::Web) {
        true => Some(web::measure()?),
        false => None,
    };

    let tui = match args.wants(Group::Tui) {
        // Cargo's folder of a debug build has not the name of its profile; what is there is taken.
        true if args.any_build => Some(tui::measure(&ours.with_file_name("hermes"))?),
        true => Some(tui::measure(&build_hermes(ours)?)?),
        false => None,
    };

    let of_runtime = runtime
        .iter()
        .flat_map(|numbers| rows::rows(&numbers.starts, &numbers.ours, numbers.reference.as_ref()));
    let of_files = files.iter().flat_map(|times| files::rows(times));
    let of_terminal = terminal.iter().flat_map(terminal::rows);
    let of_sessions = sessions.iter().flat_map(sessions::rows);
    let of_agent = agent.iter().flat_map(agent::rows);
    let of_mcp = mcp.iter().flat_map(mcp::rows);
    let of_code = code.iter().flat_map(code::rows);
    let of_skills = skills.iter().flat_map(skills::rows);
    let of_web = web.iter().flat_map(web::rows);
    let of_tui = tui.iter().flat_map(tui::rows);
    let all = of_runtime
        .chain(of_files)
        .chain(of_terminal)
        .chain(of_sessions)
        .chain(of_agent)
        .chain(of_mcp)
        .chain(of_code)
        .chain(of_skills)
        .chain(of_web)
        .chain(of_tui);
    let report = Report { rows: all.collect() };
    let text = if args.json {
        let output = Output {
            report: &report,
            runtime,
            files,
            terminal,
            sessions,
            agent,
            mcp,
            code,
            skills,
            web,
            tui,
        };
        serde_json::to_string_pretty(&output)? + "\n"
    } else {
        report.table()
    };
    std::io::stdout().write_all(text.as_bytes()).context("printing the report")?;
    Ok(report)
}

fn measure_runtime(
    sandbox: &Sandbox,
    ours: &Path,
    reference: Option<&Reference>,
) -> Result<RuntimeNumbers> {
    let hermes = build_hermes(ours)?;
    let program = reference.map(Reference::program);
    let starts = start::measure(sandbox, &hermes, program.as_deref())?;
    let (ours, reference) = Sides { sandbox, ours, reference }.measure()?;
    Ok(RuntimeNumbers { starts, ours, reference })
}

fn measure_agent(
    sandbox: &Sandbox,
    bench: &Path,
    reference: Option<&Reference>,
    args: &Args,
) -> Result<agent::Numbers> {
    let hermes = build_hermes(bench)?;
    let others = match args.skip_others {
        true => agent::Others::Skipped,
        false => agent::Others::Compared,
    };
    agent::Contest { sandbox, bench, hermes, reference, others }.measure()
}

/// Builds the program itself with the profile this benchmark was built with, so that no
/// stale one is measured, and tells where it is.
fn build_hermes(this_program: &Path) -> Result<PathBuf> {
    let folder = this_program.parent().context("this program has no folder")?;
    // Cargo names the folder after the profile.
    let profile = folder.file_name().context("this program's folder has no name")?;
    let builds = folder.parent().context("this program's folder has no parent")?;
    let manifest = concat!(env!("CARGO_MANIFEST_DIR"), "/../Cargo.toml");
    let words = ["build", "--quiet", "--manifest-path", manifest, "--package", "hermes"];
    let place = [OsStr::new("--profile"), profile, OsStr::new("--target-dir"), builds.as_os_str()];
    let words: Vec<_> = words.iter().map(OsStr::new).chain(place).collect();
    process::prepare("cargo".as_ref(), &words)?;
    Ok(folder.join("hermes"))
}
