//! Runs a parser that nobody here wrote so that no content can hurt the process.
//!
//! Recursive parsers meet three dangers: content nested so deeply that the stack overflows
//! (which ends the process), content that makes them try alternatives for minutes, and panics.
//! Each check therefore gets a thread of its own:
//!
//! - Its stack grows with the number of tokens, because no parser can descend further than one
//!   level per token. The memory is only reserved; pages are used when the nesting is real.
//! - The caller waits until a deadline and then moves on. A thread cannot be stopped from
//!   outside, so a late one finishes on its own; once [`MAX_ABANDONED`] of them are still busy,
//!   nothing more is started until one is done.
//! - A panic ends that thread and becomes [`SyntaxVerdict::Skipped`].

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use super::SyntaxVerdict;

/// How long a caller waits for one check.
pub(super) const DEADLINE: Duration = Duration::from_secs(2);

/// How many checks that missed their deadline may still be running.
const MAX_ABANDONED: usize = 4;

/// Stack that every check has.
const BASE_STACK: usize = 8 * 1024 * 1024;

/// Most stack a check may reserve; content that might need more is not checked.
const MAX_STACK: usize = 512 * 1024 * 1024;

/// Brackets nested deeper than this are no program; some parsers need quadratic time for them.
const MAX_NESTING: usize = 1000;

/// Checks that missed their deadline and are still running.
static ABANDONED: AtomicUsize = AtomicUsize::new(0);

/// How much stack a parser may need.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stack {
    per_token: usize,
}

impl Stack {
    /// For parsers that keep their nesting on the heap, or limit it.
    pub(super) const FIXED: Stack = Stack { per_token: 0 };

    /// For recursive parsers: bytes per token in an optimised build. Frames are several times
    /// larger without optimisation.
    pub(super) const fn per_token(bytes: usize) -> Stack {
        Stack { per_token: if cfg!(debug_assertions) { bytes * 8 } else { bytes } }
    }

    /// The stack to reserve for `text`, or why it cannot be checked.
    fn size_for(self, text: &str) -> Result<usize, &'static str> {
        if self.per_token == 0 {
            return Ok(BASE_STACK);
        }
        if nesting(text) > MAX_NESTING {
            return Err("Not checked: nested too deeply");
        }
        let size = BASE_STACK + tokens(text) * self.per_token;
        if size > MAX_STACK { Err("Not checked: too much code for one file") } else { Ok(size) }
    }
}

/// Runs `check` on `text` within the bounds of this module.
pub(super) fn run(
    text: &str,
    stack: Stack,
    check: impl FnOnce(&str) -> SyntaxVerdict + Send + 'static,
) -> SyntaxVerdict {
    run_within(&Patience { deadline: DEADLINE, abandoned: &ABANDONED }, text, stack, check)
}

/// How long to wait, and where those are counted that took longer.
struct Patience {
    deadline: Duration,
    abandoned: &'static AtomicUsize,
}

fn run_within(
    patience: &Patience,
    text: &str,
    stack: Stack,
    check: impl FnOnce(&str) -> SyntaxVerdict + Send + 'static,
) -> SyntaxVerdict {
    let size = match stack.size_for(text) {
        Ok(size) => size,
        Err(reason) => return SyntaxVerdict::skipped(reason),
    };
    let abandoned = patience.abandoned;
    if abandoned.load(Ordering::Acquire) >= MAX_ABANDONED {
        return SyntaxVerdict::skipped("Not checked: earlier checks are still running");
    }
    let (sender, receiver) = mpsc::sync_channel(1);
    let late = Arc::new(AtomicBool::new(false));
    let worker = Worker { late: Arc::clone(&late), abandoned };
    let text = text.to_owned();
    let started = thread::Builder::new().name("lint".into()).stack_size(size).spawn(move || {
        let _worker = worker;
        // The receiver may have given up.
        let _ = sender.send(check(&text));
    });
    if started.is_err() {
        return SyntaxVerdict::skipped("Not checked: no thread for it");
    }
    match receiver.recv_timeout(patience.deadline) {
        Ok(lint) => lint,
        Err(mpsc::RecvTimeoutError::Disconnected) => {
            SyntaxVerdict::skipped("Not checked: the parser failed")
        }
        Err(mpsc::RecvTimeoutError::Timeout) => {
            // Counted before it is announced, so that the worker never takes off what is not
            // there yet.
            abandoned.fetch_add(1, Ordering::AcqRel);
            if late.swap(true, Ordering::AcqRel) {
                abandoned.fetch_sub(1, Ordering::AcqRel);
            }
            SyntaxVerdict::skipped("Not checked: took too long")
        }
    }
}

/// Lives as long as the thread of a check, however that ends.
struct Worker {
    late: Arc<AtomicBool>,
    abandoned: &'static AtomicUsize,
}

impl Drop for Worker {
    fn drop(&mut self) {
        if self.late.swap(true, Ordering::AcqRel) {
            self.abandoned.fetch_sub(1, Ordering::AcqRel);
        }
    }
}

/// At least as many tokens as any language sees in `text`: words and single punctuation bytes.
fn tokens(text: &str) -> usize {
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || !byte.is_ascii();
    let mut count = 0;
    let mut in_word = false;
    for byte in text.bytes() {
        let word = is_word(byte);
        count += usize::from(if word { !in_word } else { !byte.is_ascii_whitespace() });
        in_word = word;
    }
    count
}

/// How deeply brackets nest, literals and comments not told apart. A rough measure against the
/// plain cases: the reserved stack and the deadline cover the others.
fn nesting(text: &str) -> usize {
    let (mut depth, mut deepest) = (0usize, 0);
    for byte in text.bytes() {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        deepest = deepest.max(depth);
    }
    deepest
}

#[cfg(test)]
mod tests {
    use super::*;

    fn skipped(lint: &SyntaxVerdict) -> &str {
        match lint {
            SyntaxVerdict::Skipped(reason) => reason,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn counts_words_and_punctuation() {
        for (text, expected) in [("", 0), ("a b", 2), ("!!x", 3), ("f(a, bé_1)\n", 6)] {
            assert_eq!(tokens(text), expected, "{text:?}");
        }
    }

    #[test]
    fn nesting_is_the_deepest_point() {
        assert_eq!(nesting(")(a[b]{c})(("), 2);
    }

    #[test]
    fn deep_nesting_is_not_started() {
        let deep = "(".repeat(MAX_NESTING + 1);
        let lint = run(&deep, Stack::per_token(1), |_| SyntaxVerdict::Ok);
        assert_eq!(skipped(&lint), "Not checked: nested too deeply");
    }

    #[test]
    fn content_that_might_need_too_much_stack_is_not_started() {
        let lint =
            run(&"a ".repeat(1000), Stack::per_token(MAX_STACK / 1000), |_| SyntaxVerdict::Ok);
        assert_eq!(skipped(&lint), "Not checked: too much code for one file");
    }

    #[test]
    fn a_panic_is_a_skip() {
        let lint = run("a", Stack::FIXED, |_| panic!("on purpose"));
        assert_eq!(skipped(&lint), "Not checked: the parser failed");
    }

    #[test]
    fn late_checks_are_left_behind_and_counted_until_done() {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let patience = Patience { deadline: Duration::from_millis(1), abandoned: &COUNT };
        let late = || {
            let (go, wait) = mpsc::channel::<()>();
            let lint = run_within(&patience, "a", Stack::FIXED, move |_| {
                let _ = wait.recv();
                SyntaxVerdict::Ok
            });
            assert_eq!(skipped(&lint), "Not checked: took too long");
            go
        };
        let running: Vec<_> = (0..MAX_ABANDONED).map(|_| late()).collect();
        let lint = run_within(&patience, "a", Stack::FIXED, |_| SyntaxVerdict::Ok);
        assert_eq!(skipped(&lint), "Not checked: earlier checks are still running");
        drop(running);
        while COUNT.load(Ordering::Acquire) > 0 {
            thread::yield_now();
        }
        let patience = Patience { deadline: DEADLINE, abandoned: &COUNT };
        assert_eq!(
            run_within(&patience, "a", Stack::FIXED, |_| SyntaxVerdict::Ok),
            SyntaxVerdict::Ok
        );
    }
}
