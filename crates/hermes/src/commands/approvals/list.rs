//! `hermes approvals list`.

use hermes_approval::{ApprovalSettings, Unattended};
use hermes_guard::command::{Severity, categories, category_for};
use owo_colors::Style;
use serde_json::{Value, json};

use super::settings;
use super::verdict::severity;
use crate::exit::Exit;
use crate::host::Host;
use crate::ui::{Cell, Table, Ui};

pub(super) fn run(host: &Host, as_json: bool, ui: &mut Ui) -> anyhow::Result<Exit> {
    let settings = settings(host, ui)?;
    if as_json {
        ui.json(&to_json(&settings))?;
    } else {
        show(&settings, ui)?;
    }
    Ok(Exit::Done)
}

fn is_allowed(settings: &ApprovalSettings, key: &str) -> bool {
    let lasting = settings.allowlist.iter().chain(&settings.allow);
    lasting.filter_map(|entry| category_for(entry)).any(|allowed| allowed == key)
}

fn unattended(mode: Unattended) -> &'static str {
    match mode {
        Unattended::Approve => "approve",
        Unattended::Deny => "deny",
    }
}

fn to_json(settings: &ApprovalSettings) -> Value {
    let categories: Vec<Value> = categories()
        .map(|category| {
            json!({
                "key": category.key,
                "severity": severity(category.severity),
                "why": category.why,
                "allowed": is_allowed(settings, category.key),
            })
        })
        .collect();
    json!({
        "mode": settings.mode.word(),
        "yolo": settings.yolo,
        "cron_mode": unattended(settings.cron),
        "headless_mode": unattended(settings.headless),
        "deny": settings.deny,
        "ask": settings.ask,
        "allow": settings.allow,
        "command_allowlist": settings.allowlist,
        "categories": categories,
    })
}

fn show(settings: &ApprovalSettings, ui: &mut Ui) -> anyhow::Result<()> {
    let yolo = if settings.yolo { ", but --yolo lets everything flagged run" } else { "" };
    ui.line(format_args!(
        "mode {}{yolo}; in jobs {}, where nobody is {}",
        settings.mode.word(),
        unattended(settings.cron),
        unattended(settings.headless),
    ))?;
    let lists = [
        ("deny", Style::new().red(), &settings.deny),
        ("ask", Style::new().yellow(), &settings.ask),
        ("allow", Style::new().green(), &settings.allow),
        ("allowed for good", Style::new().green(), &settings.allowlist),
    ];
    if lists.iter().all(|(_, _, rules)| rules.is_empty()) {
        ui.note("there are no rules of yours; `hermes approvals add` makes some")?;
    } else {
        let mut table = Table::new(["your rules", "pattern or category"]).wrapped();
        for (name, style, rules) in lists {
            for rule in rules {
                table.row([Cell::styled(name, style), rule.as_str().into()]);
            }
        }
        ui.line("")?;
        ui.table(&table)?;
    }
    let mut table = Table::new(["category", "without a rule", "why"]).wrapped();
    for category in categories() {
        let state = match category.severity {
            Severity::Floor => Cell::styled("never runs", Style::new().red()),
            Severity::Dangerous if is_allowed(settings, category.key) => {
                Cell::styled("allowed for good", Style::new().green())
            }
            Severity::Dangerous => Cell::styled("asks", Style::new().yellow()),
        };
        table.row([category.key.into(), state, Cell::dim(category.why)]);
    }
    ui.line("")?;
    ui.table(&table)?;
    Ok(())
}
