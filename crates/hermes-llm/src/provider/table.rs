//! The known providers.
//!
//! Pure data: a new provider is a new entry. The order matters for one thing, the choice by keys when
//! nothing else says whom to ask. Aliases are other names for the whole provider; the domains say where its
//! keys may go, and an address below one of them is taken for that provider's.

use crate::endpoint::{WireApi, host_of, is_under};

/// A service we know by name: where it is, and where its key is looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProviderEntry {
    /// Its name in configuration and flags.
    pub name: &'static str,
    /// What people call it.
    pub title: &'static str,
    /// Other names for it.
    pub aliases: &'static [&'static str],
    /// The base of its addresses; empty if only the person knows.
    pub base_url: &'static str,
    /// The variable that gives another base.
    pub base_url_var: Option<&'static str>,
    /// The variables that hold its key, the first that is set counts.
    pub key_vars: &'static [&'static str],
    /// Whether it can be asked without a key.
    pub key: KeyNeed,
    /// How it is spoken to.
    pub wire: WireApi,
    /// The domains that its key may be sent to.
    pub domains: &'static [&'static str],
    /// The model if none is named; empty if there is no good guess.
    pub default_model: &'static str,
}

/// Whether a provider wants a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyNeed {
    /// It does.
    Required,
    /// It takes one but can do without.
    Optional,
}

/// Most providers are like this.
const USUAL: ProviderEntry = ProviderEntry {
    name: "",
    title: "",
    aliases: &[],
    base_url: "",
    base_url_var: None,
    key_vars: &[],
    key: KeyNeed::Required,
    wire: WireApi::Chat,
    domains: &[],
    default_model: "",
};

/// The provider whose server is the engine of this program: it is started when it is asked.
pub const BUILT_IN: &str = "hermes-local";

/// All known providers, in the order in which a key is looked for.
pub const PROVIDERS: &[ProviderEntry] = &[
    ProviderEntry {
        name: "openrouter",
        title: "OpenRouter",
        aliases: &["or"],
        base_url: "https://openrouter.ai/api/v1",
        base_url_var: Some("OPENROUTER_BASE_URL"),
        key_vars: &["OPENROUTER_API_KEY"],
        domains: &["openrouter.ai"],
        default_model: "anthropic/claude-sonnet-4.5",
        ..USUAL
    },
    ProviderEntry {
        name: "openai-api",
        title: "OpenAI",
        aliases: &["openai"],
        base_url: "https://api.openai.com/v1",
        base_url_var: Some("OPENAI_BASE_URL"),
        key_vars: &["OPENAI_API_KEY"],
        domains: &["openai.com"],
        default_model: "gpt-5.1",
        ..USUAL
    },
    ProviderEntry {
        name: "anthropic",
        title: "Anthropic",
        aliases: &["claude"],
        base_url: "https://api.anthropic.com",
        base_url_var: Some("ANTHROPIC_BASE_URL"),
        key_vars: &["ANTHROPIC_API_KEY", "ANTHROPIC_TOKEN"],
        wire: WireApi::Messages,
        domains: &["anthropic.com"],
        default_model: "claude-sonnet-4-5",
        ..USUAL
    },
    ProviderEntry {
        name: "nous",
        title: "Nous Research",
        aliases: &["nousresearch"],
        base_url: "https://inference-api.nousresearch.com/v1",
        base_url_var: Some("NOUS_INFERENCE_BASE_URL"),
        key_vars: &["NOUS_API_KEY"],
        domains: &["nousresearch.com"],
        default_model: "Hermes-4-405B",
        ..USUAL
    },
    ProviderEntry {
        name: "custom",
        title: "a server of your own",
        aliases: &["ollama", "vllm", "llamacpp", "llama.cpp", "local"],
        base_url_var: Some("CUSTOM_BASE_URL"),
        key: KeyNeed::Optional,
        ..USUAL
    },
    ProviderEntry {
        name: BUILT_IN,
        title: "the built-in engine",
        aliases: &["built-in"],
        // Nothing ever listens there: the engine says where it answers once it runs.
        base_url: "http://127.0.0.1:0/v1",
        key: KeyNeed::Optional,
        ..USUAL
    },
    ProviderEntry {
        name: "lmstudio",
        title: "LM Studio",
        aliases: &["lm-studio", "lm_studio"],
        base_url: "http://127.0.0.1:1234/v1",
        base_url_var: Some("LM_BASE_URL"),
        key_vars: &["LM_API_KEY"],
        key: KeyNeed::Optional,
        ..USUAL
    },
    ProviderEntry {
        name: "gemini",
        title: "Google Gemini",
        aliases: &["google"],
        base_url: "https://generativelanguage.googleapis.com/v1beta/openai",
        base_url_var: Some("GEMINI_BASE_URL"),
        key_vars: &["GOOGLE_API_KEY", "GEMINI_API_KEY"],
        domains: &["googleapis.com"],
        default_model: "gemini-2.5-pro",
        ..USUAL
    },
    ProviderEntry {
        name: "deepseek",
        title: "DeepSeek",
        base_url: "https://api.deepseek.com/v1",
        key_vars: &["DEEPSEEK_API_KEY"],
        domains: &["deepseek.com"],
        default_model: "deepseek-chat",
        ..USUAL
    },
    ProviderEntry {
        name: "xai",
        title: "xAI",
        aliases: &["grok"],
        base_url: "https://api.x.ai/v1",
        key_vars: &["XAI_API_KEY"],
        domains: &["x.ai"],
        default_model: "grok-4",
        ..USUAL
    },
    ProviderEntry {
        name: "zai",
        title: "Z.ai",
        aliases: &["glm", "z.ai", "zhipu"],
        base_url: "https://api.z.ai/api/paas/v4",
        base_url_var: Some("GLM_BASE_URL"),
        key_vars: &["GLM_API_KEY", "ZAI_API_KEY"],
        domains: &["z.ai", "bigmodel.cn"],
        default_model: "glm-4.6",
        ..USUAL
    },
    ProviderEntry {
        name: "kimi-coding",
        title: "Kimi",
        aliases: &["kimi", "moonshot"],
        base_url: "https://api.moonshot.ai/v1",
        base_url_var: Some("KIMI_BASE_URL"),
        key_vars: &["KIMI_API_KEY", "MOONSHOT_API_KEY"],
        domains: &["moonshot.ai", "moonshot.cn", "kimi.com"],
        default_model: "kimi-k2-turbo-preview",
        ..USUAL
    },
    ProviderEntry {
        name: "minimax",
        title: "MiniMax",
        base_url: "https://api.minimax.io/v1",
        base_url_var: Some("MINIMAX_BASE_URL"),
        key_vars: &["MINIMAX_API_KEY"],
        domains: &["minimax.io", "minimaxi.com"],
        default_model: "MiniMax-M2",
        ..USUAL
    },
    ProviderEntry {
        name: "huggingface",
        title: "Hugging Face",
        aliases: &["hf"],
        base_url: "https://router.huggingface.co/v1",
        key_vars: &["HF_TOKEN"],
        domains: &["huggingface.co"],
        ..USUAL
    },
    ProviderEntry {
        name: "alibaba",
        title: "Alibaba",
        aliases: &["dashscope", "qwen"],
        base_url: "https://dashscope-intl.aliyuncs.com/compatible-mode/v1",
        base_url_var: Some("DASHSCOPE_BASE_URL"),
        key_vars: &["DASHSCOPE_API_KEY"],
        domains: &["aliyuncs.com"],
        default_model: "qwen3-max",
        ..USUAL
    },
    ProviderEntry {
        name: "stepfun",
        title: "StepFun",
        base_url: "https://api.stepfun.com/v1",
        key_vars: &["STEPFUN_API_KEY"],
        domains: &["stepfun.com", "stepfun.ai"],
        ..USUAL
    },
    ProviderEntry {
        name: "nvidia",
        title: "NVIDIA",
        aliases: &["nim"],
        base_url: "https://integrate.api.nvidia.com/v1",
        key_vars: &["NVIDIA_API_KEY"],
        domains: &["nvidia.com"],
        ..USUAL
    },
    ProviderEntry {
        name: "groq",
        title: "Groq",
        base_url: "https://api.groq.com/openai/v1",
        key_vars: &["GROQ_API_KEY"],
        domains: &["groq.com"],
        ..USUAL
    },
    ProviderEntry {
        name: "mistral",
        title: "Mistral",
        base_url: "https://api.mistral.ai/v1",
        key_vars: &["MISTRAL_API_KEY"],
        domains: &["mistral.ai"],
        default_model: "mistral-large-latest",
        ..USUAL
    },
    ProviderEntry {
        name: "together",
        title: "Together",
        base_url: "https://api.together.xyz/v1",
        key_vars: &["TOGETHER_API_KEY"],
        domains: &["together.xyz", "together.ai"],
        ..USUAL
    },
    ProviderEntry {
        name: "fireworks",
        title: "Fireworks",
        base_url: "https://api.fireworks.ai/inference/v1",
        key_vars: &["FIREWORKS_API_KEY"],
        domains: &["fireworks.ai"],
        ..USUAL
    },
];

/// The provider of a name or alias, in any case.
#[must_use]
pub fn find(name: &str) -> Option<&'static ProviderEntry> {
    let name = name.trim().to_lowercase();
    PROVIDERS.iter().find(|known| known.name == name || known.aliases.contains(&name.as_str()))
}

/// Where the servers behind an alias of `custom` usually are.
pub(super) fn usual_address(alias: &str) -> Option<&'static str> {
    match alias.trim().to_lowercase().as_str() {
        "ollama" => Some("http://localhost:11434/v1"),
        "llamacpp" | "llama.cpp" => Some("http://localhost:8080/v1"),
        "vllm" => Some("http://localhost:8000/v1"),
        _ => None,
    }
}

/// The provider whose servers an address belongs to.
pub(super) fn at(url: &str) -> Option<&'static ProviderEntry> {
    let host = host_of(url);
    PROVIDERS.iter().find(|known| known.domains.iter().any(|domain| is_under(&host, domain)))
}

impl ProviderEntry {
    /// Whether an address is one of its servers.
    #[must_use]
    pub fn serves(&self, url: &str) -> bool {
        let host = host_of(url);
        self.domains.iter().any(|domain| is_under(&host, domain))
    }
}
