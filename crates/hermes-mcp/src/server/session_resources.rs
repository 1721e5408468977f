//! Recorded conversations, to read: `hermes://session/ID`.

use hermes_sessions::{
    Export, Format, ListFilter, Only, SessionDatabase, SessionSummary, SessionsError,
};
use hermes_store::clock::local_time;
use hermes_tool::BoxFuture;
use rmcp::model::{Resource, ResourceContents, ResourceTemplate};

use super::sources::{Resources, SourceError};

/// Where the addresses of conversations begin.
const PREFIX: &str = "hermes://session/";
/// What conversations are written in.
const MEDIA_TYPE: &str = "text/markdown";
/// How many conversations are listed; older ones can still be read by their id.
const LISTED: usize = 100;
/// The longest conversation that is given whole, in bytes; of a longer one the end is given.
const MAX_BYTES: usize = 1024 * 1024;

/// Changes a text on its way out, to hide secrets.
type Redact = fn(&str) -> String;

/// The conversations in a store. Nothing is opened before the first look, and nothing is written.
pub struct SessionResources {
    store: SessionDatabase,
    redact: Redact,
}

impl SessionResources {
    /// The conversations of this store; every text goes through `redact`.
    #[must_use]
    pub fn new(store: SessionDatabase, redact: Redact) -> Self {
        Self { store, redact }
    }

    /// Looks into the store on a thread where waiting for the disk is fine.
    fn look<T: Send + 'static>(
        &self,
        look: impl FnOnce(&SessionDatabase) -> Result<T, SessionsError> + Send + 'static,
    ) -> BoxFuture<Result<T, SourceError>> {
        let store = self.store.clone();
        Box::pin(async move {
            let looked = tokio::task::spawn_blocking(move || look(&store)).await;
            match looked {
                Ok(found) => found.map_err(|why| SourceError::Failed(why.to_string())),
                Err(_) => Err(SourceError::Failed("the sessions could not be read".to_owned())),
            }
        })
    }
}

impl Resources for SessionResources {
    fn list(&self) -> BoxFuture<Result<Vec<Resource>, SourceError>> {
        let filter = ListFilter { limit: Some(LISTED), ..ListFilter::default() };
        let redact = self.redact;
        self.look(move |store| {
            Ok(store.list(&filter)?.iter().map(|session| resource(session, redact)).collect())
        })
    }

    fn templates(&self) -> Vec<ResourceTemplate> {
        let template = format!("{PREFIX}{{id}}");
        vec![
            ResourceTemplate::new(template, "session")
                .with_title("A conversation")
                .with_description("A recorded conversation with Hermes, by the id of its session")
                .with_mime_type(MEDIA_TYPE),
        ]
    }

    fn read(&self, uri: &str) -> BoxFuture<Result<Option<Vec<ResourceContents>>, SourceError>> {
        let Some(id) = uri.strip_prefix(PREFIX).map(str::to_owned) else {
            return Box::pin(std::future::ready(Ok(None)));
        };
        let (uri, redact) = (uri.to_owned(), self.redact);
        self.look(move |store| {
            if store.get(&id)?.is_none() {
                return Ok(None);
            }
            let how =
                Export { format: Format::Markdown, only: Only::Everything, redact: Some(&redact) };
            let mut bytes = Vec::new();
            // Writing into memory does not fail.
            let _ = store.export(&[id], &how, &mut bytes)?;
            let text = ending(&String::from_utf8_lossy(&bytes));
            Ok(Some(vec![ResourceContents::text(text, uri).with_mime_type(MEDIA_TYPE)]))
        })
    }

    fn revision(&self, uri: &str) -> BoxFuture<Option<String>> {
        let Some(id) = uri.strip_prefix(PREFIX).map(str::to_owned) else {
            return Box::pin(std::future::ready(None));
        };
        let row = self.look(move |store| store.get(&id));
        Box::pin(async move {
            let row = row.await.ok()??;
            Some(format!("{} {} {:?}", row.message_count, row.rewind_count, row.ended_at))
        })
    }

    fn complete(&self, template: &str, variable: &str, typed: &str) -> BoxFuture<Vec<String>> {
        if !template.starts_with(PREFIX) || variable != "id" {
            return Box::pin(std::future::ready(Vec::new()));
        }
        let typed = typed.to_owned();
        let found = self.look(move |store| {
            let all = store.list(&ListFilter::default())?;
            let ids = all.into_iter().map(|session| session.id);
            Ok(ids.filter(|id| id.starts_with(&typed)).collect())
        });
        Box::pin(async move { found.await.unwrap_or_default() })
    }
}

fn resource(session: &SessionSummary, redact: Redact) -> Resource {
    let title = match &session.title {
        Some(title) => title.clone(),
        None if session.preview.is_empty() => "(nothing said yet)".to_owned(),
        None => session.preview.clone(),
    };
    let about = format!(
        "{} messages, last active {}, from {}",
        session.message_count,
        local_time(session.last_active),
        session.source
    );
    Resource::new(format!("{PREFIX}{}", session.id), session.id.clone())
        .with_title(redact(&title))
        .with_description(about)
        .with_mime_type(MEDIA_TYPE)
}

/// The end of a text that is too long, beginning with a whole line.
fn ending(text: &str) -> String {
    if text.len() <= MAX_BYTES {
        return text.to_owned();
    }
    let mut from = text.len() - MAX_BYTES;
    while !text.is_char_boundary(from) {
        from += 1;
    }
    let rest = &text[from..];
    let rest = rest.split_once('\n').map_or(rest, |(_, rest)| rest);
    format!("(the beginning is left out: {} bytes)\n\n{rest}", text.len() - rest.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use hermes_sessions::{NewMessage, NewSession};

    fn shop() -> (tempfile::TempDir, SessionResources) {
        let folder = tempfile::tempdir().unwrap();
        let store = SessionDatabase::at(folder.path().join("state.db"));
        for id in ["a1", "b2"] {
            let new = NewSession { id: id.into(), source: "cli".into(), ..NewSession::default() };
            store.create(&new).unwrap();
            store.append(id, &[NewMessage::new("user", format!("secret of {id}"))]).unwrap();
        }
        let resources = SessionResources::new(store, |text| text.replace("secret", "***"));
        (folder, resources)
    }

    #[tokio::test]
    async fn conversations_are_listed_and_read_without_secrets() {
        let (_folder, resources) = shop();
        let listed = resources.list().await.unwrap();
        assert_eq!(listed.len(), 2);
        assert!(!format!("{listed:?}").contains("secret"));
        let read = resources.read("hermes://session/a1").await.unwrap().unwrap();
        let text = serde_json::to_value(&read[0]).unwrap()["text"].as_str().unwrap().to_owned();
        assert!(text.contains("*** of a1"), "{text}");
    }

    #[tokio::test]
    async fn what_is_not_there_is_left_to_others() {
        let (_folder, resources) = shop();
        assert_eq!(resources.read("hermes://session/zz").await.unwrap(), None);
        assert_eq!(resources.read("file:///etc/passwd").await.unwrap(), None);
        assert_eq!(resources.revision("hermes://session/zz").await, None);
    }

    #[tokio::test]
    async fn a_new_message_is_a_new_revision() {
        let (_folder, resources) = shop();
        let before = resources.revision("hermes://session/a1").await;
        resources.store.append("a1", &[NewMessage::new("assistant", "yes")]).unwrap();
        assert_ne!(resources.revision("hermes://session/a1").await, before);
    }

    #[tokio::test]
    async fn ids_are_completed() {
        let (_folder, resources) = shop();
        assert_eq!(resources.complete("hermes://session/{id}", "id", "b").await, ["b2"]);
    }

    #[test]
    fn of_a_long_conversation_the_end_is_given() {
        let text = "ä line\n".repeat(MAX_BYTES / 4);
        let end = ending(&text);
        assert!(end.len() < MAX_BYTES + 100);
        assert!(end.ends_with("ä line\n") && end.starts_with("(the beginning"), "{}", &end[..50]);
    }
}
