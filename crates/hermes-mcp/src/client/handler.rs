//! What is done with the requests and notifications of a server.
//!
//! Works on the JSON that came, whatever type the SDK has given it: a question with a schema the SDK
//! does not know is still a question.

use std::path::PathBuf;
use std::sync::Arc;

use hermes_tool::ToolContext;
use rmcp::model::{
    ClientConfig, ClientResult, CustomResult, ErrorCode, ErrorData, ServerNotification,
    ServerRequest,
};
use rmcp::service::{NotificationContext, RequestContext, Service};
use rmcp::{RoleClient, model};
use serde_json::{Map, Value, json};
use tokio::sync::Notify;

use super::elicitation::{self, Elicitation, Person};
use super::progress::{OpenCalls, ProgressTable};
use super::protocol::{NEWEST, VERSION};
use super::request_error::RequestError;
use super::roots;
use super::sampling::{self, Sampler, Sampling};
use super::settings::ServerSettings;
use super::transport::monitor::ConnectionMonitor;

/// Longest log message of a server.
const LONGEST_LOG: usize = 2000;

/// Everything a connection needs to answer its server.
#[derive(Clone)]
pub(crate) struct ServerRequestHandler {
    pub(crate) settings: Arc<ServerSettings>,
    pub(crate) sampling: Arc<Sampling>,
    pub(crate) sampler: Option<Arc<dyn Sampler>>,
    pub(crate) elicitation: Elicitation,
    pub(crate) person: Option<Arc<dyn Person>>,
    pub(crate) folder: PathBuf,
    pub(crate) progress: Arc<ProgressTable>,
    pub(crate) calls: Arc<OpenCalls>,
    /// Told when the server's list of tools has changed.
    pub(crate) tools_changed: Arc<Notify>,
    pub(crate) monitor: Arc<ConnectionMonitor>,
}

impl ServerRequestHandler {
    fn capabilities(&self) -> Value {
        let mut capabilities = json!({});
        if self.sampler.is_some() && self.settings.sampling.is_enabled {
            capabilities["sampling"] = json!({"tools": {}});
        }
        if self.person.is_some() && self.settings.elicitation.is_enabled {
            capabilities["elicitation"] = json!({"form": {}, "url": {}});
        }
        if self.settings.roots {
            capabilities["roots"] = json!({});
        }
        capabilities
    }

    /// Who we are, as every request of the newest revision says.
    pub(crate) fn introduction(&self) -> Map<String, Value> {
        let own = json!({
            "io.modelcontextprotocol/protocolVersion": NEWEST,
            "io.modelcontextprotocol/clientInfo": client_info(),
            "io.modelcontextprotocol/clientCapabilities": self.capabilities(),
        });
        own.as_object().cloned().unwrap_or_default()
    }

    /// Answers a question of the server, however it came.
    pub(crate) async fn answer(&self, method: &str, params: &Value) -> Result<Value, RequestError> {
        match method {
            "ping" => Ok(json!({})),
            sampling::METHOD => match &self.sampler {
                Some(sampler) => self.sampling.answer(params, sampler.as_ref()).await,
                None => Err(RequestError::method_not_found(method)),
            },
            elicitation::METHOD => match &self.person {
                Some(person) => self.elicitation.answer(params, person.as_ref()).await,
                None => Ok(json!({"action": "decline"})),
            },
            roots::METHOD => {
                let own = self.calls.latest().map(|cx: ToolContext| cx.cwd().to_owned());
                let folder = own.filter(|own| own.is_absolute()).unwrap_or(self.folder.clone());
                roots::answer(self.settings.roots.then_some(folder.as_path()))
            }
            other => Err(RequestError::method_not_found(other)),
        }
    }

    fn log(&self, params: &Value) {
        let data = match &params["data"] {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        let text: String = data.chars().take(LONGEST_LOG).collect();
        let logger = params["logger"].as_str().unwrap_or("-");
        let from = format!("{}/{logger}", self.settings.name);
        match params["level"].as_str().unwrap_or("info") {
            "debug" => tracing::debug!(%from, "{text}"),
            "warning" => tracing::warn!(%from, "{text}"),
            "error" | "critical" | "alert" | "emergency" => tracing::error!(%from, "{text}"),
            _ => tracing::info!(%from, "{text}"),
        }
    }
}

impl Service<RoleClient> for ServerRequestHandler {
    async fn handle_request(
        &self,
        request: ServerRequest,
        context: RequestContext<RoleClient>,
    ) -> Result<ClientResult, ErrorData> {
        let request = serde_json::to_value(&request).unwrap_or_default();
        let method = request["method"].as_str().unwrap_or_default();
        let answer = tokio::select! {
            answer = self.answer(method, &request["params"]) => answer,
            () = context.ct.cancelled() => Err(RequestError::refused("the request was cancelled")),
            () = self.monitor.gone.cancelled() => Err(RequestError::refused("the connection is gone")),
        };
        match answer {
            Ok(result) => Ok(ClientResult::CustomResult(CustomResult(result))),
            Err(error) => {
                let code = i32::try_from(error.code()).unwrap_or(-1);
                Err(ErrorData::new(ErrorCode(code), error.message().to_owned(), None))
            }
        }
    }

    async fn handle_notification(
        &self,
        notification: ServerNotification,
        _context: NotificationContext<RoleClient>,
    ) -> Result<(), ErrorData> {
        let note = serde_json::to_value(&notification).unwrap_or_default();
        match note["method"].as_str().unwrap_or_default() {
            "notifications/progress" => self.progress.note(&note["params"]),
            "notifications/tools/list_changed" => self.tools_changed.notify_one(),
            "notifications/message" => self.log(&note["params"]),
            _ => {}
        }
        Ok(())
    }

    fn get_info(&self) -> ClientConfig {
        let info = json!({
            "protocolVersion": VERSION,
            "capabilities": self.capabilities(),
            "clientInfo": client_info(),
        });
        serde_json::from_value(info).unwrap_or_else(|_| {
            let own = model::Implementation::new("hermes-agent-rs", env!("CARGO_PKG_VERSION"));
            ClientConfig::new(model::ClientCapabilities::default(), own)
        })
    }
}

fn client_info() -> Value {
    json!({"name": "hermes-agent-rs", "version": env!("CARGO_PKG_VERSION")})
}
