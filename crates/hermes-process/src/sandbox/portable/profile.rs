//! The profile of a confinement, in the language of Seatbelt: a list of rules, of which the last that fits decides.
//!
//! Paths are matched after all links were followed, so they are written that way.

use std::fmt::Write as _;
use std::io;
use std::path::{Path, PathBuf};

use crate::sandbox::{Confinement, ConfinementError, Files, Metadata, Network};

/// Devices that everyone writes to and that keep nothing.
const DEVICES: &[&str] = &["/dev/null", "/dev/zero", "/dev/tty", "/dev/dtracehelper"];

/// Looking into other processes, and having others act for one.
const APART: &str = "(deny mach-priv-task-port)\n(deny process-info* (target others))\n";

/// Ways to have something done outside: signals, the desktop, the system's starter of services.
const NO_HELPERS: &str =
    "(deny signal (target others))\n(deny appleevent-send)\n(deny lsopen)\n(deny job-creation)\n";

/// Changes of what is known about a file.
const METADATA: &str =
    "(deny file-write-mode file-write-owner file-write-times file-write-flags file-write-xattr)\n";

/// The service that looks names up in the network, and would carry words out in questions.
const RESOLVER: &str = "/private/var/run/mDNSResponder";

/// The profile as text.
pub(super) fn text(
    wanted: &Confinement,
    terminal: Option<&Path>,
) -> Result<String, ConfinementError> {
    let mut text = String::from("(version 1)\n(allow default)\n");
    text += APART;
    if let Files::ReadOnlyExcept(places) = &wanted.files {
        text += NO_HELPERS;
        text += "(deny file-write*)\n";
        let devices = DEVICES.iter().map(Path::new).chain(terminal);
        for device in devices {
            rule(&mut text, "allow file-write*", "literal", device)?;
        }
        for place in places {
            let real = place.canonicalize().map_err(|source| path_error(place, source))?;
            let filter = if real.is_dir() { "subpath" } else { "literal" };
            rule(&mut text, "allow file-write*", filter, &real)?;
        }
    }
    if wanted.metadata == Metadata::Frozen {
        text += METADATA;
    }
    match wanted.network {
        Network::Allowed => {}
        Network::UnixSockets => {
            text += "(deny network*)\n(allow network* (local unix-socket))\n";
            text += "(allow network* (remote unix-socket))\n";
            rule(&mut text, "deny network-outbound", "literal", Path::new(RESOLVER))?;
        }
        Network::Nothing => text += "(deny network*)\n",
    }
    Ok(text)
}

/// Adds a rule about one path.
fn rule(text: &mut String, act: &str, filter: &str, path: &Path) -> Result<(), ConfinementError> {
    let Some(words) = path.to_str().filter(|words| !words.contains(char::is_control)) else {
        let problem = "its name cannot be written into a sandbox profile";
        return Err(path_error(path, io::Error::new(io::ErrorKind::InvalidInput, problem)));
    };
    let words = words.replace('\\', "\\\\").replace('"', "\\\"");
    let _ = writeln!(text, "({act} ({filter} \"{words}\"))");
    Ok(())
}

fn path_error(path: &Path, source: io::Error) -> ConfinementError {
    ConfinementError::Path { path: PathBuf::from(path), source }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(wanted: &Confinement) -> Vec<String> {
        text(wanted, Some(Path::new("/dev/ttys003"))).unwrap().lines().map(str::to_owned).collect()
    }

    #[test]
    fn only_listed_places_and_the_own_terminal_are_writable_after_everything_was_denied() {
        let folder = tempfile::tempdir().unwrap();
        let real = folder.path().canonicalize().unwrap();
        let link = real.join("link");
        std::fs::create_dir(real.join("a \"b\"")).unwrap();
        std::os::unix::fs::symlink(real.join("a \"b\""), &link).unwrap();
        let lines = lines(&Confinement::read_only().writable(&link));
        let denied = lines.iter().position(|line| line == "(deny file-write*)").unwrap();
        let allowed: Vec<_> =
            lines.iter().skip(denied).filter(|line| line.starts_with("(allow file-")).collect();
        assert_eq!(allowed.len(), DEVICES.len() + 2);
        assert_eq!(allowed[DEVICES.len()], "(allow file-write* (literal \"/dev/ttys003\"))");
        let place = format!("(allow file-write* (subpath \"{}/a \\\"b\\\"\"))", real.display());
        assert_eq!(*allowed[DEVICES.len() + 1], place);
        assert!(lines.contains(&"(deny network*)".to_owned()));
        assert!(lines.last().unwrap().contains("mDNSResponder"), "{lines:?}");
    }

    #[test]
    fn what_is_not_asked_for_stays_allowed() {
        let lines = lines(&Confinement::processes_only());
        assert!(lines.contains(&"(deny process-info* (target others))".to_owned()));
        assert!(!lines.iter().any(|line| line.contains("network") || line.contains("file-write")));
    }

    #[test]
    fn a_place_that_is_not_there_or_cannot_be_written_down_is_refused() {
        for name in ["gone", "two\nlines"] {
            let folder = tempfile::tempdir().unwrap();
            let place = folder.path().join(name);
            if name != "gone" {
                std::fs::create_dir(&place).unwrap();
            }
            let error = text(&Confinement::read_only().writable(place), None).unwrap_err();
            assert!(matches!(error, ConfinementError::Path { .. }), "{error}");
        }
    }
}
