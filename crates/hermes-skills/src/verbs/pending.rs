//! Changes of the agent that wait for a person.

use super::offered::set;
use super::{PendingVerb, VerbContext, VerbError};
use crate::bundled::{Stock, diff};
use crate::library::SkillStore;
use crate::manage::staging::{self, approve};
use crate::manage::{ChangeOrigin, GuardScan, SkillEditor};
use crate::report::{ReportTable, VerbReport};

pub(super) fn run(place: &VerbContext<'_>, verb: &PendingVerb) -> Result<VerbReport, VerbError> {
    let store = place.store();
    let waiting = staging::pending(store.home());
    Ok(match verb {
        PendingVerb::Pending { json: true } => VerbReport::json(&waiting.list()?),
        PendingVerb::Pending { json: false } => {
            let mut table = ReportTable::new(["id", "change", "by"]);
            for one in waiting.list()? {
                table.row([one.id, one.summary, one.origin]);
            }
            VerbReport::table(table)
        }
        PendingVerb::Approve { id } => {
            let answer = approve(&editor(&store), &waiting.find(id)?)?;
            let text = |key: &str| answer[key].as_str().unwrap_or_default().to_owned();
            if answer["success"] != true {
                let error = text("error");
                return Err(format!(
                    "{error} It still waits; `hermes skills reject {id}` drops it."
                )
                .into());
            }
            VerbReport::text(text("message"))
        }
        PendingVerb::Reject { id } => {
            let one = waiting.find(id)?;
            waiting.remove(&one)?;
            VerbReport::text(format!("Dropped: {}", one.summary))
        }
        PendingVerb::Approval { state } => {
            let on = state == "on";
            set(place, "skills.write_approval", if on { "true" } else { "false" })?;
            let now = if on { "wait for your word" } else { "are made at once" };
            VerbReport::text(format!("Changes of the agent {now}"))
        }
        PendingVerb::Diff { what } => VerbReport::text(match waiting.find(what) {
            Ok(one) => staging::diff(&editor(&store), &one),
            Err(_) => diff(store.home(), &Stock::of(place.vars), what)?,
        }),
    })
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
