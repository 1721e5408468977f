//! `hermes approvals add` and `revoke`: the user's rules in config.yaml.

use hermes_approval::{ALLOWLIST_KEY, ApprovalMode, ApprovalSettings, is_compound};
use hermes_guard::command::{Severity, categories, category_for};
use hermes_store::config::Config;
use hermes_store::config_edit::{self, Edit, Method};
use hermes_store::key_path::KeyPath;

use super::super::config::tell_lost_comments;
use crate::args::ApprovalsAdd;
use crate::exit::{Exit, UsageError, nearest};
use crate::host::Host;
use crate::ui::Ui;

/// The settings that hold rules.
const LISTS: [&str; 4] = ["approvals.deny", "approvals.ask", "approvals.allow", ALLOWLIST_KEY];

pub(super) fn add(args: &ApprovalsAdd, host: &Host, ui: &mut Ui) -> anyhow::Result<Exit> {
    host.require_sound_config()?;
    let rule = args.rule.trim();
    if rule.is_empty() {
        return Err(UsageError::new("an empty rule holds for nothing").into());
    }
    let category = category_for(rule);
    let setting = match (args.deny, args.ask, category) {
        (true, _, _) => "approvals.deny",
        (_, true, _) => "approvals.ask",
        (_, _, Some(key)) => {
            refuse_the_floor(key)?;
            ALLOWLIST_KEY
        }
        (_, _, None) => {
            refuse_compound(rule)?;
            "approvals.allow"
        }
    };
    let entry = category.unwrap_or(rule);
    let mut edits = Vec::new();
    // Without the section the mode is manual, with it smart: a rule must not change that.
    if setting.starts_with("approvals.") && !ApprovalSettings::has_section(host.config().value()) {
        edits
            .push(Edit::Set(KeyPath::parse("approvals.mode")?, ApprovalMode::Manual.word().into()));
    }
    edits.push(Edit::PushNew(KeyPath::parse(setting)?, entry.into()));
    let report = config_edit::apply(&host.home().config_file(), &edits)?;
    tell_lost_comments(&report, ui)?;
    if report.method == Method::Unchanged {
        ui.note(format_args!("`{entry}` is in {setting} already"))?;
    } else {
        let kind = if category.is_some() { "category" } else { "pattern" };
        ui.line(format_args!("{kind} `{entry}` added to {setting}"))?;
    }
    Ok(Exit::Done)
}

fn refuse_the_floor(key: &str) -> Result<(), UsageError> {
    let is_floor =
        categories().any(|category| category.key == key && category.severity == Severity::Floor);
    if is_floor {
        return Err(UsageError::new(format!(
            "`{key}` is never allowed, whatever the rules say\n  run such a command in a terminal of \
             your own"
        )));
    }
    Ok(())
}

fn refuse_compound(rule: &str) -> Result<(), UsageError> {
    if is_compound(rule) {
        return Err(UsageError::new(format!(
            "`{rule}` would never hold: an allow rule covers one simple command, without \
             separators, redirections and substitutions\n  allow the parts one by one, or a category \
             (`hermes approvals list`)"
        )));
    }
    Ok(())
}

pub(super) fn revoke(key: &str, host: &Host, ui: &mut Ui) -> anyhow::Result<Exit> {
    host.require_sound_config()?;
    let key = key.trim();
    let category = category_for(key);
    let is_meant =
        |entry: &str| entry.trim() == key || category.is_some() && category_for(entry) == category;
    // As written, for that is what is taken out of the file.
    let config = Config::load_unexpanded(&host.home().config_file())?;
    let mut edits = Vec::new();
    let mut known = Vec::new();
    for setting in LISTS {
        for entry in config.text_list(setting).unwrap_or_default() {
            if is_meant(&entry) {
                edits.push((setting, entry));
            } else {
                known.push(entry);
            }
        }
    }
    if edits.is_empty() {
        let near = nearest(key, known.iter().map(String::as_str));
        return Err(UsageError::unknown("rule", key, near, "hermes approvals list").into());
    }
    let removals = edits
        .iter()
        .map(|(setting, entry)| {
            Ok(Edit::RemoveItem(KeyPath::parse(setting)?, entry.as_str().into()))
        })
        .collect::<anyhow::Result<Vec<_>>>()?;
    let report = config_edit::apply(&host.home().config_file(), &removals)?;
    tell_lost_comments(&report, ui)?;
    for (setting, entry) in &edits {
        ui.line(format_args!("`{entry}` removed from {setting}"))?;
    }
    Ok(Exit::Done)
}
