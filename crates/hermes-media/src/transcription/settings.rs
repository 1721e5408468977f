//! Who listens.

use hermes_tool::settings::{Seconds, Settings};

/// No wait is shorter.
const SHORTEST: Seconds = Seconds::new(0.001);

/// The section `stt`.
#[derive(Clone, Debug, Settings)]
#[settings(path = "stt", about = "Words from speech", open)]
pub struct TranscriptionSettings {
    /// Whether voice messages are written down.
    #[setting(default = true)]
    pub enabled: bool,
    /// Who listens: local, groq, openai, mistral, xai, elevenlabs or deepinfra.
    provider: Option<String>,
    /// Whisper on this machine, or a command that takes its place.
    pub local: ListenerSettings,
    /// Groq; the key is GROQ_API_KEY.
    pub groq: ListenerSettings,
    /// OpenAI, or any server that listens like it; the key is VOICE_TOOLS_OPENAI_KEY or OPENAI_API_KEY.
    pub openai: ListenerSettings,
    /// Mistral; the key is MISTRAL_API_KEY.
    pub mistral: ListenerSettings,
    /// xAI; the key is XAI_API_KEY.
    pub xai: ListenerSettings,
    /// ElevenLabs; the key is ELEVENLABS_API_KEY.
    pub elevenlabs: ListenerSettings,
    /// DeepInfra; the key is DEEPINFRA_API_KEY.
    pub deepinfra: ListenerSettings,
}

/// Address, language, model or command of one service that listens.
#[derive(Clone, Debug, Settings)]
#[settings(manual, open, about = "One that listens")]
pub struct ListenerSettings {
    /// The provider's name of the model that listens; empty means its default.
    pub model: Option<String>,
    /// The language that is spoken, if it need not be guessed.
    pub language: Option<String>,
    /// Another address than the provider's own.
    pub base_url: Option<String>,
    /// The command line (local only); {input_path}, {output_dir}, {language} and {model} are filled in, quoted. What it
    /// prints is the text.
    pub command: Option<String>,
    /// How long it may take, in seconds.
    #[setting(default = Seconds::new(300.0), range = SHORTEST..)]
    pub timeout: Seconds,
}

impl TranscriptionSettings {
    /// Whom the user named.
    #[must_use]
    pub fn provider(&self) -> Option<&str> {
        self.provider.as_deref().map(str::trim).filter(|name| !name.is_empty())
    }
}
