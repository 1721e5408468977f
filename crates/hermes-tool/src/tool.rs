//! The tool itself: a value that holds everything the runtime needs to know.
//!
//! `#[tool]` builds one from a function. A host that learns of tools at run time (an MCP server, a
//! plugin) builds one with [`Tool::builder`]. Either way it is the same type and takes the same way
//! through the pipeline.

use std::collections::BTreeSet;
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, LazyLock};

use serde_json::{Map, Value};

use crate::{Check, Effects, StateType, ToolContext, ToolError, ToolOutput, ToolPolicy, Vars};

/// Arguments of a call: always an object.
pub type Args = Map<String, Value>;
/// What a handler answers.
pub type ToolResult = Result<ToolOutput, ToolError>;
/// The answer of an asynchronous handler.
pub type BoxFuture<T> = Pin<Box<dyn Future<Output = T> + Send>>;

/// A handler that runs to its end on one thread.
pub type SyncHandler = dyn Fn(Args, &ToolContext) -> ToolResult + Send + Sync;
/// A handler that gives a future.
pub type AsyncHandler = dyn Fn(Args, ToolContext) -> BoxFuture<ToolResult> + Send + Sync;

/// The code behind a tool.
#[derive(Clone)]
pub enum Handler {
    /// The runtime keeps it off the async workers.
    Sync(Arc<SyncHandler>),
    /// Polled where the caller waits.
    Async(Arc<AsyncHandler>),
}

/// How long a result may be before it is moved to a file and shown as a preview.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ResultLimit {
    /// The runtime's default.
    #[default]
    Default,
    /// At most this many characters.
    Chars(usize),
    /// The tool bounds its own output.
    Unlimited,
}

/// Whose code a tool is. Consent to replace another tool is given to an origin.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Origin {
    /// Part of this program or of a crate linked into it.
    #[default]
    Linked,
    /// A plugin, by its id.
    Plugin(Arc<str>),
    /// An MCP server, by its configured name.
    Mcp(Arc<str>),
}

/// Whether calls may run beside others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Concurrency {
    /// Derived from the effects.
    #[default]
    FromEffects,
    /// The owner promises that calls do not disturb each other, whatever the effects.
    Safe,
}

/// What a dynamic schema may look at.
#[derive(Debug)]
pub struct SchemaScope<'a> {
    /// Names of the tools offered together with this one.
    pub available: &'a BTreeSet<Arc<str>>,
    /// Variables.
    pub vars: &'a Vars,
    /// The configuration, as read.
    pub config: &'a Value,
    /// How much is to be said.
    pub detail: SchemaDetail,
}

/// How much a schema says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SchemaDetail {
    /// Everything the tool can do.
    #[default]
    Full,
    /// What a call needs, for a model with a small window: every word is read before each answer.
    Brief,
}

/// What a dynamic schema wants changed.
#[derive(Clone, Debug, PartialEq)]
pub enum SchemaPatch {
    /// Nothing.
    Keep,
    /// These fields (`description`, `parameters`, …) replace those of the static schema.
    Merge(Map<String, Value>),
    /// The tool is not offered this time.
    Remove,
}

/// A function that adapts a schema to what is available.
pub type DynamicSchema = Arc<dyn Fn(&SchemaScope<'_>) -> SchemaPatch + Send + Sync>;

/// `parameters`, computed on first use: listing tools must not pay for a hundred schemas.
type LazyParameters = LazyLock<Value, Box<dyn FnOnce() -> Value + Send>>;

/// A registered or registrable tool.
#[derive(Clone)]
pub struct Tool {
    inner: Arc<Inner>,
}

struct Inner {
    name: Arc<str>,
    toolset: Arc<str>,
    description: String,
    emoji: Option<String>,
    parameters: LazyParameters,
    requires_env: Vec<String>,
    check: Option<Check>,
    effects: Effects,
    result_limit: ResultLimit,
    dynamic_schema: Option<DynamicSchema>,
    origin: Origin,
    concurrency: Concurrency,
    states: Vec<StateType>,
    policy: ToolPolicy,
    handler: Handler,
}

/// Shown for a tool that declares no emoji.
pub const DEFAULT_EMOJI: &str = "⚡";

impl Tool {
    /// Starts building a tool that belongs to a toolset.
    pub fn builder(name: impl Into<Arc<str>>, toolset: impl Into<Arc<str>>) -> ToolBuilder {
        ToolBuilder {
            name: name.into(),
            toolset: toolset.into(),
            description: None,
            emoji: None,
            parameters: None,
            requires_env: Vec::new(),
            check: None,
            effects: Effects::UNKNOWN,
            result_limit: ResultLimit::Default,
            dynamic_schema: None,
            origin: Origin::Linked,
            concurrency: Concurrency::FromEffects,
            states: Vec::new(),
            policy: ToolPolicy::default(),
        }
    }

    /// The name, which is also what the model calls.
    #[must_use]
    pub fn name(&self) -> &Arc<str> {
        &self.inner.name
    }

    /// The one toolset that owns it.
    #[must_use]
    pub fn toolset(&self) -> &Arc<str> {
        &self.inner.toolset
    }

    /// What it is for, as the model reads it.
    #[must_use]
    pub fn description(&self) -> &str {
        &self.inner.description
    }

    /// The declared emoji, or the default one.
    #[must_use]
    pub fn emoji(&self) -> &str {
        self.inner.emoji.as_deref().unwrap_or(DEFAULT_EMOJI)
    }

    /// The JSON schema of its arguments.
    #[must_use]
    pub fn parameters(&self) -> &Value {
        &self.inner.parameters
    }

    /// The flat function schema: name, description, parameters.
    #[must_use]
    pub fn schema(&self) -> Map<String, Value> {
        let mut schema = Map::new();
        schema.insert("name".into(), self.inner.name.as_ref().into());
        schema.insert("description".into(), self.inner.description.as_str().into());
        schema.insert("parameters".into(), self.parameters().clone());
        schema
    }

    /// Variables it wants to see set; for display only.
    #[must_use]
    pub fn requires_env(&self) -> &[String] {
        &self.inner.requires_env
    }

    /// The availability predicate, if it has one.
    #[must_use]
    pub fn check(&self) -> Option<&Check> {
        self.inner.check.as_ref()
    }

    /// Its declared effects.
    #[must_use]
    pub fn effects(&self) -> Effects {
        self.inner.effects
    }

    /// Its limit on the size of a result.
    #[must_use]
    pub fn result_limit(&self) -> ResultLimit {
        self.inner.result_limit
    }

    /// The function that adapts its schema, if it has one.
    #[must_use]
    pub fn dynamic_schema(&self) -> Option<&DynamicSchema> {
        self.inner.dynamic_schema.as_ref()
    }

    /// Whose code it is.
    #[must_use]
    pub fn origin(&self) -> &Origin {
        &self.inner.origin
    }

    /// Whether its owner promises that calls do not disturb each other.
    #[must_use]
    pub fn concurrency(&self) -> Concurrency {
        self.inner.concurrency
    }

    /// What it works on: a call that does not bring all of these among its services is told so.
    #[must_use]
    pub fn states(&self) -> &[StateType] {
        &self.inner.states
    }

    /// How its calls want to be treated.
    #[must_use]
    pub fn policy(&self) -> &ToolPolicy {
        &self.inner.policy
    }

    /// The code.
    #[must_use]
    pub fn handler(&self) -> &Handler {
        &self.inner.handler
    }
}

impl fmt::Debug for Tool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tool")
            .field("name", &self.inner.name)
            .field("toolset", &self.inner.toolset)
            .field("effects", &self.inner.effects)
            .field("origin", &self.inner.origin)
            .finish_non_exhaustive()
    }
}

/// Builds a [`Tool`] field by field; the handler comes last and completes it.
///
/// ```
/// use hermes_tool::{Effects, Tool, ToolOutput};
/// use serde_json::json;
///
/// let tool = Tool::builder("shout", "text")
///     .schema(json!({
///         "description": "Write a text in capitals.",
///         "parameters": {"type": "object", "properties": {"text": {"type": "string"}}}
///     }))
///     .effects(Effects::NONE)
///     .handler(|args, _cx| {
///         let text = args.get("text").and_then(|text| text.as_str()).unwrap_or_default();
///         Ok(ToolOutput::text(text.to_uppercase()))
///     });
/// assert_eq!(tool.description(), "Write a text in capitals.");
/// ```
pub struct ToolBuilder {
    name: Arc<str>,
    toolset: Arc<str>,
    description: Option<String>,
    emoji: Option<String>,
    parameters: Option<LazyParameters>,
    requires_env: Vec<String>,
    check: Option<Check>,
    effects: Effects,
    result_limit: ResultLimit,
    dynamic_schema: Option<DynamicSchema>,
    origin: Origin,
    concurrency: Concurrency,
    states: Vec<StateType>,
    policy: ToolPolicy,
}

impl ToolBuilder {
    /// What the tool is for; wins over the description inside a schema.
    #[must_use]
    pub fn description(mut self, description: impl Into<String>) -> Self {
        self.description = Some(description.into());
        self
    }

    /// A whole function schema, flat or wrapped as `{"type": "function", "function": …}`.
    #[must_use]
    pub fn schema(mut self, mut schema: Value) -> Self {
        if let Some(inner @ Value::Object(_)) = schema.get_mut("function") {
            schema = inner.take();
        }
        if let Some(Value::String(description)) = schema.get("description") {
            let description = description.clone();
            self.description.get_or_insert(description);
        }
        match schema.get_mut("parameters") {
            Some(parameters) => {
                let parameters = parameters.take();
                self.parameters(parameters)
            }
            None => self,
        }
    }

    /// The JSON schema of the arguments.
    #[must_use]
    pub fn parameters(self, parameters: Value) -> Self {
        self.parameters_with(move || parameters)
    }

    /// The JSON schema of the arguments, computed when first asked for.
    #[must_use]
    pub fn parameters_with(mut self, make: impl FnOnce() -> Value + Send + 'static) -> Self {
        self.parameters = Some(LazyLock::new(Box::new(make)));
        self
    }

    /// An emoji for tables and progress lines.
    #[must_use]
    pub fn emoji(mut self, emoji: impl Into<String>) -> Self {
        self.emoji = Some(emoji.into());
        self
    }

    /// A variable the tool wants to see set; shown to people, never enforced.
    #[must_use]
    pub fn requires_env(mut self, name: impl Into<String>) -> Self {
        self.requires_env.push(name.into());
        self
    }

    /// The availability predicate.
    #[must_use]
    pub fn check(mut self, check: Check) -> Self {
        self.check = Some(check);
        self
    }

    /// The declared effects; unknown ones are assumed otherwise.
    #[must_use]
    pub fn effects(mut self, effects: Effects) -> Self {
        self.effects = effects;
        self
    }

    /// The limit on the size of a result.
    #[must_use]
    pub fn result_limit(mut self, limit: ResultLimit) -> Self {
        self.result_limit = limit;
        self
    }

    /// A function that adapts the schema to what is available.
    #[must_use]
    pub fn dynamic_schema(
        mut self,
        adapt: impl Fn(&SchemaScope<'_>) -> SchemaPatch + Send + Sync + 'static,
    ) -> Self {
        self.dynamic_schema = Some(Arc::new(adapt));
        self
    }

    /// Whose code it is.
    #[must_use]
    pub fn origin(mut self, origin: Origin) -> Self {
        self.origin = origin;
        self
    }

    /// The owner's promise about calls at the same time.
    #[must_use]
    pub fn concurrency(mut self, concurrency: Concurrency) -> Self {
        self.concurrency = concurrency;
        self
    }

    /// Something the tool works on; the handler takes it with [`State::of`](crate::State::of).
    #[must_use]
    pub fn needs<T: ?Sized + 'static>(mut self) -> Self {
        self.states.push(StateType::of::<T>());
        self
    }

    /// How calls of the tool want to be treated.
    #[must_use]
    pub fn policy(mut self, policy: ToolPolicy) -> Self {
        self.policy = policy;
        self
    }

    /// Completes the tool with a synchronous handler.
    pub fn handler(
        self,
        handler: impl Fn(Args, &ToolContext) -> ToolResult + Send + Sync + 'static,
    ) -> Tool {
        self.finish(Handler::Sync(Arc::new(handler)))
    }

    /// Completes the tool with an asynchronous handler.
    pub fn async_handler<F>(
        self,
        handler: impl Fn(Args, ToolContext) -> F + Send + Sync + 'static,
    ) -> Tool
    where
        F: Future<Output = ToolResult> + Send + 'static,
    {
        self.finish(Handler::Async(Arc::new(move |args, cx| Box::pin(handler(args, cx)))))
    }

    fn finish(self, handler: Handler) -> Tool {
        Tool {
            inner: Arc::new(Inner {
                name: self.name,
                toolset: self.toolset,
                // Text files end in a newline; descriptions do not.
                description: self.description.unwrap_or_default().trim_end().to_owned(),
                emoji: self.emoji.filter(|emoji| !emoji.is_empty()),
                parameters: self
                    .parameters
                    .unwrap_or_else(|| LazyLock::new(Box::new(crate::schema::no_parameters))),
                requires_env: self.requires_env,
                check: self.check,
                effects: self.effects,
                result_limit: self.result_limit,
                dynamic_schema: self.dynamic_schema,
                origin: self.origin,
                concurrency: self.concurrency,
                states: self.states,
                policy: self.policy,
                handler,
            }),
        }
    }
}

impl fmt::Debug for ToolBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ToolBuilder").field("name", &self.name).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn with_schema(schema: Value) -> Tool {
        Tool::builder("t", "s").schema(schema).handler(|_, _| Ok(ToolOutput::text("{}")))
    }

    #[test]
    fn both_schema_shapes_are_stored_flat() {
        let flat = json!({"name": "t", "description": "d",
                          "parameters": {"type": "object", "properties": {"a": {}}}});
        let wrapped = json!({"type": "function", "function": flat.clone()});
        assert_eq!(Value::Object(with_schema(flat.clone()).schema()), flat);
        assert_eq!(Value::Object(with_schema(wrapped).schema()), flat);
    }

    #[test]
    fn a_schema_without_parameters_takes_none() {
        assert_eq!(
            with_schema(json!({"description": "d"})).parameters(),
            &json!({"type": "object", "properties": {}})
        );
    }

    #[test]
    fn an_unset_or_empty_emoji_shows_the_default() {
        let tool = Tool::builder("t", "s").emoji("").handler(|_, _| Ok(ToolOutput::text("")));
        assert_eq!(tool.emoji(), DEFAULT_EMOJI);
    }
}
