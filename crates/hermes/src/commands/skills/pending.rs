//! Changes of the agent that wait for a person.

use hermes_skills::bundled::{Stock, diff};
use hermes_skills::manage::staging::{self, approve};
use hermes_skills::manage::{ChangeOrigin, GuardScan, SkillEditor};
use hermes_skills::{SkillLibrary, SkillStore};
use hermes_store::config_edit::{self, parse_cli_value};
use hermes_store::key_path::KeyPath;

use super::args::PendingCommand;
use crate::exit::Exit;
use crate::host::Host;
use crate::ui::{Table, Ui};

pub(super) fn run(
    command: &PendingCommand,
    library: &SkillLibrary,
    host: &Host,
    ui: &mut Ui,
) -> anyhow::Result<Exit> {
    let store = library.store(host.config().value(), host.vars());
    let waiting = staging::pending(store.home());
    match command {
        PendingCommand::Pending { json: true } => ui.json(&waiting.list()?)?,
        PendingCommand::Pending { json: false } => {
            let mut table = Table::new(["id", "change", "by"]);
            for one in waiting.list()? {
                table.row([one.id.into(), one.summary.into(), one.origin.into()]);
            }
            ui.table(&table)?;
        }
        PendingCommand::Approve { id } => {
            let answer = approve(&editor(&store), &waiting.find(id)?)?;
            let text = |key: &str| answer[key].as_str().unwrap_or_default().to_owned();
            if answer["success"] != true {
                anyhow::bail!(
                    "{} It still waits; `hermes skills reject {id}` drops it.",
                    text("error")
                );
            }
            ui.line(text("message"))?;
        }
        PendingCommand::Reject { id } => {
            let one = waiting.find(id)?;
            waiting.remove(&one)?;
            ui.line(format_args!("Dropped: {}", one.summary))?;
        }
        PendingCommand::Approval { state } => {
            let key = KeyPath::parse("skills.write_approval")?;
            config_edit::set(
                &host.home().config_file(),
                &key,
                parse_cli_value(if state == "on" { "true" } else { "false" }),
            )?;
            ui.line(format_args!(
                "Changes of the agent {}",
                if state == "on" { "wait for your word" } else { "are made at once" }
            ))?;
        }
        PendingCommand::Diff { what } => {
            let text = match waiting.find(what) {
                Ok(one) => staging::diff(&editor(&store), &one),
                Err(_) => diff(store.home(), &Stock::of(host.vars()), what)?,
            };
            ui.line(text.trim_end())?;
        }
    }
    Ok(Exit::Done)
}

fn editor<'a>(store: &'a SkillStore<'a>) -> SkillEditor<'a> {
    SkillEditor {
        store,
        origin: ChangeOrigin::Foreground,
        turn: "",
        viewed: None,
        scan: Some(&GuardScan),
    }
}
