//! One client's session: every request of the protocol, answered.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rmcp::ServerHandler;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CompleteRequestParams, CompleteResult, CompletionInfo,
    ErrorData, GetPromptRequestParams, GetPromptResponse, Implementation, InitializeResult,
    ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult, ListToolsResult,
    PaginatedRequestParams, ProtocolVersion, ReadResourceRequestParams, ReadResourceResponse,
    ReadResourceResult, Reference, ServerCapabilities, SubscribeRequestParams, Tool,
    UnsubscribeRequestParams,
};
use rmcp::service::{NotificationContext, RequestContext, RoleServer};
use tokio_util::sync::{CancellationToken, DropGuard};

use super::log::LogLevel;
use super::sources::SourceError;
use super::{Shared, call, catalog, watch};

/// The newest revision this server speaks: the last one with sessions, in which a client can be
/// asked something while its call runs.
const NEWEST: ProtocolVersion = ProtocolVersion::V_2025_11_25;

/// One client.
pub(crate) struct Session {
    shared: Arc<Shared>,
    id: Arc<str>,
    level: Mutex<LogLevel>,
    subscriptions: Subscriptions,
    over: CancellationToken,
    _over: DropGuard,
}

/// Addresses the client wants to hear about, with the revision it knows.
pub(super) type Subscriptions = Arc<Mutex<BTreeMap<String, Option<String>>>>;

impl Session {
    pub(super) fn new(shared: Arc<Shared>) -> Self {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let over = CancellationToken::new();
        Self {
            shared,
            id: format!("mcp_{}_{number}", std::process::id()).into(),
            level: Mutex::default(),
            subscriptions: Subscriptions::default(),
            _over: over.clone().drop_guard(),
            over,
        }
    }

    pub(super) fn shared(&self) -> &Arc<Shared> {
        &self.shared
    }

    pub(super) fn id(&self) -> Arc<str> {
        Arc::clone(&self.id)
    }

    /// Log lines below this level are not sent.
    pub(super) fn log_level(&self) -> LogLevel {
        *lock(&self.level)
    }

    /// Whether the client shows forms to a person.
    pub(super) fn takes_questions(&self, context: &RequestContext<RoleServer>) -> bool {
        let capabilities = context.client_capabilities();
        let offered = capabilities.and_then(|capabilities| capabilities.elicitation);
        // Before there were two kinds, offering elicitation meant forms.
        offered.is_some_and(|kinds| kinds.form.is_some() || kinds.url.is_none())
    }

    async fn revision(&self, uri: &str) -> Option<String> {
        watch::revision(&self.shared, uri).await
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        if let Some(act) = &self.shared.session_end {
            act(&self.id);
        }
    }
}

pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn refused(error: SourceError) -> ErrorData {
    match error {
        SourceError::Invalid(what) => ErrorData::invalid_params(what, None),
        SourceError::Failed(what) => ErrorData::internal_error(what, None),
    }
}

#[expect(deprecated, reason = "logging and subscriptions are part of the revisions we speak")]
impl ServerHandler for Session {
    fn get_info(&self) -> InitializeResult {
        let capabilities = ServerCapabilities::builder()
            .enable_logging()
            .enable_completions()
            .enable_prompts()
            .enable_resources()
            .enable_resources_subscribe()
            .enable_tools()
            .enable_tool_list_changed()
            .build();
        let about = Implementation::new(&self.shared.name, &self.shared.version);
        let info = InitializeResult::new(capabilities)
            .with_server_info(about)
            .with_protocol_version(NEWEST);
        match &self.shared.instructions {
            Some(text) => info.with_instructions(text),
            None => info,
        }
    }

    fn supported_protocol_versions(&self) -> Cow<'static, [ProtocolVersion]> {
        Cow::Borrowed(ProtocolVersion::known_up_to(&NEWEST))
    }

    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        let watch = watch::Watch {
            shared: Arc::clone(&self.shared),
            subscriptions: Arc::clone(&self.subscriptions),
            peer: context.peer,
            over: self.over.clone(),
        };
        tokio::spawn(watch.run());
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(catalog::offers(&self.shared)))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        catalog::offers(&self.shared).into_iter().find(|tool| tool.name == name)
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        call::serve(self, request, context).await.map(CallToolResponse::from)
    }

    async fn set_level(
        &self,
        request: rmcp::model::SetLevelRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        *lock(&self.level) = request.level.into();
        Ok(())
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let mut all = Vec::new();
        for source in &self.shared.resources {
            all.extend(source.list().await.map_err(refused)?);
        }
        Ok(ListResourcesResult::with_all_items(all))
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        let all = self.shared.resources.iter().flat_map(|source| source.templates()).collect();
        Ok(ListResourceTemplatesResult::with_all_items(all))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        for source in &self.shared.resources {
            if let Some(contents) = source.read(&request.uri).await.map_err(refused)? {
                return Ok(ReadResourceResult::new(contents).into());
            }
        }
        Err(ErrorData::resource_not_found(format!("There is no resource {}", request.uri), None))
    }

    async fn subscribe(
        &self,
        request: SubscribeRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        let revision = self.revision(&request.uri).await;
        lock(&self.subscriptions).insert(request.uri, revision);
        Ok(())
    }

    async fn unsubscribe(
        &self,
        request: UnsubscribeRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        lock(&self.subscriptions).remove(&request.uri);
        Ok(())
    }

    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        let all = self.shared.prompts.iter().flat_map(|source| source.list()).collect();
        Ok(ListPromptsResult::with_all_items(all))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let arguments = request.arguments.unwrap_or_default();
        let found =
            self.shared.prompts.iter().find_map(|source| source.get(&request.name, &arguments));
        match found {
            Some(prompt) => prompt.map(Into::into).map_err(refused),
            None => Err(ErrorData::invalid_params(
                format!("There is no prompt `{}`", request.name),
                None,
            )),
        }
    }

    async fn complete(
        &self,
        request: CompleteRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        let (argument, typed) = (request.argument.name, request.argument.value);
        let mut values = match request.r#ref {
            Reference::Prompt(prompt) => {
                let sources = self.shared.prompts.iter();
                let mut found =
                    sources.filter_map(|source| source.complete(&prompt.name, &argument, &typed));
                found.next().unwrap_or_default()
            }
            Reference::Resource(template) => {
                let mut all = Vec::new();
                for source in &self.shared.resources {
                    all.extend(source.complete(&template.uri, &argument, &typed).await);
                }
                all
            }
            _ => Vec::new(),
        };
        let total = values.len();
        values.truncate(CompletionInfo::MAX_VALUES);
        let has_more = total > values.len();
        let total = u32::try_from(total).unwrap_or(u32::MAX);
        let info = CompletionInfo::with_pagination(values, Some(total), has_more)
            .map_err(|why| ErrorData::internal_error(why, None))?;
        Ok(CompleteResult::new(info))
    }
}
