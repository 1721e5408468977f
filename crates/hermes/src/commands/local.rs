//! `hermes local`: models on this machine.

use std::io::{self, IsTerminal as _, Write as _};

use hermes_local::verbs::{self, LocalContext, LocalError, LocalOutput, LocalVerb};

use crate::exit::{Exit, UsageError};
use crate::host::Host;
use crate::ui::Ui;
use crate::workers::block_on;

/// Runs one of the subcommands.
pub(crate) fn run(verb: &LocalVerb, host: &Host, ui: &mut Ui) -> anyhow::Result<Exit> {
    let place =
        LocalContext { home: host.home(), config: host.config().value(), vars: host.vars() };
    let mut prompter = Screen { ui, shows: io::stderr().is_terminal() };
    match block_on(verbs::run(verb, &place, &mut prompter)) {
        Ok(()) => Ok(Exit::Done),
        Err(LocalError::Usage(text)) => Err(UsageError::new(text).into()),
        Err(error) => Err(error.into()),
    }
}

/// Lines on stdout, progress on stderr.
struct Screen<'a> {
    ui: &'a mut Ui,
    shows: bool,
}

impl LocalOutput for Screen<'_> {
    fn line(&mut self, text: &str) -> io::Result<()> {
        self.ui.line(text).map_err(io::Error::other)
    }

    fn progress(&mut self, text: &str) {
        if self.shows {
            // Nobody is left to tell if stderr is gone.
            let _ = write!(anstream::stderr(), "\r\x1b[K{text}")
                .and_then(|()| anstream::stderr().flush());
        }
    }
}
