//! One client's session: every request of the protocol, answered.

use std::borrow::Cow;
use std::sync::Arc;

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

use super::client_state::ClientState;
use super::sources::SourceError;
use super::{ServerContext, call, watch};

/// The newest revision this server speaks: the last one with sessions, in which a client can be
/// asked something while its call runs.
const NEWEST: ProtocolVersion = ProtocolVersion::V_2025_11_25;

/// Answers one client.
pub(crate) struct ClientSession(ClientState);

impl ClientSession {
    pub(super) fn new(server: Arc<ServerContext>) -> Self {
        Self(ClientState::new(server))
    }

    fn server(&self) -> &Arc<ServerContext> {
        &self.0.server
    }
}

fn refused(error: SourceError) -> ErrorData {
    match error {
        SourceError::Invalid(what) => ErrorData::invalid_params(what, None),
        SourceError::Failed(what) => ErrorData::internal_error(what, None),
    }
}

#[expect(deprecated, reason = "logging and subscriptions are part of the revisions we speak")]
impl ServerHandler for ClientSession {
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
        let about = Implementation::new(&self.server().name, &self.server().version);
        let info = InitializeResult::new(capabilities)
            .with_server_info(about)
            .with_protocol_version(NEWEST);
        match &self.server().instructions {
            Some(text) => info.with_instructions(text),
            None => info,
        }
    }

    fn supported_protocol_versions(&self) -> Cow<'static, [ProtocolVersion]> {
        Cow::Borrowed(ProtocolVersion::known_up_to(&NEWEST))
    }

    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        let watch = watch::ChangeWatch {
            server: Arc::clone(self.server()),
            subscriptions: Arc::clone(&self.0.subscriptions),
            peer: context.peer,
            over: self.0.over.clone(),
        };
        tokio::spawn(watch.run());
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(self.server().catalog().tools.clone()))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        self.server().catalog().tool(name).cloned()
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        call::serve(&self.0, request, context).await.map(CallToolResponse::from)
    }

    async fn set_level(
        &self,
        request: rmcp::model::SetLevelRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.0.set_log_level(request.level.into());
        Ok(())
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let mut all = Vec::new();
        for source in &self.server().resources {
            all.extend(source.list().await.map_err(refused)?);
        }
        Ok(ListResourcesResult::with_all_items(all))
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        let all = self.server().resources.iter().flat_map(|source| source.templates()).collect();
        Ok(ListResourceTemplatesResult::with_all_items(all))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        for source in &self.server().resources {
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
        let revision = watch::revision(self.server(), &request.uri).await;
        self.0.subscriptions.insert(request.uri, revision);
        Ok(())
    }

    async fn unsubscribe(
        &self,
        request: UnsubscribeRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.0.subscriptions.remove(&request.uri);
        Ok(())
    }

    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        let all = self.server().prompts.iter().flat_map(|source| source.list()).collect();
        Ok(ListPromptsResult::with_all_items(all))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let arguments = request.arguments.unwrap_or_default();
        let found =
            self.server().prompts.iter().find_map(|source| source.get(&request.name, &arguments));
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
                let sources = self.server().prompts.iter();
                let mut found =
                    sources.filter_map(|source| source.complete(&prompt.name, &argument, &typed));
                found.next().unwrap_or_default()
            }
            Reference::Resource(template) => {
                let mut all = Vec::new();
                for source in &self.server().resources {
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
