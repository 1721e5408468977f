//! Is this installation all right, and what would mend it?
//!
//! One function an area (home, configuration, secrets, hooks, terminal, tools), each of which adds findings
//! to a report: good, worth a note, or bad, with what would mend it.
//!
//! [`Host::diagnose`] looks at files only; [`Host::diagnose_services`] (`services`) asks: the model's server, the
//! database, the disk, programs. [`Host::mend`] (`mending`) does what can be done without a decision of the person.
//!
//! What never happens here: a secret is shown, one area keeps another from being looked at, or a request is made that
//! costs something.

mod mending;
mod services;

use std::os::unix::fs::PermissionsExt;

use hermes_cron::ticker_health;
use hermes_process::{KernelSupport, kernel_support};
use hermes_skills::SkillLibrary;
use hermes_skills::hub::github::auth::configured_login;
use hermes_skills::hub::state::HubState;
use hermes_skills::layout::SkillsHome;
use hermes_skills::offer::Withheld;
use hermes_store::config::Config;
use hermes_store::config_keys::check;
use hermes_store::dotenv::is_secret_name;
use hermes_tool::{Availability, Tool};
use serde::Serialize;

use crate::{Host, PLATFORM};

/// How a check came out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Health {
    /// As it should be.
    Good,
    /// Works, and is worth knowing.
    Note,
    /// Keeps something from working.
    Bad,
}

/// One thing that was looked at.
#[derive(Debug, Serialize)]
pub struct HealthFinding {
    /// Whether something has to be done about it.
    pub health: Health,
    /// The area, in a word: `home`, `config`, `secrets`, …
    pub about: &'static str,
    /// What was found.
    pub text: String,
    /// What would mend it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fix: Option<String>,
}

#[derive(Default)]
struct Report(Vec<HealthFinding>);

impl Report {
    fn good(&mut self, about: &'static str, text: impl Into<String>) {
        self.0.push(HealthFinding { health: Health::Good, about, text: text.into(), fix: None });
    }

    fn note(&mut self, about: &'static str, text: impl Into<String>, fix: impl Into<String>) {
        self.add(Health::Note, about, text.into(), fix.into());
    }

    fn bad(&mut self, about: &'static str, text: impl Into<String>, fix: impl Into<String>) {
        self.add(Health::Bad, about, text.into(), fix.into());
    }

    fn add(&mut self, health: Health, about: &'static str, text: String, fix: String) {
        let fix = Some(fix).filter(|fix| !fix.is_empty());
        self.0.push(HealthFinding { health, about, text, fix });
    }
}

impl Host {
    /// Looks at everything a session depends on, area by area. Starts no session and no server.
    #[must_use]
    pub fn diagnose(&self) -> Vec<HealthFinding> {
        let mut report = Report::default();
        program(&mut report);
        home(self, &mut report);
        config(self, &mut report);
        secrets(self, &mut report);
        hooks(self, &mut report);
        terminal(self, &mut report);
        tools(self, &mut report);
        skills(self, &mut report);
        jobs(self, &mut report);
        report.0
    }
}

fn program(report: &mut Report) {
    report.good("program", concat!("hermes ", env!("CARGO_PKG_VERSION")));
}

fn home(host: &Host, report: &mut Report) {
    let root = host.home().root();
    match root.metadata() {
        Err(_) => report.good("home", format!("{} (made when first needed)", root.display())),
        Ok(folder) if !folder.is_dir() => {
            report.bad("home", format!("{} is not a folder", root.display()), "set HERMES_HOME");
        }
        Ok(folder) if folder.permissions().mode() & 0o077 != 0 => report.note(
            "home",
            format!("{} can be read by other users", root.display()),
            format!("chmod 700 {}", root.display()),
        ),
        Ok(_) => report.good("home", root.display().to_string()),
    }
}

fn config(host: &Host, report: &mut Report) {
    let file = host.home().config_file();
    if let Some(problem) = host.config_error() {
        report.bad("config", problem.to_string(), "hermes config edit");
        return;
    }
    if !file.exists() {
        report.good("config", "no config.yaml: every setting has its default");
        return;
    }
    let findings =
        Config::load_unexpanded(&file).map(|config| check(config.value())).unwrap_or_default();
    if findings.is_empty() {
        report.good("config", file.display().to_string());
    }
    for finding in findings {
        report.note("config", finding.to_string(), "");
    }
}

fn jobs(host: &Host, report: &mut Report) {
    let store = match host.job_store() {
        Ok(store) => store,
        Err(problem) => {
            return report.bad("cron", problem.to_string(), "hermes config set timezone");
        }
    };
    let jobs = match store.jobs() {
        Ok(jobs) => jobs,
        Err(problem) => return report.bad("cron", problem.to_string(), ""),
    };
    let (active, health) = (jobs.iter().filter(|job| job.enabled).count(), ticker_health(&store));
    match health.holder {
        _ if jobs.is_empty() => {}
        _ if health.is_stalled() => report.bad(
            "cron",
            "whoever runs the scheduled jobs gives no sign of life",
            "stop that process and start `hermes cron daemon` again",
        ),
        Some(pid) => report.good("cron", format!("{active} scheduled jobs, run by process {pid}")),
        None if health.is_held => report.good("cron", format!("{active} scheduled jobs")),
        None if active > 0 => report.note(
            "cron",
            format!("{active} scheduled jobs, and nobody runs them"),
            "hermes cron daemon",
        ),
        None => report.good("cron", "no scheduled job is active"),
    }
    for job in jobs.iter().filter(|job| job.last_delivery_error.is_some()) {
        let why = job.last_delivery_error.as_deref().unwrap_or_default();
        report.note("cron", format!("{} was not delivered: {why}", job.name), "");
    }
}

fn secrets(host: &Host, report: &mut Report) {
    let file = host.home().env_file();
    if let Ok(metadata) = file.metadata()
        && metadata.permissions().mode() & 0o077 != 0
    {
        report.bad(
            "secrets",
            format!("{} can be read by other users", file.display()),
            format!("chmod 600 {}", file.display()),
        );
    }
    if let Some(problem) = host.dotenv_error() {
        report.bad("secrets", problem.to_string(), "");
        return;
    }
    for warning in host.dotenv().warnings() {
        report.note("secrets", format!("{}: {warning}", file.display()), "");
    }
    for name in host.dotenv().differing(|name| host.process_vars().get(name).map(str::to_owned)) {
        report.note(
            "secrets",
            format!("{name} differs between .env and the environment; .env is used"),
            format!("unset {name}, or remove it from {}", file.display()),
        );
    }
    let count = host.dotenv().iter().filter(|(name, _)| is_secret_name(name)).count();
    report.good("secrets", format!("{count} in .env"));
}

fn hooks(host: &Host, report: &mut Report) {
    let configured = host.shell_hooks();
    for problem in &configured.problems {
        report.note("hooks", problem.to_string(), "");
    }
    if configured.hooks.is_empty() {
        return;
    }
    let approvals = match host.allowlist().approvals() {
        Ok(approvals) => approvals,
        Err(problem) => {
            report.bad("hooks", problem.to_string(), "mend or remove the file");
            return;
        }
    };
    let runner = host.hook_runner();
    for hook in &configured.hooks {
        let found = approvals.iter().find(|approval| approval.covers(hook.event, &hook.command));
        let what = format!("{} on {}", hook.command, hook.event);
        match found.map(|approval| approval.script_state(runner.user_folder())) {
            None => report.note("hooks", format!("{what} is not approved"), "hermes hooks approve"),
            Some(state) if state.is_as_approved() => report.good("hooks", what),
            Some(state) => {
                report.note(
                    "hooks",
                    format!("{what}: {state}"),
                    "look at it, then hermes hooks approve",
                );
            }
        }
    }
}

/// Where commands run, and what the kernel offers to confine them.
fn terminal(host: &Host, report: &mut Report) {
    let environments = host.environments();
    let usable = environments.settings("default").map(|settings| (settings, environments.check()));
    match usable {
        Ok((settings, Ok(()))) => {
            report.good("terminal", format!("commands run on: {}", settings.backend()));
        }
        // What is wrong stands before the semicolon, what to do about it behind.
        Ok((_, Err(missing))) => {
            let told = missing.to_string();
            let (what, fix) = told.split_once("; ").unwrap_or((&told, "hermes config edit"));
            report.bad("terminal", what.to_owned(), fix);
        }
        Err(problem) => report.bad("terminal", problem.to_string(), "hermes config edit"),
    }
    let KernelSupport { landlock_abi, seccomp, seatbelt, .. } = kernel_support();
    match (landlock_abi, seccomp) {
        _ if seatbelt => {
            report.good("sandbox", "Seatbelt is there; terminal.sandbox can confine commands");
        }
        (Some(abi), true) => report.good(
            "sandbox",
            format!("Landlock {abi} and seccomp are there; terminal.sandbox can confine commands"),
        ),
        (landlock, seccomp) => {
            let missing = match (landlock, seccomp) {
                (None, false) => "Landlock and seccomp",
                (None, true) => "Landlock",
                (Some(_), _) => "seccomp",
            };
            report.note(
                "sandbox",
                format!("the kernel lacks {missing}; terminal.sandbox cannot be used"),
                "use a container backend to confine commands",
            );
        }
    }
}

fn tools(host: &Host, report: &mut Report) {
    let runtime = host.runtime();
    let _plugins = hermes_plugins::Plugins::open(host.plugin_setup(), &runtime);
    let tables = runtime.registry().snapshot();
    let tools = tables.tools();
    let pass = runtime.availability().pass(tools.iter().copied(), host.vars());
    let available = tools.iter().filter(|tool| pass.allows(tool)).count();
    report.good("tools", format!("{available} of {} can work here", tools.len()));
    // What is switched off lacks nothing, and a service nobody has an account with is no fault of an installation:
    // `tools list` says what it wants.
    let toolsets = runtime.toolsets().snapshot();
    let enabled = host.platform_toolsets(&runtime, PLATFORM);
    let is_wanted = |tool: &Tool| {
        let is_on =
            enabled.iter().any(|name| toolsets.resolve(name, &*tables).contains(tool.name()));
        let has_account = tool.requires_env().is_empty()
            || tool.requires_env().iter().any(|name| host.vars().non_blank(name).is_some());
        is_on && has_account
    };
    // One line for all that lack the same.
    let mut lacking: Vec<(Vec<&str>, String, String)> = Vec::new();
    for tool in tools.iter().filter(|tool| is_wanted(tool)) {
        if let Availability::Unavailable { reason, fix } = pass.of(tool) {
            let same = lacking.iter_mut().find(|(_, other, mend)| *other == reason && *mend == fix);
            match same {
                Some((names, ..)) => names.push(tool.name()),
                None => lacking.push((vec![tool.name()], reason.clone(), fix.clone())),
            }
        }
    }
    for (names, reason, fix) in lacking {
        let who = match names.as_slice() {
            [first, more @ ..] if !more.is_empty() => format!("{first} and {} more", more.len()),
            names => names.concat(),
        };
        report.note("tools", format!("{who}: {reason}"), fix);
    }
}

fn skills(host: &Host, report: &mut Report) {
    let library = SkillLibrary::new(host.home());
    if !library.home().root().is_dir() {
        return;
    }
    let store = library.store(host.config().value(), host.vars());
    let (table, offers) = (store.table(), store.offers(None));
    report.good("skills", format!("{} can be used", table.usable().count()));
    for entry in &table.all {
        if let Some(Withheld::Broken(problem)) = offers.withheld(entry) {
            let text = format!("{}: {problem}", entry.file.display());
            report.note("skills", text, format!("hermes skills lint {}", entry.file.display()));
        }
    }
    for problem in &table.warnings {
        report.note("skills", problem.clone(), "move it out of the skills folder, or put it right");
    }
    let snapshot = library.home().snapshot_file();
    if !hermes_skills::index::is_snapshot_usable(&snapshot) {
        let text = format!("{}: a list of skills that cannot be used", snapshot.display());
        report.note("skills", text, "hermes doctor --fix removes it; it is made anew");
    }
    for (name, files) in table.clashes() {
        let places: Vec<String> = files.iter().map(|file| file.display().to_string()).collect();
        let text = format!("{name} is there {} times: {}", files.len(), places.join(", "));
        report.note("skills", text, "the first is offered; rename or move the others");
    }
    hub(host, report);
}

/// Seconds of a day.
const DAY: u64 = 24 * 3600;
/// From how many days on the hub's list is worth a word: the network has failed for long, or nobody asked.
const OLD_DAYS: u64 = 30;

/// The Skills Hub: what it installed, and how it would ask GitHub.
fn hub(host: &Host, report: &mut Report) {
    let Some(hub) = HubState::new(&SkillsHome::new(host.home())).health() else { return };
    let login = configured_login(host.vars()).as_str();
    match hub.lock_problem {
        Some(problem) => report.bad("skills", problem, "hermes skills update"),
        None => {
            let text = format!("{} from the hub; asks GitHub as {login}", hub.installed);
            report.good("skills", text);
        }
    }
    if hub.left_over {
        let text = "an installation was cut off; nothing of it is in use";
        report.note("skills", text, "hermes doctor --fix cleans up");
    }
    if let Some(days) =
        hub.index_age.map(|age| age.as_secs() / DAY).filter(|days| *days >= OLD_DAYS)
    {
        let text = format!("the hub's list of skills to install is {days} days old");
        report.note("skills", text, "hermes skills search WORD asks for a new one");
    }
}
