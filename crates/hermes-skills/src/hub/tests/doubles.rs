//! Servers that play registries, right and wrong.

use std::collections::BTreeMap;
use std::io::{Cursor, Write as _};
use std::sync::{Arc, Mutex};

use hermes_testkit::{Seen, WebReply, WebServer};
use serde_json::json;

pub(super) const COMMIT: &str = "0123456789abcdef0123456789abcdef01234567";

/// The text of a plain skill.
pub(super) fn skill(name: &str, body: &str) -> String {
    format!("---\nname: {name}\ndescription: Does {name} things.\n---\n\n{body}\n")
}

/// Files of a repository by path, with their modes.
pub(super) type RepoFiles = BTreeMap<String, (Vec<u8>, &'static str)>;

pub(super) fn repo(files: &[(&str, &str)]) -> RepoFiles {
    files
        .iter()
        .map(|(path, text)| ((*path).to_owned(), (text.as_bytes().to_vec(), "100644")))
        .collect()
}

/// A code host with repositories that a test may change while it runs.
pub(super) struct GitHubDouble {
    pub(super) server: WebServer,
    pub(super) repos: Arc<Mutex<BTreeMap<String, RepoFiles>>>,
    pub(super) truncated: Arc<Mutex<bool>>,
}

impl GitHubDouble {
    pub(super) fn with(repos: &[(&str, RepoFiles)]) -> Self {
        let repos: BTreeMap<String, RepoFiles> =
            repos.iter().map(|(name, files)| ((*name).to_owned(), files.clone())).collect();
        let repos = Arc::new(Mutex::new(repos));
        let truncated = Arc::new(Mutex::new(false));
        let (served, cut) = (Arc::clone(&repos), Arc::clone(&truncated));
        let server = WebServer::start(move |seen| {
            answer(&served.lock().unwrap(), *cut.lock().unwrap(), seen)
        });
        Self { server, repos, truncated }
    }

    /// Addresses for both of its faces.
    pub(super) fn addresses(&self) -> [(&'static str, String); 2] {
        let origin = self.server.origin();
        [("github_api", format!("{origin}/api")), ("github_raw", format!("{origin}/raw"))]
    }

    pub(super) fn put(&self, repo: &str, path: &str, text: &str) {
        self.put_bytes(repo, path, text.as_bytes().to_vec());
    }

    pub(super) fn put_bytes(&self, repo: &str, path: &str, bytes: Vec<u8>) {
        let mut repos = self.repos.lock().unwrap();
        repos.get_mut(repo).unwrap().insert(path.to_owned(), (bytes, "100644"));
    }
}

fn answer(repos: &BTreeMap<String, RepoFiles>, truncated: bool, seen: &Seen) -> WebReply {
    let path = seen.path.split('?').next().unwrap_or_default().replace("%20", " ");
    let parts: Vec<&str> = path.trim_start_matches('/').split('/').collect();
    match parts.as_slice() {
        ["api", "repos", owner, name, rest @ ..] => {
            let Some(files) = repos.get(&format!("{owner}/{name}")) else {
                return WebReply::status(404);
            };
            match rest {
                [] => WebReply::json(&json!({"default_branch": "main"})),
                ["commits", "main"] => WebReply::json(&json!({"sha": COMMIT})),
                ["git", "trees", COMMIT] => tree(files, truncated),
                ["contents", place @ ..] => contents(files, &place.join("/")),
                _ => WebReply::status(404),
            }
        }
        ["raw", owner, name, COMMIT | "HEAD", place @ ..] => {
            let file =
                repos.get(&format!("{owner}/{name}")).and_then(|files| files.get(&place.join("/")));
            file.map_or_else(|| WebReply::status(404), |(bytes, _)| WebReply::bytes(bytes.clone()))
        }
        _ => WebReply::status(404),
    }
}

fn tree(files: &RepoFiles, truncated: bool) -> WebReply {
    let shown = if truncated { 1 } else { files.len() };
    let list: Vec<_> = files
        .iter()
        .take(shown)
        .map(|(path, (bytes, mode))| {
            let kind = if *mode == "160000" { "commit" } else { "blob" };
            json!({"path": path, "mode": mode, "type": kind, "size": bytes.len()})
        })
        .collect();
    WebReply::json(&json!({"sha": "tree", "tree": list, "truncated": truncated}))
}

fn contents(files: &RepoFiles, place: &str) -> WebReply {
    if let Some((bytes, _)) = files.get(place) {
        return WebReply::bytes(bytes.clone());
    }
    let mut list = BTreeMap::new();
    for (path, (bytes, mode)) in files {
        let rest = if place.is_empty() {
            Some(path.as_str())
        } else {
            path.strip_prefix(&format!("{place}/"))
        };
        let Some(rest) = rest else { continue };
        match rest.split_once('/') {
            Some((folder, _)) => {
                let full = format!("{place}/{folder}");
                list.insert(
                    folder.to_owned(),
                    json!({"path": full.trim_start_matches('/'), "type": "dir"}),
                );
            }
            None => {
                let kind = if *mode == "120000" { "symlink" } else { "file" };
                list.insert(
                    rest.to_owned(),
                    json!({"path": path, "type": kind, "size": bytes.len()}),
                );
            }
        }
    }
    if list.is_empty() {
        return WebReply::status(404);
    }
    WebReply::json(&json!(list.into_values().collect::<Vec<_>>()))
}

/// A ZIP archive.
pub(super) fn zip(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut writer = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in files {
        writer.start_file(*name, zip::write::SimpleFileOptions::default()).unwrap();
        writer.write_all(bytes).unwrap();
    }
    writer.finish().unwrap().into_inner()
}
