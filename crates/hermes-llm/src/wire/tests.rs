//! What holds for both wires: cutting changes nothing, and no bytes make it panic.

use proptest::prelude::*;
use serde_json::json;

use super::*;

fn endpoints() -> [Endpoint; 2] {
    [
        Endpoint::new(WireApi::Chat, "http://localhost/v1", "m"),
        Endpoint::new(WireApi::Messages, "http://localhost", "m"),
    ]
}

/// The outcome of a stream that comes in these pieces, as text, and all that was shown.
fn read<'a>(endpoint: &Endpoint, pieces: impl Iterator<Item = &'a [u8]>) -> (String, String) {
    let mut reader = ResponseReader::new(endpoint);
    let mut shown = String::new();
    for piece in pieces {
        let mut listen = |delta: Delta| {
            if let Delta::Text(text) = delta {
                shown.push_str(&text);
            }
        };
        match reader.push(piece, &mut listen) {
            Ok(StreamProgress::End) => break,
            Ok(_) => {}
            Err(error) => return (format!("{error:?}"), shown),
        }
    }
    (format!("{:?}", reader.finish()), shown)
}

fn chat_event() -> impl Strategy<Value = String> {
    let index = prop_oneof![Just(json!(0)), Just(json!(1)), Just(Value::Null)];
    let id = prop_oneof![Just(json!("a")), Just(json!("b")), Just(json!(7)), Just(Value::Null)];
    let name = prop_oneof![Just(json!("t")), Just(Value::Null)];
    let call = (index, id, name, "[{}\":1 a\\\\]{0,6}").prop_map(|(index, id, name, arguments)| {
        json!({"tool_calls": [{"index": index, "id": id,
            "function": {"name": name, "arguments": arguments}}]})
    });
    let delta = prop_oneof![
        "[a-zäß🦀 ]{0,5}".prop_map(|text| json!({"content": text})),
        "[a-z]{0,5}".prop_map(|text| json!({"reasoning": text})),
        call,
    ];
    let finish =
        prop_oneof![4 => Just(Value::Null), 1 => Just(json!("stop")), 1 => Just(json!("length"))];
    let event = (delta, finish).prop_map(|(delta, finish)| {
        json!({"choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}).to_string()
    });
    prop_oneof![12 => event, 1 => Just("[DONE]".to_owned()), 1 => "[a-z{}\"]{0,8}"]
}

fn messages_event() -> impl Strategy<Value = String> {
    let block = prop_oneof![
        Just(json!({"type": "text", "text": ""})),
        Just(json!({"type": "thinking", "thinking": ""})),
        Just(json!({"type": "tool_use", "id": "a", "name": "t", "input": {}})),
    ];
    let delta = prop_oneof![
        "[a-zä🦀]{0,5}".prop_map(|text| json!({"type": "text_delta", "text": text})),
        "[a-z]{0,5}".prop_map(|text| json!({"type": "thinking_delta", "thinking": text})),
        "[{}\":1]{0,5}".prop_map(|text| json!({"type": "input_json_delta", "partial_json": text})),
    ];
    prop_oneof![
        (0u64..3, block).prop_map(|(index, block)| {
            json!({"type": "content_block_start", "index": index, "content_block": block})
        }),
        (0u64..3, delta).prop_map(|(index, delta)| {
            json!({"type": "content_block_delta", "index": index, "delta": delta})
        }),
        Just(json!({"type": "message_delta", "delta": {"stop_reason": "tool_use"}})),
    ]
    .prop_map(|event| event.to_string())
}

fn stream(events: &[String]) -> Vec<u8> {
    events.iter().map(|data| format!("data: {data}\n\n")).collect::<String>().into_bytes()
}

proptest! {
    #[test]
    fn any_cutting_of_a_chat_stream_gives_the_same_answer(
        events in prop::collection::vec(chat_event(), 0..12), size in 1usize..40,
    ) {
        let (bytes, endpoint) = (stream(&events), &endpoints()[0]);
        let at_once = read(endpoint, std::iter::once(bytes.as_slice()));
        prop_assert_eq!(read(endpoint, bytes.chunks(size)), at_once);
    }

    #[test]
    fn any_cutting_of_a_messages_stream_gives_the_same_answer(
        events in prop::collection::vec(messages_event(), 0..12), size in 1usize..40,
    ) {
        let (bytes, endpoint) = (stream(&events), &endpoints()[1]);
        let at_once = read(endpoint, std::iter::once(bytes.as_slice()));
        prop_assert_eq!(read(endpoint, bytes.chunks(size)), at_once);
    }

}

proptest! {
    // Every odd stream ends in an error message, whose making is the slow part.
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn no_bytes_make_a_reader_panic(
        bytes in prop::collection::vec(any::<u8>(), 0..200), text in "(data: |\\{|\\}|\"|choices|delta|[0-9]|:|\\[|\\]|,|\n){0,80}",
    ) {
        for endpoint in endpoints() {
            read(&endpoint, std::iter::once(bytes.as_slice()));
            read(&endpoint, std::iter::once(text.as_bytes()));
            let _ = whole(&endpoint, &text);
        }
    }

    #[test]
    fn no_json_of_odd_kinds_makes_a_reader_panic(value in odd_json()) {
        for endpoint in endpoints() {
            let bytes = stream(&[value.to_string()]);
            read(&endpoint, std::iter::once(bytes.as_slice()));
            let _ = whole(&endpoint, &value.to_string());
        }
    }
}

/// JSON with the names the wires use, and values of any kind in every place.
fn odd_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        "[a-z]{0,4}".prop_map(Value::from),
        prop_oneof![
            Just("text"),
            Just("tool_use"),
            Just("thinking"),
            Just("message_start"),
            Just("error")
        ]
        .prop_map(Value::from),
    ];
    let name = prop_oneof![
        Just("choices"),
        Just("delta"),
        Just("message"),
        Just("content"),
        Just("tool_calls"),
        Just("function"),
        Just("arguments"),
        Just("index"),
        Just("usage"),
        Just("type"),
        Just("content_block"),
        Just("reasoning_details"),
        Just("finish_reason"),
        Just("input"),
    ];
    leaf.prop_recursive(5, 40, 4, move |inner| {
        let fields = prop::collection::vec((name.clone(), inner.clone()), 0..4);
        prop_oneof![
            prop::collection::vec(inner, 0..3).prop_map(Value::Array),
            fields.prop_map(|fields| {
                fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
            }),
        ]
    })
}
