//! What particular providers need beyond plain schemas.

pub(super) mod gemini;
mod moonshot;

use std::str::FromStr;

use serde_json::{Map, Value};

use super::{sanitise, walk};

/// Whose rules a schema has to follow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Provider {
    /// Anything that speaks the common dialect; plain schemas are enough.
    #[default]
    OpenAi,
    /// Anthropic's own interface.
    Anthropic,
    /// Google's own interface.
    Gemini,
    /// Moonshot, the makers of Kimi.
    Moonshot,
    /// xAI's Grok.
    Xai,
    /// A llama.cpp server that has refused a schema's regular expressions. Not for the first
    /// attempt: they do help a server that understands them.
    LlamaCpp,
}

/// A name that stands for no [`Provider`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "unknown schema dialect `{0}`; known are openai, anthropic, gemini, moonshot, xai, llama.cpp"
)]
pub struct UnknownProvider(pub String);

impl FromStr for Provider {
    type Err = UnknownProvider;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        match name.trim().to_lowercase().as_str() {
            "openai" | "generic" => Ok(Self::OpenAi),
            "anthropic" | "claude" => Ok(Self::Anthropic),
            "gemini" | "google" => Ok(Self::Gemini),
            "moonshot" | "kimi" => Ok(Self::Moonshot),
            "xai" | "x-ai" | "grok" => Ok(Self::Xai),
            "llama.cpp" | "llamacpp" | "llama-cpp" => Ok(Self::LlamaCpp),
            _ => Err(UnknownProvider(name.to_owned())),
        }
    }
}

impl Provider {
    /// The rules to follow for a model at a provider.
    ///
    /// Grok and Kimi keep their peculiarities wherever they are offered, so the model decides
    /// first; Anthropic's and Google's rules belong to their own interfaces, so the provider
    /// decides. [`LlamaCpp`](Self::LlamaCpp) is never detected: it answers a refusal.
    pub fn detect(provider: &str, model: &str) -> Self {
        let (provider, model) = (provider.trim().to_lowercase(), model.trim().to_lowercase());
        let bare = model.strip_prefix("x-ai/").unwrap_or(&model);
        let kimi = |name: &str| name.contains("kimi") || name.contains("moonshot");
        if bare.starts_with("grok-") {
            Self::Xai
        } else if kimi(&model) || kimi(&provider) {
            Self::Moonshot
        } else if provider.contains("anthropic") {
            Self::Anthropic
        } else if provider.contains("gemini") || provider == "google" {
            Self::Gemini
        } else {
            Self::OpenAi
        }
    }
}

/// A copy of a tool's `parameters` that a provider accepts. Includes [`sanitise`].
pub fn for_provider(parameters: &Value, provider: Provider) -> Value {
    let mut schema = sanitise(parameters);
    match provider {
        Provider::OpenAi => {}
        // Unions with null are gone by now; the hint they left means nothing to Anthropic.
        Provider::Anthropic => strip(&mut schema, &["nullable"]),
        Provider::Gemini => gemini::fit(&mut schema),
        Provider::Moonshot => moonshot::fit(&mut schema),
        Provider::Xai => {
            strip(&mut schema, &["pattern", "format"]);
            walk::each_node(&mut schema, &mut drop_path_like_enum);
        }
        Provider::LlamaCpp => strip(&mut schema, &["pattern", "format"]),
    }
    schema
}

/// Removes keywords from every schema.
fn strip(schema: &mut Value, keywords: &[&str]) {
    walk::each_node(schema, &mut |node| {
        for keyword in keywords {
            node.shift_remove(*keyword);
        }
    });
}

/// xAI refuses choices that contain a slash.
fn drop_path_like_enum(node: &mut Map<String, Value>) {
    let choices = node.get("enum").and_then(Value::as_array);
    let slash = |choice: &Value| choice.as_str().is_some_and(|text| text.contains('/'));
    if choices.is_some_and(|choices| choices.iter().any(slash)) {
        node.shift_remove("enum");
    }
}

#[cfg(test)]
mod tests;
