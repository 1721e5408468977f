//! A session at work.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

use hermes_guard::redact::Redactor;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use super::block::{Block, BlockKind};

/// Messages that wait for the turn before them.
const MOST_WAITING: usize = 8;
/// Blocks of one turn; of more, the oldest are found in the transcript when it is over.
const MOST_BLOCKS: usize = 600;

/// What a person says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Said {
    pub(crate) text: String,
    /// As `data:` addresses.
    pub(crate) pictures: Vec<String>,
    /// The model for this turn, if not the configured one: name and perhaps provider.
    pub(crate) model: Option<String>,
}

/// What came of something that was said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Heard {
    /// Somebody has to see to it that the room works.
    Begin,
    /// It waits for its turn.
    Waits,
    /// Too much waits already.
    Full,
}

#[derive(Default)]
struct RoomState {
    blocks: Vec<Block>,
    next: u64,
    changed: u64,
    waiting: VecDeque<(u64, Said)>,
    is_busy: bool,
    stop: CancellationToken,
    /// The last message of the record before the turn.
    before: i64,
}

/// A session at work, or at rest.
pub(crate) struct Room {
    pub(crate) session: String,
    redactor: Redactor,
    state: Mutex<RoomState>,
    news: watch::Sender<u64>,
}

/// How a room stands for a page that shows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RoomView {
    pub(crate) is_busy: bool,
    /// While it works: the last message that the page itself shows.
    pub(crate) before: Option<i64>,
    /// The change from which on the page listens.
    pub(crate) after: u64,
}

impl Room {
    pub(crate) fn new(session: String, redactor: Redactor) -> Self {
        Self { session, redactor, state: Mutex::default(), news: watch::Sender::new(0) }
    }

    fn lock(&self) -> MutexGuard<'_, RoomState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn tell(&self, state: MutexGuard<'_, RoomState>) {
        let changed = state.changed;
        drop(state);
        self.news.send_replace(changed);
    }

    /// Somebody says something.
    pub(crate) fn say(&self, said: Said) -> Heard {
        let mut state = self.lock();
        if state.waiting.len() >= MOST_WAITING {
            return Heard::Full;
        }
        let heard = if state.is_busy { Heard::Waits } else { Heard::Begin };
        if !state.is_busy {
            state.blocks.clear();
            state.is_busy = true;
            // Until the turn begins, all that is recorded was before it.
            state.before = i64::MAX;
        }
        let what = BlockKind::User {
            text: said.text.clone(),
            pictures: said.pictures.clone(),
            waits: heard == Heard::Waits,
        };
        let block = state.add(what);
        state.waiting.push_back((block, said));
        self.tell(state);
        heard
    }

    /// What is said next; without any the room rests.
    pub(crate) fn next_said(&self) -> Option<(Said, CancellationToken)> {
        let mut state = self.lock();
        let Some((block, said)) = state.waiting.pop_front() else {
            state.is_busy = false;
            return None;
        };
        // What was there before is in the record now.
        let waiting: Vec<u64> = state.waiting.iter().map(|(id, _)| *id).collect();
        state.blocks.retain(|one| one.id == block || waiting.contains(&one.id));
        state.change(block, |what| {
            if let BlockKind::User { waits, .. } = what {
                *waits = false;
            }
        });
        state.before = i64::MAX;
        state.stop = CancellationToken::new();
        let stop = state.stop.clone();
        self.tell(state);
        Some((said, stop))
    }

    /// A turn is over; whether there is another. Whoever sees its end finds the room as it is then.
    pub(crate) fn finish(&self, end: BlockKind) -> bool {
        let mut state = self.lock();
        state.add(end);
        let has_more = !state.waiting.is_empty();
        state.is_busy = has_more;
        state.before = i64::MAX;
        self.tell(state);
        has_more
    }

    /// A turn begins after this message of the record.
    pub(crate) fn begins_after(&self, message: i64) {
        self.lock().before = message;
    }

    /// Adds a piece; its number.
    pub(crate) fn add(&self, what: BlockKind) -> u64 {
        let mut state = self.lock();
        let id = state.add(what);
        self.tell(state);
        id
    }

    /// Changes a piece that is still there.
    pub(crate) fn change(&self, id: u64, change: impl FnOnce(&mut BlockKind)) {
        let mut state = self.lock();
        state.change(id, change);
        self.tell(state);
    }

    /// Adds to the last piece if `join` takes it, or begins a new one.
    pub(crate) fn go_on(&self, join: impl Fn(&mut BlockKind) -> bool, new: BlockKind) {
        let mut state = self.lock();
        state.changed += 1;
        let changed = state.changed;
        let joined = state.blocks.last_mut().is_some_and(|last| {
            let joins = join(&mut last.what);
            if joins {
                last.changed = changed;
            }
            joins
        });
        if !joined {
            state.add(new);
        }
        self.tell(state);
    }

    /// Ends the turn that runs, and forgets what waits.
    pub(crate) fn stop(&self) {
        let mut state = self.lock();
        for (block, said) in std::mem::take(&mut state.waiting) {
            let text = format!("Not said any more: {}", said.text);
            state.change(block, |what| *what = BlockKind::Notice { level: "warning", text });
        }
        state.stop.cancel();
        self.tell(state);
    }

    /// Whether a turn runs.
    pub(crate) fn is_busy(&self) -> bool {
        self.lock().is_busy
    }

    /// For a page that is about to be made.
    pub(crate) fn view(&self) -> RoomView {
        let state = self.lock();
        match state.is_busy {
            true => RoomView { is_busy: true, before: Some(state.before), after: 0 },
            false => RoomView { is_busy: false, before: None, after: state.changed },
        }
    }

    /// What changed after a number, each piece as it is now, as it may be shown.
    pub(crate) fn after(&self, seen: u64) -> Vec<Block> {
        let state = self.lock();
        let newer = state.blocks.iter().filter(|block| block.changed > seen);
        let mut newer: Vec<Block> = newer.cloned().collect();
        drop(state);
        newer.sort_by_key(|block| block.changed);
        for block in &mut newer {
            block.what = block.what.clone().masked(self.redactor);
        }
        newer
    }

    /// Hears of changes.
    pub(crate) fn news(&self) -> watch::Receiver<u64> {
        self.news.subscribe()
    }

    /// Whether nobody works or looks here.
    pub(crate) fn is_idle(&self) -> bool {
        !self.is_busy() && self.news.receiver_count() == 0
    }
}

impl RoomState {
    fn add(&mut self, what: BlockKind) -> u64 {
        self.next += 1;
        self.changed += 1;
        self.blocks.push(Block { id: self.next, changed: self.changed, what });
        if self.blocks.len() > MOST_BLOCKS {
            self.blocks.remove(0);
        }
        self.next
    }

    fn change(&mut self, id: u64, change: impl FnOnce(&mut BlockKind)) {
        let Some(block) = self.blocks.iter_mut().find(|block| block.id == id) else { return };
        self.changed += 1;
        block.changed = self.changed;
        change(&mut block.what);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(room: &Room, more: &str) {
        room.go_on(
            |last| match last {
                BlockKind::Text { text } => {
                    text.push_str(more);
                    true
                }
                _ => false,
            },
            BlockKind::Text { text: more.to_owned() },
        );
    }

    fn said(text: &str) -> Said {
        Said { text: text.to_owned(), ..Said::default() }
    }

    #[test]
    fn a_tab_gets_each_piece_as_it_is_now_and_none_twice() {
        let room = Room::new("s".into(), Redactor::default());
        assert_eq!(room.say(said("hi")), Heard::Begin);
        room.next_said().unwrap();
        text(&room, "Hel");
        let first = room.after(0);
        assert_eq!(first.len(), 2);
        let seen = first.last().unwrap().changed;
        assert!(room.after(seen).is_empty());
        text(&room, "lo");
        text(&room, "!");
        let more = room.after(seen);
        assert_eq!(more.len(), 1);
        assert!(matches!(&more[0].what, BlockKind::Text { text } if text == "Hello!"));
        assert_eq!(room.after(0).len(), 2, "a second tab gets everything");
    }

    #[test]
    fn what_is_said_meanwhile_waits_and_too_much_is_refused() {
        let room = Room::new("s".into(), Redactor::default());
        assert_eq!(room.say(said("one")), Heard::Begin);
        room.next_said().unwrap();
        for _ in 0..MOST_WAITING {
            assert_eq!(room.say(said("more")), Heard::Waits);
        }
        assert_eq!(room.say(said("too much")), Heard::Full);
        room.stop();
        assert!(room.next_said().is_none());
        assert!(!room.is_busy());
    }

    #[test]
    fn a_long_turn_does_not_grow_without_end() {
        let room = Room::new("s".into(), Redactor::default());
        for number in 0..MOST_BLOCKS * 3 {
            room.add(BlockKind::Notice { level: "info", text: number.to_string() });
        }
        assert_eq!(room.after(0).len(), MOST_BLOCKS);
    }
}
