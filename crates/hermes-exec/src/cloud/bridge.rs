//! The client of a cloud's command: a small process of ours between the pipes of the caller and the connection.
//!
//! Everything around a command (deadlines, cancellation, capture, terminals, background processes) is built on a
//! program with pipes. So there is one: this program, started again under a word nobody types ([`WORD`]). It knows
//! nothing of clouds and has no key; it connects to a socket in a folder that only the user can enter, says which
//! command it stands for, and hands bytes on in both directions. That it ends, however it ends, is seen at the socket.

use std::io::{self, Read as _, Write as _};
use std::os::unix::net::UnixStream;
use std::process::ExitCode;

use rustix::termios::{OptionalActions, Termios, isatty, tcgetattr, tcgetwinsize, tcsetattr};

use super::frames::{CODE, INPUT, INPUT_END, LONGEST, OUT, WORDS};

/// The first word of the command line that makes this program a bridge.
pub(crate) const WORD: &str = "sandbox-bridge";
/// The code of a bridge that has lost its other end.
const LOST: u8 = 255;

/// Stands for the command `call`, which whoever listens at the socket knows.
pub(crate) fn run(socket: &str, call: &str) -> ExitCode {
    let _raw = RawTerminal::enter();
    match carry(socket, call) {
        Ok(code) => ExitCode::from(code),
        Err(error) => {
            let _ = writeln!(io::stderr(), "{}0 unreachable: {error}", super::trouble::OURS);
            ExitCode::from(LOST)
        }
    }
}

fn carry(socket: &str, call: &str) -> io::Result<u8> {
    let mut stream = UnixStream::connect(socket)?;
    let size = tcgetwinsize(io::stdin()).ok();
    let (rows, columns) = size.map_or((0, 0), |size| (size.ws_row, size.ws_col));
    stream.write_all(format!("{call} {rows} {columns}\n").as_bytes())?;
    let sender = stream.try_clone()?;
    // Not joined: it may wait for input that never comes, and ends with the process.
    std::thread::spawn(move || send_input(sender));
    let (mut out, mut err) = (io::stdout().lock(), io::stderr().lock());
    loop {
        let mut head = [0; 5];
        stream.read_exact(&mut head)?;
        let [kind, length @ ..] = head;
        let length = u32::from_be_bytes(length) as usize;
        if length > LONGEST {
            return Err(io::Error::other("a frame is too long"));
        }
        let mut bytes = vec![0; length];
        stream.read_exact(&mut bytes)?;
        // A caller that reads no more does not end the command.
        match kind {
            OUT => drop(out.write_all(&bytes).and_then(|()| out.flush())),
            WORDS => drop(err.write_all(&bytes).and_then(|()| err.flush())),
            CODE => return Ok(bytes.first().copied().unwrap_or(LOST)),
            _ => return Err(io::Error::other("a frame of an unknown kind")),
        }
    }
}

fn send_input(mut stream: UnixStream) {
    let mut input = io::stdin().lock();
    let mut bytes = vec![0; super::relay::MOST_INPUT];
    loop {
        let count = match input.read(&mut bytes) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Ok(count) => count,
            Err(_) => 0,
        };
        let kind = if count == 0 { INPUT_END } else { INPUT };
        let length = u32::try_from(count).unwrap_or_default().to_be_bytes();
        let mut frame = Vec::with_capacity(count + 5);
        frame.push(kind);
        frame.extend_from_slice(&length);
        frame.extend_from_slice(&bytes[..count]);
        if stream.write_all(&frame).is_err() || count == 0 {
            return;
        }
    }
}

/// The terminal of this side passes everything through: the one over there is the one that counts.
struct RawTerminal(Termios);

impl RawTerminal {
    fn enter() -> Option<Self> {
        let input = io::stdin();
        if !isatty(&input) {
            return None;
        }
        let before = tcgetattr(&input).ok()?;
        let mut raw = before.clone();
        raw.make_raw();
        tcsetattr(&input, OptionalActions::Now, &raw).ok()?;
        Some(Self(before))
    }
}

impl Drop for RawTerminal {
    fn drop(&mut self) {
        let _ = tcsetattr(io::stdin(), OptionalActions::Now, &self.0);
    }
}
