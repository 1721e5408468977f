//! GitHub: whole folders of a repository at one commit.
//!
//! The tree of the repository is asked for once, at the commit the branch points to right now. Every file below the
//! folder is then fetched at that commit, so that a push in between mixes nothing. Files come from the host for single
//! files, which has no limit of requests; a company's own server, or a private repository there, is asked through the
//! API.

pub mod auth;
mod tree;

use std::sync::Arc;
use std::time::Duration;

use base64::Engine as _;
use futures_util::{StreamExt as _, TryStreamExt as _};
use hermes_web::header::{ACCEPT, AUTHORIZATION, HeaderValue};
use hermes_web::{FetchRequest, Fetched, Method};
use serde_json::{Map, Value};

use super::bundle::{BundleFile, BundleFiles, HubBundle, MAX_BUNDLE_BYTES, MAX_BUNDLE_FILES};
use super::error::HubError;
use super::http::{HubHttp, RateLimitWait, file_limits, parse};
use super::identifier::{RepoFolder, trust_of_repo};
use super::settings::HubSettings;
use crate::layout::SKILL_FILE;
use auth::GitHubAuth;
pub use tree::{RepoTree, TreeEntry, TreeKind};

/// The name in messages, and the source's id.
pub const GITHUB: &str = "github";
/// Files fetched at a time.
const AT_ONCE: usize = 8;
/// How long a limit is waited for.
const PATIENCE: RateLimitWait = RateLimitWait {
    most: Duration::from_secs(60),
    advice: "set GITHUB_TOKEN (any token, even without rights) or log in with `gh auth login` for 5,000 requests an hour",
};
/// Folders in which people keep skills, tried before the whole tree is looked through.
const USUAL_FOLDERS: [&str; 4] = ["", "skills/", ".agents/skills/", ".claude/skills/"];

/// Access to repositories.
#[derive(Clone)]
pub struct GitHub {
    http: HubHttp,
    api: String,
    raw: Option<String>,
    auth: Arc<GitHubAuth>,
    trusted: Vec<String>,
}

impl GitHub {
    /// With these addresses and this login.
    #[must_use]
    pub fn new(
        http: HubHttp,
        settings: &HubSettings,
        trusted: &[String],
        auth: GitHubAuth,
    ) -> Self {
        Self {
            http,
            api: settings.github_api.trim_end_matches('/').to_owned(),
            raw: settings
                .has_raw_host()
                .then(|| settings.github_raw.trim_end_matches('/').to_owned()),
            auth: Arc::new(auth),
            trusted: trusted.to_vec(),
        }
    }

    /// How we are logged in; finds out if nobody asked before.
    pub async fn login(&self) -> auth::GitHubLogin {
        self.auth.method(&self.http, &self.api).await
    }

    /// How far a repository is believed.
    #[must_use]
    pub fn trust(&self, folder: &RepoFolder) -> super::record::TrustLevel {
        trust_of_repo(&folder.owner, &folder.repo, &self.trusted)
    }

    async fn ask(&self, url: &str, accept: &'static str) -> Result<Fetched, HubError> {
        let request = FetchRequest::get(url)
            .limits(hermes_web::FetchLimits {
                bytes: super::http::MAX_CATALOGUE_BYTES,
                ..file_limits()
            })
            .header(ACCEPT, HeaderValue::from_static(accept));
        self.http.send(GITHUB, self.authorised(request).await, PATIENCE).await
    }

    async fn authorised(&self, request: FetchRequest) -> FetchRequest {
        let token = self.auth.token(&self.http, &self.api).await;
        match token.and_then(|token| HeaderValue::from_str(&format!("token {token}")).ok()) {
            Some(value) => request.secret_header(AUTHORIZATION, value),
            None => request,
        }
    }

    /// A `GET` of the API.
    ///
    /// # Errors
    /// Unreachable, limited, or an error status.
    pub async fn api(&self, path: &str) -> Result<Value, HubError> {
        let url = format!("{}{path}", self.api);
        parse(GITHUB, &self.ask(&url, "application/vnd.github.v3+json").await?.body)
    }

    /// A request of the API that changes something.
    ///
    /// # Errors
    /// Unreachable, limited, or an error status.
    pub async fn call(&self, method: Method, path: &str, body: &Value) -> Result<Value, HubError> {
        let request = FetchRequest::get(format!("{}{path}", self.api))
            .method(method)
            .header(ACCEPT, HeaderValue::from_static("application/vnd.github.v3+json"))
            .json(body);
        let answer = self.http.send(GITHUB, self.authorised(request).await, PATIENCE).await?;
        parse(GITHUB, &answer.body)
    }

    /// The commit a branch or tag points to, and the branch that is usual if none is named.
    async fn commit(
        &self,
        folder: &RepoFolder,
        reference: Option<&str>,
    ) -> Result<String, HubError> {
        let repo = folder.full_name();
        let reference = match reference {
            Some(reference) => reference.to_owned(),
            None => {
                let about = self.api(&format!("/repos/{repo}")).await;
                let about = about.map_err(|error| unseen(error, &format!("repository {repo}")))?;
                about["default_branch"].as_str().unwrap_or("main").to_owned()
            }
        };
        if is_commit(&reference) {
            return Ok(reference);
        }
        match self.api(&format!("/repos/{repo}/commits/{reference}")).await {
            Ok(commit) => Ok(commit["sha"].as_str().unwrap_or(&reference).to_owned()),
            // A server that knows no commits still has the tree of the branch.
            Err(error) if error.is_absent() => Ok(reference),
            Err(error) => Err(error),
        }
    }

    /// Everything in a repository, at one commit.
    ///
    /// # Errors
    /// The repository cannot be reached or is none.
    pub async fn tree(
        &self,
        folder: &RepoFolder,
        reference: Option<&str>,
    ) -> Result<RepoTree, HubError> {
        let commit = self.commit(folder, reference).await?;
        let repo = folder.full_name();
        let answer = self.api(&format!("/repos/{repo}/git/trees/{commit}?recursive=1")).await;
        let answer =
            answer.map_err(|error| unseen(error, &format!("{commit} in the repository {repo}")))?;
        RepoTree::read(commit, &answer)
    }

    /// One file at a commit.
    ///
    /// # Errors
    /// It cannot be had.
    pub async fn file(
        &self,
        folder: &RepoFolder,
        commit: &str,
        path: &str,
    ) -> Result<Vec<u8>, HubError> {
        let repo = folder.full_name();
        let path = escaped(path);
        if let Some(raw) = &self.raw {
            let request =
                FetchRequest::get(format!("{raw}/{repo}/{commit}/{path}")).limits(file_limits());
            match self.http.send(GITHUB, self.authorised(request).await, PATIENCE).await {
                Ok(answer) => return Ok(answer.body),
                // Not every server behind the API serves files elsewhere.
                Err(error) if error.is_absent() => {}
                Err(error) => return Err(error),
            }
        }
        let url = format!("{}/repos/{repo}/contents/{path}?ref={commit}", self.api);
        let answer = self.ask(&url, "application/vnd.github.v3.raw").await?;
        let is_json = answer.header("content-type").is_some_and(|kind| kind.contains("json"));
        if is_json
            && let Some(bytes) =
                parse(GITHUB, &answer.body).ok().and_then(|value| content_of(&value))
        {
            return Ok(bytes);
        }
        Ok(answer.body)
    }

    /// The folder of a skill that a path means: itself, below one of the usual folders, or the only one of that name.
    #[must_use]
    pub fn locate(tree: &RepoTree, path: &str) -> Option<String> {
        let has = |folder: &str| tree.has_file(&join(folder, SKILL_FILE));
        let path = path.trim_matches('/');
        let path = path.strip_suffix(SKILL_FILE).unwrap_or(path).trim_matches('/');
        for prefix in USUAL_FOLDERS {
            let folder = format!("{prefix}{path}");
            if has(folder.trim_matches('/')) {
                return Some(folder.trim_matches('/').to_owned());
            }
        }
        let last = path.rsplit('/').next().filter(|last| !last.is_empty())?;
        let mut found =
            tree.skill_folders().filter(|folder| folder.rsplit('/').next() == Some(last));
        match (found.next(), found.next()) {
            (Some(only), None) => Some(only.to_owned()),
            _ => None,
        }
    }

    /// Fetches a whole skill.
    ///
    /// # Errors
    /// It is not there, cannot be had, or is no bundle.
    pub async fn bundle(
        &self,
        folder: &RepoFolder,
        reference: Option<&str>,
    ) -> Result<HubBundle, HubError> {
        let mut tree = self.tree(folder, reference).await?;
        if tree.truncated {
            tree = self.tree_by_folders(folder, tree).await?;
        }
        let Some(place) = Self::locate(&tree, &folder.path) else {
            return Err(HubError::NotFound(format!("a skill at {}", folder.identifier())));
        };
        let folder = folder.at(&place);
        let files = self.files(&folder, &tree).await?;
        let name = place.rsplit('/').next().filter(|name| !name.is_empty()).unwrap_or(&folder.repo);
        let mut metadata = Map::new();
        let url = format!("https://github.com/{}/tree/{}/{place}", folder.full_name(), tree.commit);
        metadata.insert("source_url".to_owned(), url.trim_end_matches('/').into());
        metadata.insert("source_revision".to_owned(), tree.commit.clone().into());
        Ok(HubBundle {
            name: name.to_owned(),
            category: None,
            files,
            source: GITHUB,
            identifier: folder.identifier(),
            trust: self.trust(&folder),
            metadata,
            warnings: Vec::new(),
        })
    }

    async fn files(&self, folder: &RepoFolder, tree: &RepoTree) -> Result<BundleFiles, HubError> {
        let mut wanted = Vec::new();
        let mut bytes = 0;
        for (path, entry) in tree.below(&folder.path) {
            match entry.kind {
                TreeKind::File { executable } => {
                    bytes += entry.size;
                    wanted.push((path.to_owned(), entry.path.clone(), executable));
                }
                TreeKind::Link => {
                    return Err(HubError::Bundle(format!(
                        "{} in the repository is a link",
                        entry.path
                    )));
                }
                TreeKind::Submodule => {
                    return Err(HubError::Bundle(format!("{} is another repository", entry.path)));
                }
            }
        }
        if wanted.len() > MAX_BUNDLE_FILES {
            return Err(HubError::Bundle(format!("it has more than {MAX_BUNDLE_FILES} files")));
        }
        if bytes > MAX_BUNDLE_BYTES {
            return Err(HubError::Bundle("it is larger than 20 MiB".to_owned()));
        }
        let fetched = futures_util::stream::iter(wanted.into_iter().map(
            |(path, full, executable)| async move {
                let bytes = self.file(folder, &tree.commit, &full).await?;
                Ok::<_, HubError>((path, BundleFile { bytes, executable }))
            },
        ));
        let mut fetched = fetched.buffer_unordered(AT_ONCE);
        let mut files = BundleFiles::default();
        while let Some((path, file)) = fetched.try_next().await? {
            files.add(&path, file)?;
        }
        Ok(files)
    }

    /// A tree that was too large for one answer, folder by folder where the skill may be.
    async fn tree_by_folders(
        &self,
        folder: &RepoFolder,
        partial: RepoTree,
    ) -> Result<RepoTree, HubError> {
        let path = folder.path.trim_end_matches(SKILL_FILE).trim_matches('/');
        let guesses = USUAL_FOLDERS.iter().map(|prefix| format!("{prefix}{path}"));
        for place in guesses.chain(Self::locate(&partial, path)) {
            let place = place.trim_matches('/');
            let mut entries = Vec::new();
            match self.list_folder(folder, &partial.commit, place, &mut entries).await {
                Ok(()) if entries.iter().any(|entry| entry.path == join(place, SKILL_FILE)) => {
                    return Ok(RepoTree::of(partial.commit, entries));
                }
                Ok(()) => {}
                Err(error) if error.is_absent() => {}
                Err(error) => return Err(error),
            }
        }
        Err(HubError::NotFound(format!("a skill at {}", folder.identifier())))
    }

    async fn list_folder(
        &self,
        folder: &RepoFolder,
        commit: &str,
        place: &str,
        entries: &mut Vec<TreeEntry>,
    ) -> Result<(), HubError> {
        let repo = folder.full_name();
        let mut open = vec![place.to_owned()];
        while let Some(place) = open.pop() {
            let answer = self
                .api(&format!("/repos/{repo}/contents/{}?ref={commit}", escaped(&place)))
                .await?;
            for item in answer.as_array().into_iter().flatten() {
                let path = item["path"].as_str().unwrap_or_default();
                match item["type"].as_str().unwrap_or_default() {
                    "dir" => open.push(path.to_owned()),
                    kind => entries.push(TreeEntry::of_contents(path, kind, &item["size"])),
                }
            }
            if entries.len() + open.len() > MAX_BUNDLE_FILES {
                return Err(HubError::Bundle(format!("it has more than {MAX_BUNDLE_FILES} files")));
            }
        }
        Ok(())
    }
}

/// What the API does not have, it may only not show.
fn unseen(error: HubError, what: &str) -> HubError {
    match error {
        error if error.is_absent() => HubError::NotFound(format!(
            "{what} on GitHub (one that is private is seen with GITHUB_TOKEN or `gh auth login` only)"
        )),
        error => error,
    }
}

fn is_commit(reference: &str) -> bool {
    reference.len() == 40 && reference.bytes().all(|byte| byte.is_ascii_hexdigit())
}

fn join(folder: &str, name: &str) -> String {
    if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") }
}

/// The bytes of a file in the API's JSON form.
fn content_of(value: &Value) -> Option<Vec<u8>> {
    let packed: String = value["content"].as_str()?.split_whitespace().collect();
    base64::engine::general_purpose::STANDARD.decode(packed).ok()
}

/// A path with everything escaped that means something in a URL.
pub(crate) fn escaped(path: &str) -> String {
    let mut text = String::with_capacity(path.len());
    for byte in path.bytes() {
        match byte {
            b'/' | b'-' | b'_' | b'.' | b'~' => text.push(char::from(byte)),
            byte if byte.is_ascii_alphanumeric() => text.push(char::from(byte)),
            byte => text.push_str(&format!("%{byte:02X}")),
        }
    }
    text
}
