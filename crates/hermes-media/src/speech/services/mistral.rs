//! Mistral.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use futures_util::future::BoxFuture;
use hermes_tool::Vars;
use serde_json::json;
use tokio_util::sync::CancellationToken;

use super::super::{AudioFormat, MAX_AUDIO_BYTES, SpeechError, SpeechProvider, VoiceSettings};
use super::{key, or, service};
use crate::service::Service;

const BASE: &str = "https://api.mistral.ai/v1";
const MODEL: &str = "voxtral-mini-tts-2603";

pub(super) struct MistralSpeech {
    service: Service,
    key: String,
    voice: VoiceSettings,
}

impl MistralSpeech {
    pub(super) fn new(voice: VoiceSettings, vars: &Vars) -> Result<Self, SpeechError> {
        let key = key("Mistral", "MISTRAL_API_KEY", vars)?;
        Ok(Self { service: service("Mistral", &voice, BASE, vars), key, voice })
    }
}

impl SpeechProvider for MistralSpeech {
    fn name(&self) -> &str {
        "mistral"
    }

    fn max_chars(&self) -> usize {
        4_000
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
                "input": text,
                "response_format": form,
            });
            if let Some(voice) = &self.voice.voice {
                body["voice_id"] = voice.as_str().into();
            }
            let call = self.service.post("/audio/speech")?.bearer(&self.key).json(&body);
            let reply = call.bytes(2 * MAX_AUDIO_BYTES).send(cancel).await?;
            let answer = reply.json()?;
            let data = answer["audio_data"].as_str();
            let data = data.ok_or_else(|| SpeechError::NoAudio("mistral".into()))?;
            let sound = STANDARD.decode(data);
            Ok(sound.map_err(|_| reply.unreadable("sound that is not base64"))?)
        })
    }
}
