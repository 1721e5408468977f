//! What is done to a command before it is wrapped: a password for sudo, background jobs that a
//! shell would wait for, programs that replace the shell.
//!
//! Each change is made by the parser's positions in the text; what it does not concern stays as it
//! was, byte for byte.

use std::borrow::Cow;
use std::time::Duration;

use hermes_guard::line::{background, exec, sudo};

use super::Environment;
use super::begin::own_command;
use super::options::Execute;
use crate::backend::BackendKind;
use crate::session::BEFORE_EXEC;

/// How long it may take to find out that sudo needs no password.
const SUDO_PROBE_LIMIT: Duration = Duration::from_secs(3);

/// A command as it is run, with what it reads.
pub(super) struct Prepared<'a> {
    pub(super) command: Cow<'a, str>,
    pub(super) stdin: Option<Vec<u8>>,
}

impl Environment {
    pub(super) async fn prepare<'a>(&self, command: &'a str, how: &Execute) -> Prepared<'a> {
        let mut stdin = how.stdin.clone();
        let mut text = Cow::Borrowed(command);
        if let Some(password) = &how.sudo_password
            && let Some(rewritten) = sudo::with_password(command)
            && !self.sudo_is_free().await
        {
            let mut lines = format!("{password}\n").repeat(rewritten.passwords).into_bytes();
            lines.extend(stdin.take().unwrap_or_default());
            stdin = Some(lines);
            text = Cow::Owned(rewritten.text);
        }
        let detached = background::detach_compound(&text);
        let announced = exec::announce(&detached, BEFORE_EXEC);
        if announced != text {
            text = Cow::Owned(announced.into_owned());
        }
        Prepared { command: text, stdin }
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
