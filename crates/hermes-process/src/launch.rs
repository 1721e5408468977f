//! From a [`Command`] to a running program: what can be done, and can go wrong, on our side.
//!
//! Everything that may allocate, search or be refused happens here, before anyone is asked to start
//! anything: texts are checked, the file is found, the directory opened, pipes or a terminal made, a
//! confinement prepared. Then one request goes out and one answer comes back, and each way in which
//! it can fail becomes an error that says what to do about it.
//!
//! A request is made again only if it is certain that its program was not started.

use std::fs::File;
use std::io::{self, PipeWriter};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};

use nix::errno::Errno;
use nix::fcntl::{OFlag, open};
use nix::sys::stat::Mode;

use crate::command::{Command, Output, Stdin};
use crate::confine::{ConfinementError, Prepared};
use crate::error::ProcessError;
use crate::keeper::image::{self, Parts, Terminal};
use crate::keeper::{self, Handed};
use crate::lookup;
use crate::pty;
use crate::warden::{self, Report, Stage};

/// Tries to get an answer from a keeper: one may be killed with our request still unread. Then the
/// program has not been started, and asking the next keeper is safe.
const ATTEMPTS: usize = 2;

/// A program just started, with our ends of its pipes.
pub(crate) struct Launched {
    pub(crate) pid: u32,
    /// The line to its warden.
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

/// Starts the program under a warden of its own. Blocks until it runs, a matter of milliseconds.
pub(crate) fn launch(command: &Command) -> Result<Launched, ProcessError> {
    check(command)?;
    let file = lookup::find(&command.program, &command.environment.search_path())?;
    let cwd = open_cwd(command)?;
    let lost = || ProcessError::KeeperLost { program: name(command) };
    for _ in 0..ATTEMPTS {
        let Asked { control, pipes, image } = ask(command, &file, &cwd)?;
        let report = match warden::next_report(&control) {
            Some(report) => report,
            None if image::is_taken(image.as_fd()) => return Err(lost()),
            None => continue,
        };
        return match report {
            Report::Started(pid) => Ok(Launched { pid: pid.cast_unsigned(), control, pipes }),
            Report::Failed(Stage::Directory, error) => Err(working_directory(command, error)),
            Report::Failed(Stage::Confine, error) => {
                Err(confinement(command, ConfinementError::Refused { source: error.into() }))
            }
            Report::Failed(Stage::Exec, error) => Err(exec_error(command, &file, error)),
            Report::Failed(Stage::Prepare, error) => Err(system_error(command, error.into())),
            Report::Exited(_) | Report::Finished(_) => Err(lost()),
        };
    }
    Err(lost())
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

/// Opened by us, since ours is not the keeper's, and to tell its errors from the program's.
fn open_cwd(command: &Command) -> Result<OwnedFd, ProcessError> {
    let flags = OFlag::O_PATH | OFlag::O_DIRECTORY | OFlag::O_CLOEXEC;
    let dir = command.cwd.as_deref().unwrap_or(Path::new("."));
    open(dir, flags, Mode::empty()).map_err(|error| working_directory(command, error))
}

/// What we keep of a request.
struct Asked {
    control: UnixStream,
    pipes: Pipes,
    image: OwnedFd,
}

/// Sends the request. When this returns, the child's ends of everything are the child's alone:
/// while we held a copy of one, nobody would see its end of file.
fn ask(command: &Command, file: &Path, cwd: &OwnedFd) -> Result<Asked, ProcessError> {
    let failed = |source| system_error(command, source);
    let (control, theirs) = UnixStream::pair().map_err(failed)?;
    let mut pipes = Pipes::default();
    let streams = connect(command, &mut pipes).map_err(failed)?;
    let terminal = command.pty.map_or(Terminal::None, |_| Terminal::Controlling);
    let own_terminal = command.pty.map(|_| streams.stdin.as_fd());
    let prepared = match &command.confinement {
        Some(wanted) => {
            wanted.prepare(own_terminal).map_err(|error| confinement(command, error))?
        }
        None => Prepared::nothing(),
    };
    let args = std::iter::once(&command.program).chain(&command.args);
    let parts = Parts {
        lifetime: command.lifetime,
        terminal,
        privileges: prepared.privileges,
        filter: &prepared.filter,
        file,
        args: args.map(AsRef::as_ref).collect(),
        environment: command.environment.iter().collect(),
    };
    let (image, image_len) = parts.write().map_err(failed)?;
    let stdin = streams.stdin.as_fd();
    let stdout = streams.stdout.as_ref().map_or(stdin, AsFd::as_fd);
    let stderr = streams.stderr.as_ref().map_or(stdout, AsFd::as_fd);
    let ruleset = prepared.ruleset.as_ref().map(AsFd::as_fd);
    let (control_fd, image_fd, cwd) = (theirs.as_fd(), image.as_fd(), cwd.as_fd());
    let fds = Handed { control: control_fd, image: image_fd, cwd, stdin, stdout, stderr, ruleset };
    keeper::request(image_len, &fds).map_err(failed)?;
    Ok(Asked { control, pipes, image })
}

/// The child's standard streams; our ends, if any, go into `pipes`.
fn connect(command: &Command, pipes: &mut Pipes) -> io::Result<Streams> {
    if let Some(size) = command.pty {
        let pty::Ends { ours, programs } = pty::open(size)?;
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
fn connect_output(output: &Output, pipes: &mut Pipes) -> io::Result<(OwnedFd, Option<OwnedFd>)> {
    Ok(match output {
        Output::Discard => (File::options().write(true).open("/dev/null")?.into(), None),
        Output::ToFile(file) => (file.try_clone()?.into(), None),
        Output::ErrorsToFile(file) => {
            (output_pipe(&mut pipes.stdout)?.into(), Some(file.try_clone()?.into()))
        }
        Output::Merged => (output_pipe(&mut pipes.stdout)?.into(), None),
        Output::Separate => {
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
        Some(Errno::EAGAIN | Errno::ENOMEM | Errno::EMFILE | Errno::ENFILE) => {
            ProcessError::NoResources { program, source }
        }
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
