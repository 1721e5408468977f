//! How things stand.

use std::fmt::Write as _;
use std::fs;

use hermes_cron::ticker_health;
use hermes_guard::redact::RedactMode;
use hermes_host::{Health, Host, ModelSources};
use hermes_sessions::{ListFilter, SessionDatabase};
use serde_json::{Value, json};

use crate::packing::free_bytes;
use crate::profiles::Profiles;

/// Sessions that were used within this time count as active, in seconds.
const ACTIVE: f64 = 3_600.0;
/// Lines of each log in a report.
const LOG_LINES: usize = 60;

/// The whole as one value: version, home, profile, model, gateway, ticker, sessions, disk.
#[must_use]
pub fn status(host: &Host) -> Value {
    let root = host.home().root();
    let profiles = Profiles::around(host.home());
    let own = profiles.list().into_iter().find(|profile| profile.home == root);
    let model = ModelSources::of(host).pinned();
    let gateway = hermes_gateway::running(root);
    let state: Value = fs::read(root.join("gateway_state.json"))
        .ok()
        .and_then(|text| serde_json::from_slice(&text).ok())
        .unwrap_or_default();
    let ticker = host.job_store().ok().map(|jobs| {
        let health = ticker_health(&jobs);
        json!({
            "running": health.is_held, "pid": health.holder, "stalled": health.is_stalled(),
            "jobs": jobs.jobs().map(|jobs| jobs.len()).unwrap_or(0),
        })
    });
    json!({
        "version": env!("CARGO_PKG_VERSION"),
        "home": root,
        "profile": own.map_or_else(|| "default".to_owned(), |profile| profile.name),
        "active_profile": profiles.active(),
        "model": model.map(|model| json!({"name": model.model, "provider": model.provider})),
        "gateway": {
            "running": gateway.is_some(), "pid": gateway,
            "platforms": if gateway.is_some() { state["platforms"].clone() } else { Value::Null },
        },
        "ticker": ticker,
        "sessions": sessions(host),
        "disk": {"free_bytes": free_bytes(root).or_else(|| free_bytes(std::path::Path::new("/")))},
    })
}

fn sessions(host: &Host) -> Value {
    let file = host.home().state_db();
    if !file.exists() {
        return json!({"total": 0, "active": 0});
    }
    let database = SessionDatabase::read_only(file);
    let total = database.stats().map(|stats| stats.sessions).unwrap_or(0);
    let newest = ListFilter { limit: Some(200), ..ListFilter::default() };
    let since = hermes_store::clock::now() - ACTIVE;
    let active = database
        .list(&newest)
        .map(|rows| rows.iter().filter(|row| row.last_active > since).count());
    json!({"total": total, "active": active.unwrap_or(0)})
}

/// The same for people.
pub(crate) fn as_text(status: &Value) -> String {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let model = match &status["model"] {
        Value::Null => "none; `hermes setup` finds one".to_owned(),
        model => format!("{} by {}", text(&model["name"]), text(&model["provider"])),
    };
    let gateway = match status["gateway"]["pid"].as_u64() {
        Some(pid) => {
            let names = status["gateway"]["platforms"].as_object().map(|all| {
                all.iter()
                    .map(|(name, one)| format!("{name} {}", text(&one["state"])))
                    .collect::<Vec<_>>()
                    .join(", ")
            });
            format!("runs (process {pid}) {}", names.unwrap_or_default())
        }
        None => "stopped".to_owned(),
    };
    let ticker = match (&status["ticker"]["running"], &status["ticker"]["stalled"]) {
        (Value::Bool(true), Value::Bool(true)) => "stalled",
        (Value::Bool(true), _) => "runs",
        _ => "nobody runs jobs",
    };
    let free = status["disk"]["free_bytes"].as_u64().unwrap_or(0) / (1024 * 1024);
    let rows = [
        ("version", text(&status["version"])),
        ("home", text(&status["home"])),
        ("profile", text(&status["profile"])),
        ("model", model),
        ("gateway", gateway.trim().to_owned()),
        ("jobs", format!("{}; {ticker}", status["ticker"]["jobs"])),
        (
            "sessions",
            format!(
                "{} ({} in the last hour)",
                status["sessions"]["total"], status["sessions"]["active"]
            ),
        ),
        ("disk", format!("{free} MB free")),
    ];
    rows.iter().map(|(name, value)| format!("{name:<9} {value}\n")).collect()
}

/// A report to attach to a bug: everything above, what the doctor finds, the settings and the last lines of the logs, all
/// without secrets.
pub(crate) fn report(host: &Host) -> String {
    let hide = |text: &str| host.redactor().redact(text, RedactMode::Full).into_owned();
    let mut text = String::from("# Hermes report\n\n");
    let system = nix::sys::utsname::uname();
    if let Ok(system) = system {
        let part = |name: &std::ffi::OsStr| name.to_string_lossy().into_owned();
        let _ = writeln!(
            text,
            "{} {} {}\n",
            part(system.sysname()),
            part(system.release()),
            part(system.machine())
        );
    }
    let _ = writeln!(text, "```\n{}```\n\n## Doctor\n", as_text(&status(host)));
    for finding in host.diagnose() {
        let mark = match finding.health {
            Health::Good => "ok",
            Health::Note => "note",
            Health::Bad => "BAD",
        };
        let _ = writeln!(text, "- {mark} {}: {}", finding.about, hide(&finding.text));
    }
    let config = fs::read_to_string(host.home().config_file()).unwrap_or_default();
    let masked = host.redactor().redact(&config, RedactMode::FileRead);
    let _ = writeln!(text, "\n## config.yaml\n\n```yaml\n{}\n```\n", masked.trim_end());
    let names: Vec<&str> = host.dotenv().iter().map(|(name, _)| name).collect();
    let _ = writeln!(text, "## Names in .env\n\n{}\n", names.join(", "));
    let mut logs: Vec<_> = fs::read_dir(host.home().logs())
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|kind| kind == "log"))
        .collect();
    logs.sort();
    for log in logs {
        let whole = fs::read_to_string(&log).unwrap_or_default();
        let lines: Vec<&str> = whole.lines().rev().take(LOG_LINES).collect();
        let last: Vec<&str> = lines.into_iter().rev().collect();
        let name = log.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let _ = writeln!(text, "## {name}\n\n```\n{}\n```\n", hide(&last.join("\n")));
    }
    text
}
