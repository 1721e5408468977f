use hermes_llm::message::{Message, MessageContent, RequestedCall, Role};
use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;

fn call(id: &str, name: &str, arguments: &str) -> RequestedCall {
    RequestedCall {
        id: id.into(),
        name: name.into(),
        arguments: arguments.into(),
        ..RequestedCall::default()
    }
}

fn calling(text: &str, calls: &[(&str, &str)]) -> Message {
    let mut message = Message::assistant(text);
    message.tool_calls = calls.iter().map(|(id, name)| call(id, name, "{}")).collect();
    message
}

fn sent(messages: &[Message]) -> Vec<Message> {
    for_wire(messages, ReasoningEcho::LeaveOut)
}

/// One line a message, for comparing shapes at a glance.
fn shape(messages: &[Message]) -> Vec<String> {
    messages
        .iter()
        .map(|message| {
            let calls: Vec<&str> = message.tool_calls.iter().map(|call| call.id.as_str()).collect();
            let answers = message.tool_call_id.as_deref().unwrap_or_default();
            format!("{} {} {}{answers}", message.role.as_str(), message.text(), calls.join(","))
                .trim()
                .to_owned()
        })
        .collect()
}

#[test]
fn neighbours_of_one_role_become_one_message() {
    let history = [
        Message::user(" one\n"),
        Message::user("two"),
        calling("I look", &[("a", "todo")]),
        calling("and look", &[("a", "todo"), ("b", "memory")]),
        Message::tool("b", "memory", "B"),
        Message::tool("a", "todo", "A"),
        Message::assistant("done"),
    ];
    assert_eq!(
        shape(&sent(&history)),
        [
            "user one\n\ntwo",
            "assistant I look\n\nand look a,b",
            "tool A a",
            "tool B b",
            "assistant done"
        ]
    );
}

#[test]
fn a_killed_process_leaves_calls_that_are_answered_by_a_note() {
    let history = [Message::user("go"), calling("", &[("a", "terminal"), ("b", "terminal")])];
    let sent = sent(&history);
    assert_eq!(sent.len(), 4);
    assert_eq!(sent[2].text(), MISSING_RESULT);
    assert_eq!(sent[3].tool_call_id.as_deref(), Some("b"));
}

#[test]
fn results_that_answer_nothing_or_come_twice_are_dropped() {
    let history = [
        Message::tool("z", "todo", "stray"),
        Message::user("go"),
        calling("", &[("a", "todo")]),
        Message::tool("a", "todo", "first"),
        Message::tool("a", "todo", "second"),
        Message::user("next"),
        Message::tool("a", "todo", "late"),
    ];
    assert_eq!(shape(&sent(&history)), ["user go", "assistant  a", "tool first a", "user next"]);
}

#[test]
fn a_server_that_numbers_its_calls_anew_gets_distinct_ids() {
    let history = [
        Message::user("go"),
        calling("", &[("call_0", "todo")]),
        Message::tool("call_0", "todo", "1"),
        calling("", &[("call_0", "todo"), ("", "todo")]),
        Message::tool("call_0", "todo", "2"),
        Message::tool("", "todo", "3"),
    ];
    assert_eq!(
        shape(&sent(&history))[1..],
        [
            "assistant  call_0",
            "tool 1 call_0",
            "assistant  call_0_2,call",
            "tool 2 call_0_2",
            "tool 3 call"
        ]
    );
}

#[test]
fn a_nameless_call_gets_a_name_and_its_result_the_same() {
    let history = [calling("", &[("a", " ")]), Message::tool("a", "", "bad")];
    let sent = sent(&history);
    assert_eq!(sent[0].tool_calls[0].name, NAMELESS_TOOL);
    assert_eq!(sent[1].tool_name.as_deref(), Some(NAMELESS_TOOL));
}

#[test]
fn unreadable_arguments_are_shown_as_empty_and_the_result_says_so() {
    let mut message = Message::assistant("");
    message.tool_calls = vec![call("a", "todo", "{\"x\": \"cut")];
    let sent = sent(&[message, Message::tool("a", "todo", "error")]);
    assert_eq!(sent[0].tool_calls[0].arguments, "{}");
    assert_eq!(sent[1].text(), format!("{UNREADABLE_ARGUMENTS}\n\nerror"));
}

#[test]
fn what_only_people_read_is_left_out_and_thinking_goes_where_it_is_wanted() {
    let mut thought = Message::assistant("answer");
    thought.reasoning = Some("because".into());
    thought.finish_reason = Some("stop".into());
    let only_thinking = Message { content: MessageContent::default(), ..thought.clone() };
    let history =
        [Message::user("q"), only_thinking, thought, Message::user("q"), Message::assistant("b")];

    let plain = sent(&history);
    assert_eq!(plain.len(), 4);
    assert_eq!((&plain[1].reasoning, &plain[1].reasoning_content), (&None, &None));
    assert_eq!(plain[1].finish_reason, None);

    let echo = for_wire(&history, ReasoningEcho::for_model("deepseek/DeepSeek-R1"));
    assert_eq!(echo[1].reasoning_content.as_deref(), Some("because"));
    assert_eq!(echo[3].reasoning_content.as_deref(), Some(" "));
    assert_eq!(ReasoningEcho::for_model("gpt-5"), ReasoningEcho::LeaveOut);
}

#[test]
fn a_replay_sends_what_was_sent_before() {
    let mut message = Message::user("hi");
    message.api_content = Some("hi\n\nrecalled".into());
    assert_eq!(sent(&[message])[0].content, MessageContent::from("hi\n\nrecalled"));

    let parts: MessageContent = serde_json::from_value(json!([
        {"type": "text", "text": "look"},
        {"type": "image_url", "image_url": {"url": "data:x"}}
    ]))
    .unwrap();
    let mut message = Message::user(parts);
    message.api_content = Some("look here".into());
    let content = &sent(&[message])[0].content;
    assert_eq!((content.text().as_ref(), content.images()), ("look here", 1));
}

fn content() -> impl Strategy<Value = MessageContent> {
    let text = prop_oneof![Just(""), Just("  \n"), Just(" a "), Just("b"), Just("c\n\nd")];
    let image = Just(json!({"type": "image_url", "image_url": {"url": "data:x"}}));
    let part =
        prop_oneof![text.clone().prop_map(|text| json!({"type": "text", "text": text})), image];
    prop_oneof![
        4 => text.prop_map(MessageContent::from),
        1 => vec(part, 0..3).prop_map(|parts| serde_json::from_value(Value::Array(parts)).unwrap()),
    ]
}

fn tool_call() -> impl Strategy<Value = RequestedCall> {
    let arguments =
        prop_oneof![Just("{}"), Just("{\"b\":1,\"a\":2}"), Just("{\"x\": \"cut"), Just("")];
    ("[ab]{0,1}|a_2", "(|todo|memory)", arguments)
        .prop_map(|(id, name, arguments)| call(&id, &name, arguments))
}

pub(crate) fn message() -> impl Strategy<Value = Message> {
    let role = prop_oneof![
        1 => Just(Role::System),
        3 => Just(Role::User),
        4 => Just(Role::Assistant),
        4 => Just(Role::Tool),
    ];
    (role, content(), vec(tool_call(), 0..3), "[ab]{0,1}|a_2", any::<Option<bool>>()).prop_map(
        |(role, content, calls, id, thought)| {
            let mut message = match role {
                Role::Tool => Message::tool(&id, "todo", content),
                _ => Message { role, ..Message::user(content) },
            };
            if role == Role::Assistant {
                message.tool_calls = calls;
                message.reasoning =
                    thought.map(|long| if long { "thought" } else { "" }.to_owned());
            }
            message
        },
    )
}

/// What every provider demands; the reason where it does not hold.
pub(crate) fn fault(sent: &[Message]) -> Option<String> {
    let mut waiting: Vec<&str> = Vec::new();
    let mut seen = std::collections::HashSet::new();
    let mut before: Option<Role> = None;
    for (at, message) in sent.iter().enumerate() {
        match message.role {
            Role::System => return Some(format!("{at}: a system message")),
            Role::Tool => {
                let id = message.tool_call_id.as_deref().unwrap_or_default();
                if waiting.first() != Some(&id) {
                    return Some(format!("{at}: answers {id}, {waiting:?} wait"));
                }
                waiting.remove(0);
            }
            role => {
                if !waiting.is_empty() {
                    return Some(format!("{at}: {waiting:?} unanswered"));
                }
                if before == Some(role) {
                    return Some(format!("{at}: two of {role:?}"));
                }
                if message.content.is_blank() && message.tool_calls.is_empty() {
                    return Some(format!("{at}: blank"));
                }
            }
        }
        for call in &message.tool_calls {
            if !seen.insert(call.id.as_str()) || call.name.trim().is_empty() {
                return Some(format!("{at}: bad call {call:?}"));
            }
            if !serde_json::from_str::<Value>(&call.arguments).is_ok_and(|args| args.is_object()) {
                return Some(format!("{at}: bad arguments {call:?}"));
            }
            waiting.push(&call.id);
        }
        before = Some(message.role);
    }
    (!waiting.is_empty()).then(|| format!("end: {waiting:?} unanswered"))
}

/// Where the last exchange begins, which may still change: the person's last message, or the
/// model's last one with its results.
fn last_exchange(sent: &[Message]) -> usize {
    sent.iter().rposition(|message| message.role != Role::Tool).unwrap_or(0)
}

proptest! {
    #[test]
    fn any_history_is_sent_well_formed(history in vec(message(), 0..12), echo in any::<bool>()) {
        let echo = if echo { ReasoningEcho::Required } else { ReasoningEcho::LeaveOut };
        let sent = for_wire(&history, echo);
        prop_assert_eq!(fault(&sent), None);
        prop_assert_eq!(&for_wire(&sent, echo), &sent);
    }

    #[test]
    fn more_messages_never_change_what_was_sent_before(
        history in vec(message(), 0..12),
        more in vec(message(), 0..6),
    ) {
        let before = sent(&history);
        let longer: Vec<Message> = history.iter().chain(&more).cloned().collect();
        let after = sent(&longer);
        let settled = last_exchange(&before);
        prop_assert_eq!(&before[..settled], &after[..settled]);
        // A next message of the other side leaves the last exchange alone as well.
        if let Some(last) = before.iter().rev().find(|message| message.role != Role::Tool) {
            let next = if last.role == Role::User { Message::assistant("x") } else { Message::user("x") };
            let mut longer = history.clone();
            longer.push(next);
            let after = sent(&longer);
            prop_assert_eq!(&before[..], &after[..before.len()]);
        }
    }
}
