//! `hermes checkpoints`: everything is done by `hermes-homes`; this asks before a restoration.

use hermes_homes::checkpoints::{CheckpointsVerb, RestoreFront};
use hermes_skills::report::VerbReport;
use hermes_tui::line_prompt::{answer, is_interactive};

use crate::exit::Exit;
use crate::host::{self, Host};
use crate::ui::Ui;
use crate::workers::block_on;

/// Does what the verb says.
pub(crate) fn run(verb: &CheckpointsVerb, host: &Host, ui: &mut Ui) -> anyhow::Result<Exit> {
    host::warn_about_files(host, ui)?;
    let report = block_on(verb.run(host, &mut Screen(ui)))?;
    super::skills::print(report, ui)
}

/// Reports on stdout, questions at the terminal.
struct Screen<'a>(&'a mut Ui);

impl RestoreFront for Screen<'_> {
    fn show(&mut self, report: VerbReport) -> anyhow::Result<()> {
        super::skills::print(report, self.0).map(drop)
    }

    fn is_attended(&self) -> bool {
        is_interactive()
    }

    fn agrees(&mut self, question: &str) -> bool {
        matches!(answer(question).as_deref(), Some("y" | "yes"))
    }
}
