//! What is done to a command before it is wrapped: a password for sudo, background jobs that a
//! shell would wait for, programs that replace the shell.
//!
//! A password goes the way that shows it to the fewest: it is the first line of the shell's input,
//! is put into a file of the session's own for as long as the command runs, and `sudo` is told to
//! have it read. It is in no argument and no variable, and what the command reads stays its own.
//!
//! Each change is made by the parser's positions in the text; what it does not concern stays as it
//! was, byte for byte.

use std::borrow::Cow;
use std::time::Duration;

use hermes_guard::command_line::{background, exec, sudo};

use super::Environment;
use super::begin::own_command;
use super::options::ExecOptions;
use crate::backend::BackendKind;
use crate::session::BEFORE_EXEC;

/// How long it may take to find out that sudo needs no password.
const SUDO_PROBE_LIMIT: Duration = Duration::from_secs(3);

/// A command as it is run, with the password it needs.
pub(super) struct PreparedCommand<'a> {
    pub(super) command: Cow<'a, str>,
    pub(super) password: Option<String>,
}

impl Environment {
    pub(super) async fn prepare<'a>(
        &self,
        command: &'a str,
        how: &ExecOptions,
    ) -> PreparedCommand<'a> {
        let mut text = Cow::Borrowed(command);
        let mut password = None;
        if let Some(source) = &how.sudo
            && sudo::asks(command)
            && !self.sudo_is_free().await
        {
            // Whatever is behind a line break cannot be typed.
            let typed = source.password().await;
            password = typed.map(|typed| typed.lines().next().unwrap_or_default().to_owned());
        }
        let detached = background::detach_compound(&text);
        let announced = exec::announce(&detached, BEFORE_EXEC);
        if announced != text {
            text = Cow::Owned(announced.into_owned());
        }
        PreparedCommand { command: text, password }
    }

    /// Whether sudo works without a password here.
    async fn sudo_is_free(&self) -> bool {
        if self.kind() != BackendKind::Local {
            return false;
        }
        let scripts = self.state().scripts.clone();
        let probe =
            own_command(&*self.backend, &scripts, "sudo -n true").deadline(SUDO_PROBE_LIMIT);
        probe.run().await.is_ok_and(|done| done.success())
    }
}
