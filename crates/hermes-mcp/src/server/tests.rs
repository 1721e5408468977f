//! A server and a client of the SDK's, on the two ends of a pipe.

use std::sync::Mutex;
use std::time::Duration;

use hermes_tool::{Effect, Effects, Tool, ToolContext, ToolOutput};
use rmcp::model::{
    CallToolRequestParams, CancelledNotificationParam, ClientCapabilities, ElicitRequestParams,
    ElicitResult, ElicitationAction, ErrorData, Implementation, InitializeRequestParams,
    ProgressNotificationParam,
};
use rmcp::service::{NotificationContext, RequestContext, RoleClient, RunningService};
use rmcp::{ClientHandler, ServiceExt};
use serde_json::{Value, json};
use tokio::sync::Notify;

use super::*;

/// A client that answers questions with a fixed decision and keeps what it is told.
#[derive(Clone, Default)]
struct Client {
    decision: Option<&'static str>,
    questions: Arc<Mutex<Vec<Value>>>,
    progress: Arc<Mutex<Vec<ProgressNotificationParam>>>,
    changed: Arc<Notify>,
}

impl ClientHandler for Client {
    fn get_info(&self) -> InitializeRequestParams {
        let mut can = ClientCapabilities::default();
        if self.decision.is_some() {
            can.elicitation = Some(rmcp::model::ElicitationCapability::default());
        }
        InitializeRequestParams::new(can, Implementation::new("test", "1"))
    }

    async fn create_elicitation(
        &self,
        request: ElicitRequestParams,
        _: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        self.questions.lock().unwrap().push(serde_json::to_value(&request).unwrap());
        let mut answer = ElicitResult::new(ElicitationAction::Accept);
        answer.content = self.decision.map(|decision| json!({"decision": decision}));
        Ok(answer)
    }

    async fn on_progress(
        &self,
        news: ProgressNotificationParam,
        _: NotificationContext<RoleClient>,
    ) {
        self.progress.lock().unwrap().push(news);
    }

    async fn on_tool_list_changed(&self, _: NotificationContext<RoleClient>) {
        self.changed.notify_one();
    }
}

fn tool(name: &'static str) -> hermes_tool::ToolBuilder {
    Tool::builder(name, "test").description("For a test.").effects(Effects::NONE)
}

fn runtime() -> Runtime {
    let runtime = Runtime::builder().build();
    runtime.registry().register_all([
        tool("echo").handler(|args, _| Ok(ToolOutput::text(Value::Object(args).to_string()))),
        tool("ask").async_handler(|_, cx: ToolContext| async move {
            let caller = cx.service::<Caller>().unwrap();
            let options = [("deny", "No"), ("once", "Yes")];
            let wait = Some(Duration::from_secs(30));
            let answer = caller.choose("May I?", &options, wait).await;
            Ok(ToolOutput::text(format!("{answer:?}")))
        }),
        tool("steps").async_handler(|_, cx: ToolContext| async move {
            for step in 1..=3 {
                cx.report("step", Some(f64::from(step) / 3.0));
            }
            Ok(ToolOutput::text("done"))
        }),
        tool("private")
            .effects(Effects::NONE.with(Effect::AgentState))
            .handler(|_, _| Ok(ToolOutput::text("never"))),
    ]);
    runtime
}

async fn connect(server: &Server, client: Client) -> RunningService<RoleClient, Client> {
    let (there, here) = tokio::io::duplex(64 * 1024);
    let server = server.clone();
    tokio::spawn(async move {
        let (read, write) = tokio::io::split(here);
        server.serve(read, write, CancellationToken::new()).await
    });
    client.serve(there).await.unwrap()
}

async fn served(client: Client) -> (Server, RunningService<RoleClient, Client>) {
    let server = Server::builder(runtime(), "mine", "4.5.6").build();
    let connection = connect(&server, client).await;
    (server, connection)
}

async fn call(connection: &RunningService<RoleClient, Client>, name: &'static str) -> Value {
    let request = CallToolRequestParams::new(name);
    serde_json::to_value(connection.call_tool(request).await.unwrap()).unwrap()
}

#[tokio::test]
async fn tells_its_own_name_and_the_tools_that_work_without_an_agent() {
    let (_, connection) = served(Client::default()).await;
    let about = connection.peer_info().unwrap();
    let own = about.server_info.as_ref().unwrap();
    assert_eq!((&*own.name, &*own.version), ("mine", "4.5.6"));
    let tools = connection.list_all_tools().await.unwrap();
    let names: Vec<&str> = tools.iter().map(|tool| &*tool.name).collect();
    assert_eq!(names, ["ask", "echo", "steps"]);
    assert_eq!(tools[1].title.as_deref(), Some("Echo"));
}

#[tokio::test]
async fn text_is_sent_once_and_nulls_are_not_passed_on() {
    let (_, connection) = served(Client::default()).await;
    let mut request = CallToolRequestParams::new("echo");
    request.arguments = json!({"a": 1, "b": null}).as_object().cloned();
    let result = connection.call_tool(request).await.unwrap();
    let result = serde_json::to_value(result).unwrap();
    assert_eq!(result["content"], json!([{"type": "text", "text": r#"{"a":1}"#}]));
    assert_eq!(result.get("structuredContent"), None);
}

#[tokio::test]
async fn a_tool_that_is_not_on_offer_is_an_error_of_the_request() {
    let (_, connection) = served(Client::default()).await;
    for name in ["nope", "private"] {
        let why = connection.call_tool(CallToolRequestParams::new(name)).await.unwrap_err();
        let why = why.to_string();
        assert!(why.contains(&format!("Unknown tool: {name}")) && why.contains("echo"), "{why}");
    }
}

#[tokio::test]
async fn questions_reach_the_client_of_the_call() {
    let client = Client { decision: Some("once"), ..Client::default() };
    let questions = Arc::clone(&client.questions);
    let (_, connection) = served(client).await;
    let text = call(&connection, "ask").await["content"][0]["text"].clone();
    assert_eq!(text, r#"Ok(Picked("once"))"#);
    let asked = questions.lock().unwrap()[0].clone();
    assert_eq!(asked["message"], "May I?");
    assert_eq!(asked["requestedSchema"]["properties"]["decision"]["default"], "deny");
}

#[tokio::test]
async fn an_answer_that_was_not_offered_and_a_client_without_forms_mean_no() {
    let (_, strange) = served(Client { decision: Some("always"), ..Client::default() }).await;
    assert_eq!(call(&strange, "ask").await["content"][0]["text"], "Ok(Declined)");
    let (_, mute) = served(Client::default()).await;
    assert_eq!(call(&mute, "ask").await["content"][0]["text"], "Err(NoQuestions)");
}

#[tokio::test]
async fn progress_is_told_to_who_asked_for_it() {
    let client = Client::default();
    let told = Arc::clone(&client.progress);
    let (_, connection) = served(client).await;
    // The SDK's client puts a token into every request.
    call(&connection, "steps").await;
    let told: Vec<f64> = told.lock().unwrap().iter().map(|news| news.progress).collect();
    assert!(told.is_sorted() && told.last() == Some(&100.0), "{told:?}");
}

#[tokio::test]
async fn a_cancelled_call_is_cancelled_in_the_tool() {
    let (started, ended) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let (server, connection) = served(Client::default()).await;
    let (begin, end) = (Arc::clone(&started), Arc::clone(&ended));
    server.shared.runtime.registry().register(tool("wait").async_handler(
        move |_, cx: ToolContext| {
            let (begin, end) = (Arc::clone(&begin), Arc::clone(&end));
            async move {
                begin.notify_one();
                cx.cancellation().cancelled().await;
                end.notify_one();
                Ok(ToolOutput::text("never seen"))
            }
        },
    ));
    let request = rmcp::model::ClientRequest::CallToolRequest(rmcp::model::CallToolRequest::new(
        CallToolRequestParams::new("wait"),
    ));
    let options = rmcp::service::PeerRequestOptions::no_options();
    let handle = connection.send_cancellable_request(request, options).await.unwrap();
    started.notified().await;
    let id = handle.id.clone();
    connection.notify_cancelled(CancelledNotificationParam::new(Some(id), None)).await.unwrap();
    tokio::time::timeout(Duration::from_secs(30), ended.notified()).await.unwrap();
}

#[tokio::test]
async fn a_new_tool_is_told() {
    let client = Client::default();
    let changed = Arc::clone(&client.changed);
    let (server, connection) = served(client).await;
    // The watch has begun when the first request after the handshake is answered or soon after, so
    // change the table until it is noticed.
    let registry = Arc::clone(server.shared.runtime.registry());
    let mut number = 0;
    let notice = async {
        loop {
            number += 1;
            let name: Arc<str> = format!("new_{number}").into();
            registry.register(
                Tool::builder(name, "test")
                    .effects(Effects::NONE)
                    .handler(|_, _| Ok(ToolOutput::text("x"))),
            );
            tokio::time::sleep(Duration::from_millis(300)).await;
        }
    };
    tokio::select! {
        () = changed.notified() => {}
        () = notice => {}
        () = tokio::time::sleep(Duration::from_secs(30)) => panic!("nobody was told"),
    }
    let tools = connection.list_all_tools().await.unwrap();
    assert!(tools.iter().any(|tool| tool.name == "new_1"));
}

#[tokio::test]
async fn the_end_of_a_session_is_heard_and_callers_leave_with_their_calls() {
    let over = Arc::new(Notify::new());
    let told = Arc::clone(&over);
    let callers = Arc::<Callers>::default();
    let server = Server::builder(runtime(), "mine", "1")
        .callers(Arc::clone(&callers))
        .on_session_end(move |_| told.notify_one())
        .build();
    let connection = connect(&server, Client::default()).await;
    call(&connection, "echo").await;
    assert_eq!(format!("{callers:?}"), format!("{:?}", Callers::default()));
    connection.cancel().await.unwrap();
    tokio::time::timeout(Duration::from_secs(30), over.notified()).await.unwrap();
}
