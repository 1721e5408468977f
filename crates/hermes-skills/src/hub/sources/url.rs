//! `url`: one document on the web, with the files beside it that it mentions.

use std::sync::LazyLock;

use hermes_web::Url;
use regex::Regex;
use serde_json::Map;

use super::{HubSource, SearchReach, SourceAnswer, is_web};
use crate::document::SkillDocument;
use crate::hub::HubContext;
use crate::hub::bundle::{BundleFiles, HubBundle, path};
use crate::hub::error::HubError;
use crate::hub::identifier::RepoFolder;
use crate::hub::record::{HubRecord, TrustLevel};
use crate::layout::SKILL_FILE;

const ID: &str = "url";
/// Names that say nothing.
const NO_NAMES: [&str; 4] = ["skill", "readme", "index", "unnamed-skill"];
/// Most files that are looked for beside a document.
const MOST_MENTIONED: usize = 50;

#[expect(clippy::expect_used, reason = "the pattern is a constant and a test runs it")]
static MENTION: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"\b(?:references|templates|scripts|assets)/[A-Za-z0-9._/-]*[A-Za-z0-9_]")
        .expect("constant pattern")
});

pub(super) struct UrlSource;

/// A file of a repository on GitHub, by its address: the folder and the commit or branch.
fn on_github(url: &Url) -> Option<(RepoFolder, String)> {
    let parts: Vec<&str> = url.path_segments()?.collect();
    let (owner, repo, reference, path) = match (url.host_str()?, parts.as_slice()) {
        ("raw.githubusercontent.com", [owner, repo, "refs", "heads", reference, path @ ..])
        | ("raw.githubusercontent.com", [owner, repo, reference, path @ ..])
        | ("github.com", [owner, repo, "blob" | "tree" | "raw", reference, path @ ..]) => {
            (owner, repo, reference, path)
        }
        _ => return None,
    };
    let folder = path.split_last().map(|(_, folder)| folder.join("/")).unwrap_or_default();
    let folder = RepoFolder::parse(&format!("{owner}/{repo}/{folder}")).ok()?;
    Some((folder, (*reference).to_owned()))
}

/// The name a document gives itself, else its folder's, else its file's.
fn name_of(document: &SkillDocument, url: &Url) -> Option<String> {
    let parts: Vec<&str> =
        url.path_segments().into_iter().flatten().filter(|part| !part.is_empty()).collect();
    let stem =
        parts.last().and_then(|file| file.rsplit_once('.')).map(|(stem, _)| stem.to_lowercase());
    let parent =
        parts.len().checked_sub(2).and_then(|at| parts.get(at)).map(|part| part.to_lowercase());
    let fits = |name: &String| {
        name.starts_with(|c: char| c.is_ascii_lowercase())
            && name
                .chars()
                .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '_' | '-'))
            && !NO_NAMES.contains(&name.as_str())
    };
    [document.frontmatter.name(), parent, stem].into_iter().flatten().find(fits)
}

impl HubSource for UrlSource {
    fn id(&self) -> &'static str {
        ID
    }

    fn reach(&self) -> SearchReach {
        SearchReach::Never
    }

    fn claims(&self, identifier: &str) -> bool {
        let path = identifier.split(['#', '?']).next().unwrap_or_default();
        is_web(identifier) && path.to_ascii_lowercase().ends_with(".md")
    }

    fn search<'a>(
        &'a self,
        _hub: &'a HubContext,
        _query: &'a str,
        _limit: usize,
    ) -> SourceAnswer<'a, Vec<HubRecord>> {
        Box::pin(async { Ok(Vec::new()) })
    }

    fn fetch<'a>(
        &'a self,
        hub: &'a HubContext,
        identifier: &'a str,
    ) -> SourceAnswer<'a, HubBundle> {
        Box::pin(async move {
            let wrong =
                |why: String| HubError::Identifier { identifier: identifier.to_owned(), why };
            let url = Url::parse(identifier.trim()).map_err(|error| wrong(error.to_string()))?;
            if let Some((folder, reference)) = on_github(&url) {
                return hub.github.bundle(&folder, Some(&reference)).await;
            }
            let answer = hub.http.get(ID, url.as_str()).await?;
            let document = SkillDocument::read(&answer.body);
            let mut warnings = Vec::new();
            let mut files = BundleFiles::default();
            for mention in mentioned(&document.text) {
                // Files lie beside the document, on the host that served it.
                let beside = answer
                    .url
                    .join(&mention)
                    .ok()
                    .filter(|beside| beside.origin() == answer.url.origin());
                let Some(beside) = beside else { continue };
                match hub.http.get(ID, beside.as_str()).await {
                    Ok(found) => files.add_plain(&mention, found.body)?,
                    Err(error) if error.is_block() => return Err(error),
                    Err(_) => warnings
                        .push(format!("the document mentions {mention}, which is not there")),
                }
            }
            files.add_plain(SKILL_FILE, answer.body.clone())?;
            let mut metadata = Map::new();
            metadata.insert("source_url".to_owned(), answer.url.to_string().into());
            Ok(HubBundle {
                // An empty name asks for `--name`.
                name: name_of(&document, &answer.url).unwrap_or_default(),
                category: None,
                files,
                source: ID,
                identifier: identifier.to_owned(),
                trust: TrustLevel::Community,
                metadata,
                warnings,
            })
        })
    }
}

/// Support files a document speaks of, each once.
fn mentioned(text: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for mention in MENTION.find_iter(text) {
        let mention = mention.as_str().to_owned();
        let is_file = mention.rsplit('/').next().is_some_and(|name| name.contains('.'));
        if is_file && path::check(&mention).is_ok() && !found.contains(&mention) {
            found.push(mention);
        }
        if found.len() == MOST_MENTIONED {
            break;
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn support_files_are_found_by_their_folders() {
        let text = "See [api](references/api.md) and `scripts/run.sh`. Again references/api.md; not myscripts/x.md, \
                    references/, scripts/../x.sh or references/no-extension.";
        assert_eq!(mentioned(text), ["references/api.md", "scripts/run.sh"]);
    }

    #[test]
    fn names_come_from_the_document_its_folder_or_its_file_and_must_say_something() {
        let name =
            |text: &str, url: &str| name_of(&SkillDocument::parse(text), &Url::parse(url).unwrap());
        let named = "---\nname: own\n---\nx";
        assert_eq!(name(named, "https://x.example/a/SKILL.md").as_deref(), Some("own"));
        assert_eq!(name("x", "https://x.example/tool/SKILL.md").as_deref(), Some("tool"));
        assert_eq!(name("x", "https://x.example/notes.md").as_deref(), Some("notes"));
        assert_eq!(name("---\nname: ../evil\n---\nx", "https://x.example/SKILL.md"), None);
        assert_eq!(name("x", "https://x.example/README.md"), None);
    }

    #[test]
    fn addresses_on_github_are_folders_of_repositories() {
        let place = |url: &str| on_github(&Url::parse(url).unwrap());
        let (folder, reference) =
            place("https://raw.githubusercontent.com/o/r/main/skills/x/SKILL.md").unwrap();
        assert_eq!((folder.identifier().as_str(), reference.as_str()), ("o/r/skills/x", "main"));
        let (folder, _) = place("https://github.com/o/r/blob/v1/SKILL.md").unwrap();
        assert_eq!(folder.identifier(), "o/r");
        assert!(place("https://example.com/o/r/main/SKILL.md").is_none());
    }
}
