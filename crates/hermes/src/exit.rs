//! Exit codes.

pub(crate) use hermes_host::UsageError;
pub(crate) use hermes_protocol::text::nearest;
use hermes_tui::ChatExit;

/// What the process tells whoever started it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Exit {
    /// Everything asked for was done.
    Done = 0,
    /// Something failed; stderr, or the printed result, says what.
    Failed = 1,
    /// The command line or a name in it makes no sense.
    Usage = 2,
    /// There is an answer, but not the whole of it.
    Partial = 3,
    /// A rule kept a tool from running.
    Blocked = 4,
    /// It took too long.
    TimedOut = 5,
    /// The gateway is to be started again, or ([`Exit::Config`]) not before the settings are mended.
    Restart = 75,
    Config = 78,
    /// The user interrupted.
    Interrupted = 130,
}

/// For `--help` and the reference page.
pub(crate) const TABLE: &str = "\
Exit codes:
    0  done
    1  failed; the message, or the printed result, says why
    2  usage error: unknown command, flag, tool, toolset or key
    3  partly done: the answer is not complete
    4  blocked by a rule
    5  timed out
   75  gateway: to be started again; 78: not before the settings are mended
  130  interrupted";

impl From<Exit> for std::process::ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}

impl From<ChatExit> for Exit {
    fn from(exit: ChatExit) -> Self {
        match exit {
            ChatExit::Done => Self::Done,
            ChatExit::Failed => Self::Failed,
            ChatExit::Interrupted => Self::Interrupted,
        }
    }
}
