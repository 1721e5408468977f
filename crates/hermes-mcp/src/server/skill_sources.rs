//! Skills for clients: documents to read at `hermes://skill/PATH`, and prompts that put one to work.

use std::sync::Arc;

use hermes_skills::{SkillLibrary, SkillRefusal, SkillStore, listing, support};
use hermes_tool::{BoxFuture, Vars};
use rmcp::model::{
    GetPromptResult, Prompt, PromptArgument, PromptMessage, Resource, ResourceContents,
    ResourceTemplate, Role,
};
use serde_json::{Map, Value};

use super::sources::{Prompts, Resources, SourceError};

/// Where the addresses of skills begin.
const PREFIX: &str = "hermes://skill/";
/// What skills are written in.
const MEDIA_TYPE: &str = "text/markdown";
/// How many skills are listed, as resources and as prompts.
const LISTED: usize = 200;
/// The argument of every prompt: what the skill is wanted for.
const REQUEST: &str = "request";

/// The skills of a home, as lists of this configuration show them. Text is given as it is written: no command in it is
/// run.
#[derive(Clone)]
pub struct SkillSource {
    library: Arc<SkillLibrary>,
    config: Arc<Value>,
    vars: Vars,
}

impl SkillSource {
    /// The skills of a library.
    #[must_use]
    pub fn new(library: Arc<SkillLibrary>, config: Arc<Value>, vars: Vars) -> Self {
        Self { library, config, vars }
    }

    fn store(&self) -> SkillStore<'_> {
        self.library.store(&self.config, &self.vars)
    }

    /// Names, paths and descriptions.
    fn offered(&self) -> Vec<(String, String, String)> {
        let store = self.store();
        let (table, offers) = (store.table(), store.offers(None));
        let rows = listing::offered(&table, &offers).into_iter().take(LISTED).map(|entry| {
            let path =
                entry.relative.parent().map(|path| path.to_string_lossy().replace('\\', "/"));
            (entry.name.clone(), path.unwrap_or_default(), entry.description.clone())
        });
        rows.collect()
    }

    /// The text of a skill, or of a file of one whose path follows that of the skill.
    fn text(&self, path: &str) -> Result<Option<String>, SourceError> {
        let store = self.store();
        let offers = store.offers(None);
        let refused = |refusal: SkillRefusal| match refusal.kind {
            "not_found" => Ok(None),
            _ => Err(SourceError::Invalid(refusal.error)),
        };
        // The longest beginning that is a skill; the rest is a file of it.
        for (at, _) in path.match_indices('/').collect::<Vec<_>>().into_iter().rev() {
            let Ok(located) = store.find_usable(&path[..at], &offers) else { continue };
            let read =
                support::read_file(&located.name(), located.root(), &located.file, &path[at + 1..]);
            if let Ok(answer) = read {
                return Ok(answer["content"].as_str().map(str::to_owned));
            }
        }
        match store.find_usable(path, &offers).and_then(|located| store.open(located, None)) {
            Ok(opened) => Ok(Some(opened.content)),
            Err(refusal) => refused(refusal),
        }
    }

    fn look<T: Send + 'static>(
        &self,
        look: impl FnOnce(&Self) -> Result<T, SourceError> + Send + 'static,
    ) -> BoxFuture<Result<T, SourceError>> {
        let this = self.clone();
        Box::pin(async move {
            let looked = tokio::task::spawn_blocking(move || look(&this)).await;
            looked.unwrap_or_else(|_| {
                Err(SourceError::Failed("the skills could not be read".to_owned()))
            })
        })
    }
}

impl Resources for SkillSource {
    fn list(&self) -> BoxFuture<Result<Vec<Resource>, SourceError>> {
        self.look(|this| {
            let resource = |(name, path, about): (String, String, String)| {
                Resource::new(format!("{PREFIX}{path}"), name)
                    .with_description(about)
                    .with_mime_type(MEDIA_TYPE)
            };
            Ok(this.offered().into_iter().map(resource).collect())
        })
    }

    fn templates(&self) -> Vec<ResourceTemplate> {
        vec![
            ResourceTemplate::new(format!("{PREFIX}{{path}}"), "skill")
                .with_title("A skill")
                .with_description(
                    "Instructions for a kind of work, by name or path; or a file of one",
                )
                .with_mime_type(MEDIA_TYPE),
        ]
    }

    fn read(&self, uri: &str) -> BoxFuture<Result<Option<Vec<ResourceContents>>, SourceError>> {
        let Some(path) = uri.strip_prefix(PREFIX).map(str::to_owned) else {
            return Box::pin(std::future::ready(Ok(None)));
        };
        let uri = uri.to_owned();
        self.look(move |this| {
            let text = this.text(&path)?;
            Ok(text.map(|text| vec![ResourceContents::text(text, uri).with_mime_type(MEDIA_TYPE)]))
        })
    }

    fn complete(&self, template: &str, variable: &str, typed: &str) -> BoxFuture<Vec<String>> {
        if !template.starts_with(PREFIX) || variable != "path" {
            return Box::pin(std::future::ready(Vec::new()));
        }
        let typed = typed.to_owned();
        let found = self.look(move |this| {
            let paths = this.offered().into_iter().map(|(_, path, _)| path);
            Ok(paths.filter(|path| path.starts_with(&typed)).collect())
        });
        Box::pin(async move { found.await.unwrap_or_default() })
    }
}

impl Prompts for SkillSource {
    fn list(&self) -> Vec<Prompt> {
        let request = || {
            PromptArgument::new(REQUEST)
                .with_description("What you want done with it")
                .with_required(false)
        };
        let prompt = |(name, _, about): (String, String, String)| {
            Prompt::new(name.clone(), Some(about), Some(vec![request()]))
                .with_title(format!("Skill: {name}"))
        };
        self.offered().into_iter().map(prompt).collect()
    }

    fn get(
        &self,
        name: &str,
        arguments: &Map<String, Value>,
    ) -> Option<Result<GetPromptResult, SourceError>> {
        let text = match self.text(name) {
            Ok(text) => text?,
            Err(problem) => return Some(Err(problem)),
        };
        let request = arguments.get(REQUEST).and_then(Value::as_str).unwrap_or_default();
        let text = format!("Follow these instructions.\n\n{}\n\n{request}", text.trim());
        let message = PromptMessage::new_text(Role::User, text.trim_end().to_owned());
        Some(Ok(GetPromptResult::new(vec![message])))
    }
}

#[cfg(test)]
mod tests {
    use hermes_store::atomic::{self, WriteOptions};
    use hermes_store::home::Home;

    use super::*;

    fn source(folder: &tempfile::TempDir) -> SkillSource {
        let home = Home::at(folder.path());
        let skill = home.skills().join("cat/bake");
        std::fs::create_dir_all(skill.join("references")).unwrap();
        let put = |name: &str, text: &str| {
            atomic::write(&skill.join(name), text.as_bytes(), WriteOptions::KEEP).unwrap();
        };
        put("SKILL.md", "---\nname: bake\ndescription: Bake bread\n---\nKnead.\n");
        put("references/flour.md", "Rye.");
        SkillSource::new(Arc::new(SkillLibrary::new(&home)), Arc::default(), Vars::default())
    }

    #[tokio::test]
    async fn skills_and_their_files_are_resources() {
        let folder = tempfile::tempdir().unwrap();
        let source = source(&folder);
        let listed = Resources::list(&source).await.unwrap();
        assert_eq!(listed[0].uri, "hermes://skill/cat/bake");
        let read = async |uri: &str| {
            let found = source.read(uri).await.unwrap();
            found.map(|parts| {
                serde_json::to_value(&parts[0]).unwrap()["text"].as_str().unwrap().to_owned()
            })
        };
        assert!(read("hermes://skill/cat/bake").await.unwrap().contains("Knead."));
        assert!(read("hermes://skill/bake").await.unwrap().contains("Knead."));
        assert_eq!(
            read("hermes://skill/cat/bake/references/flour.md").await.as_deref(),
            Some("Rye.")
        );
        assert_eq!(read("hermes://skill/none").await, None);
        assert_eq!(read("hermes://session/bake").await, None);
        assert!(source.read("hermes://skill/../../etc/passwd").await.is_err());
        let completed = Resources::complete(&source, "hermes://skill/{path}", "path", "ca").await;
        assert_eq!(completed, ["cat/bake"]);
    }

    #[test]
    fn a_skill_is_a_prompt_with_a_request() {
        let folder = tempfile::tempdir().unwrap();
        let source = source(&folder);
        assert_eq!(Prompts::list(&source)[0].name, "bake");
        let arguments = serde_json::json!({"request": "Two loaves"});
        let got = source.get("bake", arguments.as_object().unwrap()).unwrap().unwrap();
        let text = serde_json::to_value(&got.messages[0]).unwrap().to_string();
        assert!(text.contains("Knead.") && text.contains("Two loaves"), "{text}");
        assert!(source.get("none", &Map::new()).is_none());
    }
}
