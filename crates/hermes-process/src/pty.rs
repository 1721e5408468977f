//! A PTY (pseudo-terminal) for a program, with us at the keyboard and in front of the screen.
//!
//! What is written to a [`Pty`] is typed by the user of that terminal: Ctrl-C is the byte 3, and
//! [`PtyWriter::send_eof`] is Ctrl-D. What is read from it is what appears on the screen: the
//! program's output with its escape sequences and with `\r\n` at the end of lines, and, as long as
//! the program does not switch that off, an echo of what was typed.
//!
//! The terminal is the program's controlling terminal: the program leads the terminal's session,
//! `/dev/tty` opens it, and its signals reach the foreground group. The supervisor stays outside.
//! When both halves of a [`Pty`] are dropped, the terminal hangs up, as if its window were closed.
//!
//! A terminal in its usual mode hands on lines, and none longer than 4,095 bytes: the rest of a
//! longer one is lost. Large input belongs into a pipe.

use std::io;
use std::os::fd::{AsRawFd as _, OwnedFd};
use std::pin::Pin;
use std::sync::{Arc, Weak};
use std::task::{Context, Poll, ready};

use nix::errno::Errno;
use nix::libc;
use nix::sys::termios::{
    InputFlags, LocalFlags, SetArg, SpecialCharacterIndices, Termios, tcgetattr, tcsetattr,
};
use nix::unistd::{read, write};
use tokio::io::unix::AsyncFd;
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt as _, ReadBuf};

use crate::system;

/// What a terminal holds at most of either direction.
const READ_SIZE: usize = 4 * 1024;

/// Ctrl-D, for a terminal on which no key means the end of the input.
const END_OF_TRANSMISSION: u8 = 4;

/// How large a terminal is, in characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PtySize {
    /// Lines.
    pub rows: u16,
    /// Characters in a line.
    pub columns: u16,
}

impl Default for PtySize {
    /// 30 rows of 120 columns: wide enough for what programs print, small enough to be read.
    fn default() -> Self {
        Self { rows: 30, columns: 120 }
    }
}

/// The two ends of a new terminal.
pub(crate) struct PtyEnds {
    pub(crate) ours: OwnedFd,
    pub(crate) programs: OwnedFd,
}

/// Makes a terminal.
pub(crate) fn open(size: PtySize) -> io::Result<PtyEnds> {
    let (ours, programs) = system::open_terminal()?;
    set_size(&ours, size)?;
    let mut settings = tcgetattr(&programs)?;
    // The key that deletes a character deletes all its bytes.
    settings.input_flags |= InputFlags::IUTF8;
    tcsetattr(&programs, SetArg::TCSANOW, &settings)?;
    Ok(PtyEnds { ours, programs })
}

fn set_size(terminal: &OwnedFd, size: PtySize) -> io::Result<()> {
    let size =
        libc::winsize { ws_row: size.rows, ws_col: size.columns, ws_xpixel: 0, ws_ypixel: 0 };
    // SAFETY: reads the structure.
    let done = unsafe { libc::ioctl(terminal.as_raw_fd(), libc::TIOCSWINSZ, &raw const size) };
    Errno::result(done)?;
    Ok(())
}

/// The user's end of a program's terminal: what is written is typed, what is read is shown.
///
/// Reading ends when no process has the terminal open any more.
#[derive(Debug)]
pub struct Pty {
    reader: PtyReader,
    writer: PtyWriter,
}

/// The screen of a [`Pty`].
#[derive(Debug)]
pub struct PtyReader(Arc<AsyncFd<OwnedFd>>);

/// The keyboard and the frame of a [`Pty`].
#[derive(Debug)]
pub struct PtyWriter {
    terminal: Arc<AsyncFd<OwnedFd>>,
    typed: Typed,
}

/// Tells whether a terminal shows what is typed. Keeps nothing open.
#[derive(Debug, Clone)]
pub struct PtyEcho(Weak<AsyncFd<OwnedFd>>);

impl PtyEcho {
    /// Whether a program reads a line that is not to be seen: a password. One that reads key by key and
    /// draws by itself, as shells do, also switches the echo off, and is not meant.
    #[must_use]
    pub fn hides_a_line(&self) -> bool {
        let Some(terminal) = self.0.upgrade() else { return false };
        tcgetattr(terminal.get_ref()).is_ok_and(|settings| {
            settings.local_flags.contains(LocalFlags::ICANON)
                && !settings.local_flags.contains(LocalFlags::ECHO)
        })
    }
}

/// What was typed last.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Typed {
    /// Nothing, or the end of a line.
    WholeLines,
    PartOfLine,
}

impl Pty {
    pub(crate) fn new(terminal: OwnedFd) -> io::Result<Self> {
        // SAFETY: an owned descriptor means the same open file until it is dropped.
        let terminal = unsafe { AsyncFd::register(terminal) }.map_err(io::Error::from)?;
        let terminal = Arc::new(terminal);
        let writer = PtyWriter { terminal: Arc::clone(&terminal), typed: Typed::WholeLines };
        Ok(Self { reader: PtyReader(terminal), writer })
    }

    /// Splits it for two tasks, one that reads and one that writes.
    pub fn into_split(self) -> (PtyReader, PtyWriter) {
        (self.reader, self.writer)
    }

    /// Tells from elsewhere whether it shows what is typed.
    #[must_use]
    pub fn echo(&self) -> PtyEcho {
        PtyEcho(Arc::downgrade(&self.writer.terminal))
    }

    /// See [`PtyWriter::resize`].
    pub fn resize(&self, size: PtySize) -> io::Result<()> {
        self.writer.resize(size)
    }

    /// See [`PtyWriter::send_eof`].
    pub async fn send_eof(&mut self) -> io::Result<()> {
        self.writer.send_eof().await
    }
}

impl PtyWriter {
    /// Changes the terminal's size; the programs in its foreground are told by SIGWINCH.
    pub fn resize(&self, size: PtySize) -> io::Result<()> {
        set_size(self.terminal.get_ref(), size)
    }

    /// Types what means the end of the input: Ctrl-D, unless the program chose another key.
    ///
    /// In the middle of a line that key only hands on what was typed so far, and has to be pressed
    /// a second time; so it is. A program that reads key by key gets it once, to make of it what
    /// it likes.
    pub async fn send_eof(&mut self) -> io::Result<()> {
        let settings = tcgetattr(self.terminal.get_ref())?;
        let key = end_key(&settings);
        let by_line = settings.local_flags.contains(LocalFlags::ICANON);
        if by_line && self.typed == Typed::PartOfLine {
            self.write_all(&[key, key]).await?;
        } else {
            self.write_all(&[key]).await?;
        }
        self.typed = Typed::WholeLines;
        Ok(())
    }
}

fn end_key(settings: &Termios) -> u8 {
    match settings.control_chars[SpecialCharacterIndices::VEOF as usize] {
        0 => END_OF_TRANSMISSION,
        key => key,
    }
}

impl AsyncRead for PtyReader {
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        into: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        loop {
            let mut guard = ready!(self.0.poll_read_ready(cx))?;
            let room = into.initialize_unfilled_to(into.remaining().min(READ_SIZE));
            match guard.try_io(|fd| Ok(read(fd, room)?)) {
                Ok(Ok(count)) => {
                    into.advance(count);
                    return Poll::Ready(Ok(()));
                }
                // The kernel's way of saying that nobody has the terminal open any more.
                Ok(Err(error)) if is_hung_up(&error) => return Poll::Ready(Ok(())),
                Ok(Err(error)) if error.kind() == io::ErrorKind::Interrupted => {}
                Ok(Err(error)) => return Poll::Ready(Err(error)),
                Err(_would_block) => {}
            }
        }
    }
}

impl AsyncWrite for PtyWriter {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let count = ready!(poll_type(&self.terminal, cx, bytes))?;
        if let Some(last) = bytes.get(..count).and_then(<[u8]>::last) {
            let ends_line = matches!(last, b'\n' | b'\r');
            self.typed = if ends_line { Typed::WholeLines } else { Typed::PartOfLine };
        }
        Poll::Ready(Ok(count))
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    /// Nothing to do: a terminal has no end of its own, see [`PtyWriter::send_eof`].
    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}

fn poll_type(
    terminal: &AsyncFd<OwnedFd>,
    cx: &mut Context<'_>,
    bytes: &[u8],
) -> Poll<io::Result<usize>> {
    loop {
        let mut guard = ready!(terminal.poll_write_ready(cx))?;
        match guard.try_io(|fd| Ok(write(fd, bytes)?)) {
            Ok(Err(error)) if is_hung_up(&error) => {
                return Poll::Ready(Err(io::ErrorKind::BrokenPipe.into()));
            }
            Ok(Err(error)) if error.kind() == io::ErrorKind::Interrupted => {}
            Ok(result) => return Poll::Ready(result),
            Err(_would_block) => {}
        }
    }
}

fn is_hung_up(error: &io::Error) -> bool {
    error.raw_os_error() == Some(libc::EIO)
}

impl AsyncRead for Pty {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        into: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.reader).poll_read(cx, into)
    }
}

impl AsyncWrite for Pty {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.writer).poll_write(cx, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.writer).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.writer).poll_shutdown(cx)
    }
}
