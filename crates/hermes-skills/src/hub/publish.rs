//! A skill of the user's own, offered to a repository as a pull request.

use std::path::Path;
use std::time::Duration;

use base64::Engine as _;
use hermes_guard::skill_scan::SkillVerdict;
use hermes_store::atomic::AtomicError;
use hermes_web::Method;
use serde_json::json;

use super::HubContext;
use super::bundle::{BundleFiles, hash};
use super::error::HubError;
use super::github::auth::GitHubLogin;
use super::github::escaped;
use super::identifier::RepoFolder;
use super::record::TrustLevel;
use crate::conformance::{self, LintFinding};
use crate::document::SkillDocument;
use crate::layout::SKILL_FILE;
use crate::name;
use crate::scan::ScanOrigin;

/// How often a new fork is looked for; it takes the server a moment.
const FORK_LOOKS: usize = 10;
const FORK_PAUSE: Duration = Duration::from_millis(500);

/// A skill that may be published.
pub(crate) struct PreparedSkill {
    name: String,
    files: BundleFiles,
    description: String,
    /// What other programs may stumble over.
    pub(crate) conformance: Vec<LintFinding>,
}

/// Reads, checks and scans a skill that is to be published.
pub(crate) async fn prepare(hub: &HubContext, folder: &Path) -> Result<PreparedSkill, HubError> {
    let skill = folder
        .canonicalize()
        .ok()
        .and_then(|folder| Some(folder.file_name()?.to_string_lossy().into_owned()))
        .ok_or_else(|| HubError::Usage(format!("{} is no folder", folder.display())))?;
    name::check(&skill).map_err(|_| {
        HubError::Usage(format!("the folder's name `{skill}` is no name for a skill"))
    })?;
    let mut files = BundleFiles::default();
    for (path, bytes) in hash::read_folder(folder).map_err(AtomicError::when("read", folder))? {
        files.add_plain(&path, bytes)?;
    }
    let document = files
        .get(SKILL_FILE)
        .map(|file| SkillDocument::read(&file.bytes))
        .ok_or_else(|| HubError::Usage(format!("{} has no {SKILL_FILE}", folder.display())))?;
    if document.frontmatter.description().is_none_or(|text| text.trim().is_empty()) {
        return Err(HubError::Usage(format!(
            "{SKILL_FILE} has no `description`: say what the skill is for and when to use it"
        )));
    }
    let origin =
        ScanOrigin { source: "local", source_url: "", trust: TrustLevel::Community.of_guard() };
    let report = hub.examine_files(&skill, &files, &origin).await;
    if report.verdict == SkillVerdict::Dangerous {
        return Err(HubError::Blocked(report.text(&skill, "local", TrustLevel::Community)));
    }
    let conformance = conformance::report(&document.text, &skill);
    Ok(PreparedSkill { name: skill, files, description: document.description(), conformance })
}

/// Forks, branches, uploads and asks; gives the address of the pull request.
pub(crate) async fn to_github(
    hub: &HubContext,
    prepared: &PreparedSkill,
    repo: &str,
    tell: &dyn Fn(&str),
) -> Result<String, HubError> {
    let PreparedSkill { name: skill, files, description, .. } = prepared;
    let target = RepoFolder::parse(repo)?;
    let repo = target.full_name();
    let github = &hub.github;
    if github.login().await == GitHubLogin::Anonymous {
        return Err(HubError::Usage(
            "publishing needs a login: set GITHUB_TOKEN to a token that may write repositories, or run `gh auth login`"
                .to_owned(),
        ));
    }
    let missing = |what: &str| HubError::Answer {
        service: "github".to_owned(),
        why: format!("it names no {what}"),
    };
    let text = |value: &serde_json::Value, key: &str| value[key].as_str().map(str::to_owned);
    let user = text(&github.api("/user").await?, "login").ok_or_else(|| missing("user"))?;
    let about = github.api(&format!("/repos/{repo}")).await?;
    let base = text(&about, "default_branch").ok_or_else(|| missing("branch"))?;
    tell(&format!("forking {repo}"));
    let fork = github.call(Method::POST, &format!("/repos/{repo}/forks"), &json!({})).await?;
    let fork = text(&fork, "full_name").ok_or_else(|| missing("fork"))?;
    let fork = RepoFolder::parse(&fork)?.full_name();
    let mut looks = 0;
    let head = loop {
        match github.api(&format!("/repos/{fork}/git/ref/heads/{base}")).await {
            Ok(reference) => {
                break text(&reference["object"], "sha").ok_or_else(|| missing("commit"))?;
            }
            Err(error) if error.is_absent() && looks < FORK_LOOKS => {
                looks += 1;
                tokio::time::sleep(FORK_PAUSE).await;
            }
            Err(error) => return Err(error),
        }
    };
    let branch = format!("add-skill-{skill}");
    let reference = json!({"ref": format!("refs/heads/{branch}"), "sha": head});
    match github.call(Method::POST, &format!("/repos/{fork}/git/refs"), &reference).await {
        Err(HubError::Status { status: 422, .. }) => {
            return Err(HubError::Usage(format!(
                "{fork} has a branch {branch} already; delete it there, then publish again"
            )));
        }
        other => other?,
    };
    for (number, (path, file)) in files.iter().enumerate() {
        tell(&format!("uploading {} of {}: {path}", number + 1, files.len()));
        let content = base64::engine::general_purpose::STANDARD.encode(&file.bytes);
        let place = format!("/repos/{fork}/contents/skills/{skill}/{}", escaped(path));
        let body = json!({"message": format!("Add {skill}: {path}"), "content": content, "branch": branch});
        github.call(Method::PUT, &place, &body).await?;
    }
    let body = json!({
        "title": format!("Add skill: {skill}"), "head": format!("{user}:{branch}"), "base": base, "body": description,
    });
    let pull = github.call(Method::POST, &format!("/repos/{repo}/pulls"), &body).await?;
    text(&pull, "html_url").ok_or_else(|| missing("pull request"))
}
