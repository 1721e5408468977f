//! What is said between us and a supervisor: messages of eight bytes, written and read in one
//! piece.

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
const FAILED_HANDOVER: u32 = 10;

/// From the supervisor to us, in this order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SupervisorReport {
    /// The program runs, with this process id.
    Started(i32),
    /// The program has not been started.
    Failed(StartStage, Errno),
    /// The program has ended, with descendants left; its status as `waitpid` gives it.
    Exited(i32),
    /// The program has ended and nothing of its tree is left. Most programs end so, and then
    /// nobody has to wait for the supervisor's own end, too.
    Finished(i32),
}

/// Where the start of a program failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum StartStage {
    /// Receiving its descriptors, before there is a supervisor.
    Handover,
    /// Making and setting up processes.
    Prepare,
    /// Entering the working directory.
    Directory,
    /// Giving up rights, see [`Confinement`](crate::Confinement).
    Confine,
    /// Executing the file.
    Exec,
}

/// From us to the supervisor. The end of the connection is an order, too: see the module's essay.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SupervisorOrder {
    /// SIGTERM to the whole tree, SIGKILL to what is left after so many milliseconds.
    Terminate { grace_ms: u32 },
    /// SIGKILL to the whole tree.
    Kill,
}

impl SupervisorReport {
    pub(super) fn encode(self) -> [u8; LEN] {
        let (kind, value) = match self {
            Self::Started(pid) => (STARTED, pid),
            Self::Exited(status) => (EXITED, status),
            Self::Finished(status) => (FINISHED, status),
            Self::Failed(StartStage::Handover, error) => (FAILED_HANDOVER, error as i32),
            Self::Failed(StartStage::Prepare, error) => (FAILED_PREPARE, error as i32),
            Self::Failed(StartStage::Directory, error) => (FAILED_DIRECTORY, error as i32),
            Self::Failed(StartStage::Confine, error) => (FAILED_CONFINE, error as i32),
            Self::Failed(StartStage::Exec, error) => (FAILED_EXEC, error as i32),
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
            FAILED_HANDOVER => Some(Self::Failed(StartStage::Handover, error)),
            FAILED_PREPARE => Some(Self::Failed(StartStage::Prepare, error)),
            FAILED_DIRECTORY => Some(Self::Failed(StartStage::Directory, error)),
            FAILED_CONFINE => Some(Self::Failed(StartStage::Confine, error)),
            FAILED_EXEC => Some(Self::Failed(StartStage::Exec, error)),
            _ => None,
        }
    }
}

impl SupervisorOrder {
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
            SupervisorReport::Started(4_194_304),
            SupervisorReport::Exited(0xFF00),
            SupervisorReport::Exited(-1),
            SupervisorReport::Finished(9),
            SupervisorReport::Failed(StartStage::Handover, Errno::EMFILE),
            SupervisorReport::Failed(StartStage::Prepare, Errno::EAGAIN),
            SupervisorReport::Failed(StartStage::Directory, Errno::EACCES),
            SupervisorReport::Failed(StartStage::Confine, Errno::EPERM),
            SupervisorReport::Failed(StartStage::Exec, Errno::ENOENT),
        ] {
            assert_eq!(SupervisorReport::decode(report.encode()), Some(report));
            assert_eq!(SupervisorOrder::decode(report.encode()), None);
        }
        for order in [SupervisorOrder::Terminate { grace_ms: u32::MAX }, SupervisorOrder::Kill] {
            assert_eq!(SupervisorOrder::decode(order.encode()), Some(order));
            assert_eq!(SupervisorReport::decode(order.encode()), None);
        }
    }
}
