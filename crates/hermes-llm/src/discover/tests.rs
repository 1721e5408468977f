use std::io::Write;

use hermes_testkit::{ModelServer, Script};
use serde_json::json;

use super::*;
use crate::endpoint::WireApi;

fn cache() -> (tempfile::TempDir, ContextCache) {
    let folder = tempfile::tempdir().unwrap();
    let cache = ContextCache::at(folder.path().join("context_length_cache.yaml"));
    (folder, cache)
}

fn server(script: Script) -> (ModelServer, Endpoint) {
    let server = ModelServer::start(script);
    let endpoint = Endpoint::new(WireApi::Chat, &server.url(), "scripted");
    (server, endpoint)
}

fn empty() -> Script {
    Script::default()
}

#[test]
fn windows_are_read_from_every_servers_fields() {
    for (model, window) in [
        (json!({"id": "a", "context_length": 1000}), Some(1000)),
        (json!({"id": "a", "max_model_len": 2000}), Some(2000)),
        (json!({"id": "a", "meta": {"n_ctx": 3000, "n_ctx_train": 9}}), Some(3000)),
        (json!({"id": "a", "max_context_length": 9, "loaded_context_length": 4000}), Some(4000)),
        (json!({"id": "a"}), None),
        (json!({"id": "a", "context_length": 0}), None),
    ] {
        assert_eq!(read_models(&json!({"data": [model]}))[0].context_length, window, "{model}");
    }
    let named = read_models(&json!({"models": [{"name": "models/gemini-x"}, {"no": "name"}]}));
    assert_eq!(named, [ModelInfo { id: "gemini-x".into(), context_length: None }]);
    assert!(read_models(&json!("nonsense")).is_empty());
}

#[tokio::test]
async fn a_window_is_asked_for_once_and_then_known() {
    let (_folder, cache) = cache();
    let (server, endpoint) = server(empty());
    let proxies = Proxies::default();
    let first = context_length(&endpoint, &cache, &proxies).await;
    assert_eq!(first, WindowSize { tokens: 200_000, source: WindowSource::Server });
    let second = context_length(&endpoint, &cache, &proxies).await;
    assert_eq!(second, WindowSize { tokens: 200_000, source: WindowSource::Cache });
    assert_eq!(server.requests().len(), 1);
    let configured = Endpoint { context_length: Some(5), ..endpoint };
    assert_eq!(context_length(&configured, &cache, &proxies).await.source, WindowSource::Config);
    assert_eq!(server.requests().len(), 1);
}

#[tokio::test]
async fn without_an_answer_the_family_or_a_guess_is_taken() {
    let (_folder, cache) = cache();
    let nowhere = |model: &str| Endpoint::new(WireApi::Chat, "http://127.0.0.1:9/v1", model);
    let proxies = Proxies::default();
    let family = context_length(&nowhere("qwen3:8b"), &cache, &proxies).await;
    assert_eq!(family, WindowSize { tokens: 131_072, source: WindowSource::Family });
    let guess = context_length(&nowhere("unheard-of"), &cache, &proxies).await;
    assert_eq!(guess, WindowSize { tokens: 256_000, source: WindowSource::Guess });
    assert_eq!(known_context(&nowhere("qwen3:8b"), &cache), None);
}

#[tokio::test]
async fn the_big_vendors_are_not_asked() {
    let (_folder, cache) = cache();
    let endpoint = Endpoint::new(WireApi::Messages, "https://api.anthropic.com", "claude-opus-4-6");
    let window = context_length(&endpoint, &cache, &Proxies::default()).await;
    assert_eq!(window, WindowSize { tokens: 1_000_000, source: WindowSource::Family });
}

#[test]
fn a_broken_cache_is_as_good_as_none_and_is_replaced() {
    let (folder, cache) = cache();
    let path = folder.path().join("context_length_cache.yaml");
    std::fs::File::create(&path).unwrap().write_all(b"\xff: [").unwrap();
    let endpoint = Endpoint::new(WireApi::Chat, "http://h:1/v1", "odd: \"name\"");
    let other = Endpoint::new(WireApi::Chat, "http://h:1/v1", "b");
    assert_eq!(cache.get(&endpoint), None);
    cache.put(&endpoint, 4096).unwrap();
    cache.put(&other, 8192).unwrap();
    assert_eq!((cache.get(&endpoint), cache.get(&other)), (Some(4096), Some(8192)));
    let text = std::fs::read_to_string(&path).unwrap();
    assert!(text.contains("\"b@http://h:1/v1\": 8192"), "{text}");
}

#[tokio::test]
async fn servers_at_their_places_are_found_with_their_models() {
    let (server, _) = server(empty().model("qwen3"));
    let places = [
        ServerAddress { kind: ServerKind::Vllm, base_url: "http://127.0.0.1:9/v1".to_owned() },
        ServerAddress { kind: ServerKind::Ollama, base_url: server.url() },
    ];
    let found = local_servers(&places).await;
    assert_eq!(found.len(), 1);
    assert_eq!((found[0].kind, found[0].models[0].id.as_str()), (ServerKind::Ollama, "qwen3"));
    assert_eq!(ServerAddress::usual().len(), 4);
}

#[tokio::test]
async fn the_kind_of_a_server_shows_in_its_pages() {
    for (page, body, kind) in [
        ("/api/v1/models", json!({"models": []}), Some(ServerKind::LmStudio)),
        ("/api/tags", json!({"models": []}), Some(ServerKind::Ollama)),
        ("/props", json!({"default_generation_settings": {}}), Some(ServerKind::LlamaCpp)),
        ("/version", json!({"version": "0.9"}), Some(ServerKind::Vllm)),
        ("/other", json!({}), None),
    ] {
        let (server, _) = server(empty().page(page, body));
        let asked = server.url().replace("127.0.0.1", "localhost");
        assert_eq!(server_kind(&asked).await, kind, "{page}");
    }
}

#[tokio::test]
async fn the_only_model_of_a_server_supplies_its_name() {
    let (server, endpoint) = server(empty().model("the-one"));
    assert_eq!(only_model(&endpoint, &Proxies::default()).await.unwrap().id, "the-one");
    drop(server);
    let two = json!({"data": [{"id": "a"}, {"id": "b"}]});
    let (_server, endpoint) = self::server(empty().page("/v1/models", two));
    assert_eq!(only_model(&endpoint, &Proxies::default()).await, None);
}

#[tokio::test]
async fn a_key_goes_along_only_where_there_is_one() {
    let (server, mut endpoint) = server(empty());
    models(&endpoint, &Proxies::default()).await;
    endpoint.api_key = Some(crate::secret::Secret::new("mine"));
    models(&endpoint, &Proxies::default()).await;
    let log = server.requests();
    assert_eq!(log[0].header("authorization"), None);
    assert!(log[1].carries("Bearer mine"));
}
