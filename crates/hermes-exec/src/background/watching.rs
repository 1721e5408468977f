//! Watching output for words, without drowning anybody in news.
//!
//! Each process may tell once in a while; what matches in between is dropped, and a while in which
//! something had to be dropped is a strike. After three strikes in a row nobody watches any more
//! and the process only tells its end. Over all processes a breaker stops a flood.

use std::time::{Duration, Instant};

/// How long a process is quiet after it has told.
const WINDOW: Duration = Duration::from_secs(15);
/// Strikes in a row after which watching ends.
const STRIKES: u32 = 3;
/// Most lines and characters of a match that are told.
const MATCH_LINES: usize = 20;
const MATCH_CHARS: usize = 2_000;

/// More news than this ...
const FLOOD_COUNT: usize = 15;
/// ... within this time trips the breaker ...
const FLOOD_WINDOW: Duration = Duration::from_secs(10);
/// ... for this long.
const FLOOD_PAUSE: Duration = Duration::from_secs(30);

/// What a watch has to say about new output.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Sight {
    /// A pattern was seen.
    Match { pattern: String, output: String, suppressed: u64 },
    /// Too much was seen: watching has ended.
    Disabled,
}

/// The watch over one process.
#[derive(Debug)]
pub(crate) struct OutputWatch {
    patterns: Vec<String>,
    line: String,
    told: Option<Instant>,
    dropped_in_window: u64,
    suppressed: u64,
    strikes: u32,
    hit: bool,
    disabled: bool,
}

impl OutputWatch {
    pub(crate) fn new(patterns: &[String]) -> Self {
        Self {
            patterns: patterns.iter().filter(|pattern| !pattern.is_empty()).cloned().collect(),
            line: String::new(),
            told: None,
            dropped_in_window: 0,
            suppressed: 0,
            strikes: 0,
            hit: false,
            disabled: false,
        }
    }

    /// Whether something was ever seen.
    pub(crate) fn hit(&self) -> bool {
        self.hit
    }

    /// Looks at new output. Lines count when they are complete.
    pub(crate) fn look(&mut self, text: &str, now: Instant) -> Option<Sight> {
        if self.patterns.is_empty() || self.disabled {
            return None;
        }
        self.line.push_str(text);
        let complete = self.line.rfind('\n')? + 1;
        let rest = self.line.split_off(complete);
        let lines = std::mem::replace(&mut self.line, rest);
        let mut pattern = None;
        let mut matched = Vec::new();
        for line in lines.lines() {
            if let Some(found) = self.patterns.iter().find(|pattern| line.contains(*pattern)) {
                pattern.get_or_insert_with(|| found.clone());
                matched.push(line);
            }
        }
        let pattern = pattern?;
        self.hit = true;
        self.judge(pattern, &matched, now)
    }

    fn judge(&mut self, pattern: String, matched: &[&str], now: Instant) -> Option<Sight> {
        if let Some(told) = self.told {
            if now.duration_since(told) < WINDOW {
                let lines = matched.len() as u64;
                if self.dropped_in_window == 0 {
                    self.strikes += 1;
                }
                self.dropped_in_window += lines;
                self.suppressed += lines;
                if self.strikes >= STRIKES {
                    self.disabled = true;
                    return Some(Sight::Disabled);
                }
                return None;
            }
            if self.dropped_in_window == 0 {
                self.strikes = 0;
            }
        }
        self.told = Some(now);
        self.dropped_in_window = 0;
        let shown = matched.iter().take(MATCH_LINES).copied().collect::<Vec<_>>().join("\n");
        let output = super::buffer::head(&shown, MATCH_CHARS).to_owned();
        let suppressed = std::mem::take(&mut self.suppressed);
        Some(Sight::Match { pattern, output, suppressed })
    }
}

/// What the breaker makes of one more piece of news.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum EventFlow {
    /// It passes.
    Pass,
    /// It passes, and the flood before it is over; so many were held back.
    PassAfter(u64),
    /// It is the one too many.
    Trip,
    /// It is held back.
    Hold,
}

/// The breaker over all processes.
#[derive(Debug, Default)]
pub(crate) struct EventBreaker {
    recent: Vec<Instant>,
    tripped: Option<Instant>,
    held: u64,
}

impl EventBreaker {
    pub(crate) fn pass(&mut self, now: Instant) -> EventFlow {
        if let Some(tripped) = self.tripped {
            if now.duration_since(tripped) < FLOOD_PAUSE {
                self.held += 1;
                return EventFlow::Hold;
            }
            self.tripped = None;
            self.recent = vec![now];
            return EventFlow::PassAfter(std::mem::take(&mut self.held));
        }
        self.recent.retain(|at| now.duration_since(*at) < FLOOD_WINDOW);
        self.recent.push(now);
        if self.recent.len() > FLOOD_COUNT {
            self.tripped = Some(now);
            self.held = 1;
            return EventFlow::Trip;
        }
        EventFlow::Pass
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn watch() -> OutputWatch {
        OutputWatch::new(&["ERROR".to_owned(), "ready".to_owned()])
    }

    fn at(base: Instant, seconds: u64) -> Instant {
        base + Duration::from_secs(seconds)
    }

    #[test]
    fn whole_lines_are_matched_however_they_arrive() {
        let (mut watch, now) = (watch(), Instant::now());
        assert_eq!(watch.look("all is rea", now), None);
        assert_eq!(
            watch.look("dy\nother\n", now),
            Some(Sight::Match {
                pattern: "ready".into(),
                output: "all is ready".into(),
                suppressed: 0
            })
        );
        assert!(watch.hit());
    }

    #[test]
    fn three_busy_windows_in_a_row_end_the_watch() {
        let (mut watch, base) = (watch(), Instant::now());
        let mut sights = Vec::new();
        for second in 0..60 {
            sights.extend(watch.look("ERROR\n", at(base, second)));
        }
        let told = sights.iter().filter(|sight| matches!(sight, Sight::Match { .. })).count();
        assert_eq!(told, 3);
        assert_eq!(sights.last(), Some(&Sight::Disabled));
        assert_eq!(watch.look("ERROR\n", at(base, 600)), None, "nobody watches any more");
    }

    #[test]
    fn a_clean_window_forgives() {
        let (mut watch, base) = (watch(), Instant::now());
        for round in 0..10 {
            // One match told, one dropped, then a window with a match and nothing dropped.
            let start = round * 100;
            assert!(watch.look("ERROR\n", at(base, start)).is_some(), "round {round}");
            assert_eq!(watch.look("ERROR\n", at(base, start + 1)), None, "round {round}");
            assert!(watch.look("ERROR\n", at(base, start + 20)).is_some(), "round {round}");
            assert!(watch.look("ERROR\n", at(base, start + 40)).is_some(), "round {round}");
        }
    }

    #[test]
    fn a_flood_trips_the_breaker_until_it_is_over() {
        let (mut breaker, base) = (EventBreaker::default(), Instant::now());
        for _ in 0..FLOOD_COUNT {
            assert_eq!(breaker.pass(base), EventFlow::Pass);
        }
        assert_eq!(breaker.pass(base), EventFlow::Trip);
        assert_eq!(breaker.pass(at(base, 29)), EventFlow::Hold);
        assert_eq!(breaker.pass(at(base, 31)), EventFlow::PassAfter(2));
        assert_eq!(breaker.pass(at(base, 31)), EventFlow::Pass);
    }
}
