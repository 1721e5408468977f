//! Searching files out of our reach with the engine of this machine.
//!
//! The dialect of patterns, the ignore rules, the order and the pages must be those of a search
//! here, and they are, because the search is made here: in a *mirror*, a private directory with the
//! tree's names and no content.
//!
//! 1. The shell over there lists the tree and packs its ignore files ([`listing`]).
//! 2. The mirror gets an empty file of the right time for each ([`mirror`]), except below
//!    directories that the ignore rules hide ([`ignored`]). A search by name is answered by that.
//! 3. A search by content is made in the mirror to learn which files it would open. Those that may
//!    be opened are named to the shell, which packs the ones that hold a text every match needs
//!    ([`literals`]), and the search is made again on what came back ([`fetch`]).
//!
//! So of a large tree only the names and the few files that matter travel. What may not be read
//! does not travel at all. Limits are those of the constants below; beyond them a search is refused
//! with the advice to narrow it, as half of a result would be taken for the whole.
//!
//! Where tools are missing over there it gets slower, not different: without GNU grep every file
//! that may be opened is brought over.

use std::io;
use std::path::Path;
use std::sync::Arc;

use hermes_files::fs::{ContentQuery, NameQuery, SearchRoot};
use hermes_files::search::{
    ContentOutput, ContentReply, FileReply, FoundContent, SearchEnding, SearchError, Total,
};

use super::ScriptRunner;
use listing::Hidden;
use mirror::{Mirror, MirrorExtent};

mod fetch;
mod ignored;
mod listing;
mod literals;
mod mirror;
mod tar;

/// Most files that are brought over for one search.
const MOST_FETCHED: usize = 50_000;
/// Most bytes that are brought over for one search.
const MOST_BYTES: u64 = 200 << 20;
/// Most files and directories in a mirror.
const MOST_MIRRORED: usize = 250_000;

/// Why a search has no result of its own.
enum Stopped {
    /// It could not be made.
    Failed(SearchError),
    /// It came to an early end.
    Early(SearchEnding),
}

impl From<SearchError> for Stopped {
    fn from(error: SearchError) -> Self {
        Self::Failed(error)
    }
}

pub(super) async fn names(
    runner: Arc<dyn ScriptRunner>,
    place: SearchRoot,
    query: NameQuery,
) -> Result<FileReply, SearchError> {
    match find_names(&*runner, place, query).await {
        Ok(reply) => Ok(reply),
        Err(Stopped::Failed(error)) => Err(error),
        Err(Stopped::Early(ending)) => Ok(FileReply {
            files: Vec::new(),
            total: Total::AtLeast(0),
            omitted: 0,
            next_offset: None,
            ending,
            warnings: Vec::new(),
        }),
    }
}

async fn find_names(
    runner: &dyn ScriptRunner,
    place: SearchRoot,
    mut query: NameQuery,
) -> Result<FileReply, Stopped> {
    query.pattern = under_root(&query.pattern, &place.root);
    let listing = listing::list(runner, &place, Hidden::in_pattern(&query.pattern)).await?;
    on_thread(place, move |place| {
        let mirror = Mirror::of(&listing, MirrorExtent::Visible, place)?;
        let mut reply = mirror.names(place, &query)?;
        let nothing = reply.total.count() == 0 && reply.omitted == 0;
        if mirror.is_partial() && (nothing || went_behind_the_rules(&reply.warnings)) {
            reply = Mirror::of(&listing, MirrorExtent::Everything, place)?.names(place, &query)?;
        }
        reply.warnings.extend(unreadable(mirror.unreadable_directories()));
        Ok(reply)
    })
    .await
}

pub(super) async fn content(
    runner: Arc<dyn ScriptRunner>,
    place: SearchRoot,
    query: ContentQuery,
) -> Result<ContentReply, SearchError> {
    let output = query.output;
    match find_content(&*runner, place, query).await {
        Ok(reply) => Ok(reply),
        Err(Stopped::Failed(error)) => Err(error),
        Err(Stopped::Early(ending)) => Ok(ContentReply {
            found: match output {
                ContentOutput::Rows => FoundContent::Rows(Vec::new()),
                ContentOutput::FilesOnly => FoundContent::Files(Vec::new()),
                ContentOutput::Counts => FoundContent::Counts(Vec::new()),
            },
            total: Total::AtLeast(0),
            omitted: 0,
            next_offset: None,
            cut_by_size: false,
            ending,
            warnings: Vec::new(),
        }),
    }
}

async fn find_content(
    runner: &dyn ScriptRunner,
    place: SearchRoot,
    mut query: ContentQuery,
) -> Result<ContentReply, Stopped> {
    query.file_glob = query.file_glob.map(|glob| under_root(&glob, &place.root));
    let hidden = query.file_glob.as_deref().map_or(Hidden::NONE, Hidden::in_pattern);
    let listing = listing::list(runner, &place, hidden).await?;
    let sifts = listing.sifts;
    let asked = query.clone();
    let (mirror, opened) = on_thread(place.clone(), move |place| {
        let mut mirror = Mirror::of(&listing, MirrorExtent::Visible, place)?;
        let (mut opened, warnings) = mirror.opened_by(place, &asked)?;
        if mirror.is_partial() && (opened.is_empty() || went_behind_the_rules(&warnings)) {
            mirror = Mirror::of(&listing, MirrorExtent::Everything, place)?;
            opened = mirror.opened_by(place, &asked)?.0;
        }
        Ok((mirror, opened))
    })
    .await?;
    let wanted = fetch::FilesToFetch::among(opened, &place);
    let unread = wanted.unreadable + mirror.unreadable_directories();
    let sieve = literals::sieve(&query.pattern, sifts);
    let packed = match fetch::fetch(runner, &place, wanted, sieve).await {
        Ok(packed) => packed,
        Err(stopped) => {
            // To remove many files takes a while.
            tokio::task::spawn_blocking(move || drop(mirror));
            return Err(stopped);
        }
    };
    on_thread(place, move |place| {
        mirror.fill(&packed).map_err(|source| listing::unreadable(place, source))?;
        drop(packed);
        let mut reply = mirror.content(place, &query)?;
        reply.warnings.extend(unreadable(unread));
        Ok(reply)
    })
    .await
}

/// Runs work on files where it may block.
async fn on_thread<T: Send + 'static>(
    place: SearchRoot,
    work: impl FnOnce(&SearchRoot) -> Result<T, SearchError> + Send + 'static,
) -> Result<T, Stopped> {
    let shown = place.shown_root.clone();
    let done = tokio::task::spawn_blocking(move || work(&place)).await.unwrap_or_else(|gone| {
        Err(SearchError::Unreadable { path: shown, source: io::Error::other(gone) })
    });
    Ok(done?)
}

/// Whether the engine found nothing that the rules let through and looked at the rest: then all of
/// the rest must be there. It says so in a warning.
fn went_behind_the_rules(warnings: &[String]) -> bool {
    warnings.iter().any(|warning| warning.contains("git-ignored"))
}

/// A pattern that leads into the root by its whole path, relative to it: the root has another path
/// in the mirror.
fn under_root(pattern: &str, root: &Path) -> String {
    let pattern = pattern.trim();
    let (not, body) = match pattern.strip_prefix('!') {
        Some(body) => ("!", body),
        None => ("", pattern),
    };
    let inside = root
        .to_str()
        .and_then(|root| body.strip_prefix(root))
        .and_then(|rest| rest.strip_prefix('/'));
    match inside {
        Some(rest) => format!("{not}./{rest}"),
        None => pattern.to_owned(),
    }
}

/// One sentence on what could not be read.
fn unreadable(count: usize) -> Option<String> {
    match count {
        0 => None,
        1 => Some("1 file or directory could not be read and was skipped.".to_owned()),
        n => Some(format!("{n} files or directories could not be read and were skipped.")),
    }
}

fn too_much(place: &SearchRoot, what: &str) -> SearchError {
    let source = io::Error::other(format!(
        "{what}, which is too much to bring over from there; narrow the path or the file glob, or \
         search with the terminal"
    ));
    SearchError::Unreadable { path: place.shown_root.clone(), source }
}
