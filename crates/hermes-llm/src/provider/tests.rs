use serde_json::{Value, json};

use super::*;
use crate::endpoint::{Endpoint, NO_KEY, WireApi};
use crate::secret::Secret;

/// Resolves with these variables, written `NAME=value`.
fn with(choice: &EndpointChoice, config: &Value, vars: &[&str]) -> Result<Endpoint, ResolveError> {
    let lookup = |name: &str| {
        let found = vars.iter().filter_map(|var| var.split_once('=')).find(|var| var.0 == name);
        found.map(|var| var.1.to_owned())
    };
    resolve(choice, config, &lookup)
}

fn auto(config: &Value, vars: &[&str]) -> Endpoint {
    with(&EndpointChoice::default(), config, vars).unwrap()
}

fn key(endpoint: &Endpoint) -> &str {
    endpoint.api_key.as_ref().unwrap().expose()
}

fn provider(name: &str) -> EndpointChoice {
    EndpointChoice { provider: Some(name.to_owned()), ..EndpointChoice::default() }
}

#[test]
fn names_and_aliases_are_unique_and_every_cloud_knows_its_domain() {
    let mut names: Vec<&str> = PROVIDERS
        .iter()
        .flat_map(|known| known.aliases.iter().chain([&known.name]))
        .copied()
        .collect();
    let all = names.len();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), all);
    for known in PROVIDERS.iter().filter(|known| known.key == table::KeyNeed::Required) {
        assert!(known.serves(known.base_url), "{}", known.name);
        assert!(!known.key_vars.is_empty(), "{}", known.name);
    }
}

#[test]
fn flag_beats_config_beats_environment_beats_keys() {
    let config = json!({"model": {"provider": "anthropic"}});
    let vars = [
        "OPENROUTER_API_KEY=r",
        "ANTHROPIC_API_KEY=a",
        "XAI_API_KEY=x",
        "HERMES_INFERENCE_PROVIDER=xai",
    ];
    assert_eq!(with(&provider("or"), &config, &vars).unwrap().provider, "openrouter");
    assert_eq!(auto(&config, &vars).provider, "anthropic");
    assert_eq!(auto(&json!({}), &vars).provider, "xai");
    assert_eq!(auto(&json!({"model": {"provider": "auto"}}), &vars[..3]).provider, "openrouter");
}

#[test]
fn a_lone_openai_key_goes_to_openai_and_the_bare_name_means_it() {
    let endpoint = auto(&json!({}), &["OPENAI_API_KEY=sk-1"]);
    assert_eq!(
        (endpoint.provider.as_str(), endpoint.base_url.as_str()),
        ("openai-api", "https://api.openai.com/v1")
    );
    let named = with(&provider("openai"), &json!({}), &["OPENAI_API_KEY=k"]).unwrap();
    assert_eq!(named.host(), "api.openai.com");
}

#[test]
fn keys_are_tried_in_the_order_of_the_table() {
    assert_eq!(auto(&json!({}), &["OPENAI_API_KEY=o", "ANTHROPIC_TOKEN=t"]).provider, "openai-api");
    let claude = auto(&json!({}), &["GEMINI_API_KEY=g", "ANTHROPIC_TOKEN=t"]);
    assert_eq!(
        (claude.provider.as_str(), claude.wire, key(&claude)),
        ("anthropic", WireApi::Messages, "t")
    );
    assert_eq!(auto(&json!({}), &["OPENROUTER_API_KEY=  ", "GEMINI_API_KEY=g"]).provider, "gemini");
}

#[test]
fn with_nothing_the_error_names_the_ways_out() {
    let error = with(&EndpointChoice::default(), &json!({}), &[]).unwrap_err();
    let text = error.to_string();
    for way in ["hermes setup", "OPENROUTER_API_KEY", "ANTHROPIC_API_KEY", "OPENAI_API_KEY"] {
        assert!(text.contains(way), "{text}");
    }
    let error = with(&provider("anthropic"), &json!({}), &[]).unwrap_err().to_string();
    assert!(error.contains("ANTHROPIC_API_KEY"), "{error}");
    let error = with(&provider("custom"), &json!({}), &[]).unwrap_err().to_string();
    assert!(error.contains("11434"), "{error}");
    let error = with(&provider("openruter"), &json!({}), &[]).unwrap_err().to_string();
    assert!(error.contains("did you mean \"openrouter\""), "{error}");
}

#[test]
fn a_configured_address_of_ones_own_is_custom_and_gets_no_foreign_key() {
    let config = json!({"model": {"base_url": "http://localhost:8000/v1", "default": "qwen"}});
    let vars =
        ["OPENAI_API_KEY=o", "OPENROUTER_API_KEY=r", "LOCALHOST_API_KEY=l", "OLLAMA_API_KEY=x"];
    let endpoint = auto(&config, &vars);
    assert_eq!((endpoint.provider.as_str(), endpoint.model.as_str()), ("custom", "qwen"));
    assert_eq!(key(&endpoint), NO_KEY);
    let config = json!({"model": {"base_url": "https://openrouter.ai/api/v1"}});
    assert_eq!(key(&auto(&config, &vars)), "r");
}

#[test]
fn a_key_never_goes_to_a_host_it_was_not_meant_for() {
    let all: Vec<String> = PROVIDERS
        .iter()
        .flat_map(|known| known.key_vars)
        .chain(&["OLLAMA_API_KEY"])
        .map(|name| format!("{name}=secret-of-{name}"))
        .collect();
    let all: Vec<&str> = all.iter().map(String::as_str).collect();
    let strangers = [
        "https://evil.example/v1",
        "https://openai.evil.example/v1",
        "https://api.openai.com.evil.example/v1",
        "https://openai.dev/v1",
        "https://groq.io/v1",
        "https://ollama.dev/v1",
        "http://10.0.0.1/v1",
        "http://127.0.0.1:9/anthropic",
    ];
    for url in strangers {
        let config = json!({"model": {"base_url": url}});
        assert_eq!(key(&auto(&config, &all)), NO_KEY, "{url}");
        for known in PROVIDERS.iter().filter(|known| known.key == table::KeyNeed::Required) {
            let config = json!({"model": {"provider": known.name, "base_url": url}});
            let endpoint = auto(&config, &all);
            assert_eq!(key(&endpoint), NO_KEY, "{} at {url}", known.name);
            let flag = EndpointChoice { base_url: Some(url.to_owned()), ..provider(known.name) };
            assert_eq!(key(&with(&flag, &json!({}), &all).unwrap()), NO_KEY, "{url}");
        }
    }
    for known in PROVIDERS.iter().filter(|known| known.key == table::KeyNeed::Required) {
        let endpoint = with(&provider(known.name), &json!({}), &all).unwrap();
        assert_eq!(key(&endpoint), format!("secret-of-{}", known.key_vars[0]));
    }
}

#[test]
fn an_address_in_the_vendors_own_variable_may_have_its_key() {
    let vars = ["ANTHROPIC_API_KEY=a", "ANTHROPIC_BASE_URL=http://127.0.0.1:9"];
    let endpoint = with(&provider("claude"), &json!({}), &vars).unwrap();
    assert_eq!((endpoint.base_url.as_str(), key(&endpoint)), ("http://127.0.0.1:9", "a"));
}

#[test]
fn a_key_beside_an_address_goes_there_and_a_vendors_variable_by_its_host() {
    let config = json!({"model": {"base_url": "https://llm.house.example/v1", "api_key": "mine"}});
    assert_eq!(key(&auto(&config, &["OPENAI_API_KEY=o"])), "mine");
    let config = json!({"model": {"base_url": "https://api.cerebras.ai/v1"}});
    let endpoint = auto(&config, &["CEREBRAS_API_KEY=c"]);
    assert_eq!((key(&endpoint), endpoint.key_var.as_deref()), ("c", Some("CEREBRAS_API_KEY")));
    let config = json!({"model": {"base_url": "https://llm.house.co.uk/v1"}});
    assert_eq!(key(&auto(&config, &["HOUSE_API_KEY=h", "CO_API_KEY=x"])), "h");
    let config = json!({"model": {"base_url": "https://ollama.com/v1"}});
    assert_eq!(key(&auto(&config, &["OLLAMA_API_KEY=o"])), "o");
}

#[test]
fn what_the_config_says_of_one_provider_is_not_used_for_another() {
    let config = json!({"model": {"provider": "custom", "base_url": "http://localhost:1/v1",
        "api_key": "local", "default": "qwen", "context_length": 9000}});
    let endpoint = with(&provider("anthropic"), &config, &["ANTHROPIC_API_KEY=a"]).unwrap();
    assert_eq!((endpoint.host().as_str(), key(&endpoint)), ("api.anthropic.com", "a"));
    assert_eq!((endpoint.model.as_str(), endpoint.context_length), ("claude-sonnet-4-5", None));
    let own = auto(&config, &["ANTHROPIC_API_KEY=a"]);
    assert_eq!((key(&own), own.context_length), ("local", Some(9000)));
}

#[test]
fn the_model_is_the_flag_the_variable_the_config_or_the_usual_one() {
    let vars = ["OPENAI_API_KEY=o", "HERMES_INFERENCE_MODEL=from-env"];
    let config = json!({"model": {"default": "from-config"}});
    let flag = EndpointChoice { model: Some("from-flag".to_owned()), ..EndpointChoice::default() };
    assert_eq!(with(&flag, &config, &vars).unwrap().model, "from-flag");
    assert_eq!(auto(&config, &vars).model, "from-env");
    assert_eq!(auto(&config, &vars[..1]).model, "from-config");
    assert_eq!(auto(&json!({"model": "plain"}), &vars[..1]).model, "plain");
    assert_eq!(auto(&json!({}), &vars[..1]).model, "gpt-5.1");
    let unknown = auto(&json!({"model": {"base_url": "http://localhost:1/v1"}}), &[]);
    assert_eq!(unknown.model, "");
}

#[test]
fn named_providers_bring_their_own_address_key_and_wire() {
    let config = json!({"model": {"provider": "house"}, "providers": {"House": {
        "base_url": "https://llm.house.example/anthropic", "key_env": "HOUSE_KEY",
        "default_model": "m-1", "headers": {"x-team": "a"}, "extra_body": {"top_k": 1}}}});
    let endpoint = auto(&config, &["HOUSE_KEY=h"]);
    assert_eq!(
        (endpoint.provider.as_str(), key(&endpoint), endpoint.wire),
        ("House", "h", WireApi::Messages)
    );
    assert_eq!((endpoint.model.as_str(), endpoint.headers[0].1.as_str()), ("m-1", "a"));
    assert_eq!(endpoint.extra_body["top_k"], 1);
    let moved = EndpointChoice {
        base_url: Some("https://other.example/v1".to_owned()),
        ..provider("house")
    };
    assert_eq!(key(&with(&moved, &config, &["HOUSE_KEY=h"]).unwrap()), NO_KEY);
    let older = json!({"custom_providers": [{"name": "old", "base_url": "http://h:1/v1",
        "api_key": "k", "api_mode": "anthropic_messages", "model": "m"}]});
    let endpoint = with(&provider("custom:old"), &older, &[]).unwrap();
    assert_eq!(
        (endpoint.wire, key(&endpoint), endpoint.model.as_str()),
        (WireApi::Messages, "k", "m")
    );
}

#[test]
fn a_path_that_ends_in_anthropic_speaks_messages() {
    let config = json!({"model": {"base_url": "https://api.minimax.io/anthropic"}});
    let endpoint = auto(&config, &["MINIMAX_API_KEY=m"]);
    assert_eq!((endpoint.wire, key(&endpoint)), (WireApi::Messages, "m"));
}

#[test]
fn servers_of_ones_own_are_looked_for_where_they_usually_are() {
    let ollama = with(&provider("Ollama"), &json!({}), &["OPENAI_API_KEY=o"]).unwrap();
    assert_eq!((ollama.base_url.as_str(), key(&ollama)), ("http://localhost:11434/v1", NO_KEY));
    let moved = json!({"model": {"provider": "ollama", "base_url": "http://box:1/v1"}});
    assert_eq!(auto(&moved, &[]).base_url, "http://box:1/v1");
    assert_eq!(
        auto(&json!({}), &["HERMES_INFERENCE_PROVIDER=vllm"]).base_url,
        "http://localhost:8000/v1"
    );
}

#[test]
fn nonsense_addresses_are_refused_in_words() {
    for url in ["localhost:8000", "ftp://x/v1", "http://", "///"] {
        let error = with(&EndpointChoice::default(), &json!({"model": {"base_url": url}}), &[])
            .unwrap_err();
        assert!(matches!(error, ResolveError::BadAddress { .. }), "{url}: {error}");
    }
}

#[test]
fn a_key_by_itself_tells_its_provider_by_its_shape() {
    let choice =
        EndpointChoice { api_key: Some(Secret::new("sk-ant-1")), ..EndpointChoice::default() };
    let endpoint = with(&choice, &json!({}), &["OPENROUTER_API_KEY=r"]).unwrap();
    assert_eq!((endpoint.provider.as_str(), key(&endpoint)), ("anthropic", "sk-ant-1"));
}

#[test]
fn openrouter_gets_our_name_and_the_routing() {
    let config = json!({"provider_routing": {"sort": "price", "only": [], "order": ["a"]},
        "openrouter": {"response_cache": true}});
    let endpoint = auto(&config, &["OPENROUTER_API_KEY=r"]);
    assert_eq!(endpoint.extra_body["provider"], json!({"order": ["a"], "sort": "price"}));
    let names: Vec<&str> = endpoint.headers.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["http-referer", "x-title", "x-openrouter-cache"]);
    assert!(auto(&config, &["OPENAI_API_KEY=o"]).headers.is_empty());
}

#[test]
fn debug_output_holds_no_key() {
    let endpoint = auto(&json!({}), &["OPENAI_API_KEY=sk-very-secret"]);
    assert!(!format!("{endpoint:?}").contains("very-secret"));
}

fn vars(name: &str) -> Option<String> {
    match name {
        "OPENROUTER_API_KEY" => Some("r".to_owned()),
        "OTHER_KEY" => Some("other".to_owned()),
        "HERMES_INFERENCE_MODEL" => Some("now".to_owned()),
        _ => None,
    }
}

#[test]
fn fallbacks_leave_out_the_current_one_and_say_what_is_wrong() {
    let config = json!({"model": {"provider": "openrouter", "default": "a/b"}, "fallback_providers": [
        {"provider": "openrouter", "model": "a/b"},
        {"provider": "openrouter", "model": "c/d"},
        {"provider": "openrouter", "model": "c/d"},
        {"provider": "custom", "base_url": "http://h:1/v1", "model": "m", "key_env": "OTHER_KEY"},
        {"provider": "anthropic", "model": "x"}, "nonsense"]});
    let current = Endpoint {
        provider: "openrouter".to_owned(),
        ..Endpoint::new(WireApi::Chat, "https://openrouter.ai/api/v1", "a/b")
    };
    let found = fallbacks(&config, &vars, &current);
    let models: Vec<&str> =
        found.endpoints.iter().map(|endpoint| endpoint.model.as_str()).collect();
    assert_eq!(models, ["c/d", "m"]);
    assert_eq!(key(&found.endpoints[1]), "other");
    assert_eq!(found.problems.len(), 1);
    assert!(found.problems[0].contains("ANTHROPIC_API_KEY"), "{:?}", found.problems);
    let older = json!({"fallback_model": {"provider": "openrouter", "model": "e/f"}});
    assert_eq!(fallbacks(&older, &vars, &current).endpoints[0].model, "e/f");
    assert!(fallbacks(&json!({}), &vars, &current).endpoints.is_empty());
}

#[test]
fn side_work_is_done_by_the_main_model_unless_another_is_named() {
    let main = Endpoint::new(WireApi::Chat, "http://h:1/v1", "main");
    let config = json!({"auxiliary": {
        "vision": {"provider": "auto", "model": "eyes", "timeout": 30},
        "compression": {"provider": "openrouter", "model": "small"},
        "title_generation": {"provider": "auto", "base_url": "http://h:2/v1", "model": "t"}}});
    let of = |name: &str| auxiliary(name, &config, &vars, &main).unwrap();
    assert_eq!(of("approval").endpoint, main);
    let vision = of("vision");
    assert_eq!((vision.endpoint.model.as_str(), vision.timeout.unwrap().as_secs()), ("eyes", 30));
    assert_eq!(vision.endpoint.base_url, main.base_url);
    assert_eq!(of("compression").endpoint.provider, "openrouter");
    assert_eq!(of("title_generation").endpoint.base_url, "http://h:2/v1");
    let broken = json!({"auxiliary": {"vision": {"provider": "xai"}}});
    assert!(auxiliary("vision", &broken, &vars, &main).is_err());
}
