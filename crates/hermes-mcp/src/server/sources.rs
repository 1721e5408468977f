//! What a server offers beside tools: things to read, and ready questions.

use hermes_tool::BoxFuture;
use rmcp::model::{
    ErrorData, GetPromptResult, Prompt, Resource, ResourceContents, ResourceTemplate,
};
use serde_json::{Map, Value};

use super::caller::Caller;

/// Why something on offer could not be given.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SourceError {
    /// What was asked for makes no sense: what to change.
    #[error("{0}")]
    Invalid(String),
    /// It could not be read: what went wrong.
    #[error("{0}")]
    Failed(String),
}

impl From<SourceError> for ErrorData {
    fn from(error: SourceError) -> Self {
        match error {
            SourceError::Invalid(what) => Self::invalid_params(what, None),
            SourceError::Failed(what) => Self::internal_error(what, None),
        }
    }
}

/// Things to read, by address.
pub trait Resources: Send + Sync {
    /// What there is.
    fn list(&self) -> BoxFuture<Result<Vec<Resource>, SourceError>>;

    /// Patterns of addresses.
    fn templates(&self) -> Vec<ResourceTemplate> {
        Vec::new()
    }

    /// The content behind an address; nothing if it belongs to another source, or to none.
    fn read(&self, uri: &str) -> BoxFuture<Result<Option<Vec<ResourceContents>>, SourceError>>;

    /// A text that changes whenever the content does; nothing if that is not known.
    fn revision(&self, _uri: &str) -> BoxFuture<Option<String>> {
        Box::pin(std::future::ready(None))
    }

    /// Values for a variable of a template that begin with what was typed.
    fn complete(&self, _template: &str, _variable: &str, _typed: &str) -> BoxFuture<Vec<String>> {
        Box::pin(std::future::ready(Vec::new()))
    }
}

/// Ready questions, by name.
pub trait Prompts: Send + Sync {
    /// What there is.
    fn list(&self) -> Vec<Prompt>;

    /// The messages of a question; nothing if this source does not know the name.
    fn get(
        &self,
        name: &str,
        arguments: &Map<String, Value>,
    ) -> Option<Result<GetPromptResult, SourceError>>;

    /// The same for a source that has to ask the client something first; it does so through the caller.
    fn get_asking(
        &self,
        name: &str,
        arguments: &Map<String, Value>,
        _caller: &Caller,
    ) -> Option<BoxFuture<Result<GetPromptResult, SourceError>>> {
        let found = self.get(name, arguments)?;
        Some(Box::pin(std::future::ready(found)))
    }

    /// Values for an argument that begin with what was typed; nothing if this source does not know
    /// the name.
    fn complete(&self, _name: &str, _argument: &str, _typed: &str) -> Option<Vec<String>> {
        None
    }
}
