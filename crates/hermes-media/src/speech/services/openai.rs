//! OpenAI, and servers that speak like it.

use futures_util::future::BoxFuture;
use hermes_tool::Vars;
use serde_json::json;
use tokio_util::sync::CancellationToken;

use super::super::{AudioFormat, MAX_AUDIO_BYTES, SpeechError, SpeechProvider, VoiceSettings};
use super::{key, or, service};
use crate::service::Service;

const BASE: &str = "https://api.openai.com/v1";
const VOICE: &str = "alloy";
const MODEL: &str = "gpt-4o-mini-tts";
const KEYS: &str = "VOICE_TOOLS_OPENAI_KEY or OPENAI_API_KEY";

pub(super) struct OpenAiSpeech {
    service: Service,
    /// A server of one's own may want none.
    key: Option<String>,
    voice: VoiceSettings,
}

impl OpenAiSpeech {
    pub(super) fn new(voice: VoiceSettings, vars: &Vars) -> Result<Self, SpeechError> {
        let key = match key("OpenAI", KEYS, vars) {
            Err(_) if voice.base_url.is_some() => None,
            found => Some(found?),
        };
        Ok(Self { service: service("OpenAI", &voice, BASE, vars), key, voice })
    }
}

impl SpeechProvider for OpenAiSpeech {
    fn name(&self) -> &str {
        "openai"
    }

    fn max_chars(&self) -> usize {
        4_096
    }

    fn form_for(&self, wished: AudioFormat) -> AudioFormat {
        wished
    }

    fn speak<'a>(
        &'a self,
        text: &'a str,
        wished: AudioFormat,
        cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, Result<Vec<u8>, SpeechError>> {
        Box::pin(async move {
            let form = wished.as_asked();
            let mut body = json!({
                "model": or(&self.voice.model, MODEL),
                "voice": or(&self.voice.voice, VOICE),
                "input": text,
                "response_format": form,
            });
            if let Some(speed) = self.voice.speed {
                body["speed"] = speed.into();
            }
            let mut call = self.service.post("/audio/speech")?.json(&body);
            if let Some(key) = &self.key {
                call = call.bearer(key);
            }
            Ok(call.bytes(MAX_AUDIO_BYTES).send(cancel).await?.body)
        })
    }
}
