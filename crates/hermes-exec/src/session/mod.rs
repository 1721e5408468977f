//! A shell that forgets nothing, made of shells that live for one command.
//!
//! Every command runs in a fresh `bash -c`. What it leaves behind (its directory, exported
//! variables, functions, aliases) is written to a *snapshot* when the shell ends, and the next
//! shell begins by reading that. So commands can run at once, one that hangs can be killed without
//! losing the others, and nothing a command does to its shell survives but what is in the snapshot.
//!
//! The state is written from the shell's exit trap, so that `exit`, a failed command under `set -e`
//! and a signal do not lose it. A trap the command sets for itself still fires, after ours: a
//! function named `trap` puts the two together. A program that replaces the shell (`exec`) is
//! announced by [`BEFORE_EXEC`], which is put in front of it.
//!
//! Locally the state goes to a file of its own for each call. We read it when it is complete and
//! hand most of it to the next shell as its environment ([`kept`]); no process is spent on it, and
//! most shells read no file at all. Elsewhere the shell renames it and tells its directory in its
//! output, between two [markers](Scripts::marker) that are taken out again ([`marker`]).
//!
//! What never happens here: a variable that was unset comes back, a half-written snapshot is read,
//! or a name of ours is left in the snapshot.

use std::fmt::Write as _;

use crate::backend::{CALL_TAG, FileReach};
use crate::child_env::{SESSION_PREFIX, SESSION_VARIABLES};
use crate::quote::{always_quoted, directory, quoted};

pub(crate) mod kept;
pub(crate) mod marker;
pub(crate) mod state;

use kept::KeptState;

const FINISH: &str = include_str!("finish.sh");
const TRAP: &str = include_str!("trap.sh");
const DUMP: &str = include_str!("dump.sh");
const EVERYTHING: &str = include_str!("everything.sh");
const SNAPSHOT: &str = include_str!("snapshot.sh");
const SEARCH_PATH: &str = include_str!("search_path.sh");

/// What the exit trap calls. Errors and traces of ours go nowhere.
const CALL: &str = r#"{ __hermes_finish "$?"; } 2>/dev/null"#;

/// Put in front of a program that replaces the shell, whose exit trap would never run.
pub(crate) const BEFORE_EXEC: &str = "__hermes_finish 0 exec 2>/dev/null";

/// Puts back what was there before sudo was told whom to ask.
const OWN_ASKPASS: &str = "if [[ -n ${__hermes_ask+x} ]]; then SUDO_ASKPASS=$__hermes_ask; \
                           [[ -n $SUDO_ASKPASS ]] || builtin unset -v SUDO_ASKPASS; fi";

/// The most bytes of a command that fit into an argument, with all that is wrapped around it and
/// each of its characters quoted for two shells in a row.
const LONGEST_ARGUMENT: usize = 8_000;

/// Whether a command is too long for an argument. Its shell reads it from its input, up to a zero.
pub(crate) fn is_long(command: &str) -> bool {
    command.len() > LONGEST_ARGUMENT
}

/// What the shell of a wrapped command reads before the command does.
pub(crate) fn first_input(command: &str, password: Option<&str>) -> Vec<u8> {
    let mut input = password.map(|password| format!("{password}\n")).unwrap_or_default();
    if is_long(command) {
        input.push_str(command);
        input.push('\0');
    }
    input.into_bytes()
}

/// The scripts of one session.
#[derive(Clone, Debug)]
pub(crate) struct Scripts {
    folder: String,
    id: String,
    reach: FileReach,
}

/// A command with what its shell needs to know.
pub(crate) struct Wrapped<'a> {
    pub(crate) command: &'a str,
    pub(crate) cwd: &'a str,
    /// Names this call among those of the session.
    pub(crate) call: &'a str,
    /// Which snapshot is its own; see [`Scripts::snapshot_file`].
    pub(crate) snapshot: u64,
    pub(crate) exports: &'a [(String, String)],
    pub(crate) keep: Keep,
    pub(crate) start: ShellStart<'a>,
    pub(crate) password: Password,
}

/// Whether the first line of the input is a password for sudo.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Password {
    /// It is, and goes to [`Scripts::password_file`].
    OnInput,
    /// All of the input is the command's.
    None,
}

/// Whether the next command sees what this one did to its shell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Keep {
    /// Directory, variables, functions and aliases are kept.
    State,
    /// Only the directory is told.
    Directory,
    /// Nothing is kept.
    Nothing,
}

impl Keep {
    /// As the prelude knows it.
    const fn word(self) -> &'static str {
        match self {
            Self::State => "state",
            Self::Directory | Self::Nothing => "directory",
        }
    }
}

/// What a shell begins with.
#[derive(Clone, Copy, Debug)]
pub(crate) enum ShellStart<'a> {
    /// The snapshot, which it reads.
    Snapshot,
    /// This, which is in its environment already but for what must be read.
    Kept(&'a KeptState),
    /// The variables it was started with.
    Inherited,
}

impl Scripts {
    pub(crate) fn new(temp_dir: &str, id: &str, reach: FileReach) -> Self {
        let folder = format!("{}/hermes-exec-{id}", temp_dir.trim_end_matches('/'));
        Self { folder, id: id.to_owned(), reach }
    }

    pub(crate) fn id(&self) -> &str {
        &self.id
    }

    pub(crate) fn reach(&self) -> FileReach {
        self.reach
    }

    /// The session's own folder, for nobody else to see.
    pub(crate) fn folder(&self) -> &str {
        &self.folder
    }

    /// What the next shell reads. Zero is the first, with which every conversation begins.
    pub(crate) fn snapshot_file(&self, number: u64) -> String {
        format!("{}/snapshot{number}.sh", self.folder)
    }

    /// What every shell that keeps its state reads first.
    pub(crate) fn prelude_file(&self) -> String {
        format!("{}/prelude.sh", self.folder)
    }

    /// What one call writes before it takes the snapshot's place.
    pub(crate) fn state_file(&self, call: &str) -> String {
        format!("{}/{call}.state", self.folder)
    }

    /// What is there once a call has been told to end, so that it does not begin after that.
    pub(crate) fn end_file(&self, call: &str) -> String {
        format!("{}/{call}.end", self.folder)
    }

    /// What sudo is told during one call.
    pub(crate) fn password_file(&self, call: &str) -> String {
        format!("{}/{call}.word", self.folder)
    }

    /// What sudo runs to be told.
    pub(crate) fn asked_file(&self, call: &str) -> String {
        format!("{}/{call}.ask", self.folder)
    }

    /// Options that make sudo run a program for the password, and hand it the file it is in for a
    /// prompt: where nothing of ours can be executed that program is `cat`.
    pub(crate) fn sudo_options(&self, call: &str) -> String {
        format!("-A -p {}", quoted(&self.password_file(call).replace('%', "%%")))
    }

    /// What the processes of a call carry in their environment. The full stop ends the number, so
    /// that it is not taken for the beginning of a longer one.
    pub(crate) fn tag(&self, call: &str) -> String {
        format!("{}-{call}.", self.id)
    }

    /// What a shell says, before its command begins, that finds nothing of its session: the
    /// environment is a new one, and another call has begun a session in it meanwhile.
    pub(crate) fn lost(&self) -> String {
        format!("hermes-session-{}-is-lost", self.id)
    }

    /// What stands around a directory in the output of a shell out of our reach.
    pub(crate) fn marker(&self) -> String {
        format!("__HERMES_CWD_{}__", self.id)
    }

    /// The functions a shell needs to keep its state. They have a file of their own, so that the
    /// command is on the first line of its script and error messages count from there. On this
    /// machine only commands that set traps read it.
    pub(crate) fn prelude(&self) -> String {
        let trap = TRAP.replace("@CALL@", CALL);
        match self.reach {
            FileReach::Local => trap,
            FileReach::Remote => {
                let dump = format!(
                    "if [[ $__hermes_keep == state ]]; then\n{}\nelse\n{}\nfi",
                    self.dump(Keep::State),
                    self.dump(Keep::Directory)
                );
                FINISH.replace("@DUMP@", &dump).replace("@TELL@", &self.tell()) + &trap
            }
        }
    }

    /// The same functions for a shell on this machine, on one line: reading a file costs more than
    /// the rest of it.
    fn inline_prelude(&self, keep: Keep) -> String {
        let finish = FINISH.replace("@DUMP@", &self.dump(keep)).replace("@TELL@", ":");
        let line: Vec<&str> = finish.lines().map(str::trim).collect();
        let file = quoted(&self.prelude_file());
        format!("{}; trap() {{ \\builtin source {file}; trap \"$@\"; }}; ", line.join(" "))
    }

    /// Makes the first snapshot, from what the user's own start-up files set.
    ///
    /// Many of those set `PATH` anew, and with it forget what the caller's shell had switched on: a virtual
    /// environment, a version of Node. What is missing of the caller's `PATH` comes back: in front what stood
    /// in front there, the rest at the end.
    pub(crate) fn first_snapshot(
        &self,
        init_files: &[String],
        caller_path: Option<&str>,
        call: &str,
    ) -> String {
        let mut script = self.preface(call);
        let _ = writeln!(script, "__hermes_from= __hermes_call={call} __hermes_snapshot=0");
        for file in init_files {
            let file = directory(file);
            let _ = writeln!(script, "[ -r {file} ] && . {file} >/dev/null 2>&1 </dev/null");
        }
        let search_path = caller_path.map_or_else(String::new, |path| {
            let entries: Vec<String> =
                path.split(':').filter(|entry| !entry.is_empty()).map(always_quoted).collect();
            SEARCH_PATH.replace("@CALLER@", &entries.join(" "))
        });
        let snapshot = SNAPSHOT.replace("@DUMP@", &self.dump(Keep::State));
        script.push_str(&snapshot.replace("@PATH@", &search_path));
        script
    }

    /// The script of one command.
    pub(crate) fn wrap(&self, wrapped: &Wrapped<'_>) -> String {
        let Wrapped { command, cwd, call, snapshot, exports, keep, start, password } = wrapped;
        let mut script = String::with_capacity(command.len() + 1_000);
        script.push_str(&self.preface(call));
        match (self.reach, keep) {
            (_, Keep::Nothing) => {}
            (FileReach::Local, keep) => script.push_str(&self.inline_prelude(*keep)),
            (FileReach::Remote, _) => {
                let _ = write!(script, "\\builtin source {}; ", quoted(&self.prelude_file()));
            }
        }
        match start {
            ShellStart::Snapshot => {
                // What the snapshot does not have was unset, whatever the surroundings offer.
                script.push_str("\\builtin unset -v $(\\builtin compgen -e) 2>/dev/null; ");
                self.read_snapshot(*snapshot, &mut script);
            }
            ShellStart::Kept(kept) => {
                if !kept.script.is_empty() {
                    self.read_snapshot(*snapshot, &mut script);
                }
                script.push_str("\\builtin shopt -s expand_aliases; ");
            }
            ShellStart::Inherited => {}
        }
        for (name, value) in *exports {
            let _ = write!(script, "\\builtin export {name}={}; ", always_quoted(value));
        }
        if self.reach == FileReach::Remote {
            let _ = write!(script, "\\builtin export {CALL_TAG}={}; ", self.tag(call));
        }
        if *password == Password::OnInput {
            let (word, ask) = (quoted(&self.password_file(call)), quoted(&self.asked_file(call)));
            let _ = write!(
                script,
                "IFS= \\builtin read -r __hermes_word; ( \\builtin umask 077; \\builtin printf \
                 '%s\\n' \"$__hermes_word\" >{word}; \\builtin printf '#!/bin/sh\\nexec cat %q\\n' \
                 {word} >{ask}; \\command chmod 700 {ask} ); \\builtin unset -v __hermes_word; \
                 __hermes_ask=${{SUDO_ASKPASS-}}; \\builtin export SUDO_ASKPASS={ask}; [[ -x {ask} ]] \
                 || SUDO_ASKPASS=$(\\builtin type -P cat); "
            );
        }
        let _ = write!(script, "\\builtin cd -P -- {} || \\builtin exit 126; ", directory(cwd));
        if let ShellStart::Kept(KeptState { previous: Some(previous), .. }) = start
            && let Some(previous) = previous.to_str()
        {
            let _ = write!(script, "OLDPWD={}; ", always_quoted(previous));
        }
        if *keep != Keep::Nothing {
            // A directory the command did not choose is not one to remember.
            let _ = write!(script, "__hermes_from=$PWD __hermes_call={call}");
            if self.reach == FileReach::Remote {
                let keep = keep.word();
                let _ = write!(script, " __hermes_keep={keep} __hermes_snapshot={snapshot}");
            }
            script.push_str("; ");
            let trap = always_quoted(&format!("{CALL}\n"));
            let _ = write!(script, "\\builtin trap -- {} EXIT; ", trap.replace('\n', "'$'\\n''"));
        }
        if is_long(command) {
            script.push_str("IFS= \\builtin read -r -d '' __hermes_text; ");
            script.push_str("\\builtin eval \"$__hermes_text\"");
        } else {
            let _ = write!(script, "\\builtin eval {}", always_quoted(command));
        }
        script
    }

    /// Reads the snapshot, but for whose commands the last ones were.
    fn read_snapshot(&self, number: u64, script: &mut String) {
        let own = quoted(&self.snapshot_file(number));
        let first = quoted(&self.snapshot_file(0));
        let _ = write!(
            script,
            "if [ -r {own} ]; then \\builtin source {own}; else \\builtin source {first}; fi \
             >/dev/null 2>&1; "
        );
        let names = SESSION_VARIABLES.join(" ");
        let _ = write!(script, "\\builtin unset -v {names} ${{!{SESSION_PREFIX}@}}; ");
    }

    /// Out of our reach: what the command writes goes one way, so that the client's own words are
    /// alone on the other; and a call that was told to end before it began does not begin.
    fn preface(&self, call: &str) -> String {
        match self.reach {
            FileReach::Local => String::new(),
            FileReach::Remote => format!(
                "[ -d {folder} ] || {{ echo {lost} >&2; exit 137; }}; exec 2>&1; [ ! -e {end} ] || \
                 exit 137; ",
                end = quoted(&self.end_file(call)),
                folder = quoted(&self.folder),
                lost = self.lost(),
            ),
        }
    }

    /// Writes the state, and puts it in the snapshot's place where we cannot.
    fn dump(&self, keep: Keep) -> String {
        let everything = match keep {
            Keep::State => EVERYTHING.trim_end(),
            Keep::Directory | Keep::Nothing => "",
        };
        let dump = DUMP.trim_end().replace("@EVERYTHING@", everything);
        let state = format!("{}/\"$__hermes_call\".state", quoted(&self.folder));
        match (self.reach, keep) {
            (FileReach::Local, _) => format!("{dump} >{state}"),
            (FileReach::Remote, Keep::State) => {
                let snapshot =
                    format!("{}/snapshot\"$__hermes_snapshot\".sh", quoted(&self.folder));
                format!(
                    "builtin export -n {CALL_TAG}\n( builtin umask 077\n{OWN_ASKPASS}\n{dump} \
                     >{state} && command mv -f {state} {snapshot} )"
                )
            }
            (FileReach::Remote, Keep::Directory | Keep::Nothing) => ":".to_owned(),
        }
    }

    /// Tells the directory, where it cannot be read from a file.
    fn tell(&self) -> String {
        match self.reach {
            FileReach::Local => ":".to_owned(),
            FileReach::Remote => {
                let marker = self.marker();
                let word = format!("{}/\"$__hermes_call\".{{word,ask}}", quoted(&self.folder));
                format!(
                    "[[ -z ${{__hermes_ask+x}} || $2 == exec ]] || command rm -f {word}\n\
                     builtin cd -P .\n\
                     [[ $PWD != \"$__hermes_from\" ]] || PWD=\n\
                     builtin printf '\\n%s%s%s\\n' {marker} \"$PWD\" {marker}"
                )
            }
        }
    }
}
