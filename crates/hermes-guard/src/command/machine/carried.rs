//! Commands inside texts that are given to programs nobody has described here.
//!
//! Hundreds of programs run a text that they are handed in some option, in some language or on their
//! input. Which of them do is more than anyone can list; but a text with `rm -rf` of something that
//! matters in it is hardly ever there to be read, unless the program is one that works on texts.

use std::collections::HashSet;
use std::sync::LazyLock;

use super::{Machine, RunSite};
use crate::command::call::{Arg, TextFlow};
use crate::command::rules::{self, indirect};
use crate::command::{interpreters, wrappers};

/// Words at which a command may begin.
const BEGINNINGS: &[&str] = &[
    "rm", "curl", "wget", "dd", "shred", "mkfs", "chmod", "rmdir", "unlink", "shutdown", "reboot",
    "nc",
];

/// So many of them are looked at in one text.
const MAX_LOOKS: usize = 6;
/// A command in a text is taken to be no longer.
const MAX_COMMAND: usize = 300;
/// So many texts of a call are looked at.
const MAX_TEXTS: usize = 32;
/// Longer texts are documents.
const MAX_TEXT: usize = 16 * 1024;

/// Programs that show, search, store or send texts, and those whose texts are judged elsewhere.
static TEXTS: LazyLock<HashSet<&str>> = LazyLock::new(|| {
    "cargo task todo echo printf grep egrep fgrep zgrep rg ag ack sed awk cat tac tee head tail less more sort \
    uniq wc cut tr diff cmp git gh glab hub man info tldr cheat apropos whatis which type \
    whereis true false : curl wget http https xh jq yq mail mailx mutt sendmail logger \
    notify-send say espeak read alias unalias export declare typeset local readonly set unset \
    trap eval exec ssh docker docker-compose kubectl oc find fd xargs parallel sudo doas su env \
    tmux screen cd ls cp mv ln mkdir touch rm rmdir python node ruby perl php deno bun psql \
    mysql sqlite3 redis-cli mongosh mongo shellcheck shfmt bat pbcopy xclip xsel wl-copy column \
    nl fold fmt figlet cowsay lolcat base64 md5sum sha256sum sha1sum openssl gpg test [ [[ expr \
    let case pytest jest vitest npm pnpm yarn rake llm claude codex \
    aider gemini ollama hermes dialog whiptail zenity kdialog gum vim vi nvim nano emacs ed ex \
    code at batch crontab script flock watch history fc bind complete compgen shopt help strings \
    file stat tar zip unzip gzip ansible salt pdsh terraform helm aws gcloud az mapfile \
    readarray pwsh powershell cmd nft iptables perldoc pydoc explain howdoi slack telegram-send \
    jira linear conftest bats sponge look dict adb"
        .split(' ')
        .collect()
});

impl Machine<'_> {
    /// Looks for commands in what a call is given, if it is no call of a program that works on texts.
    pub(super) fn carried(
        &mut self,
        name: &str,
        args: &[Arg<'_>],
        stdin: &TextFlow,
        site: RunSite<'_>,
    ) {
        // `python -m timeit 'code'`, `npx zx <<< code`
        let runs_module = matches!(name, "python") && args.iter().any(|arg| arg.text == "-m")
            || name == "npx" && args.iter().any(|arg| arg.text == "zx");
        let works_on_texts = TEXTS.contains(name)
            || interpreters::is_shell(name)
            || wrappers::wrapper(name).is_some() && name != "strace" && name != "ltrace";
        let only_checks = args.iter().any(|arg| {
            matches!(
                arg.as_str(),
                "--check" | "--lint" | "--parse" | "--test" | "--dry-run" | "--validate"
            )
        });
        if name.is_empty() || only_checks || works_on_texts && !runs_module {
            return;
        }
        let given = args.iter().enumerate().filter_map(|(at, arg)| {
            let text = arg.text.as_ref();
            let before = at.checked_sub(1).map_or("", |at| args[at].as_str());
            let (name, value) =
                text.split_once('=').filter(|_| text.starts_with('-')).unwrap_or((before, text));
            (value.len() > 6 && !is_message(name)).then_some(value)
        });
        let piped = args.iter().filter_map(|arg| arg.pipe.as_ref()?.text.as_deref());
        // A record is data, whatever its fields say.
        let input =
            stdin.text.as_deref().filter(|text| !text.trim_start().starts_with(['{', '[', '<']));
        let mut texts: Vec<&str> = given.chain(piped).chain(input).collect();
        texts.truncate(MAX_TEXTS);
        if !self.charge(input.map_or(0, str::len)) {
            return;
        }
        let deletes = || texts.iter().any(|text| text.len() < MAX_TEXT && calls_delete(text));
        if !rules::is_listed(name) && gets_code(args, stdin) && deletes() {
            self.report(rules::SCRIPT, site);
            return;
        }
        self.carried_in(&texts, site);
    }

    /// Looks for commands in texts that some program gets.
    pub(super) fn carried_in(&mut self, texts: &[&str], site: RunSite<'_>) {
        let texts: Vec<String> =
            texts.iter().flat_map(|text| commands_in(text)).take(MAX_LOOKS).collect();
        for text in texts {
            if !self.charge(text.len() * 4) {
                return;
            }
            if !Machine::new(self.facts.host).walk(&text).findings.is_empty() {
                self.report(indirect::INDIRECT, site);
                return;
            }
        }
    }

    /// `test -v 'a[$(command)]'`: an index is worked out, and what is in it is run.
    pub(super) fn worked_out(&mut self, texts: &[&str], site: RunSite<'_>) {
        for text in texts {
            if let Some((_, inside)) = text.split_once("[$(")
                && let Some((command, _)) = inside.rsplit_once(')')
            {
                let command = command.to_owned();
                self.subshell_text(&command, site, &TextFlow::default());
            }
        }
    }
}

/// Whether the value of an option is for people to read, or to look for.
fn is_message(option: &str) -> bool {
    const WORDS: &[&str] = &[
        "message",
        "msg",
        "input",
        "text",
        "title",
        "body",
        "description",
        "comment",
        "note",
        "prompt",
        "query",
        "pattern",
        "regex",
        "name",
        "label",
        "tag",
        "data",
        "content",
        "expect",
        "summary",
        "reason",
        "subject",
    ];
    let option = option.trim_start_matches('-');
    option == "m" || option.len() > 1 && WORDS.iter().any(|word| option.contains(word))
}

/// Whether a program is handed code: behind an option for that, or on its input.
fn gets_code(args: &[Arg<'_>], stdin: &TextFlow) -> bool {
    let is_code = |arg: &Arg<'_>| {
        matches!(
            arg.as_str(),
            "-e" | "-c"
                | "-E"
                | "-r"
                | "-x"
                | "e"
                | "eval"
                | "-eval"
                | "--eval"
                | "--execute"
                | "--expr"
                | "--command"
        ) || arg.pipe.is_some()
    };
    stdin.text.is_some() || args.iter().any(is_code)
}

/// Whether a text in some language calls something that deletes or runs, with a text in brackets.
pub(super) fn calls_delete(text: &str) -> bool {
    const BEGINNINGS: &[&str] = &[
        "rm", "remove", "delete", "unlink", "rmdir", "rmtree", "erase", "deltree", "system",
        "exec", "shell", "spawn", "popen", "wipe", "truncate", "drop",
    ];
    let mut begins = true;
    text.char_indices().any(|(at, char)| {
        let is_word = char.is_ascii_alphanumeric() || char == '_';
        let found = begins && is_word && {
            let rest = &text[at..];
            let end = rest.find(|char: char| {
                !char.is_ascii_alphanumeric() && !matches!(char, '_' | '-' | '!')
            });
            let word = end.map_or(rest, |end| &rest[..end]).to_ascii_lowercase();
            let behind = rest[word.len()..].trim_start();
            BEGINNINGS.iter().any(|verb| word.starts_with(verb))
                && word.len() < 24
                && (behind.starts_with('(') || behind.starts_with(['"', '\'']))
        };
        begins = !is_word;
        found
    })
}

/// Pieces of a text that may be commands of a shell.
fn commands_in(text: &str) -> Vec<String> {
    let mut commands = Vec::new();
    if text.len() > MAX_TEXT {
        return commands;
    }
    let mut begins = true;
    for (at, char) in text.char_indices() {
        let is_word = char.is_ascii_alphanumeric() || matches!(char, '_' | '-' | '.');
        if begins && is_word && commands.len() < MAX_LOOKS {
            let rest = &text[at..];
            let word = rest
                .find(|char: char| !char.is_ascii_alphanumeric())
                .map_or(rest, |end| &rest[..end]);
            if BEGINNINGS.contains(&word) && word.len() < rest.len() {
                commands.push(command_at(text, at));
            }
        }
        begins = !is_word;
    }
    commands
}

/// The command that begins at a place of a text: up to where a bracket, a quotation or a line ends. Words
/// that are quoted one by one are joined.
fn command_at(text: &str, at: usize) -> String {
    let rest = &text[at..];
    let end = rest.char_indices().nth(MAX_COMMAND).map_or(rest.len(), |(end, _)| end);
    let rest = &rest[..end];
    let quote = text[..at].chars().next_back().filter(|char| matches!(char, '"' | '\'' | '`'));
    let closes = |char: char| matches!(char, ')' | ']' | '}' | '\n' | '`');
    let whole = match quote.and_then(|quote| rest.find(quote)) {
        Some(end) => &rest[..end],
        None => rest.find(closes).map_or(rest, |end| &rest[..end]),
    };
    if whole.contains(' ') {
        return whole.trim_end_matches('\\').to_owned();
    }
    let list = rest.find(closes).map_or(rest, |end| &rest[..end]);
    list.replace(['"', '\'', ','], " ")
}
