//! The verbs of the Skills Hub at a terminal or in a chat.

use std::io::Write as _;

use hermes_skills::hub::HubContext;
use hermes_skills::hub::verbs::{self, HubVerb, VerbFront, VerbStatus};
use hermes_tui::line_prompt::{answer, is_interactive};

use crate::exit::Exit;
use crate::host::Host;
use crate::ui::Ui;
use crate::workers::block_on;

/// Runs one verb.
pub(super) fn run(verb: &HubVerb, host: &Host, ui: &mut Ui) -> anyhow::Result<Exit> {
    let hub = HubContext::new(host.home(), host.config().value(), host.vars());
    let front = if ui.is_captured() { Front::Chat } else { Front::Terminal };
    let report = block_on(verbs::run(&hub, verb, &front));
    for line in report.out.lines() {
        ui.line(line)?;
    }
    for note in &report.notes {
        ui.note(note)?;
    }
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
