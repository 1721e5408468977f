//! `hermes cron`: everything is done by `hermes-cron` and the runner of the host; this lays out what they say.

use std::io::Write as _;
use std::sync::Arc;

use hermes_cron::verbs::{self, CronVerb};
use tokio_util::sync::CancellationToken;

use crate::commands::skills::print;
use crate::exit::{Exit, UsageError};
use crate::host::{self, Host};
use crate::ui::Ui;
use crate::workers::{block_on, stop_on_signals};

/// Does what one of the verbs says.
pub(crate) fn run(verb: &CronVerb, host: &Host, ui: &mut Ui) -> anyhow::Result<Exit> {
    host::warn_about_files(host, ui)?;
    let in_chat = ui.is_captured();
    let done = block_on(async {
        // In a chat the keys belong to the composer.
        let stop = if in_chat { CancellationToken::new() } else { stop_on_signals()? };
        let tell =
            move |line: &str| drop((!in_chat).then(|| writeln!(anstream::stderr(), "{line}")));
        let place = host.cron_place(stop, Arc::new(tell))?;
        anyhow::Ok(verbs::run(&place, verb).await)
    })?;
    match done {
        Err(problem) if problem.is_mistaken_request() => {
            Err(UsageError::new(problem.to_string()).into())
        }
        done => print(done?, ui),
    }
}
