//! `hermes skills` and `hermes curator`: everything is done by `hermes-skills`; this lays out what it says.

use std::io::Write as _;

use hermes_skills::hub::verbs::VerbFront;
use hermes_skills::report::{ReportPart, VerbReport, VerbStatus};
use hermes_skills::verbs::{self, BundlesVerb, CuratorVerb, SkillsVerb, VerbContext};
use hermes_tui::line_prompt::{answer, is_interactive};
use owo_colors::OwoColorize as _;

use crate::exit::Exit;
use crate::host::{self, Host};
use crate::ui::{Table, Ui};
use crate::workers::block_on;

/// Does what one of the verbs says.
pub(crate) fn run(verb: &SkillsVerb, host: &Host, ui: &mut Ui) -> anyhow::Result<Exit> {
    host::warn_about_files(host, ui)?;
    if let Some(platform) = verb.platform() {
        let runtime = host.runtime();
        let _plugins = host::plugins(host, &runtime, ui)?;
        host::require_platform(host, &runtime, platform)?;
    }
    let front = if ui.is_captured() { Front::Chat } else { Front::Terminal };
    print(block_on(verbs::run(&place(host), verb, &front)).map_err(anyhow::Error::from_boxed)?, ui)
}

/// Does what one of the curator's verbs says.
pub(crate) fn curate(verb: &CuratorVerb, host: &Host, ui: &mut Ui) -> anyhow::Result<Exit> {
    host::warn_about_files(host, ui)?;
    print(block_on(verbs::run_curator(&place(host), verb)).map_err(anyhow::Error::from_boxed)?, ui)
}

/// Does what one of the verbs of bundles says.
pub(crate) fn bundle(verb: &BundlesVerb, host: &Host, ui: &mut Ui) -> anyhow::Result<Exit> {
    host::warn_about_files(host, ui)?;
    print(verbs::run_bundles(&place(host), verb).map_err(anyhow::Error::from_boxed)?, ui)
}

fn place(host: &Host) -> VerbContext<'_> {
    VerbContext::new(host.home(), host.config().value(), host.vars())
        .with_auditor(host.skill_auditor())
        .with_plugin_skills(host.plugin_skills())
}

/// Lays out what a verb says.
pub(crate) fn print(report: VerbReport, ui: &mut Ui) -> anyhow::Result<Exit> {
    for part in report.parts {
        match part {
            ReportPart::Text(text) => text.lines().try_for_each(|line| ui.line(line))?,
            ReportPart::Table(table) => {
                let shown = Table::new(table.head).right(&table.numbers).rows(&table.rows);
                let shown = shown.dimmed(&table.minor);
                ui.table(&if table.is_wrapped { shown.wrapped() } else { shown })?;
            }
            ReportPart::Diff(text) => {
                text.lines().try_for_each(|line| match line.as_bytes().first() {
                    Some(b'+') => ui.line(line.green()),
                    Some(b'-') => ui.line(line.red()),
                    _ => ui.line(line),
                })?;
            }
            ReportPart::Json(value) => ui.json(&value)?,
        }
    }
    report.notes.iter().try_for_each(|note| ui.note(note))?;
    ui.warn_all(report.warnings)?;
    Ok(match report.status {
        VerbStatus::Done => Exit::Done,
        VerbStatus::Failed => Exit::Failed,
        VerbStatus::Partly => Exit::Partial,
        VerbStatus::Blocked => Exit::Blocked,
        VerbStatus::Usage => Exit::Usage,
    })
}

/// Where the person is.
enum Front {
    Terminal,
    /// The composer has the keyboard: what was typed there counts as consent, and nothing is printed on the way.
    Chat,
}

impl VerbFront for Front {
    fn progress(&self, text: &str) {
        if matches!(self, Self::Terminal) {
            let _ = writeln!(anstream::stderr(), "{text} …");
        }
    }

    fn agree(&self, offer: &str) -> bool {
        match self {
            Self::Chat => true,
            Self::Terminal if !is_interactive() => {
                let _ = writeln!(
                    anstream::stderr(),
                    "{offer}nobody can be asked here; --yes installs without a question"
                );
                false
            }
            Self::Terminal => {
                let _ = write!(anstream::stderr(), "{offer}");
                matches!(answer("Install it? [y/N]: ").as_deref(), Some("y" | "yes"))
            }
        }
    }
}
