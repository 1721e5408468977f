//! xAI.

use futures_util::future::BoxFuture;
use hermes_tool::Vars;
use serde_json::json;
use tokio_util::sync::CancellationToken;

use super::super::{AudioFormat, MAX_AUDIO_BYTES, SpeechError, SpeechProvider, VoiceSettings};
use super::{key, or, service};
use crate::service::Service;

const BASE: &str = "https://api.x.ai/v1";
const VOICE: &str = "eve";
const LANGUAGE: &str = "en";

pub(super) struct XaiSpeech {
    service: Service,
    key: String,
    voice: VoiceSettings,
}

impl XaiSpeech {
    pub(super) fn new(voice: VoiceSettings, vars: &Vars) -> Result<Self, SpeechError> {
        let key = key("xAI", "XAI_API_KEY", vars)?;
        Ok(Self { service: service("xAI", &voice, BASE, vars), key, voice })
    }
}

impl SpeechProvider for XaiSpeech {
    fn name(&self) -> &str {
        "xai"
    }

    fn max_chars(&self) -> usize {
        15_000
    }

    fn form_for(&self, wished: AudioFormat) -> AudioFormat {
        if wished == AudioFormat::Wav { AudioFormat::Wav } else { AudioFormat::Mp3 }
    }

    fn speak<'a>(
        &'a self,
        text: &'a str,
        wished: AudioFormat,
        cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, Result<Vec<u8>, SpeechError>> {
        Box::pin(async move {
            let mut body = json!({
                "text": text,
                "voice_id": or(&self.voice.voice, VOICE),
                "language": or(&self.voice.language, LANGUAGE),
            });
            // MP3 comes unasked.
            if self.form_for(wished) == AudioFormat::Wav {
                body["output_format"] = json!({"codec": "wav"});
            }
            if let Some(speed) = self.voice.speed {
                body["speed"] = speed.into();
            }
            let call = self.service.post("/tts")?.bearer(&self.key).json(&body);
            Ok(call.bytes(MAX_AUDIO_BYTES).send(cancel).await?.body)
        })
    }
}
