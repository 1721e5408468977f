//! `hermes profile`, `backup`, `import`, `migrate`, `status`, `logs`, `dump`, `update`, `uninstall`, `version`: everything is done
//! by `hermes-homes`.

use std::io;

use hermes_homes::program::ProgramVerb;
use hermes_homes::verbs::{self, HomesPrompter, HomesVerb};

use hermes_tui::line_prompt::{answer, is_interactive};

use crate::exit::Exit;
use crate::host::{self, Host};
use crate::ui::Ui;

/// Does what the words say; `whole` is the program's command line.
pub(crate) fn run(
    verb: &HomesVerb,
    whole: &clap::Command,
    host: &Host,
    ui: &mut Ui,
) -> anyhow::Result<Exit> {
    host::warn_about_files(host, ui)?;
    let names = whole.get_subcommands().map(|command| command.get_name().to_owned());
    let report = verbs::run(verb, host, &names.collect::<Vec<_>>(), &mut Screen(ui))?;
    super::skills::print(report, ui)
}

/// `hermes update`, `uninstall` and `version`.
pub(crate) fn program(verb: &ProgramVerb, host: &Host, ui: &mut Ui) -> anyhow::Result<Exit> {
    let report = verb.run(host, &mut Screen(ui))?;
    super::skills::print(report, ui)
}

/// Lines on stdout, questions at the terminal.
struct Screen<'a>(&'a mut Ui);

impl HomesPrompter for Screen<'_> {
    fn line(&mut self, line: &str) -> io::Result<()> {
        self.0.line(line)
    }

    fn ask(&mut self, question: &str) -> Option<String> {
        (is_interactive() && !self.0.is_captured()).then(|| answer(question)).flatten()
    }
}
