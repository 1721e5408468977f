//! Bringing over what a search will open.

use std::io;
use std::os::unix::ffi::OsStrExt as _;

use hermes_files::fs::SearchRoot;

use super::super::ScriptRunner;
use super::super::script::FileScript;
use super::listing::{ListedEntry, ask, unreadable};
use super::{MOST_BYTES, MOST_FETCHED, Stopped, too_much};

const PACK: &str = include_str!("../scripts/pack.sh");
const FETCH: &str = include_str!("../scripts/fetch.sh");

/// Bytes an archive needs for a file besides its content.
const BYTES_PER_MEMBER: u64 = 2048;

/// The files to bring over.
pub(super) struct FilesToFetch {
    files: Vec<ListedEntry>,
    /// Those that nobody can bring.
    pub(super) unreadable: usize,
}

impl FilesToFetch {
    /// What may be read of the files a search would open.
    pub(super) fn among(opened: Vec<ListedEntry>, place: &SearchRoot) -> Self {
        let mut files = opened;
        files.retain(|file| !(place.denied)(&file.path));
        let before = files.len();
        files.retain(|file| file.is_readable);
        Self { unreadable: before - files.len(), files }
    }

    fn bytes(&self) -> u64 {
        self.files.iter().map(|file| file.size).sum()
    }
}

/// Packs files and brings them over: all of them, or those that pass the sieve.
pub(super) async fn fetch(
    runner: &dyn ScriptRunner,
    place: &SearchRoot,
    wanted: FilesToFetch,
    sieve: Option<String>,
) -> Result<Vec<u8>, Stopped> {
    // A single file is brought in any case: the engine has something to say about a binary one.
    let sieve = sieve.filter(|_| wanted.files.iter().any(|file| file.path != place.root));
    let mebibytes = MOST_BYTES >> 20;
    let large = format!("what has to be looked at has more than {mebibytes} MiB");
    if wanted.files.is_empty() {
        return Ok(Vec::new());
    }
    if sieve.is_none() && wanted.bytes() > MOST_BYTES {
        return Err(too_much(place, &large).into());
    }
    if sieve.is_none() && wanted.files.len() > MOST_FETCHED {
        let many = format!("more than {MOST_FETCHED} files have to be looked at");
        return Err(too_much(place, &many).into());
    }
    let mut list = Vec::new();
    for file in &wanted.files {
        list.push(b'.');
        list.extend_from_slice(file.path.as_os_str().as_bytes());
        list.push(0);
    }
    let members = wanted.files.len().min(MOST_FETCHED) as u64;
    let script = FileScript::about(&place.root)
        .map_err(|error| unreadable(place, io::Error::other(error)))?
        .bytes("sieve", sieve.unwrap_or_default().as_bytes())
        .then(PACK)
        .then(FETCH)
        .reads(list)
        .says(MOST_BYTES + members * BYTES_PER_MEMBER);
    let mut answer = ask(runner, place, script, &large).await?;
    answer.record();
    Ok(answer.rest())
}
