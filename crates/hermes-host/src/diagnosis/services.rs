//! What a session needs beside its files: a server that answers, a database, room on the disk, programs.

use std::time::Duration;

use hermes_llm::EndpointChoice;
use hermes_llm::discover::ServerAnswer;
use hermes_process::{Command, End};
use hermes_sessions::SessionDatabase;

use super::{HealthFinding, Report};
use crate::models::{ModelSources, SessionModels};
use crate::{Host, HostError};

/// Less room than this makes writing fail before long.
const LITTLE_ROOM: u64 = 200 << 20;
/// How long a program may take to say that it is there.
const PATIENCE: Duration = Duration::from_secs(5);

impl Host {
    /// Asks whatever a session depends on outside its files, at no cost: the model's server and key, the database,
    /// the disk, the programs of the configured backend and the browser.
    pub async fn diagnose_services(&self) -> Vec<HealthFinding> {
        let mut report = Report::default();
        model(self, &mut report).await;
        writable(self, &mut report);
        database(self, &mut report);
        disk(self, &mut report);
        browser(self, &mut report);
        programs(self, &mut report).await;
        report.0
    }
}

async fn model(host: &Host, report: &mut Report) {
    if host.config_error().is_some() {
        return;
    }
    let choice = EndpointChoice::default();
    let models = match SessionModels::of(&ModelSources::of(host), &choice).await {
        Ok(models) => models,
        Err(HostError::NoModel(problem)) => {
            report.note("model", problem.to_string(), "hermes setup");
            return;
        }
        Err(problem) => {
            report.bad("model", problem.to_string(), "hermes setup");
            return;
        }
    };
    let (name, provider) = models.names();
    match models.ask_server().await {
        ServerAnswer::Fine => {
            report.good("model", format!("{name} ({provider}): the server answers and takes the key"));
        }
        ServerAnswer::KeyRefused => report.bad(
            "model",
            format!("{name} ({provider}): the server does not take the key"),
            "hermes setup, or put the right key into .env",
        ),
        ServerAnswer::Status(status) => report.note(
            "model",
            format!("{name} ({provider}): the server is there and answers {status} when asked for its models"),
            "not every server lists them; if questions fail, look at model.base_url",
        ),
        ServerAnswer::Unreachable(why) => report.bad(
            "model",
            format!("{name} ({provider}): {why}"),
            "start the server, or look at model.base_url and the network",
        ),
    }
    for problem in models.problems() {
        report.note("model", problem, "hermes config edit");
    }
}

/// Whether something can be written to the home.
fn writable(host: &Host, report: &mut Report) {
    let root = host.home().root();
    if root.is_dir()
        && let Err(problem) = tempfile::Builder::new().prefix(".hermes-doctor").tempfile_in(root)
    {
        let text = format!("nothing can be written to {}: {problem}", root.display());
        report.bad("home", text, "give yourself the right to write, or set HERMES_HOME");
    }
}

fn database(host: &Host, report: &mut Report) {
    let file = host.home().state_db();
    if !file.exists() {
        return;
    }
    match SessionDatabase::at(&file).check() {
        Ok(problems) if problems.is_empty() => {
            report.good("database", file.display().to_string());
        }
        Ok(problems) => report.bad(
            "database",
            format!("{} is damaged: {}", file.display(), problems.join("; ")),
            "hermes sessions repair",
        ),
        Err(problem) => report.bad("database", problem.to_string(), "hermes sessions repair"),
    }
}

fn disk(host: &Host, report: &mut Report) {
    let root = host.home().root();
    let Some(there) = root.ancestors().find(|folder| folder.is_dir()) else { return };
    let Ok(disk) = nix::sys::statvfs::statvfs(there) else { return };
    // The types differ between systems.
    #[allow(clippy::useless_conversion, clippy::unnecessary_cast)]
    let free = (disk.blocks_available() as u64).saturating_mul(disk.fragment_size() as u64);
    let room = format!("{} MB free at {}", free >> 20, there.display());
    match free < LITTLE_ROOM {
        true => report.bad("disk", room, "make room; sessions cannot be written without"),
        false => report.good("disk", room),
    }
}

fn browser(host: &Host, report: &mut Report) {
    match hermes_browser::find_chromium(host.vars()) {
        Ok(program) => report.good("browser", program.display().to_string()),
        // Who does not want one lacks nothing.
        Err(_) => report.good("browser", "no Chromium; `hermes browser install` gets one"),
    }
}

/// The programs of the backend that commands run on, and git.
async fn programs(host: &Host, report: &mut Report) {
    let backend = host.environments().settings("default").map(|settings| settings.backend());
    let backend = backend.map(|backend| backend.to_string()).unwrap_or_default();
    for (name, args, wanted) in [
        (
            "docker",
            ["version", "--format={{.Server.Version}}"].as_slice(),
            backend.contains("docker"),
        ),
        ("ssh", ["-V"].as_slice(), backend.contains("ssh")),
        ("git", ["--version"].as_slice(), false),
    ] {
        let asked = Command::new(name)
            .args(args.iter().map(|arg| (*arg).to_owned()))
            .env_inherit(["PATH", "HOME", "DOCKER_HOST", "XDG_RUNTIME_DIR"])
            .deadline(PATIENCE)
            .run()
            .await;
        match asked {
            Ok(done) if done.end == End::Exited(0) => {
                let said = [done.stdout.text(), done.stderr.text()];
                let mut lines = said.iter().flat_map(|text| text.lines()).map(str::trim);
                let line = lines.find(|line| !line.is_empty()).unwrap_or("there");
                report.good("programs", format!("{name}: {line}"));
            }
            Ok(_) if wanted => report.bad(
                "programs",
                format!("{name} is there and does not work, and commands run on it"),
                format!("see what `{name} {}` says", args.join(" ")),
            ),
            Err(_) if wanted => report.bad(
                "programs",
                format!("{name} is missing, and commands run on it"),
                format!("install {name}, or set terminal.backend"),
            ),
            Ok(_) | Err(_) => {}
        }
    }
}
