//! Who speaks, and how.

use std::collections::BTreeMap;

use hermes_tool::settings::{Seconds, SettingWords, Settings};

/// No wait is shorter.
const SHORTEST: Seconds = Seconds::new(0.001);

/// The section `tts`.
#[derive(Clone, Debug, Settings)]
#[settings(path = "tts", about = "Speech", open)]
pub struct SpeechSettings {
    /// Who speaks: edge, elevenlabs, openai, minimax, gemini, xai, mistral, local, piper, espeak or one of tts.providers.
    provider: Option<String>,
    /// How fast, where a provider's own section does not say; 1 is usual.
    #[setting(range = 0.25..=4.0)]
    speed: Option<f64>,
    /// Microsoft Edge's voices, which need no key.
    edge: VoiceSettings,
    /// ElevenLabs; the key is ELEVENLABS_API_KEY.
    elevenlabs: VoiceSettings,
    /// OpenAI, or any server that speaks like it; the key is VOICE_TOOLS_OPENAI_KEY or OPENAI_API_KEY.
    openai: VoiceSettings,
    /// MiniMax; the key is MINIMAX_API_KEY.
    minimax: VoiceSettings,
    /// Gemini; the key is GEMINI_API_KEY or GOOGLE_API_KEY.
    gemini: VoiceSettings,
    /// xAI; the key is XAI_API_KEY.
    xai: VoiceSettings,
    /// Mistral; the key is MISTRAL_API_KEY.
    mistral: VoiceSettings,
    /// Piper on this machine; model is the voice's .onnx file.
    piper: VoiceSettings,
    /// eSpeak NG on this machine.
    espeak: VoiceSettings,
    /// Commands that speak, by name.
    providers: BTreeMap<String, CommandVoice>,
}

/// How one provider speaks.
#[derive(Clone, Debug, Settings)]
#[settings(manual, open, about = "One provider of speech")]
pub struct VoiceSettings {
    /// Whose voice.
    #[setting(older = "voice_id")]
    pub voice: Option<String>,
    /// The provider's name of the model that speaks; empty means its default.
    #[setting(older = "model_id")]
    pub model: Option<String>,
    /// The language, where the provider wants to know.
    pub language: Option<String>,
    /// How fast; 1 is usual.
    #[setting(range = 0.25..=4.0)]
    pub speed: Option<f64>,
    /// Another address than the provider's own.
    pub base_url: Option<String>,
    /// Who is charged (MiniMax).
    pub group_id: Option<String>,
    /// The program, if it is not found by its usual name.
    pub command: Option<String>,
    /// Most characters spoken at a time, instead of the provider's own limit.
    #[setting(range = 1..)]
    pub max_text_length: Option<usize>,
}

/// A command that speaks.
#[derive(Clone, Debug, Settings)]
#[settings(manual, open, about = "A command that speaks")]
pub struct CommandVoice {
    /// What it is; only commands can be added.
    #[setting(key = "type")]
    pub kind: CommandKind,
    /// The command line; {input_path}, {output_path}, {format}, {voice}, {model} and {speed} are filled in, quoted.
    pub command: Option<String>,
    /// The form of what it writes: mp3, ogg, wav or flac.
    #[setting(default = "mp3".to_owned())]
    pub output_format: String,
    /// How long it may take, in seconds.
    #[setting(default = Seconds::new(120.0), range = SHORTEST..)]
    pub timeout: Seconds,
    /// Whether chat programs can show what it writes as a voice message.
    pub voice_compatible: bool,
    /// Whose voice, for {voice}.
    pub voice: Option<String>,
    /// Which model, for {model}.
    pub model: Option<String>,
    /// How fast, for {speed}; 1 is usual.
    #[setting(range = 0.25..=4.0)]
    pub speed: Option<f64>,
    /// Most characters spoken at a time.
    #[setting(range = 1..)]
    pub max_text_length: Option<usize>,
}

/// What a provider of the user's own can be.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, SettingWords)]
pub enum CommandKind {
    /// A command line.
    #[default]
    Command,
}

impl SpeechSettings {
    /// Whom the user named.
    #[must_use]
    pub fn provider(&self) -> Option<&str> {
        self.provider.as_deref().map(str::trim).filter(|name| !name.is_empty())
    }

    /// How a provider speaks; the general speed where its own section has none.
    #[must_use]
    pub fn voice(&self, provider: &str) -> VoiceSettings {
        let mut voice = match provider {
            "edge" => self.edge.clone(),
            "elevenlabs" => self.elevenlabs.clone(),
            "openai" => self.openai.clone(),
            "minimax" => self.minimax.clone(),
            "gemini" => self.gemini.clone(),
            "xai" => self.xai.clone(),
            "mistral" => self.mistral.clone(),
            "piper" => self.piper.clone(),
            "espeak" => self.espeak.clone(),
            name => self.command(name).map(CommandVoice::as_voice).unwrap_or_default(),
        };
        voice.speed = voice.speed.or(self.speed);
        voice
    }

    /// A command of the user's own.
    #[must_use]
    pub fn command(&self, name: &str) -> Option<&CommandVoice> {
        self.providers.get(name)
    }

    /// The names of the user's own commands.
    pub fn command_names(&self) -> impl Iterator<Item = &str> {
        self.providers.keys().map(String::as_str)
    }
}

impl CommandVoice {
    fn as_voice(&self) -> VoiceSettings {
        VoiceSettings {
            voice: self.voice.clone(),
            model: self.model.clone(),
            speed: self.speed,
            max_text_length: self.max_text_length,
            ..VoiceSettings::default()
        }
    }
}
