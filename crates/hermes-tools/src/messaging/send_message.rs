//! `send_message`: words to people elsewhere.

use hermes_tool::{CallDisplay, State, ToolContext, ToolError, tool};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::post::{Messenger, failed, is_delivered_anyway};

/// Longest message, in characters: what is longer is a file.
const MAX_MESSAGE: usize = 40_000;
/// Most places in a list.
const MAX_LISTED: usize = 200;

/// What is to be done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum SendAct {
    #[default]
    Send,
    List,
    React,
    Unreact,
}

/// Arguments of `send_message`.
#[derive(Deserialize, JsonSchema)]
struct SendMessage {
    /// What is to be done; send if it is not said.
    action: Option<SendAct>,
    /// Where to.
    target: Option<String>,
    /// The words.
    message: Option<String>,
    /// For a reaction.
    emoji: Option<String>,
    /// The message to react to.
    message_id: Option<String>,
}

#[tool(
    toolset = "messaging",
    emoji = "📨",
    effects(network, writes),
    subagents = withheld,
    display = CallDisplay::verb("send").args(&["target", "message"]),
    description = include_str!("send_message.md")
)]
async fn send_message(
    args: SendMessage,
    messenger: State<Messenger>,
    cx: &ToolContext,
) -> Result<Value, ToolError> {
    let act = args.action.unwrap_or_default();
    if act == SendAct::List {
        return Ok(list(&messenger).await);
    }
    let target = given(args.target.as_deref(), "Say where to: target")?;
    let chats = messenger.chats(target)?;
    if act != SendAct::Send {
        let [chat] = chats.as_slice() else {
            return Err(failed("A reaction goes to one chat"));
        };
        let id = given(args.message_id.as_deref(), "Say which message: message_id")?;
        let emoji = match act {
            SendAct::React => Some(given(args.emoji.as_deref(), "Say which emoji")?),
            _ => None,
        };
        messenger.permitted(chat, &format!("a reaction on {id}"), cx).await?;
        let done = messenger.target(&chat.0)?.react(&chat.1, id, emoji).await;
        done.map_err(|problem| failed(&format!("{}: {problem}", chat.0)))?;
        return Ok(json!({"success": true, "platform": chat.0, "chat_id": chat.1}));
    }
    let message = given(args.message.as_deref(), "Say what: message")?;
    if message.chars().count() > MAX_MESSAGE {
        return Err(failed("The message is too long: write it to a file and attach that"));
    }
    let mut sent = Vec::new();
    for chat in &chats {
        sent.push(send(&messenger, chat, message, cx).await?);
    }
    Ok(match <[Value; 1]>::try_from(sent) {
        Ok([one]) => one,
        Err(several) => json!({"success": true, "sent": several}),
    })
}

async fn send(
    messenger: &Messenger,
    chat: &(String, String),
    message: &str,
    cx: &ToolContext,
) -> Result<Value, ToolError> {
    let (platform, place) = chat;
    if is_delivered_anyway(chat, cx) {
        return Ok(json!({
            "success": true, "skipped": true, "reason": "cron_auto_delivery_duplicate_target",
            "note": "What you say at the end is delivered there by itself.",
        }));
    }
    messenger.permitted(chat, message, cx).await?;
    let sent = messenger.deliveries.send(platform, place, message).await;
    let id = sent.map_err(|problem| failed(&format!("{platform}: {problem}")))?;
    Ok(json!({"success": true, "platform": platform, "chat_id": place, "message_id": id}))
}

fn given<'a>(text: Option<&'a str>, otherwise: &str) -> Result<&'a str, ToolError> {
    text.map(str::trim).filter(|text| !text.is_empty()).ok_or_else(|| failed(otherwise))
}

async fn list(messenger: &Messenger) -> Value {
    let mut places = Vec::new();
    for target in messenger.deliveries.targets() {
        let platform = target.platform();
        if let Some(home) = target.home_chat() {
            places.push(json!({"target": platform, "name": "home chat", "chat_id": home}));
        }
        // A platform that cannot be asked now can be written to all the same.
        for (place, name) in target.channels().await.unwrap_or_default() {
            places.push(json!({"target": format!("{platform}:{place}"), "name": name}));
        }
    }
    let platforms: Vec<&str> =
        messenger.deliveries.targets().iter().map(|t| t.platform()).collect();
    let left_out = places.len().saturating_sub(MAX_LISTED);
    places.truncate(MAX_LISTED);
    json!({"success": true, "platforms": platforms, "targets": places, "left_out": left_out})
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use hermes_cron::{Deliveries, DeliveryFuture, DeliveryTarget};
    use hermes_tool::{ContextParts, Handler, Services, Vars, linked_tools};

    use super::*;

    #[derive(Default)]
    struct Board(Mutex<Vec<String>>);

    impl DeliveryTarget for Board {
        fn platform(&self) -> &str {
            "board"
        }

        fn home_chat(&self) -> Option<String> {
            Some("main".to_owned())
        }

        fn check(&self, _: &str) -> Result<(), String> {
            Ok(())
        }

        fn deliver<'a>(&'a self, place: &'a str, text: &'a str) -> DeliveryFuture<'a, String> {
            self.0.lock().unwrap().push(format!("{place}: {text}"));
            Box::pin(std::future::ready(Ok("9".to_owned())))
        }
    }

    async fn call(board: &Arc<Board>, vars: &[(&str, &str)], args: Value) -> Result<Value, String> {
        let targets: Vec<Arc<dyn DeliveryTarget>> = vec![board.clone()];
        let messenger = Messenger { deliveries: Deliveries::new(targets) };
        let vars: Vars = vars.iter().map(|(n, v)| ((*n).to_owned(), (*v).to_owned())).collect();
        let services = Services::default().with(Arc::new(messenger));
        let cx: ToolContext = ContextParts { vars, services, ..ContextParts::default() }.into();
        let all = linked_tools();
        let tool = all.iter().find(|(_, tool)| &**tool.name() == "send_message").unwrap();
        let Handler::Async(run) = tool.1.handler() else { panic!("it waits for platforms") };
        let Value::Object(args) = args else { panic!("arguments are an object") };
        match run(args, cx).await {
            Ok(output) => match output.to_value() {
                Value::String(text) => Ok(serde_json::from_str(&text).unwrap()),
                value => Ok(value),
            },
            Err(error) => Err(error.to_string()),
        }
    }

    #[tokio::test]
    async fn home_and_this_chat_are_written_to_and_others_only_with_consent() {
        let board = Arc::new(Board::default());
        let here = [("HERMES_SESSION_PLATFORM", "board"), ("HERMES_SESSION_CHAT_ID", "here")];
        let sent = call(&board, &here, json!({"target": "board", "message": "a"})).await.unwrap();
        assert_eq!((&sent["chat_id"], &sent["message_id"]), (&json!("main"), &json!("9")));
        call(&board, &here, json!({"target": "board:here", "message": "b"})).await.unwrap();
        let refused = call(&board, &here, json!({"target": "board:else", "message": "c"})).await;
        assert!(refused.unwrap_err().contains("Nobody can be asked"));
        let unknown = call(&board, &here, json!({"target": "nosuch:1", "message": "d"})).await;
        assert!(unknown.unwrap_err().contains("no platform `nosuch`"));
        assert_eq!(*board.0.lock().unwrap(), ["main: a", "here: b"]);
        let listed = call(&board, &here, json!({"action": "list"})).await.unwrap();
        assert_eq!(listed["targets"][0]["chat_id"], "main");
    }

    #[tokio::test]
    async fn a_job_does_not_say_twice_what_is_delivered_anyway() {
        let board = Arc::new(Board::default());
        let vars = [("HERMES_CRON_DELIVERS_TO", "board:main")];
        let sent = call(&board, &vars, json!({"target": "board", "message": "a"})).await.unwrap();
        assert_eq!(sent["reason"], "cron_auto_delivery_duplicate_target");
        assert!(board.0.lock().unwrap().is_empty());
    }
}
