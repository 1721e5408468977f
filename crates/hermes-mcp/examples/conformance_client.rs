//! A client for the protocol's conformance suite, which is also the shortest whole use of the client:
//! connect to one server, call each of its tools once, leave.
//!
//! ```sh
//! conformance client --command target/debug/examples/conformance_client --suite all
//! ```
//!
//! The suite gives the address as the last argument and, for some scenarios, what a person would have
//! configured in `MCP_CONFORMANCE_CONTEXT`. A page to log in is followed without a browser: the suite's
//! pages send back at once whoever comes.

#![expect(clippy::print_stderr, reason = "the suite shows what a failing client said")]

use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use hermes_mcp::client::elicitation::{Form, FormReply, PageConsent, PageRequest, Person};
use hermes_mcp::client::status::ServerState;
use hermes_mcp::client::{Servers, ServersParts};
use hermes_mcp::oauth::{self, Guide, LoginPage, Said};
use hermes_runtime::registry::Registry;
use hermes_runtime::{Runtime, ToolCall};
use hermes_store::home::Home;
use hermes_tool::{BoxFuture, Vars};
use serde_json::{Map, Value, json};

/// The suite's own limit is half a minute.
const PATIENCE: Duration = Duration::from_secs(25);
/// The description of us that the suite expects where descriptions are taken for names.
const DESCRIPTION: &str = "https://conformance-test.local/client-metadata.json";

#[tokio::main]
async fn main() -> ExitCode {
    let Some(url) = std::env::args().next_back().filter(|url| url.starts_with("http")) else {
        eprintln!("usage: conformance_client URL");
        return ExitCode::from(2);
    };
    match run(&url, &Vars::from_process()).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            eprintln!("{problem}");
            ExitCode::FAILURE
        }
    }
}

async fn run(url: &str, vars: &Vars) -> Result<(), Box<dyn std::error::Error>> {
    let folder = tempfile::tempdir()?;
    let home = Home::at(folder.path());
    let config = json!({"mcp_servers": {"suite": entry(url, vars)?}});
    let registry = Arc::new(Registry::new());
    let mut parts = ServersParts::new(home, Vars::default(), &config, Arc::clone(&registry));
    parts.person = Some(Arc::new(Agreeing));
    parts.authorizer =
        Some(oauth::authorizer(folder.path().join("mcp-tokens"), Some(Arc::new(Follower))));
    let servers = Servers::new(parts);
    servers.start();
    servers.wait_ready(PATIENCE).await;
    let context: Value = serde_json::from_str(vars.get("MCP_CONFORMANCE_CONTEXT").unwrap_or("{}"))?;
    let called = call_each(&servers, &registry, &context["toolCalls"]).await;
    servers.stop().await;
    called
}

/// Makes the calls that a scenario asks for, or else calls each tool once.
async fn call_each(
    servers: &Servers,
    registry: &Arc<Registry>,
    wanted: &Value,
) -> Result<(), Box<dyn std::error::Error>> {
    let status = servers.status().remove(0);
    if status.state != ServerState::Connected {
        let error = status.error.unwrap_or_default();
        return Err(format!("not connected ({}): {error}", status.state.label()).into());
    }
    let runtime = Runtime::builder().registry(Arc::clone(registry)).build();
    let wanted = wanted.as_array().into_iter().flatten().map(|call| {
        let name = format!("mcp__suite__{}", call["name"].as_str().unwrap_or_default());
        (name, call["arguments"].clone())
    });
    let mut calls: Vec<(String, Value)> = wanted.collect();
    if calls.is_empty() {
        let snapshot = registry.snapshot();
        let tools = snapshot.tools();
        // One scenario wants to see what has become of a tool's schema here.
        let focal = tools.iter().find(|tool| tool.name().ends_with("__json_schema_2020_12_tool"));
        let each = |tool: &hermes_tool::Tool| match focal {
            Some(focal) if tool.name().ends_with("__json_schema_echo") => {
                (tool.name().to_string(), json!({"schema": focal.parameters()}))
            }
            _ => (tool.name().to_string(), arguments(tool.parameters())),
        };
        calls.extend(tools.iter().map(|tool| each(tool)));
    }
    for (tool, arguments) in calls {
        let call = ToolCall::new(tool.clone(), arguments);
        let outcome = runtime.call(call).await;
        eprintln!("{tool}: {}", outcome.text());
    }
    Ok(())
}

/// The entry a person would have written for the scenario.
fn entry(url: &str, vars: &Vars) -> Result<Value, serde_json::Error> {
    let scenario = vars.get("MCP_CONFORMANCE_SCENARIO").unwrap_or_default();
    if !scenario.starts_with("auth/") {
        return Ok(json!({"url": url}));
    }
    let given: Value = serde_json::from_str(vars.get("MCP_CONFORMANCE_CONTEXT").unwrap_or("{}"))?;
    let mut oauth = Map::new();
    oauth.insert("client_metadata_url".to_owned(), DESCRIPTION.into());
    for (key, theirs) in [
        ("client_id", "client_id"),
        ("client_secret", "client_secret"),
        ("private_key", "private_key_pem"),
        ("signing_algorithm", "signing_algorithm"),
    ] {
        if let Some(text) = given[theirs].as_str() {
            oauth.insert(key.to_owned(), text.into());
        }
    }
    if scenario.starts_with("auth/client-credentials") {
        oauth.insert("grant".to_owned(), "client_credentials".into());
    }
    if given["idp_id_token"].is_string() {
        let identity = json!({"token_endpoint": given["idp_token_endpoint"],
            "client_id": given["idp_client_id"], "id_token": given["idp_id_token"]});
        oauth.insert("identity".to_owned(), identity);
    }
    Ok(json!({"url": url, "auth": "oauth", "oauth": oauth}))
}

/// Something for every argument a tool wants.
fn arguments(schema: &Value) -> Value {
    let wanted = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str);
    let value = |name: &str| match schema["properties"][name]["type"].as_str() {
        Some("integer" | "number") => json!(2),
        Some("boolean") => json!(true),
        Some("array") => json!([]),
        Some("object") => json!({}),
        _ => json!("text"),
    };
    wanted.map(|name| (name.to_owned(), value(name))).collect::<Map<_, _>>().into()
}

/// Takes every form as it is: all defaults.
struct Agreeing;

impl Person for Agreeing {
    fn fill(&self, _form: Form) -> BoxFuture<FormReply> {
        Box::pin(async { FormReply::Accepted(Map::new()) })
    }

    fn visit(&self, _visit: PageRequest) -> BoxFuture<PageConsent> {
        Box::pin(async { PageConsent::Declined })
    }
}

/// Goes to the page and says where it led.
struct Follower;

impl Guide for Follower {
    fn show(&self, page: LoginPage) -> BoxFuture<Said> {
        Box::pin(async move {
            let http = reqwest::Client::builder().redirect(reqwest::redirect::Policy::none());
            let Ok(http) = http.build() else { return Said::Skipped };
            let Ok(answer) = http.get(page.url).send().await else { return Said::Skipped };
            let led = answer.headers().get(reqwest::header::LOCATION);
            match led.and_then(|place| place.to_str().ok()) {
                Some(place) => Said::Pasted(place.to_owned()),
                None => Said::Skipped,
            }
        })
    }
}
