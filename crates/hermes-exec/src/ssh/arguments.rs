//! The words `ssh` is called with. Pure text, so that every option can be tested.

use std::path::Path;

use crate::backend::ClientInput;
use crate::quote::quoted;
use crate::settings::SshSettings;

/// How often a silent master asks whether the other side is still there, in seconds, and how many
/// answers may be missing before it gives up.
const ALIVE_INTERVAL: u32 = 15;
const ALIVE_COUNT: u32 = 4;

/// Everything that decides how the client reaches the machine.
pub(crate) struct SshCommandLine<'a> {
    pub(crate) settings: &'a SshSettings,
    /// Further options, as they stand behind `-o`.
    pub(crate) options: &'a [String],
    /// Where master and sessions meet.
    pub(crate) socket: &'a Path,
}

impl SshCommandLine<'_> {
    /// The connection itself, which stays in the foreground and serves the sessions.
    pub(crate) fn master(&self) -> Vec<String> {
        let mut words = self.options();
        words.extend(["-M", "-N", "-T", "-n"].map(str::to_owned));
        // The user's own settings may say otherwise, and then it would leave us.
        push_option(&mut words, "ControlPersist=no");
        push_option(&mut words, &format!("ServerAliveInterval={ALIVE_INTERVAL}"));
        push_option(&mut words, &format!("ServerAliveCountMax={ALIVE_COUNT}"));
        self.end(words)
    }

    /// One command over the connection. It is quoted: `ssh` joins what it is given with blanks, and
    /// the shell over there takes it apart again.
    pub(crate) fn session<S: AsRef<str>>(&self, command: &[S], input: ClientInput) -> Vec<String> {
        let mut words = self.options();
        push_option(&mut words, "ControlMaster=no");
        push_option(&mut words, "RemoteCommand=none");
        match input {
            ClientInput::None => words.extend(["-T", "-n"].map(str::to_owned)),
            ClientInput::Forwarded => words.push("-T".to_owned()),
            // Nothing that is typed is for the client.
            ClientInput::Terminal => words.extend(["-tt", "-e", "none"].map(str::to_owned)),
        }
        let mut words = self.end(words);
        let command: Vec<String> = command.iter().map(|word| quoted(word.as_ref())).collect();
        words.push(command.join(" "));
        words
    }

    /// The order to the master to leave.
    pub(crate) fn exit(&self) -> Vec<String> {
        let mut words = self.options();
        words.extend(["-O", "exit"].map(str::to_owned));
        self.end(words)
    }

    fn options(&self) -> Vec<String> {
        let mut words = Vec::new();
        push_option(&mut words, &format!("ControlPath={}", self.socket.display()));
        for option in [
            "BatchMode=yes",
            "StrictHostKeyChecking=accept-new",
            "ConnectTimeout=10",
            // Without greetings of the server: what is left is trouble.
            "LogLevel=ERROR",
        ] {
            push_option(&mut words, option);
        }
        for option in self.options {
            push_option(&mut words, option);
        }
        words.extend(["-p".to_owned(), self.settings.port.to_string()]);
        if let Some(key) = &self.settings.key {
            words.extend(["-i".to_owned(), key.display().to_string()]);
        }
        words
    }

    fn end(&self, mut words: Vec<String>) -> Vec<String> {
        let SshSettings { user, host, .. } = self.settings;
        words.extend(["--".to_owned(), format!("{user}@{host}")]);
        words
    }
}

fn push_option(words: &mut Vec<String>, option: &str) {
    words.extend(["-o".to_owned(), option.to_owned()]);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings() -> SshSettings {
        SshSettings {
            host: "box".into(),
            user: "ada".into(),
            port: 2222,
            key: Some("/keys/id".into()),
            force_sync: false,
        }
    }

    fn line<T>(act: impl FnOnce(SshCommandLine<'_>) -> T) -> T {
        let options = ["UserKnownHostsFile=/k".to_owned()];
        let settings = settings();
        act(SshCommandLine {
            settings: &settings,
            options: &options,
            socket: Path::new("/tmp/s.sock"),
        })
    }

    #[test]
    fn every_call_meets_at_the_socket_and_never_asks() {
        let calls = line(|line| {
            [line.master(), line.session(&["true"], ClientInput::None), line.exit()]
                .map(|w| w.join(" "))
        });
        for call in calls {
            for words in [
                "-o ControlPath=/tmp/s.sock",
                "-o BatchMode=yes",
                "-o StrictHostKeyChecking=accept-new",
                "-o ConnectTimeout=10",
                "-o UserKnownHostsFile=/k",
                "-p 2222 -i /keys/id",
                "-- ada@box",
            ] {
                assert!(call.contains(words), "{words} in {call}");
            }
        }
    }

    #[test]
    fn the_master_stays_ours_and_notices_a_dead_line() {
        let words = line(|line| line.master()).join(" ");
        for part in ["-M -N", "ControlPersist=no", "ServerAliveInterval=15"] {
            assert!(words.contains(part), "{part} in {words}");
        }
    }

    #[test]
    fn a_command_is_one_word_that_the_shell_over_there_takes_apart() {
        let words = line(|line| {
            line.session(&["env", "A=1", "bash", "-c", "echo 'it'; x"], ClientInput::None)
        });
        assert_eq!(words.last().unwrap(), r"env A=1 bash -c 'echo '\''it'\''; x'");
        assert!(words.contains(&"ControlMaster=no".to_owned()));
    }

    #[test]
    fn input_decides_about_the_terminal() {
        for (input, expected, other) in [
            (ClientInput::None, "-T -n", "-tt"),
            (ClientInput::Forwarded, "-T --", "-n"),
            (ClientInput::Terminal, "-tt -e none", "-T"),
        ] {
            let words = line(|line| line.session(&["true"], input));
            let text = words.join(" ");
            assert!(text.contains(expected), "{expected} in {text}");
            assert!(!words.contains(&other.to_owned()), "{other} in {text}");
        }
    }
}
