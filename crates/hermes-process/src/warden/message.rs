//! What is said between us and a warden: messages of eight bytes, written and read in one piece.

use nix::errno::Errno;

/// Length of every message.
pub(super) const LEN: usize = 8;

const STARTED: u32 = 1;
const EXITED: u32 = 2;
const FINISHED: u32 = 3;
const FAILED_PREPARE: u32 = 4;
const FAILED_DIRECTORY: u32 = 5;
const FAILED_CONFINE: u32 = 6;
const FAILED_EXEC: u32 = 7;
const TERMINATE: u32 = 8;
const KILL: u32 = 9;

/// From the warden to us, in this order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Report {
    /// The program runs, with this process id.
    Started(i32),
    /// The program has not been started.
    Failed(Stage, Errno),
    /// The program has ended, with descendants left; its status as `waitpid` gives it.
    Exited(i32),
    /// The program has ended and nothing of its tree is left. Most programs end so, and then
    /// nobody has to wait for the warden's own end, too.
    Finished(i32),
}

/// Where the start of a program failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stage {
    /// Making and setting up processes.
    Prepare,
    /// Entering the working directory.
    Directory,
    /// Giving up rights, see [`Confinement`](crate::Confinement).
    Confine,
    /// Executing the file.
    Exec,
}

/// From us to the warden. The end of the connection is an order, too: see the module's essay.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Order {
    /// SIGTERM to the whole tree, SIGKILL to what is left after so many milliseconds.
    Terminate { grace_ms: u32 },
    /// SIGKILL to the whole tree.
    Kill,
}

impl Report {
    pub(super) fn encode(self) -> [u8; LEN] {
        let (kind, value) = match self {
            Self::Started(pid) => (STARTED, pid),
            Self::Exited(status) => (EXITED, status),
            Self::Finished(status) => (FINISHED, status),
            Self::Failed(Stage::Prepare, error) => (FAILED_PREPARE, error as i32),
            Self::Failed(Stage::Directory, error) => (FAILED_DIRECTORY, error as i32),
            Self::Failed(Stage::Confine, error) => (FAILED_CONFINE, error as i32),
            Self::Failed(Stage::Exec, error) => (FAILED_EXEC, error as i32),
        };
        encode(kind, value.cast_unsigned())
    }

    pub(super) fn decode(bytes: [u8; LEN]) -> Option<Self> {
        let (kind, value) = decode(bytes);
        let value = value.cast_signed();
        let error = Errno::from_raw(value);
        match kind {
            STARTED => Some(Self::Started(value)),
            EXITED => Some(Self::Exited(value)),
            FINISHED => Some(Self::Finished(value)),
            FAILED_PREPARE => Some(Self::Failed(Stage::Prepare, error)),
            FAILED_DIRECTORY => Some(Self::Failed(Stage::Directory, error)),
            FAILED_CONFINE => Some(Self::Failed(Stage::Confine, error)),
            FAILED_EXEC => Some(Self::Failed(Stage::Exec, error)),
            _ => None,
        }
    }
}

impl Order {
    pub(super) fn encode(self) -> [u8; LEN] {
        match self {
            Self::Terminate { grace_ms } => encode(TERMINATE, grace_ms),
            Self::Kill => encode(KILL, 0),
        }
    }

    pub(super) fn decode(bytes: [u8; LEN]) -> Option<Self> {
        match decode(bytes) {
            (TERMINATE, grace_ms) => Some(Self::Terminate { grace_ms }),
            (KILL, _) => Some(Self::Kill),
            _ => None,
        }
    }
}

fn encode(kind: u32, value: u32) -> [u8; LEN] {
    (u64::from(kind) << 32 | u64::from(value)).to_ne_bytes()
}

#[expect(clippy::cast_possible_truncation, reason = "the two halves of the number are wanted")]
fn decode(bytes: [u8; LEN]) -> (u32, u32) {
    let both = u64::from_ne_bytes(bytes);
    ((both >> 32) as u32, both as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_arrive_as_sent() {
        for report in [
            Report::Started(4_194_304),
            Report::Exited(0xFF00),
            Report::Exited(-1),
            Report::Finished(9),
            Report::Failed(Stage::Prepare, Errno::EAGAIN),
            Report::Failed(Stage::Directory, Errno::EACCES),
            Report::Failed(Stage::Confine, Errno::EPERM),
            Report::Failed(Stage::Exec, Errno::ENOENT),
        ] {
            assert_eq!(Report::decode(report.encode()), Some(report));
            assert_eq!(Order::decode(report.encode()), None);
        }
        for order in [Order::Terminate { grace_ms: u32::MAX }, Order::Kill] {
            assert_eq!(Order::decode(order.encode()), Some(order));
            assert_eq!(Report::decode(order.encode()), None);
        }
    }
}
