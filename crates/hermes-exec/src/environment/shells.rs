//! The shells of those who share an environment: each conversation finds its own directory,
//! variables, functions and aliases, and nobody else's.

use std::collections::HashMap;
use std::sync::Arc;

use hermes_guard::command::KeptShell;

use crate::session::kept::KeptState;

/// The most conversations whose shells are remembered; who was away longest begins anew.
const MOST_SHELLS: usize = 512;

/// What one conversation's shell begins with.
#[derive(Clone)]
pub(super) struct SessionShell {
    /// Tells its snapshot from the others'; zero is the one that all begin with.
    pub(super) number: u64,
    pub(super) cwd: String,
    /// What the next shell on this machine begins with.
    pub(super) kept: Arc<KeptState>,
    /// The same for the gate; nothing where the state is out of our reach.
    pub(super) readable: Option<Arc<KeptShell>>,
}

/// Everybody's shells.
pub(super) struct Shells {
    first: SessionShell,
    own: HashMap<String, (SessionShell, u64)>,
    /// Counts uses, and so tells who was here last.
    clock: u64,
}

/// Whose command it is, and what its judgement knew.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct CommandOwner<'a> {
    pub(super) session: &'a str,
    pub(super) judged: Option<&'a Arc<KeptShell>>,
}

impl Shells {
    /// All begin here.
    pub(super) fn new(cwd: String, kept: KeptState, is_readable: bool) -> Self {
        let readable = is_readable.then(|| Arc::new(read(&kept, None)));
        let first = SessionShell { number: 0, cwd, kept: Arc::new(kept), readable };
        Self { first, own: HashMap::new(), clock: 0 }
    }

    /// As it is, without making a new one.
    pub(super) fn look(&self, session: &str) -> &SessionShell {
        self.own.get(session).map_or(&self.first, |(shell, _)| shell)
    }

    /// A conversation's own shell, which it gets with its first command.
    pub(super) fn of(&mut self, session: &str) -> &mut SessionShell {
        self.clock += 1;
        if !self.own.contains_key(session) && self.own.len() >= MOST_SHELLS {
            let idle = self.own.iter().min_by_key(|(_, (_, used))| *used);
            if let Some(idle) = idle.map(|(name, _)| name.clone()) {
                self.own.remove(&idle);
            }
        }
        let number = self.clock;
        let own = self.own.entry(session.to_owned());
        let (shell, used) =
            own.or_insert_with(|| (SessionShell { number, ..self.first.clone() }, number));
        *used = number;
        shell
    }

    /// Gives up what is kept for a conversation that is over.
    pub(super) fn forget(&mut self, session: &str) {
        self.own.remove(session);
    }

    /// Takes in what a command left.
    pub(super) fn leave(&mut self, session: &str, kept: KeptState) {
        let first = self.first.readable.clone();
        let shell = self.of(session);
        if *shell.kept != kept {
            shell.readable = first.map(|first| Arc::new(read(&kept, Some(&first))));
            shell.kept = Arc::new(kept);
        }
    }
}

fn read(kept: &KeptState, first: Option<&KeptShell>) -> KeptShell {
    let text = |part: &std::ffi::OsString| part.to_string_lossy().into_owned();
    let variables = kept.variables.iter().map(|(name, value)| (text(name), text(value)));
    KeptShell::read(variables, &String::from_utf8_lossy(&kept.script), first)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_was_away_longest_begins_anew() {
        let mut shells = Shells::new("/".to_owned(), KeptState::default(), true);
        shells.of("a").cwd = "/a".to_owned();
        for number in 0..MOST_SHELLS - 1 {
            shells.of(&number.to_string()).cwd = "/n".to_owned();
        }
        shells.of("a");
        shells.of("one more");
        assert_eq!((shells.look("a").cwd.as_str(), shells.look("0").cwd.as_str()), ("/a", "/"));
        assert_eq!(shells.own.len(), MOST_SHELLS);
    }
}
