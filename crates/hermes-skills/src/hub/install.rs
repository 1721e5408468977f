//! The way of a skill into a home.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use hermes_guard::skill_scan::{
    BundleIgnore, IGNORE_FILES, PolicyOverride, SkillDecision, decide_with,
};
use hermes_store::atomic::AtomicError;
use serde_json::Map;

use super::HubContext;
use super::bundle::HubBundle;
use super::error::HubError;
use super::record::TrustLevel;
use super::scan::BundleReport;
use super::state::installed::InstalledSkill;
use super::state::{HubGuard, HubState, audit_log, change, lock_file};
use super::{identifier, search, sources};
use crate::layout::{PRUNED_FOLDERS, SKILL_FILE};
use crate::name;

/// How long fetching a whole bundle may take.
pub const BUNDLE_TIME: Duration = Duration::from_secs(60);

/// What a person said on the command line.
#[derive(Clone, Debug, Default)]
pub struct InstallChoices {
    /// The category folder.
    pub category: Option<String>,
    /// Another name than the source's.
    pub name: Option<String>,
    /// Replace what is there, install in spite of `caution`.
    pub force: bool,
    /// The exact content that is to be let in although it is blocked.
    pub accept_hash: Option<String>,
}

/// What a person is shown before he agrees.
#[derive(Clone, Debug)]
pub struct InstallOffer {
    /// What it will be called.
    pub name: String,
    /// Where it will lie, below the skills folder.
    pub install_path: String,
    /// In the words of its own document.
    pub description: String,
    /// Where it is from.
    pub source: String,
    /// What was asked for.
    pub identifier: String,
    /// How far that is believed.
    pub trust: TrustLevel,
    /// How many files.
    pub files: usize,
    /// The scanner's report.
    pub report: BundleReport,
    /// What was odd.
    pub warnings: Vec<String>,
}

impl InstallOffer {
    /// The offer in words.
    #[must_use]
    pub fn text(&self) -> String {
        let mut text = format!(
            "{}: {}\n  from {} ({}), {} files, to skills/{}\n",
            self.name,
            self.description,
            self.identifier,
            self.trust.as_str(),
            self.files,
            self.install_path
        );
        for warning in &self.warnings {
            text.push_str(&format!("  note: {warning}\n"));
        }
        text.push_str(&self.report.text(&self.name, &self.source, self.trust));
        text
    }
}

/// What was installed.
#[derive(Clone, Debug)]
pub struct InstalledOutcome {
    /// The folder it became, and what people type.
    pub name: String,
    /// What the lock file says now.
    pub entry: InstalledSkill,
    /// Where something that was in the way went.
    pub archived: Option<PathBuf>,
    /// A schedule the skill suggests; nothing was scheduled.
    pub suggests_schedule: bool,
}

/// Fetches what an identifier or a short name means.
///
/// # Errors
/// Nobody has it, several do, or it cannot be fetched.
pub async fn fetch(hub: &HubContext, wanted: &str) -> Result<HubBundle, HubError> {
    let wanted = wanted.trim();
    if !wanted.contains("://") {
        // Before anybody is asked for it.
        identifier::parts(wanted)?;
    }
    let fetching = async {
        let is_short = !wanted.contains('/') && !wanted.contains(':');
        if is_short {
            let record = search::resolve(hub, wanted).await?;
            let named = hub.source(&record.source).filter(|source| source.id() != sources::INDEX);
            return match named {
                Some(source) => source.fetch(hub, &record.identifier).await,
                None => route(hub, &record.identifier).await,
            };
        }
        route(hub, wanted).await
    };
    within(fetching, wanted).await
}

/// Fetches from a source that is known.
///
/// # Errors
/// The source is gone, or does not have it.
pub async fn fetch_from(
    hub: &HubContext,
    source: &str,
    identifier: &str,
) -> Result<HubBundle, HubError> {
    let source = hub
        .source(source)
        .ok_or_else(|| HubError::NotFound(format!("{identifier} (source {source})")))?;
    within(source.fetch(hub, identifier), identifier).await
}

async fn within<T>(
    fetching: impl Future<Output = Result<T, HubError>>,
    wanted: &str,
) -> Result<T, HubError> {
    match tokio::time::timeout(BUNDLE_TIME, fetching).await {
        Ok(done) => done,
        Err(_) => Err(HubError::Answer {
            service: wanted.to_owned(),
            why: format!("it took more than {} s", BUNDLE_TIME.as_secs()),
        }),
    }
}

async fn route(hub: &HubContext, identifier: &str) -> Result<HubBundle, HubError> {
    let mut absent = None;
    // The index is asked last: it is a large list of what the others know at first hand.
    let (last, first): (Vec<_>, Vec<_>) = hub
        .sources()
        .iter()
        .filter(|source| source.claims(identifier))
        .partition(|source| source.id() == sources::INDEX);
    for source in first.into_iter().chain(last) {
        match source.fetch(hub, identifier).await {
            Err(error) if source.id() == sources::INDEX && !error.is_block() => {
                absent.get_or_insert(error);
            }
            // The next one may know it; the first to be asked has the best reason.
            Err(error) if error.is_absent() => {
                absent.get_or_insert(error);
            }
            other => return other,
        }
    }
    Err(absent.unwrap_or_else(|| HubError::NotFound(identifier.to_owned())))
}

/// Installs a bundle. `agree` is shown the offer and decides.
///
/// # Errors
/// Something is in the way, the policy blocks it, the person says no, or the disk refuses. Then nothing is left of it.
pub async fn install(
    hub: &HubContext,
    bundle: HubBundle,
    choices: &InstallChoices,
    agree: impl FnOnce(&InstallOffer) -> bool,
) -> Result<InstalledOutcome, HubError> {
    let bundle = without_ignored(bundle);
    let skill = chosen_name(&bundle, choices)?;
    let install_path = install_path(&bundle, choices, &skill)?;
    let guard = hub.state.begin()?;
    let (lock, _) = lock_file::read(&hub.state)?;
    let before = lock.installed.get(&skill);
    let target = hub.state.skills().root().join(&install_path);
    let archive_first = in_the_way(&hub.state, &skill, before, &target, choices)?;
    let staged = change::stage(&hub.state, &guard, &skill, &bundle.files)?;
    let report = hub.examine(&bundle).await;
    let offer = offer(report, &bundle, &skill, &install_path)?;
    admit(hub, &bundle, &offer, choices)?;
    if !agree(&offer) {
        return Err(HubError::Cancelled);
    }
    let archived = match archive_first {
        Some(folder) => Some(archive(&hub.state, &guard, &skill, &folder)?),
        None => None,
    };
    let entry = entry(&bundle, &offer, before);
    if let Some(before) = before.filter(|before| before.install_path != entry.install_path) {
        change::uninstall(&hub.state, &guard, &skill, before)?;
    }
    change::install(&hub.state, &guard, staged, &skill, "INSTALL", &entry)?;
    let suggests_schedule = bundle
        .document()
        .is_ok_and(|document| document.frontmatter.own_field("blueprint").is_some());
    Ok(InstalledOutcome { name: skill, entry, archived, suggests_schedule })
}

pub(super) fn offer(
    report: BundleReport,
    bundle: &HubBundle,
    name: &str,
    install_path: &str,
) -> Result<InstallOffer, HubError> {
    let document = bundle.document()?;
    let mut warnings = bundle.warnings.clone();
    warnings.extend(document.warnings.iter().map(|warning| format!("{SKILL_FILE}: {warning}")));
    Ok(InstallOffer {
        name: name.to_owned(),
        install_path: install_path.to_owned(),
        description: document.description(),
        source: bundle.source.to_owned(),
        identifier: bundle.identifier.clone(),
        trust: bundle.trust,
        files: bundle.files.len(),
        report,
        warnings,
    })
}

/// The policy's word on an offer.
fn admit(
    hub: &HubContext,
    bundle: &HubBundle,
    offer: &InstallOffer,
    choices: &InstallChoices,
) -> Result<(), HubError> {
    let full_hash = bundle.files.full_hash();
    let accepted =
        choices.accept_hash.as_deref().is_some_and(|hash| hash.eq_ignore_ascii_case(&full_hash));
    let brought = match choices.force {
        _ if accepted => PolicyOverride::AcceptedHash,
        true => PolicyOverride::Force,
        false => PolicyOverride::None,
    };
    let decision = decide_with(bundle.trust.of_guard(), offer.report.verdict, brought);
    if decision == SkillDecision::Allow {
        return Ok(());
    }
    let verdict = offer.report.verdict.as_str();
    let extras = [("identifier", bundle.identifier.as_str()), ("hash", &full_hash)];
    audit_log::record(
        &hub.state,
        "BLOCKED",
        &offer.name,
        bundle.source,
        bundle.trust,
        verdict,
        &extras,
    )?;
    let way = match decision {
        SkillDecision::BlockUnlessForced => {
            "after reading the findings, --force installs it".to_owned()
        }
        _ => format!("only naming its exact content lets it in: --accept-hash {full_hash}"),
    };
    Err(HubError::Blocked(format!("{}{way}", offer.text())))
}

pub(super) fn entry(
    bundle: &HubBundle,
    offer: &InstallOffer,
    before: Option<&InstalledSkill>,
) -> InstalledSkill {
    let now = audit_log::timestamp();
    InstalledSkill {
        source: bundle.source.to_owned(),
        identifier: bundle.identifier.clone(),
        trust_level: bundle.trust,
        scan_verdict: offer.report.verdict.as_str().to_owned(),
        content_hash: bundle.files.content_hash(),
        install_path: offer.install_path.clone(),
        files: bundle.files.paths(),
        metadata: bundle.metadata.clone(),
        scan_provenance: offer.report.provenance(),
        installed_at: before.map_or_else(|| now.clone(), |before| before.installed_at.clone()),
        updated_at: now,
        more: before.map_or_else(Map::new, |before| before.more.clone()),
    }
}

fn chosen_name(bundle: &HubBundle, choices: &InstallChoices) -> Result<String, HubError> {
    let wanted = choices.name.as_deref().unwrap_or(&bundle.name).trim();
    if wanted.is_empty() {
        return Err(HubError::Usage(
            "the document gives no usable name; give one with --name".to_owned(),
        ));
    }
    // Sources write names in any case; a folder has one.
    let wanted = wanted.to_lowercase();
    name::check(&wanted).map_err(|_| {
        HubError::Usage(format!(
            "`{}` is no name for a skill (letters a-z, digits, `.`, `_`, `-`, at most 64); choose one with --name",
            wanted.escape_debug()
        ))
    })?;
    Ok(wanted)
}

fn install_path(
    bundle: &HubBundle,
    choices: &InstallChoices,
    skill: &str,
) -> Result<String, HubError> {
    let category = choices.category.as_deref().map(str::trim).or(bundle.category.as_deref());
    let Some(category) = category.filter(|category| !category.is_empty()) else {
        return Ok(skill.to_owned());
    };
    // Only our own skills bring a chain of folders; a person names one.
    let chain: Vec<&str> = category.split('/').collect();
    if choices.category.is_some() && chain.len() > 1
        || chain.iter().any(|part| name::check(part).is_err())
    {
        return Err(HubError::Usage(format!(
            "`{}` is no name for a category",
            category.escape_debug()
        )));
    }
    Ok(format!("{category}/{skill}"))
}

/// Whether something is where the skill is to be. What may be moved to the archive first is handed back.
fn in_the_way(
    state: &HubState,
    skill: &str,
    before: Option<&InstalledSkill>,
    target: &Path,
    choices: &InstallChoices,
) -> Result<Option<PathBuf>, HubError> {
    let root = state.skills().root();
    // Every folder on the way is a category, or is not there yet.
    let mut parent = target.parent();
    while let Some(folder) = parent.filter(|folder| folder.starts_with(&root) && **folder != root) {
        if folder.join(SKILL_FILE).exists() {
            return Err(HubError::Exists(format!(
                "{} is a skill, not a category",
                folder.display()
            )));
        }
        parent = folder.parent();
    }
    if let Some(before) = before {
        if !choices.force {
            return Err(HubError::Exists(format!(
                "{skill} is installed already, from {}; `hermes skills update {skill}` brings it up to date, --force \
                 replaces it",
                before.identifier
            )));
        }
        let folder = before.folder(skill, &root)?;
        let hash = super::bundle::hash::of_folder(&folder).ok();
        let edited = hash.is_some_and(|hash| hash != before.content_hash);
        if folder == target {
            // Edits of the user's own are kept in the archive; what is as it came can go.
            return Ok(edited.then_some(folder));
        }
    }
    if fs::symlink_metadata(target).is_err() {
        return Ok(None);
    }
    let there = target.display();
    if fs::symlink_metadata(target).is_ok_and(|found| !found.is_dir()) {
        return Err(HubError::Exists(format!(
            "{there} is there and is no folder; move it away first"
        )));
    }
    if !target.join(SKILL_FILE).exists() || holds_other_skills(target) {
        return Err(HubError::Exists(format!(
            "{there} is a folder that holds other things than one skill; choose another --name or --category"
        )));
    }
    if !choices.force {
        return Err(HubError::Exists(format!(
            "{there} is a skill that was not installed from the hub; --force moves it to skills/.archive first"
        )));
    }
    Ok(Some(target.to_owned()))
}

/// Whether a skill's folder holds a second one, outside its support folders.
fn holds_other_skills(folder: &Path) -> bool {
    let Ok(entries) = fs::read_dir(folder) else { return true };
    entries.flatten().any(|entry| {
        let name = entry.file_name().to_string_lossy().into_owned();
        let pruned = PRUNED_FOLDERS.contains(&name.as_str())
            || crate::layout::SUPPORT_FOLDERS.contains(&name.as_str());
        !pruned
            && entry.file_type().is_ok_and(|kind| kind.is_dir())
            && (entry.path().join(SKILL_FILE).exists() || holds_other_skills(&entry.path()))
    })
}

/// Moves a folder to the archive, under a name that is free there.
pub(super) fn archive(
    state: &HubState,
    _guard: &HubGuard,
    skill: &str,
    folder: &Path,
) -> Result<PathBuf, HubError> {
    let archive = state.skills().archive();
    fs::create_dir_all(&archive).map_err(AtomicError::when("create", &archive))?;
    let mut place = archive.join(skill);
    if fs::symlink_metadata(&place).is_ok() {
        let stamp = jiff::Timestamp::now().strftime("%Y%m%d%H%M%S").to_string();
        place = archive.join(format!("{skill}-{stamp}"));
        let mut number = 1;
        while fs::symlink_metadata(&place).is_ok() {
            number += 1;
            place = archive.join(format!("{skill}-{stamp}-{number}"));
        }
    }
    // A copy, not a move: the skill stays where it is until the new one takes its place in one step. And by way of
    // the quarantine, so that half a copy is never taken for an archived skill.
    let half = state.skills().hub_quarantine().join(format!("{skill}.copy"));
    change::remove_folder(&half)?;
    copy_folder(folder, &half).map_err(AtomicError::when("copy to the archive", folder))?;
    fs::rename(&half, &place).map_err(AtomicError::when("move to the archive", &half))?;
    Ok(place)
}

fn copy_folder(from: &Path, to: &Path) -> std::io::Result<()> {
    fs::create_dir(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let (source, target) = (entry.path(), to.join(entry.file_name()));
        let kind = entry.file_type()?;
        if kind.is_dir() {
            copy_folder(&source, &target)?;
        } else if kind.is_symlink() {
            std::os::unix::fs::symlink(fs::read_link(&source)?, &target)?;
        } else if kind.is_file() {
            fs::copy(&source, &target)?;
        }
    }
    Ok(())
}

/// Takes out what the bundle's own ignore files name: what is not installed need not be scanned, and what is
/// installed is.
pub(super) fn without_ignored(mut bundle: HubBundle) -> HubBundle {
    let mut ignore = BundleIgnore::default();
    for file in IGNORE_FILES {
        if let Some(file) = bundle.files.get(file) {
            ignore.add(&String::from_utf8_lossy(&file.bytes));
        }
    }
    if !ignore.is_empty() {
        bundle.files.retain(|path| !ignore.ignores(path));
    }
    bundle
}

/// Removes an installed skill.
///
/// # Errors
/// It was not installed from the hub, its record leads elsewhere, or the disk refuses.
pub fn uninstall(hub: &HubContext, skill: &str) -> Result<InstalledSkill, HubError> {
    let guard = hub.state.begin()?;
    let (lock, _) = lock_file::read(&hub.state)?;
    let entry = lock.installed.get(skill).ok_or_else(|| {
        HubError::Usage(format!(
            "{skill} was not installed from the hub; `hermes skills list --source hub` lists what was"
        ))
    })?;
    change::uninstall(&hub.state, &guard, skill, entry)?;
    Ok(entry.clone())
}
