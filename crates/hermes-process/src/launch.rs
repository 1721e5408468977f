//! From a [`Command`] to a running program: what can be done, and can go wrong, on our side.
//!
//! Everything that may allocate, search or be refused happens here, before anyone is asked to start
//! anything: texts are checked, the file is found, the directory opened, pipes or a terminal made,
//! a confinement prepared. Then one request goes out and one answer comes back, and each way in
//! which it can fail becomes an error that says what to do about it.
//!
//! A request is made again only if it is certain that its program was not started.

use std::fs::File;
use std::io::{self, PipeWriter};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::time::Duration;

use nix::errno::Errno;
use nix::fcntl::open;
use nix::sys::stat::Mode;

use crate::command::{Command, OutputMode, Stdin};
use crate::error::ProcessError;
use crate::fork_server::{self, ForkServerId};
use crate::lookup;
use crate::pty;
use crate::request::SpawnFds;
use crate::request::image::{self, ImageParts, Terminal, Withdrawn};
use crate::sandbox::{ConfinementError, PreparedConfinement};
use crate::supervisor::{self, FirstReport, StartStage, SupervisorReport};
use crate::system;

/// Tries to get an answer from a fork server: one may be killed with our request still unread. Then
/// the program has not been started, and asking the next fork server is safe.
const ATTEMPTS: usize = 2;

/// How long a program may take to run or to be refused: milliseconds, but on a file system that
/// does not answer, or when the helper processes are stopped or starved. A command with an earlier
/// deadline is given up then ...
const START_LIMIT: Duration = Duration::from_secs(10);
/// ... but not before this time: a shorter deadline is about the program, and a busy machine is no
/// reason to say that it could not be started.
const START_LIMIT_FLOOR: Duration = Duration::from_secs(1);

/// A program just started, with our ends of its pipes.
pub(crate) struct Launched {
    pub(crate) pid: u32,
    /// The link to its supervisor.
    pub(crate) control: UnixStream,
    pub(crate) pipes: Pipes,
}

/// Our ends of a program's pipes; none where it was given something else.
#[derive(Default)]
pub(crate) struct Pipes {
    pub(crate) stdin: Option<OwnedFd>,
    pub(crate) stdout: Option<OwnedFd>,
    pub(crate) stderr: Option<OwnedFd>,
    /// Our end of its terminal.
    pub(crate) terminal: Option<OwnedFd>,
}

/// The child's standard streams.
struct Streams {
    stdin: OwnedFd,
    /// None, if it is the same as the one before.
    stdout: Option<OwnedFd>,
    stderr: Option<OwnedFd>,
}

/// Starts the program under a supervisor of its own. Blocks until it runs, a matter of milliseconds
/// and never longer than [`START_LIMIT`].
pub(crate) fn launch(command: &Command) -> Result<Launched, ProcessError> {
    check(command)?;
    let file = lookup::find(&command.program, &command.environment.search_path())?;
    let cwd = open_cwd(command)?;
    let lost = || ProcessError::StartInterrupted { program: name(command) };
    let limit = start_limit(command);
    for _ in 0..ATTEMPTS {
        let PendingStart { control, pipes, image, fork_server } = ask(command, &file, &cwd)?;
        let report = match supervisor::first_report(&control, limit) {
            FirstReport::Arrived(report) => report,
            FirstReport::Gone => match image::withdraw(image.as_fd()) {
                Withdrawn::InTime => continue,
                Withdrawn::TooLate => return Err(lost()),
            },
            FirstReport::Overdue => {
                supervisor::forbid(&control);
                return Err(overdue(command, limit, fork_server, image::withdraw(image.as_fd())));
            }
        };
        return match report {
            SupervisorReport::Started(pid) => {
                Ok(Launched { pid: pid.cast_unsigned(), control, pipes })
            }
            SupervisorReport::Failed(stage, error) => Err(failed(command, &file, stage, error)),
            SupervisorReport::Exited(_) | SupervisorReport::Finished(_) => Err(lost()),
        };
    }
    Err(ProcessError::RequestDropped { program: name(command) })
}

/// How long to wait for the first word about a program.
fn start_limit(command: &Command) -> Duration {
    let deadline = command.deadline.unwrap_or(START_LIMIT);
    deadline.clamp(START_LIMIT_FLOOR, START_LIMIT)
}

/// Says what it means that nothing was heard of a program in time.
fn overdue(
    command: &Command,
    limit: Duration,
    fork_server: ForkServerId,
    withdrawn: Withdrawn,
) -> ProcessError {
    let program = name(command);
    match withdrawn {
        Withdrawn::InTime => {
            fork_server::replace(fork_server);
            ProcessError::NotTakenUp { program, limit }
        }
        // Its supervisor is at work, and kills it in the end. No fault of the fork server.
        Withdrawn::TooLate => ProcessError::StartOverdue { program, limit },
    }
}

/// Says what it means that a program was not started.
fn failed(command: &Command, file: &Path, stage: StartStage, error: Errno) -> ProcessError {
    match stage {
        StartStage::Handover => fork_server_exhausted(command, error),
        // Some backends need a pipe to hear whether the program runs.
        StartStage::Prepare if error == Errno::EMFILE => fork_server_exhausted(command, error),
        StartStage::Directory => working_directory(command, error),
        StartStage::Confine => {
            confinement(command, ConfinementError::Refused { source: error.into() })
        }
        StartStage::Exec => exec_error(command, file, error),
        StartStage::Prepare => system_error(command, error.into()),
    }
}

fn fork_server_exhausted(command: &Command, error: Errno) -> ProcessError {
    ProcessError::ForkServerExhausted { program: name(command), source: error.into() }
}

/// Finds text that cannot be passed on.
fn check(command: &Command) -> Result<(), ProcessError> {
    let invalid = |problem: String| ProcessError::InvalidText { program: name(command), problem };
    if command.program.is_empty() {
        return Err(invalid("the program's name is empty".into()));
    }
    let mut texts = std::iter::once(&command.program).chain(&command.args);
    if let Some(index) = texts.position(|text| text.as_bytes().contains(&0)) {
        return Err(invalid(format!("argument {index} contains a NUL byte")));
    }
    match command.environment.problem() {
        Some(problem) => Err(invalid(problem)),
        None => Ok(()),
    }
}

/// Opened by us, since ours is not the fork server's, and to tell its errors from the program's.
fn open_cwd(command: &Command) -> Result<OwnedFd, ProcessError> {
    let dir = command.cwd.as_deref().unwrap_or(Path::new("."));
    open(dir, system::PLACE, Mode::empty()).map_err(|error| working_directory(command, error))
}

/// What we keep of a request.
struct PendingStart {
    control: UnixStream,
    pipes: Pipes,
    image: OwnedFd,
    fork_server: ForkServerId,
}

/// Sends the request. When this returns, the child's ends of everything are the child's alone:
/// while we held a copy of one, nobody would see its end of file.
fn ask(command: &Command, file: &Path, cwd: &OwnedFd) -> Result<PendingStart, ProcessError> {
    let failed = |source| system_error(command, source);
    let (control, theirs) = system::socket_pair().map_err(failed)?;
    let mut pipes = Pipes::default();
    let streams = connect(command, &mut pipes).map_err(failed)?;
    let terminal = command.pty.map_or(Terminal::None, |_| Terminal::Controlling);
    let own_terminal = command.pty.map(|_| streams.stdin.as_fd());
    let prepared = match &command.confinement {
        Some(wanted) => {
            wanted.prepare(own_terminal).map_err(|error| confinement(command, error))?
        }
        None => PreparedConfinement::nothing(),
    };
    let args = std::iter::once(&command.program).chain(&command.args);
    let (file, args) = prepared.wrap(file, args.map(AsRef::as_ref).collect());
    let parts = ImageParts {
        lifetime: command.lifetime,
        terminal,
        privileges: prepared.privileges(),
        filter: &prepared.filter(),
        file,
        args,
        environment: command.environment.iter().collect(),
    };
    let (image, image_len) = parts.write().map_err(failed)?;
    let stdin = streams.stdin.as_fd();
    let stdout = streams.stdout.as_ref().map_or(stdin, AsFd::as_fd);
    let stderr = streams.stderr.as_ref().map_or(stdout, AsFd::as_fd);
    let ruleset = prepared.ruleset();
    let (control_fd, image_fd, cwd) = (theirs.as_fd(), image.as_fd(), cwd.as_fd());
    let fds =
        SpawnFds { control: control_fd, image: image_fd, cwd, stdin, stdout, stderr, ruleset };
    let fork_server = fork_server::request(image_len, &fds).map_err(failed)?;
    Ok(PendingStart { control, pipes, image, fork_server })
}

/// The child's standard streams; our ends, if any, go into `pipes`.
fn connect(command: &Command, pipes: &mut Pipes) -> io::Result<Streams> {
    if let Some(size) = command.pty {
        let pty::PtyEnds { ours, programs } = pty::open(size)?;
        pipes.terminal = Some(ours);
        return Ok(Streams { stdin: programs, stdout: None, stderr: None });
    }
    let stdin = connect_input(&command.stdin, pipes)?;
    let (stdout, stderr) = connect_output(&command.output, pipes)?;
    Ok(Streams { stdin, stdout: Some(stdout), stderr })
}

/// The child's standard input; our end, if any, goes into `pipes`.
fn connect_input(stdin: &Stdin, pipes: &mut Pipes) -> io::Result<OwnedFd> {
    match stdin {
        Stdin::Null => Ok(File::open("/dev/null")?.into()),
        Stdin::Bytes(_) | Stdin::Piped => {
            let (reader, writer) = io::pipe()?;
            pipes.stdin = Some(writer.into());
            Ok(reader.into())
        }
    }
}

/// The child's standard output and, if that is another, its standard error; our ends, if any, go
/// into `pipes`.
fn connect_output(
    output: &OutputMode,
    pipes: &mut Pipes,
) -> io::Result<(OwnedFd, Option<OwnedFd>)> {
    Ok(match output {
        OutputMode::Discard => (File::options().write(true).open("/dev/null")?.into(), None),
        OutputMode::ToFile(file) => (file.try_clone()?.into(), None),
        OutputMode::ErrorsToFile(file) => {
            (output_pipe(&mut pipes.stdout)?.into(), Some(file.try_clone()?.into()))
        }
        OutputMode::Merged => (output_pipe(&mut pipes.stdout)?.into(), None),
        OutputMode::Separate => {
            let stdout = output_pipe(&mut pipes.stdout)?;
            (stdout.into(), Some(output_pipe(&mut pipes.stderr)?.into()))
        }
    })
}

/// A pipe whose reading end is kept in `ours`.
fn output_pipe(ours: &mut Option<OwnedFd>) -> io::Result<PipeWriter> {
    let (reader, writer) = io::pipe()?;
    *ours = Some(reader.into());
    Ok(writer)
}

/// Says what it means that the file was not executed.
fn exec_error(command: &Command, file: &Path, error: Errno) -> ProcessError {
    // Where `exec` looked: a relative path starts at the child's directory.
    let path = command.cwd.as_deref().map_or_else(|| file.to_owned(), |cwd| cwd.join(file));
    let program = name(command);
    match error {
        Errno::ENOENT if path.exists() => ProcessError::InterpreterMissing { path },
        Errno::ENOENT | Errno::ENOTDIR => {
            let parent = path.parent().unwrap_or(&path);
            ProcessError::NotFound { program, searched: parent.display().to_string() }
        }
        Errno::EACCES | Errno::EPERM | Errno::EISDIR => ProcessError::NotExecutable { path },
        Errno::E2BIG => ProcessError::TooLong { program },
        error => system_error(command, error.into()),
    }
}

/// Says what it means that the system refused something that is not particular to the program.
pub(crate) fn system_error(command: &Command, source: io::Error) -> ProcessError {
    let program = name(command);
    match source.raw_os_error().map(Errno::from_raw) {
        Some(
            Errno::EAGAIN
            | Errno::ENOMEM
            | Errno::ENOBUFS
            | Errno::EMFILE
            | Errno::ENFILE
            | Errno::ETOOMANYREFS,
        ) => ProcessError::NoResources { program, source },
        _ => ProcessError::Spawn { program, source },
    }
}

pub(crate) fn confinement(command: &Command, source: ConfinementError) -> ProcessError {
    ProcessError::Confinement { program: name(command), source }
}

fn working_directory(command: &Command, error: Errno) -> ProcessError {
    let cwd = command.cwd.clone().unwrap_or_else(|| PathBuf::from("."));
    ProcessError::WorkingDirectory { program: name(command), cwd, source: error.into() }
}

/// The program's name for messages.
pub(crate) fn name(command: &Command) -> String {
    command.program.to_string_lossy().into_owned()
}
