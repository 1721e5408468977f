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
//! Locally the state goes to a file of its own for each call, which we rename when it is complete;
//! no process is spent on it. Elsewhere the shell renames it and tells its directory in its output,
//! between two [markers](Scripts::marker) that are taken out again ([`marker`]).
//!
//! What never happens here: a variable that was unset comes back, a half-written snapshot is read,
//! or a name of ours is left in the snapshot.

use std::fmt::Write as _;

use crate::backend::Reach;
use crate::quote::{always_quoted, directory, quoted};

pub(crate) mod marker;
pub(crate) mod state;

const FINISH: &str = include_str!("finish.sh");
const DUMP: &str = include_str!("dump.sh");
const EVERYTHING: &str = include_str!("everything.sh");
const SNAPSHOT: &str = include_str!("snapshot.sh");

/// What the exit trap calls. Errors and traces of ours go nowhere.
const CALL: &str = r#"{ __hermes_finish "$?"; } 2>/dev/null"#;

/// Put in front of a program that replaces the shell, whose exit trap would never run.
pub(crate) const BEFORE_EXEC: &str = "__hermes_finish 0 2>/dev/null";

/// Variables that say whose command it is: bound anew for each call, never inherited.
pub(crate) const SESSION_VARIABLES: &[&str] = &[
    "HERMES_SESSION_PLATFORM",
    "HERMES_SESSION_SOURCE",
    "HERMES_SESSION_CHAT_ID",
    "HERMES_SESSION_CHAT_NAME",
    "HERMES_SESSION_THREAD_ID",
    "HERMES_SESSION_USER_ID",
    "HERMES_SESSION_USER_NAME",
    "HERMES_SESSION_KEY",
    "HERMES_SESSION_ID",
    "HERMES_SESSION_MESSAGE_ID",
    "HERMES_SESSION_PROFILE",
    "HERMES_UI_SESSION_ID",
];

/// The variable by which the guard of a session finds the processes of a call.
pub(crate) const CALL_TAG: &str = "HERMES_EXEC_CALL";

/// The scripts of one session.
#[derive(Clone, Debug)]
pub(crate) struct Scripts {
    folder: String,
    id: String,
    reach: Reach,
}

/// A command with what its shell needs to know.
pub(crate) struct Wrapped<'a> {
    pub(crate) command: &'a str,
    pub(crate) cwd: &'a str,
    /// Names this call among those of the session.
    pub(crate) call: &'a str,
    pub(crate) exports: &'a [(String, String)],
    pub(crate) keep: Keep,
    pub(crate) snapshot: UseSnapshot,
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

/// Whether there is a snapshot to begin with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum UseSnapshot {
    /// The shell reads it.
    Yes,
    /// The shell goes on with the variables it was started with.
    No,
}

impl Scripts {
    pub(crate) fn new(temp_dir: &str, id: &str, reach: Reach) -> Self {
        let folder = format!("{}/hermes-exec-{id}", temp_dir.trim_end_matches('/'));
        Self { folder, id: id.to_owned(), reach }
    }

    pub(crate) fn id(&self) -> &str {
        &self.id
    }

    pub(crate) fn reach(&self) -> Reach {
        self.reach
    }

    /// The session's own folder, for nobody else to see.
    pub(crate) fn folder(&self) -> &str {
        &self.folder
    }

    /// What the next shell reads.
    pub(crate) fn snapshot_file(&self) -> String {
        format!("{}/snapshot.sh", self.folder)
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

    /// What the processes of a call carry in their environment. The full stop ends the number, so
    /// that it is not taken for the beginning of a longer one.
    pub(crate) fn tag(&self, call: &str) -> String {
        format!("{}-{call}.", self.id)
    }

    /// What stands around a directory in the output of a shell out of our reach.
    pub(crate) fn marker(&self) -> String {
        format!("__HERMES_CWD_{}__", self.id)
    }

    /// The functions a shell needs to keep its state. They have a file of their own, so that the
    /// command is on the first line of its script and error messages count from there.
    pub(crate) fn prelude(&self) -> String {
        FINISH
            .replace("@STATE@", &self.dump(Keep::State))
            .replace("@DIRECTORY@", &self.dump(Keep::Directory))
            .replace("@TELL@", &self.tell())
            .replace("@CALL@", CALL)
    }

    /// Makes the first snapshot, from what the user's own start-up files set.
    pub(crate) fn first_snapshot(&self, init_files: &[String], call: &str) -> String {
        let mut script = self.preface(call);
        let _ = writeln!(script, "__hermes_from= __hermes_call={call}");
        for file in init_files {
            let file = directory(file);
            let _ = writeln!(script, "[ -r {file} ] && . {file} >/dev/null 2>&1 </dev/null");
        }
        script.push_str(&SNAPSHOT.replace("@DUMP@", &self.dump(Keep::State)));
        script
    }

    /// The script of one command.
    pub(crate) fn wrap(&self, wrapped: &Wrapped<'_>) -> String {
        let Wrapped { command, cwd, call, exports, keep, snapshot } = wrapped;
        let mut script = String::with_capacity(command.len() + 1_000);
        script.push_str(&self.preface(call));
        if *keep != Keep::Nothing {
            let _ = write!(script, "\\builtin source {}; ", quoted(&self.prelude_file()));
        }
        if *snapshot == UseSnapshot::Yes {
            if self.reach == Reach::Remote {
                // What the snapshot does not have was unset, whatever the surroundings offer.
                script.push_str("\\builtin unset -v $(\\builtin compgen -e) 2>/dev/null; ");
            }
            let file = quoted(&self.snapshot_file());
            let _ = write!(script, "\\builtin source {file} >/dev/null 2>&1; ");
            let _ = write!(script, "\\builtin unset -v {}; ", SESSION_VARIABLES.join(" "));
        }
        for (name, value) in *exports {
            let _ = write!(script, "\\builtin export {name}={}; ", always_quoted(value));
        }
        if self.reach == Reach::Remote {
            let _ = write!(script, "\\builtin export {CALL_TAG}={}; ", self.tag(call));
        }
        let _ = write!(script, "\\builtin cd -P -- {} || \\builtin exit 126; ", directory(cwd));
        if *keep != Keep::Nothing {
            // A directory the command did not choose is not one to remember.
            let _ = write!(
                script,
                "__hermes_from=$PWD __hermes_call={call} __hermes_keep={}; ",
                keep.word()
            );
            let trap = always_quoted(&format!("{CALL}\n"));
            let _ = write!(script, "\\builtin trap -- {} EXIT; ", trap.replace('\n', "'$'\\n''"));
        }
        let _ = write!(script, "\\builtin eval {}", always_quoted(command));
        script
    }

    /// Out of our reach: what the command writes goes one way, so that the client's own words are
    /// alone on the other; and a call that was told to end before it began does not begin.
    fn preface(&self, call: &str) -> String {
        match self.reach {
            Reach::Local => String::new(),
            Reach::Remote => format!(
                "exec 2>&1; [ ! -e {end} ] && [ -d {folder} ] || exit 137; ",
                end = quoted(&self.end_file(call)),
                folder = quoted(&self.folder),
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
            (Reach::Local, _) => format!("{dump} >{state}"),
            (Reach::Remote, Keep::State) => {
                let snapshot = quoted(&self.snapshot_file());
                format!(
                    "builtin export -n {CALL_TAG}\n( builtin umask 077\n{dump} >{state} && \
                     command mv -f {state} {snapshot} )"
                )
            }
            (Reach::Remote, Keep::Directory | Keep::Nothing) => ":".to_owned(),
        }
    }

    /// Tells the directory, where it cannot be read from a file.
    fn tell(&self) -> String {
        match self.reach {
            Reach::Local => ":".to_owned(),
            Reach::Remote => {
                let marker = self.marker();
                format!(
                    "builtin cd -P .\n\
                     [[ $PWD != \"$__hermes_from\" ]] || PWD=\n\
                     builtin printf '\\n%s%s%s\\n' {marker} \"$PWD\" {marker}"
                )
            }
        }
    }
}
