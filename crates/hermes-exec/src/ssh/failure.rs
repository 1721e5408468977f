//! What the words of `ssh` mean. They are the same in every language: `ssh` knows only one.

use crate::backend::ClientTrouble;
use crate::settings::SshSettings;

/// The code with which `ssh` ends when the trouble is its own.
const OWN_CODE: i32 = 255;

/// Whether the connection of the sessions stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MasterState {
    Stands,
    Lost,
}

/// Words of a client that goes on by a connection of its own, because the common one is gone or
/// has no room for another session.
const HARMLESS: [&str; 3] =
    ["Control socket connect(", "Session open refused by peer", "session request failed"];

/// Words of a client that did not get as far as the command.
const NEVER_CONNECTED: [&str; 8] = [
    "ssh: connect to host ",
    "ssh: Could not resolve hostname ",
    "Permission denied (",
    "Host key verification failed",
    "Too many authentication failures",
    "kex_exchange_identification: ",
    "Unable to negotiate with ",
    "Connection timed out during banner exchange",
];

/// Tells trouble of the connection from a command that failed.
pub(crate) fn trouble(
    code: i32,
    words: &str,
    link: impl FnOnce() -> MasterState,
) -> Option<ClientTrouble> {
    if code != OWN_CODE {
        return None;
    }
    let telling: Vec<&str> = words
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty() && !HARMLESS.iter().any(|word| line.contains(word)))
        .collect();
    if telling.is_empty() {
        // A session whose master dies ends without a word; a command may end with that code, too.
        let lost = "the connection ended while the command ran";
        return (link() == MasterState::Lost).then(|| ClientTrouble::Unreachable(lost.to_owned()));
    }
    let telling = telling.join("\n");
    if NEVER_CONNECTED.iter().any(|word| telling.contains(word)) {
        Some(ClientTrouble::Gone(telling))
    } else {
        Some(ClientTrouble::Unreachable(telling))
    }
}

/// Why a connection could not be made, and what to do about it.
pub(crate) fn explain(words: &str, settings: &SshSettings) -> String {
    let SshSettings { host, user, port, key, .. } = settings;
    let said = |word: &str| words.contains(word);
    let advice = if said("IDENTIFICATION HAS CHANGED") || said("Host key verification failed") {
        format!(
            "the key of {host} is not the one it had before. If the machine was set up anew, \
             forget the old key with `ssh-keygen -R '[{host}]:{port}'` (port 22: \
             `ssh-keygen -R {host}`) and try again; otherwise somebody may be in between"
        )
    } else if said("Permission denied") || said("Too many authentication failures") {
        let with = match key {
            Some(key) => format!("the key {}", key.display()),
            None => "the keys of ssh and its agent".to_owned(),
        };
        format!(
            "{host} did not let {user} in with {with}. Check terminal.ssh_user and \
             terminal.ssh_key; a key with a passphrase has to be in the agent (`ssh-add`)"
        )
    } else if said("Could not resolve hostname") {
        format!("there is no machine named {host}. Check terminal.ssh_host")
    } else if said("Connection refused") {
        format!(
            "{host} does not take connections on port {port}. Check terminal.ssh_port, and \
                 that its ssh server runs"
        )
    } else if ["timed out", "No route to host", "unreachable"].iter().any(|word| said(word)) {
        format!("{host} cannot be reached on port {port}. Check the network and terminal.ssh_host")
    } else {
        format!("no connection to {user}@{host}, port {port}. Try `ssh -p {port} {user}@{host}`")
    };
    match words.trim().lines().last() {
        Some(last) => format!("{advice}. The client said: {last}"),
        None => advice,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_that_never_started_is_told_from_one_that_may_have() {
        let refused = "ssh: connect to host 127.0.0.1 port 1: Connection refused";
        let stale = format!("Control socket connect(/s): Connection refused\n{refused}\n");
        for (words, expected) in [
            (refused, ClientTrouble::Gone(refused.into())),
            (stale.as_str(), ClientTrouble::Gone(refused.into())),
            (
                "root@h: Permission denied (publickey).",
                ClientTrouble::Gone("root@h: Permission denied (publickey).".into()),
            ),
            (
                "Connection to h closed by remote host.",
                ClientTrouble::Unreachable("Connection to h closed by remote host.".into()),
            ),
        ] {
            assert_eq!(trouble(255, words, || MasterState::Stands), Some(expected), "{words}");
        }
    }

    #[test]
    fn a_command_may_end_with_the_clients_code() {
        assert_eq!(trouble(255, "", || MasterState::Stands), None);
        let fallback = "Control socket connect(/s): Connection refused\n";
        assert_eq!(trouble(255, fallback, || MasterState::Stands), None);
        assert_eq!(trouble(1, "ssh: connect to host h port 1: x", || MasterState::Stands), None);
        assert!(matches!(
            trouble(255, "", || MasterState::Lost),
            Some(ClientTrouble::Unreachable(_))
        ));
    }

    #[test]
    fn every_failure_says_what_to_do() {
        let settings = SshSettings {
            host: "box".into(),
            user: "ada".into(),
            port: 2222,
            key: None,
            force_sync: false,
        };
        for (words, advice) in [
            ("ada@box: Permission denied (publickey).", "ssh-add"),
            ("Host key verification failed.", "ssh-keygen -R"),
            ("ssh: Could not resolve hostname box: x", "terminal.ssh_host"),
            ("ssh: connect to host box port 2222: Connection refused", "terminal.ssh_port"),
            ("ssh: connect to host box port 2222: Connection timed out", "the network"),
            ("something new", "Try `ssh"),
        ] {
            let text = explain(words, &settings);
            assert!(text.contains(advice) && text.contains(words), "{text}");
        }
    }
}
