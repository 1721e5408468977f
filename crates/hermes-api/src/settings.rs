//! What the user decided about the server.

use std::collections::BTreeMap;

use hermes_tool::settings::Settings;

/// Names a model goes by here, so that a front end can choose.
#[derive(Clone, Debug, Settings)]
#[settings(manual)]
pub(crate) struct ModelRoute {
    /// The model, as its provider calls it.
    pub(crate) model: Option<String>,
    /// Who serves it.
    pub(crate) provider: Option<String>,
    /// Where, if not where the provider is.
    pub(crate) base_url: Option<String>,
    /// The key for it, if not the provider's own.
    pub(crate) api_key: Option<String>,
}

/// The keys of the server, and the variables that win over them.
#[derive(Clone, Debug, Settings)]
#[settings(path = "gateway.api_server", about = "The agent over HTTP (hermes api)", open)]
pub(crate) struct ApiSettings {
    /// The address to listen on.
    #[setting(
        default = "127.0.0.1",
        variable = "API_SERVER_HOST",
        older = "platforms.api_server.extra.host"
    )]
    pub(crate) host: String,
    /// The port.
    #[setting(
        default = 8642,
        variable = "API_SERVER_PORT",
        older = "platforms.api_server.extra.port"
    )]
    pub(crate) port: u16,
    /// Origins whose pages may call, such as https://chat.example; the variable separates them by commas.
    #[setting(
        variable = "API_SERVER_CORS_ORIGINS",
        older = "platforms.api_server.extra.cors_origins"
    )]
    pub(crate) cors_origins: Vec<String>,
    /// The name by which the agent is listed as a model.
    #[setting(
        default = "hermes-agent",
        variable = "API_SERVER_MODEL_NAME",
        older = "platforms.api_server.extra.model_name"
    )]
    pub(crate) model_name: String,
    /// Further names, each with the model that answers to it.
    #[setting(older = "platforms.api_server.extra.model_routes")]
    pub(crate) model_routes: BTreeMap<String, ModelRoute>,
    /// Turns at work at once; further requests are told to come back.
    #[setting(default = 10, range = 1..)]
    pub(crate) max_concurrent_runs: u32,
    /// Whether streams of chat completions tell of tools without being asked to; some libraries stumble over it.
    #[setting(older = "platforms.api_server.extra.stream_events")]
    pub(crate) stream_events: bool,
}
