//! ElevenLabs.

use futures_util::future::BoxFuture;
use hermes_tool::Vars;
use serde_json::json;
use tokio_util::sync::CancellationToken;

use super::super::{AudioFormat, MAX_AUDIO_BYTES, SpeechError, SpeechProvider, VoiceSettings};
use super::{key, or, service};
use crate::service::Service;

const BASE: &str = "https://api.elevenlabs.io";
const VOICE: &str = "pNInz6obpgDQGcFmaJgB";
const MODEL: &str = "eleven_multilingual_v2";
/// Most characters by model; the others take the last.
const LIMITS: [(&str, usize); 4] = [
    ("eleven_flash_v2_5", 40_000),
    ("eleven_flash_v2", 30_000),
    ("eleven_v3", 5_000),
    ("", 10_000),
];

pub(super) struct ElevenLabs {
    service: Service,
    key: String,
    voice: String,
    model: String,
}

impl ElevenLabs {
    pub(super) fn new(voice: &VoiceSettings, vars: &Vars) -> Result<Self, SpeechError> {
        Ok(Self {
            service: service("ElevenLabs", voice, BASE, vars),
            key: key("ElevenLabs", "ELEVENLABS_API_KEY", vars)?,
            voice: or(&voice.voice, VOICE),
            model: or(&voice.model, MODEL),
        })
    }
}

impl SpeechProvider for ElevenLabs {
    fn name(&self) -> &str {
        "elevenlabs"
    }

    fn max_chars(&self) -> usize {
        let known = LIMITS.iter().find(|(model, _)| self.model.starts_with(model));
        known.map_or(10_000, |(_, most)| *most)
    }

    fn form_for(&self, wished: AudioFormat) -> AudioFormat {
        if wished == AudioFormat::Ogg { AudioFormat::Ogg } else { AudioFormat::Mp3 }
    }

    fn speak<'a>(
        &'a self,
        text: &'a str,
        wished: AudioFormat,
        cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, Result<Vec<u8>, SpeechError>> {
        Box::pin(async move {
            let form = match self.form_for(wished) {
                AudioFormat::Ogg => "opus_48000_64",
                _ => "mp3_44100_128",
            };
            let voice: String =
                url::form_urlencoded::byte_serialize(self.voice.as_bytes()).collect();
            let path = format!("/v1/text-to-speech/{voice}?output_format={form}");
            let call = self.service.post(&path)?.secret("xi-api-key", "", &self.key);
            let call = call.json(&json!({"text": text, "model_id": self.model}));
            Ok(call.bytes(MAX_AUDIO_BYTES).send(cancel).await?.body)
        })
    }
}
