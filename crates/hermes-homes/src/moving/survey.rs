//! What a home comes to here, part by part.

use std::path::{Path, PathBuf};

use hermes_gateway::Pairing;
use hermes_gateway::adapter::{platform, platforms};
use hermes_host::{Host, ModelSources};
use hermes_mcp::client::settings::read_servers;
use hermes_plugins::PluginSettings;
use hermes_plugins::discover::{LoadChoice, PluginFolders, Runs};
use hermes_sessions::SessionDatabase;
use hermes_store::config::Config;
use hermes_store::config_keys::check;
use hermes_tools::memory::{MemorySettings, MemoryStore, MemoryTarget};
use serde_json::Value;

use super::convert;
use super::part::MovedPart;

/// Messaging platforms of the Python program and the variable that sets each up.
const THEIR_PLATFORMS: &[(&str, &str)] = &[
    ("bluebubbles", "BLUEBUBBLES_SERVER_URL"),
    ("dingtalk", "DINGTALK_CLIENT_ID"),
    ("feishu", "FEISHU_APP_ID"),
    ("google_chat", "GOOGLE_CHAT_PROJECT_ID"),
    ("qqbot", "QQ_APP_ID"),
    ("teams", "TEAMS_CLIENT_ID"),
    ("wecom", "WECOM_BOT_ID"),
    ("weixin", "WEIXIN_ACCOUNT_ID"),
    ("whatsapp", "WHATSAPP_ENABLED"),
    ("yuanbao", "YUANBAO_APP_ID"),
];
/// Files that only the Python program reads, and what they are.
const THEIR_FILES: &[(&str, &str)] = &[
    ("kanban.db", "the board of tasks"),
    ("projects.db", "projects"),
    ("webhook_subscriptions.json", "webhooks made by command"),
];

/// What a home comes to.
#[derive(Default)]
pub(super) struct Survey {
    pub(super) parts: Vec<MovedPart>,
    pub(super) warnings: Vec<String>,
}

impl Survey {
    /// Adds a part, unless there is nothing of it.
    fn add(&mut self, part: MovedPart) {
        if part.count > 0 {
            self.parts.push(part);
        }
    }
}

/// Looks at a home with the eyes of this program. `files` are those it has.
pub(super) fn survey(host: &Host, files: &[PathBuf]) -> Survey {
    let mut survey = Survey::default();
    settings(host, &mut survey);
    secrets(host, &mut survey);
    words(host, &mut survey);
    sessions(host, &mut survey);
    skills(files, &mut survey);
    jobs(host, &mut survey);
    servers(host, &mut survey);
    plugins(host, &mut survey);
    people(host, &mut survey);
    rules(host, &mut survey);
    let theirs =
        THEIR_FILES.iter().filter(|(name, _)| files.iter().any(|file| file == Path::new(name)));
    for (name, what) in theirs {
        survey.add(MovedPart::stays(
            "other",
            [(*name).to_owned()],
            format!("{what}; not read here"),
        ));
    }
    survey
}

fn settings(host: &Host, survey: &mut Survey) {
    let file = host.home().config_file();
    if !file.exists() {
        return;
    }
    let config = match Config::load_unexpanded(&file) {
        Ok(config) => config,
        Err(problem) => {
            let why = format!("config.yaml cannot be read: {problem}");
            return survey.add(MovedPart::stays("settings", [], why).counting(1));
        }
    };
    let known = config.value().as_object().map(serde_json::Map::len).unwrap_or(0);
    survey.add(MovedPart::comes("settings", []).counting(known));
    for (name, _) in convert::variables(config.value()) {
        let why = format!("a variable; `hermes config set {name} …` puts it where it counts");
        survey.add(MovedPart::stays("settings", [name], why));
    }
    let variables = convert::variables(config.value());
    let findings = check(config.value()).into_iter().map(|finding| finding.to_string());
    let odd: Vec<String> = findings
        .filter(|text| !variables.iter().any(|(name, _)| text.contains(name.as_str())))
        .collect();
    survey.add(MovedPart::stays("settings", odd, "kept, and without effect here"));
    match ModelSources::of(host).pinned() {
        Some(model) => survey
            .add(MovedPart::comes("model", [format!("{} by {}", model.model, model.provider)])),
        None => survey.warnings.push(
            "no model can be asked with these settings and keys; `hermes setup` finds one"
                .to_owned(),
        ),
    }
}

fn secrets(host: &Host, survey: &mut Survey) {
    survey.add(MovedPart::comes(
        "keys and variables",
        host.dotenv().iter().map(|(name, _)| name.to_owned()),
    ));
}

/// Who the agent is, and what it noted.
fn words(host: &Host, survey: &mut Survey) {
    if host.home().soul_file().exists() {
        survey.add(MovedPart::comes("identity", ["SOUL.md".to_owned()]));
    }
    let memory = MemoryStore::new(host.home(), MemorySettings::from_config(host.config().value()));
    for (target, what) in [(MemoryTarget::Memory, "notes"), (MemoryTarget::User, "notes on you")] {
        match memory.entries(target) {
            Ok(entries) => survey.add(MovedPart::comes(what, []).counting(entries.len())),
            Err(problem) => {
                survey.add(MovedPart::stays(what, [], problem.to_string()).counting(1));
            }
        }
    }
}

fn sessions(host: &Host, survey: &mut Survey) {
    let file = host.home().state_db();
    if !file.exists() {
        return;
    }
    match SessionDatabase::read_only(file).stats() {
        Ok(stats) => {
            let count = usize::try_from(stats.sessions).unwrap_or(0);
            let why = format!("{} messages", stats.messages);
            survey.add(MovedPart::comes("sessions", []).counting(count).because(why));
        }
        Err(problem) => {
            survey.add(MovedPart::stays("sessions", [], problem.to_string()).counting(1));
        }
    }
}

fn skills(files: &[PathBuf], survey: &mut Survey) {
    let names =
        files.iter().filter(|file| file.starts_with("skills") && file.ends_with("SKILL.md"));
    let is_hidden = |file: &&PathBuf| {
        file.components().any(|part| part.as_os_str().to_string_lossy().starts_with('.'))
    };
    let names = names
        .filter(|file| !is_hidden(file))
        .filter_map(|file| Some(file.parent()?.file_name()?.to_string_lossy().into_owned()));
    survey.add(MovedPart::comes("skills", names));
}

fn jobs(host: &Host, survey: &mut Survey) {
    let store = match host.job_store() {
        Ok(store) => store,
        Err(problem) => {
            return survey.add(MovedPart::stays("jobs", [], problem.to_string()).counting(1));
        }
    };
    let jobs = match store.jobs() {
        Ok(jobs) => jobs,
        Err(problem) => {
            return survey.add(MovedPart::stays("jobs", [], problem.to_string()).counting(1));
        }
    };
    let text = std::fs::read(store.file()).unwrap_or_default();
    let file: Value = serde_json::from_slice(&text).unwrap_or_default();
    let all = file["jobs"].as_array().map(Vec::len).unwrap_or(0);
    let (mut fine, mut odd) = (Vec::new(), Vec::new());
    for job in &jobs {
        let name = if job.name.is_empty() { job.id.clone() } else { job.name.clone() };
        let target = job.deliver.split(':').next().unwrap_or_default();
        let is_known = ["", "local", "origin", "all"].contains(&target)
            || job.deliver.contains(',')
            || platform(target).is_some();
        let script = job.script.as_deref().filter(|script| !script.is_empty());
        if job.when(store.zone()).is_none() {
            odd.push((name, "its schedule cannot be read".to_owned()));
        } else if !is_known {
            odd.push((name, format!("nothing here delivers to {target}")));
        } else if let Some(script) = script.filter(|script| !store.scripts().join(script).exists())
        {
            odd.push((name, format!("its script {script} is not there")));
        } else {
            fine.push(name);
        }
    }
    survey.add(MovedPart::comes("jobs", fine));
    for (name, why) in odd {
        survey.add(MovedPart::stays("jobs", [name], why));
    }
    let unread = all.saturating_sub(jobs.len());
    survey.add(
        MovedPart::stays("jobs", [], "they cannot be read; kept in the file").counting(unread),
    );
}

fn servers(host: &Host, survey: &mut Survey) {
    let (mut fine, mut odd) = (Vec::new(), Vec::new());
    for entry in read_servers(host.config().value(), host.vars()) {
        match entry.settings {
            Ok(_) => fine.push(entry.name.to_string()),
            Err(problem) => odd.push((entry.name.to_string(), problem.to_string())),
        }
    }
    survey.add(MovedPart::comes("MCP servers", fine));
    for (name, why) in odd {
        survey.add(MovedPart::stays("MCP servers", [name], why));
    }
}

fn plugins(host: &Host, survey: &mut Survey) {
    let settings = PluginSettings::read(host.config().value());
    let found = PluginFolders::usual(host.home(), host.vars(), None).look();
    let (mut fine, mut idle) = (Vec::new(), Vec::new());
    for plugin in found.found {
        match (plugin.choice(&settings), plugin.runs) {
            (_, Runs::Nothing) => {
                let why = "there is neither a command nor a Python package to run";
                survey.add(MovedPart::stays("plugins", [plugin.key], why));
            }
            (LoadChoice::Recorded, _) => {
                let why = "plugins of its kind are noted here and not loaded";
                survey.add(MovedPart::stays("plugins", [plugin.key], why));
            }
            (LoadChoice::Load, _) => fine.push(plugin.key),
            (LoadChoice::NotEnabled | LoadChoice::Disabled, _) => idle.push(plugin.key),
        }
    }
    let try_it = "each runs in a process of its own; `hermes plugins test NAME` tries it";
    survey.add(MovedPart::comes("plugins", fine).because(try_it));
    survey.add(MovedPart::comes("plugins", idle).because("not enabled, as before"));
    for problem in found.problems {
        survey.add(MovedPart::stays("plugins", [], problem.to_string()).counting(1));
    }
}

/// Where the agent is reached, and by whom.
fn people(host: &Host, survey: &mut Survey) {
    let set = |name: &str| host.dotenv().get(name).is_some_and(|value| !value.trim().is_empty());
    let on = platforms().into_iter().filter(|platform| {
        !platform.required.is_empty() && platform.required.iter().all(|variable| set(variable.name))
    });
    survey.add(MovedPart::comes("platforms", on.map(|platform| platform.name.to_owned())));
    let theirs = THEIR_PLATFORMS
        .iter()
        .filter(|(name, variable)| set(variable) && platform(name).is_none())
        .map(|(name, _)| (*name).to_owned());
    survey.add(MovedPart::stays("platforms", theirs, "not built here"));
    let lists = host.dotenv().iter().map(|(name, _)| name).filter(|name| {
        [
            "_ALLOWED_USERS",
            "_ALLOWED_CHATS",
            "_ALLOWED_CHANNELS",
            "_ALLOWED_ROLES",
            "_ALLOW_ALL_USERS",
        ]
        .iter()
        .any(|end| name.ends_with(end))
    });
    survey.add(MovedPart::comes("who may talk", lists.map(str::to_owned)));
    let names: Vec<&str> = platforms().into_iter().map(|platform| platform.name).collect();
    let paired = Pairing::at(host.home().root()).list(&names);
    let paired = paired.into_iter().filter(|person| person.is_approved);
    survey.add(MovedPart::comes(
        "paired people",
        paired.map(|person| format!("{} {}", person.platform, person.user_id)),
    ));
}

/// What runs without a question.
fn rules(host: &Host, survey: &mut Survey) {
    let (settings, _) = host.approval_settings();
    survey.add(MovedPart::comes("allowed commands", settings.allowlist));
    let approved = host.allowlist().approvals().unwrap_or_default();
    survey.add(MovedPart::comes("agreed shell hooks", []).counting(approved.len()));
}

/// What is worth knowing while the other program is still there.
pub(super) fn about_the_old_program(from: &Path, parts: &[MovedPart]) -> Vec<String> {
    let mut warnings = Vec::new();
    let text = std::fs::read(from.join(concat!("gateway", ".pid"))).unwrap_or_default();
    let known: Value = serde_json::from_slice(&text).unwrap_or_default();
    let pid = known["pid"].as_u64().filter(|pid| Path::new(&format!("/proc/{pid}")).exists());
    if let Some(pid) = pid {
        warnings.push(format!(
            "a gateway runs in the old home (process {pid}): stop it before one is started here, since two with one \
             token take each other's messages"
        ));
    }
    let has = |part: &str| parts.iter().any(|one| one.part == part && !one.is_left());
    if has("jobs") {
        warnings.push(
            "while the Python program's gateway runs with the old home, its jobs run there and here".to_owned(),
        );
    }
    let place = from.display().to_string();
    let config = std::fs::read_to_string(from.join("config.yaml")).unwrap_or_default();
    let lines = config.lines().filter(|line| line.contains(&place)).count();
    if lines > 0 {
        warnings.push(format!(
            "{lines} lines of config.yaml name files in {place}; as long as that folder is there they work"
        ));
    }
    warnings
}
