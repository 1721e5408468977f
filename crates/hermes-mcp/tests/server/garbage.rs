//! Whatever a client sends: the server answers in the words of the protocol, once to each who waits, and
//! ends when its client hangs up.

use std::collections::BTreeMap;
use std::time::Duration;

use hermes_mcp::server::Server;
use hermes_runtime::Runtime;
use proptest::prelude::*;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

const DEADLINE: Duration = Duration::from_secs(60);

/// What the server says to these bytes, line by line.
async fn said(bytes: &[u8]) -> Vec<Value> {
    let server = Server::builder(Runtime::builder().build(), "x", "1").build();
    let (mut there, here) = tokio::io::duplex(1 << 20);
    let (read, write) = tokio::io::split(here);
    let serving = tokio::spawn(async move { server.serve(read, write, Default::default()).await });
    there.write_all(bytes).await.unwrap();
    there.shutdown().await.unwrap();
    let mut answer = Vec::new();
    let all = async {
        there.read_to_end(&mut answer).await.unwrap();
        // A client that does not begin as it should is an error, never a panic.
        let _ = serving.await.unwrap();
    };
    tokio::time::timeout(DEADLINE, all).await.unwrap();
    let lines = answer.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
    lines.map(|line| serde_json::from_slice(line).unwrap()).collect()
}

fn meta() -> Value {
    json!({"io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {}})
}

/// Something in the place of parameters.
fn any_params() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<i32>().prop_map(Value::from),
        "[a-z/:]{0,8}".prop_map(Value::from),
    ];
    leaf.prop_recursive(2, 16, 4, |inner| {
        let key = "name|uri|arguments|requestState|inputResponses|ref|argument|notifications|cursor|level";
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
            proptest::collection::btree_map(key, inner, 0..4)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

fn any_request() -> impl Strategy<Value = (String, Value, bool)> {
    let methods = [
        "tools/list",
        "tools/call",
        "resources/read",
        "prompts/get",
        "completion/complete",
        "server/discover",
        "ping",
        "logging/setLevel",
        "resources/subscribe",
        "odd/one",
        "",
    ];
    (proptest::sample::select(methods.to_vec()), any_params(), any::<bool>())
        .prop_map(|(method, params, says_who)| (method.to_owned(), params, says_who))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn bytes_are_answered_with_messages(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        for message in runtime.block_on(said(&bytes)) {
            prop_assert_eq!(&message["jsonrpc"], "2.0");
            prop_assert!(message["error"]["code"].is_i64(), "{}", message);
        }
    }

    #[test]
    fn every_request_has_one_answer(requests in proptest::collection::vec(any_request(), 1..8)) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let mut text = Vec::new();
        for (id, (method, params, says_who)) in requests.iter().enumerate() {
            let mut params = params.clone();
            if *says_who && params.is_object() {
                params["_meta"] = meta();
            }
            let message = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
            text.extend(format!("{message}\n").into_bytes());
        }
        let mut answers = BTreeMap::<u64, usize>::new();
        for message in runtime.block_on(said(&text)) {
            prop_assert!(message.get("result").is_some() != message.get("error").is_some());
            *answers.entry(message["id"].as_u64().unwrap()).or_default() += 1;
        }
        prop_assert!(answers.values().all(|count| *count == 1), "{:?}", answers);
        prop_assert_eq!(answers.len(), requests.len());
    }
}
