//! Searching what was said: a database of a million messages, and queries of several kinds.
//!
//! The database is made once a run, in the temporary folder, and thrown away afterwards. Every kind
//! of query is asked several times on a warm file; the time in the middle counts. A query that finds
//! nothing where there is something stops the benchmark: a number for the wrong work is worthless.

mod library;
mod rows;

use std::path::Path;
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use hermes_sessions::search::Request;
use hermes_sessions::{NewMessage, NewSession, SessionDatabase};
use serde::Serialize;

use crate::timing::median;
use library::{MESSAGES, RARE_WORD, word};

pub(crate) use rows::rows;

/// How often each query is asked.
const ASKED: usize = 21;
/// Messages appended one by one.
const APPENDED: usize = 200;

/// What was measured.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Numbers {
    /// Nanoseconds of the median search, by kind of query.
    searches: Vec<(&'static str, f64)>,
    /// Nanoseconds of the median append of one message.
    append: f64,
    /// Size of the database.
    bytes: u64,
    /// Size of the texts in it.
    text_bytes: u64,
}

/// The name of each row and its query.
fn queries() -> Vec<(&'static str, String)> {
    let prefix: String = word(3_000).chars().take(4).collect();
    vec![
        ("search, rare word", RARE_WORD.to_owned()),
        ("search, common word", word(10)),
        ("search, most common word", word(1)),
        ("search, phrase", format!("\"{} {}\"", word(100), word(40))),
        ("search, beginning of a word", format!("{prefix}*")),
        ("search, two words", format!("{} {}", word(50), word(300))),
        ("search, two common words", format!("{} {}", word(2), word(5))),
        ("search, one word but not another", format!("{} NOT {}", word(10), word(1))),
        ("search, Japanese, long", "日本語検索".to_owned()),
        ("search, Japanese, short", "東京".to_owned()),
    ]
}

/// Makes the database and measures everything.
pub(crate) fn measure() -> Result<Numbers> {
    let folder = tempfile::tempdir().context("making a folder for the database")?;
    let path = folder.path().join("state.db");
    let text_bytes = library::make(&path)?;
    let bytes = std::fs::metadata(&path).context("looking at the database")?.len();
    let store = SessionDatabase::at(&path);
    let searches = queries()
        .into_iter()
        .map(|(kind, query)| Ok((kind, search(&store, &query)?)))
        .collect::<Result<Vec<_>>>()?;
    let append = append(&path)?;
    Ok(Numbers { searches, append, bytes, text_bytes })
}

fn search(store: &SessionDatabase, query: &str) -> Result<f64> {
    let request = Request::discover(query);
    let mut runs = Vec::new();
    // The first one warms the file.
    for run in 0..=ASKED {
        let start = Instant::now();
        let answer = store.search(&request).with_context(|| format!("searching {query}"))?;
        let took = start.elapsed().as_nanos() as f64;
        ensure!(answer.count() > 0, "nothing was found for {query}");
        if run > 0 {
            runs.push(took);
        }
    }
    median(runs.into_iter()).context("no search was measured")
}

/// One message at a time into the large database, as a conversation does.
fn append(path: &Path) -> Result<f64> {
    let store = SessionDatabase::at(path);
    let new = NewSession { id: "new".into(), source: "cli".into(), ..NewSession::default() };
    store.create(&new)?;
    let mut runs = Vec::new();
    for number in 0..APPENDED {
        let message = NewMessage::new("user", format!("message {number} of {MESSAGES}"));
        let start = Instant::now();
        store.append("new", &[message])?;
        runs.push(start.elapsed().as_nanos() as f64);
    }
    median(runs.into_iter()).context("no append was measured")
}
