//! One client's session: every request of the protocol, answered.

use std::borrow::Cow;
use std::sync::Arc;

use rmcp::ServerHandler;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CompleteRequestParams, CompleteResult, CompletionInfo,
    CustomRequest, CustomResult, DiscoverResult, ErrorCode, ErrorData, GetPromptRequestParams,
    GetPromptResponse, Implementation, InitializeResult, ListPromptsResult,
    ListResourceTemplatesResult, ListResourcesResult, ListToolsResult, MetaObject,
    PaginatedRequestParams, ProtocolVersion, ReadResourceRequestParams, ReadResourceResponse,
    ReadResourceResult, Reference, ServerCapabilities, SetLevelRequestMethod,
    SubscribeRequestParams, SubscriptionFilter, Tool, UnsubscribeRequestParams,
};
use rmcp::service::{NotificationContext, RequestContext, RoleServer, SubscriptionContext};

use super::client_state::{ClientState, MAX_SUBSCRIPTIONS, Subscriptions};
use super::{ServerContext, call, revision, watch};

/// How long a client may take a list of tools or prompts for the present one. They change with plugins,
/// servers and skills, seldom; who listens hears of it at once.
const LIST_TTL_MS: u64 = 30_000;
/// What instructions are followed by where calls stand alone.
const STANDING_ALONE: &str = " Here nothing is kept from call to call, except in calls that name a \
    `session`: give `new` to begin one.";
/// Methods of the protocol that have parameters: whoever gets those wrong hears it.
const METHODS: [&str; 8] = [
    "tools/list",
    "tools/call",
    "resources/list",
    "resources/read",
    "resources/templates/list",
    "prompts/list",
    "prompts/get",
    "completion/complete",
];
/// The same, of revisions with sessions and of those without.
const METHODS_WITH_SESSION: [&str; 4] =
    ["initialize", "logging/setLevel", "resources/subscribe", "resources/unsubscribe"];
const METHODS_WITHOUT_SESSION: [&str; 1] = ["subscriptions/listen"];

/// Answers one client.
pub(crate) struct ClientSession(ClientState);

impl ClientSession {
    pub(super) fn new(server: Arc<ServerContext>) -> Self {
        Self(ClientState::new(server))
    }

    fn server(&self) -> &Arc<ServerContext> {
        &self.0.server
    }

    fn about(&self) -> Implementation {
        Implementation::new(&self.server().name, &self.server().version)
    }

    fn sign(&self, context: &RequestContext<RoleServer>, meta: &mut Option<MetaObject>) {
        revision::sign(context, &self.about(), meta);
    }
}

/// How long a list may be taken for the present one, where that is said at all.
fn list_ttl(context: &RequestContext<RoleServer>) -> Option<u64> {
    revision::is_stateless(context).then_some(LIST_TTL_MS)
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
        let info = InitializeResult::new(capabilities)
            .with_server_info(self.about())
            .with_protocol_version(revision::NEWEST_WITH_HANDSHAKE);
        match &self.server().instructions {
            Some(text) => info.with_instructions(text),
            None => info,
        }
    }

    fn supported_protocol_versions(&self) -> Cow<'static, [ProtocolVersion]> {
        Cow::Borrowed(revision::spoken())
    }

    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        let watch = watch::ChangeWatch {
            server: Arc::clone(self.server()),
            subscriptions: Arc::clone(&self.0.subscriptions),
            listener: watch::Listener::Session(context.peer),
            over: self.0.over.clone(),
        };
        tokio::spawn(watch.run());
    }

    async fn discover(
        &self,
        context: RequestContext<RoleServer>,
    ) -> Result<DiscoverResult, ErrorData> {
        let mut info = self.get_info();
        if let (true, Some(text)) = (revision::stands_alone(&context), &mut info.instructions) {
            text.push_str(STANDING_ALONE);
        }
        Ok(DiscoverResult::from_server_info(revision::spoken().to_vec(), info)
            .with_ttl_ms(LIST_TTL_MS))
    }

    fn accepted_subscription_filter(
        &self,
        requested: &SubscriptionFilter,
    ) -> Option<SubscriptionFilter> {
        let mut accepted = requested.clone();
        if let Some(uris) = &mut accepted.resource_subscriptions {
            uris.truncate(MAX_SUBSCRIPTIONS);
        }
        Some(accepted)
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        let subscriptions = Arc::<Subscriptions>::default();
        for uri in context.accepted().resource_subscriptions.iter().flatten() {
            subscriptions.insert(uri.clone(), watch::revision(self.server(), uri).await);
        }
        let watch = watch::ChangeWatch {
            server: Arc::clone(self.server()),
            subscriptions,
            listener: watch::Listener::Request(context.sink().clone()),
            over: context.request_context().ct.clone(),
        };
        watch.run().await;
        Ok(())
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        let method = request.method.as_str();
        let others: &[&str] = match revision::is_stateless(&context) {
            true => &METHODS_WITHOUT_SESSION,
            false => &METHODS_WITH_SESSION,
        };
        Err(match METHODS.iter().chain(others).any(|known| *known == method) {
            true => {
                let why = format!("The parameters of `{method}` are not what the protocol says");
                ErrorData::invalid_params(why, None)
            }
            false => ErrorData::new(ErrorCode::METHOD_NOT_FOUND, request.method, None),
        })
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let catalog = self.server().catalog();
        let tools = match revision::stands_alone(&context) {
            true => &catalog.tools_with_session,
            false => &catalog.tools,
        };
        let mut result = ListToolsResult::with_all_items(tools.clone());
        result.ttl_ms = list_ttl(&context);
        self.sign(&context, &mut result.meta);
        Ok(result)
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        self.server().catalog().tool(name).cloned()
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let sender = context.clone();
        let mut response = call::serve(&self.0, request, context).await?;
        match &mut response {
            CallToolResponse::Complete(result) => self.sign(&sender, &mut result.meta),
            CallToolResponse::InputRequired(asks) => self.sign(&sender, &mut asks.meta),
            _ => {}
        }
        Ok(response)
    }

    async fn set_level(
        &self,
        request: rmcp::model::SetLevelRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        if revision::is_stateless(&context) {
            return Err(ErrorData::method_not_found::<SetLevelRequestMethod>());
        }
        self.0.set_log_level(request.level.into());
        Ok(())
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let mut all = Vec::new();
        for source in &self.server().resources {
            all.extend(source.list().await?);
        }
        let mut result = ListResourcesResult::with_all_items(all);
        self.sign(&context, &mut result.meta);
        Ok(result)
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        let all = self.server().resources.iter().flat_map(|source| source.templates()).collect();
        let mut result = ListResourceTemplatesResult::with_all_items(all);
        result.ttl_ms = list_ttl(&context);
        self.sign(&context, &mut result.meta);
        Ok(result)
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        for source in &self.server().resources {
            if let Some(contents) = source.read(&request.uri).await? {
                let mut result = ReadResourceResult::new(contents);
                self.sign(&context, &mut result.meta);
                return Ok(result.into());
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
        match self.0.subscriptions.insert(request.uri, revision) {
            true => Ok(()),
            false => {
                let why = format!("More than {MAX_SUBSCRIPTIONS} subscriptions: end one first");
                Err(ErrorData::invalid_params(why, None))
            }
        }
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
        context: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        let all = self.server().prompts.iter().flat_map(|source| source.list()).collect();
        let mut result = ListPromptsResult::with_all_items(all);
        result.ttl_ms = list_ttl(&context);
        self.sign(&context, &mut result.meta);
        Ok(result)
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let sender = context.clone();
        let mut response = call::prompt(&self.0, request, context).await?;
        match &mut response {
            GetPromptResponse::Complete(result) => self.sign(&sender, &mut result.meta),
            GetPromptResponse::InputRequired(asks) => self.sign(&sender, &mut asks.meta),
            _ => {}
        }
        Ok(response)
    }

    async fn complete(
        &self,
        request: CompleteRequestParams,
        context: RequestContext<RoleServer>,
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
        let mut result = CompleteResult::new(info);
        self.sign(&context, &mut result.meta);
        Ok(result)
    }
}
