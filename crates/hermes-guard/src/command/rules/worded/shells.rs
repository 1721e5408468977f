//! Shells: of another user, in another terminal, or with names that lie.

use super::super::super::call::{Arg, ProgramCall};
use super::super::super::category::Category;
use super::super::super::interpreters;
use super::super::{DangerRule, RuleCheck};

const ROOT_SHELL: Category = Category::asks(
    "shell of another user",
    "A shell with other rights would run, whose commands nobody has seen.",
);
const TYPED: Category = Category::asks(
    "typing elsewhere",
    "Keys would be pressed in another terminal or window, where nobody judges them.",
);
pub(crate) const SHELL_STATE: Category = Category::asks(
    "shell that is not what it seems",
    "Names, keys or history of the shell would stand for other commands than they say.",
);

pub(super) const RULES: &[DangerRule] = &[
    DangerRule {
        category: ROOT_SHELL,
        programs: &[
            "sudo", "doas", "su", "pkexec", "runuser", "unshare", "setpriv", "capsh", "run0",
            "gosu", "su-exec",
        ],
        check: RuleCheck::Call(becomes_another),
        catches: &[
            "sudo su -",
            "sudo -i",
            "sudo bash",
            "su root",
            "su -",
            "doas sh",
            "pkexec /bin/sh",
            "unshare -r sh",
            "sudo -s",
            "su root -c id",
            "su -c 'source x; bash'",
            "sudo -u root -i",
        ],
        passes: &[
            "sudo ls",
            "sudo apt-get update",
            "sudo -u postgres psql",
            "sudo -v",
            "sudo bash install.sh",
            "sudo sh -c 'echo x'",
            "sudo -E make install",
            "su - postgres",
            "sudo -u www-data ls",
            "su app -c ls",
            "sudo su -c ls",
        ],
    },
    DangerRule {
        category: TYPED,
        programs: &[],
        check: RuleCheck::Words(&[
            ("tmux", "paste-buffer|pipe-pane|set-hook|pasteb|pipep"),
            ("screen", "-X exec|paste|readbuf"),
            ("xdotool|ydotool|wtype|dotool|dotoolc|xte", "*type*|*key*|*str*|*"),
            ("kitty|kitten", "@ send-text|send-key|launch"),
            ("wezterm", "cli send-text|spawn"),
            ("zellij", "action write|write-chars|run"),
            ("zellij", "run"),
            ("osascript", "-e *keystroke*|*do script*"),
            ("wall|write", "*"),
            ("ttyecho|writevt|ioctl_tiocsti", "*"),
            (
                "dbus-send|gdbus|busctl|qdbus",
                "*org.freedesktop.systemd1*|*Konsole*|*runCommand*|*Terminal*|*Eval*|*sendText*",
            ),
            ("reptyr", "*"),
        ]),
        catches: &[
            "tmux paste-buffer -t 0",
            "screen -S main -X exec ls",
            "xdotool type 'rm -rf ~'",
            "kitty @ send-text ls",
        ],
        passes: &[
            "tmux ls",
            "tmux new -d -s x",
            "screen -ls",
            "tmux attach -t x",
            "tmux capture-pane -p",
        ],
    },
    DangerRule {
        category: SHELL_STATE,
        programs: &[],
        check: RuleCheck::Words(&[
            // A program under another name.
            (
                "cp|ln|install|mv|link",
                "*/bin/rm|*/bin/dd|*/bin/sh|*/bin/bash|*/hermes|hermes|rm|dd *",
            ),
            ("hash", "-p|-p*"),
            ("enable", "-f|-f*|-n"),
            ("fc", "-s|-e|-e*"),
            ("complete|compgen", "-C|-F *rm*|*curl*|*sh*|*;*"),
            ("compgen", "-C|-F *"),
            ("builtin|enable", "-d"),
            ("env|export|declare", "BASH_FUNC_*"),
            ("coproc", "sh|bash|zsh|nc|ncat"),
        ]),
        catches: &[
            "hash -p /bin/rm ls",
            "enable -f ./x.so x",
            "fc -s rm",
            "env 'BASH_FUNC_ls%%=() { id; }' bash -c ls",
        ],
        passes: &[
            "hash -r",
            "enable",
            "fc -l",
            "history",
            "complete -W 'a b' x",
            "complete -F _x x",
        ],
    },
];

/// A shell, or a root of one's own, instead of one program.
fn becomes_another(call: &ProgramCall<'_>) -> bool {
    if call.asks_for_help() {
        return false;
    }
    let letters = |wanted: &[char]| {
        call.args
            .iter()
            .take_while(|arg| arg.text.starts_with('-'))
            .any(|arg| !arg.text.starts_with("--") && arg.text.contains(wanted))
    };
    let words: Vec<&str> = call
        .args
        .iter()
        .map(Arg::as_str)
        .filter(|text| !text.starts_with('-') && !text.contains('='))
        .collect();
    let opens_shell = |words: &[&str]| {
        words.iter().rposition(|word| is_shell(word)).is_some_and(|at| {
            let behind =
                call.args.iter().map(Arg::as_str).skip_while(|text| *text != words[at]).skip(1);
            behind.clone().all(|text| text.starts_with('-') && !text.contains('c'))
                && behind.count() <= 2
        })
    };
    match call.name {
        "sudo" | "doas" | "run0" => {
            let first =
                words.iter().find(|word| !matches!(**word, "env" | "nohup" | "setsid" | "exec"));
            // What a shell reads from its input is judged there.
            if call.stdin.text.is_some() {
                return false;
            }
            let is_root = |two: &[Arg<'_>]| {
                matches!(two[0].as_str(), "-u" | "--user") && two[1].text == "root"
            };
            let of_root = usize::from(call.args.windows(2).any(is_root));
            (call.name == "sudo"
                && (letters(&['i']) || call.has(&["--login"]) || of_root > 0 && call.has(&["-i"]))
                && words.len() < 2 + of_root
                && (words.is_empty() || of_root == words.len() || of_root == 0))
                || (letters(&['s']) && words.len() < 2)
                || (first.is_some_and(|word| *word == "su")
                    && is_root_shell(&words)
                    && !has_command(call))
                || opens_shell(&words)
        }
        "su" => {
            // The words behind `-c` are a text, not a user.
            let text = call.args.iter().position(|arg| {
                arg.text.starts_with('-') && (arg.text.ends_with('c') || arg.text == "--command")
            });
            let text = text.and_then(|at| call.args.get(at + 1)).map_or("", Arg::as_str);
            let users: Vec<&str> = words.iter().copied().filter(|word| *word != text).collect();
            let last = text.rsplit([';', '&', '|']).next().unwrap_or(text);
            let ends_in_shell = last.split_whitespace().next().is_some_and(is_shell);
            let named = users.contains(&"root");
            is_root_shell(&users)
                && match has_command(call) {
                    true => named || ends_in_shell,
                    false => call.stdin.text.is_none(),
                }
        }
        "pkexec" | "gosu" | "su-exec" => opens_shell(&words),
        "runuser" => words.len() <= 2 || opens_shell(&words),
        "unshare" => {
            letters(&['r'])
                || call.has(&[
                    "--map-root-user",
                    "--map-current-user",
                    "--mount",
                    "-m",
                    "-Ur",
                    "-rm",
                    "--pid",
                ])
        }
        "setpriv" => {
            call.args.iter().any(|arg| arg.text.starts_with("--reuid") || arg.text.contains("caps"))
        }
        "capsh" => call.args.iter().any(|arg| {
            arg.text.starts_with("--uid") || arg.text.starts_with("--user") || arg.text == "--"
        }),
        _ => false,
    }
}

/// `su`, `su -`, `su root`, without a command behind it.
fn is_root_shell(words: &[&str]) -> bool {
    let user = words.iter().find(|word| **word != "su");
    matches!(user, None | Some(&("root" | "toor")))
}

fn has_command(call: &ProgramCall<'_>) -> bool {
    call.args.iter().any(|arg| {
        let text = arg.as_str();
        text.starts_with("--command")
            || text.starts_with("--session-command")
            || (text.starts_with('-') && !text.starts_with("--") && text.contains('c'))
    })
}

fn is_shell(word: &str) -> bool {
    interpreters::is_shell(word.rsplit('/').next().unwrap_or(word))
}
