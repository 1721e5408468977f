//! Which skills there are, without opening them.
//!
//! [`SkillIndex::refresh`] compares what is known with the disk and reads only what changed. While nothing did, that
//! is one look at each document and at each folder between them, or one question where the system tells of changes by
//! itself (`folder_events`); folders of skills are looked into again every `FULL_WALK`, since something new hardly
//! ever appears in there. What a process learns it leaves in a snapshot for the next, which compares before it believes.

mod entry;
mod folder_events;
mod snapshot;
mod stamp;
mod walk;
mod watched;

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

pub use entry::{IndexedSkill, MAX_DESCRIPTION_CHARS, shortened};
pub use walk::{MAX_DEPTH, MAX_FOLDERS};

use crate::document::SkillDocument;
use crate::plugin_skills::PluginSkill;
use crate::roots::SkillRoot;
use entry::Summary;
use folder_events::FolderEvents;
use stamp::Stamp;
use walk::walk;
use watched::Watched;

/// How long folders of skills are taken to hold no new skills.
pub const FULL_WALK: Duration = Duration::from_secs(30);

/// A home with fewer skills is read faster than a snapshot is worth.
const SNAPSHOT_FROM: usize = 32;

/// With fewer documents it costs less to look at them than to listen to their folders.
const LISTEN_FROM: usize = 64;

/// What was found, at one moment.
#[derive(Clone, Debug, Default)]
pub struct SkillTable {
    /// Every skill, shadowed and broken ones too, in order of roots and paths.
    pub all: Vec<Arc<IndexedSkill>>,
    /// What each category is about, by its chain of folders.
    pub descriptions: BTreeMap<String, String>,
    /// What a person should know about the walk.
    pub warnings: Vec<String>,
    /// Folders that hold no document themselves, roots included.
    pub folders: Vec<PathBuf>,
}

impl SkillTable {
    /// Skills that can be loaded: the first of each name, whole documents only.
    pub fn usable(&self) -> impl Iterator<Item = &Arc<IndexedSkill>> {
        let mut names = HashSet::new();
        self.all.iter().filter(move |entry| !entry.broken && names.insert(entry.name.as_str()))
    }

    /// Names that several documents claim, with those documents.
    #[must_use]
    pub fn clashes(&self) -> BTreeMap<&str, Vec<&Path>> {
        let mut found: BTreeMap<&str, Vec<&Path>> = BTreeMap::new();
        for entry in &self.all {
            found.entry(&entry.name).or_default().push(&entry.file);
        }
        found.retain(|_, files| files.len() > 1);
        found
    }
}

/// The index of one set of roots.
#[derive(Debug, Default)]
pub struct SkillIndex {
    state: Option<State>,
    with_plugins: Option<WithPlugins>,
}

#[derive(Debug)]
struct State {
    roots: Vec<SkillRoot>,
    walked_at: Instant,
    /// Nothing if everything is to be looked at anew.
    watched: Option<Vec<Watched>>,
    events: Listening,
    documents: HashMap<PathBuf, (Stamp, Summary)>,
    table: Arc<SkillTable>,
}

/// Whether the system tells of changes below the roots.
#[derive(Debug)]
enum Listening {
    /// Nobody asked it: one look is all that most processes ever take.
    NotYet,
    /// What it tells; nothing if it does not.
    Asked(Option<FolderEvents>),
}

/// A table with the skills of plugins behind those of the folders.
#[derive(Debug)]
struct WithPlugins {
    base: Arc<SkillTable>,
    brought: Vec<PluginSkill>,
    stamps: Vec<Option<Stamp>>,
    table: Arc<SkillTable>,
}

impl SkillIndex {
    /// The skills of these roots as they are now. `snapshot` is where what is known is left for the next process.
    pub fn refresh(&mut self, roots: &[SkillRoot], snapshot: &Path) -> Arc<SkillTable> {
        if let Some(state) = &mut self.state
            && state.roots == roots
            && state.is_current()
        {
            return Arc::clone(&state.table);
        }
        self.walk(roots, snapshot)
    }

    /// The same with the skills that plugins bring, whose documents are read when they changed.
    pub fn refresh_with(
        &mut self,
        roots: &[SkillRoot],
        snapshot: &Path,
        brought: Vec<PluginSkill>,
    ) -> Arc<SkillTable> {
        let base = self.refresh(roots, snapshot);
        if brought.is_empty() {
            return base;
        }
        if let Some(known) = &self.with_plugins
            && known.is_current(&base, &brought)
        {
            return Arc::clone(&known.table);
        }
        // Looked at before they are read: what changes in between shows the next time.
        let stamps = brought.iter().map(|skill| Stamp::of_file(&skill.file)).collect();
        let mut table = SkillTable::clone(&base);
        table.all.extend(brought.iter().map(|skill| Arc::new(IndexedSkill::of_plugin(skill))));
        let table = Arc::new(table);
        self.with_plugins = Some(WithPlugins { base, brought, stamps, table: Arc::clone(&table) });
        table
    }

    /// Has the next look walk everything: something was written.
    pub fn touch(&mut self) {
        if let Some(state) = &mut self.state {
            state.watched = None;
        }
    }

    fn walk(&mut self, roots: &[SkillRoot], snapshot: &Path) -> Arc<SkillTable> {
        let known = match self.state.take() {
            Some(state) => state.documents,
            None => snapshot::load(snapshot),
        };
        let walked_at = Instant::now();
        let found = walk(roots);
        let mut documents = HashMap::with_capacity(found.documents.len());
        let mut watched: Vec<Watched> = roots.iter().map(|root| Watched::new(&root.path)).collect();
        let mut watch = |path: &Path, stamp: Stamp| {
            let _is_below_one = watched.iter_mut().any(|root| root.add(path, stamp));
        };
        let mut table = SkillTable { warnings: found.warnings, ..SkillTable::default() };
        let mut read = 0_usize;
        for document in found.documents {
            let file = document.root.join(&document.relative);
            let summary = match known.get(&file) {
                Some((stamp, summary)) if stamp.same(&document.stamp) => summary.clone(),
                _ => {
                    read += 1;
                    Summary::read(&file)
                }
            };
            let entry = IndexedSkill::new(
                summary.clone(),
                &document.root,
                &document.relative,
                document.kind,
            );
            table.all.push(Arc::new(entry));
            watch(&file, document.stamp);
            documents.insert(file, (document.stamp, summary));
        }
        for (file, stamp, chain) in found.descriptions {
            if let Some(text) = describe(&file) {
                table.descriptions.entry(chain).or_insert(text);
            }
            watch(&file, stamp);
        }
        for folder in &found.folders {
            watch(&folder.path, folder.stamp);
        }
        table.folders = found.folders.iter().map(|folder| folder.path.clone()).collect();
        if read > 0 && documents.len() >= SNAPSHOT_FROM {
            snapshot::save(snapshot, &documents);
        }
        let table = Arc::new(table);
        self.state = Some(State {
            roots: roots.to_vec(),
            walked_at,
            watched: Some(watched).filter(|_| !found.folders.is_empty()),
            events: Listening::NotYet,
            documents,
            table: Arc::clone(&table),
        });
        table
    }
}

impl State {
    fn is_current(&mut self) -> bool {
        if self.watched.is_none() || self.walked_at.elapsed() >= FULL_WALK {
            return false;
        }
        match &self.events {
            // It was listening when everything was as it is known, and heard nothing since.
            Listening::Asked(Some(events)) if events.is_quiet() => return true,
            Listening::Asked(_) => {}
            // Before everything is looked at, so that nothing happens unheard in between.
            Listening::NotYet => self.events = Listening::Asked(self.listen()),
        }
        self.watched.as_ref().is_some_and(|roots| roots.iter().all(Watched::is_still))
    }

    fn listen(&self) -> Option<FolderEvents> {
        if self.documents.len() < LISTEN_FROM {
            return None;
        }
        let folders = self.table.folders.iter().map(PathBuf::as_path);
        FolderEvents::listen(folders, self.documents.keys().map(PathBuf::as_path))
    }
}

impl WithPlugins {
    fn is_current(&self, base: &Arc<SkillTable>, brought: &[PluginSkill]) -> bool {
        let is_still = |(stamp, skill): (&Option<Stamp>, &PluginSkill)| {
            stamp.is_some_and(|stamp| stamp.is_still(&skill.file))
        };
        Arc::ptr_eq(&self.base, base)
            && self.brought == brought
            && self.stamps.iter().zip(brought).all(is_still)
    }
}

/// Whether what an earlier process left can be used, if it left anything.
#[must_use]
pub fn is_snapshot_usable(file: &Path) -> bool {
    snapshot::is_usable(file)
}

/// The line about a category.
fn describe(file: &Path) -> Option<String> {
    let document = SkillDocument::read(&std::fs::read(file).ok()?);
    let text = document.description();
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    (!line.is_empty()).then(|| shortened(&line, MAX_DESCRIPTION_CHARS))
}
