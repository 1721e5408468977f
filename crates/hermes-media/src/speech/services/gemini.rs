//! Gemini, which sends bare samples.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use futures_util::future::BoxFuture;
use hermes_tool::Vars;
use serde_json::json;
use tokio_util::sync::CancellationToken;

use super::super::{AudioFormat, MAX_AUDIO_BYTES, SpeechError, SpeechProvider, VoiceSettings};
use super::{key, or, service};
use crate::service::Service;

const BASE: &str = "https://generativelanguage.googleapis.com";
const VOICE: &str = "Kore";
const MODEL: &str = "gemini-2.5-flash-preview-tts";
const RATE: u32 = 24_000;

pub(super) struct GeminiSpeech {
    service: Service,
    key: String,
    voice: VoiceSettings,
}

impl GeminiSpeech {
    pub(super) fn new(voice: VoiceSettings, vars: &Vars) -> Result<Self, SpeechError> {
        let key = key("Gemini", "GEMINI_API_KEY or GOOGLE_API_KEY", vars)?;
        Ok(Self { service: service("Gemini", &voice, BASE, vars), key, voice })
    }
}

impl SpeechProvider for GeminiSpeech {
    fn name(&self) -> &str {
        "gemini"
    }

    fn max_chars(&self) -> usize {
        32_000
    }

    fn form_for(&self, _wished: AudioFormat) -> AudioFormat {
        AudioFormat::Wav
    }

    fn speak<'a>(
        &'a self,
        text: &'a str,
        _wished: AudioFormat,
        cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, Result<Vec<u8>, SpeechError>> {
        Box::pin(async move {
            let model = or(&self.voice.model, MODEL);
            let encoded = |text: &str| -> String {
                url::form_urlencoded::byte_serialize(text.as_bytes()).collect()
            };
            let path = format!(
                "/v1beta/models/{}:generateContent?key={}",
                encoded(&model),
                encoded(&self.key)
            );
            let voice = or(&self.voice.voice, VOICE);
            let body = json!({
                "contents": [{"parts": [{"text": text}]}],
                "generationConfig": {
                    "responseModalities": ["AUDIO"],
                    "speechConfig": {"voiceConfig": {"prebuiltVoiceConfig": {"voiceName": voice}}},
                },
            });
            let call = self.service.post(&path)?.hiding(&self.key).json(&body);
            let reply = call.bytes(2 * MAX_AUDIO_BYTES).send(cancel).await?;
            let answer = reply.json()?;
            let parts = &answer["candidates"][0]["content"]["parts"];
            let parts = parts.as_array().map(Vec::as_slice).unwrap_or_default();
            let data = parts.iter().find_map(|part| part["inlineData"]["data"].as_str());
            let data = data.ok_or_else(|| SpeechError::NoAudio("gemini".into()))?;
            let samples = STANDARD.decode(data);
            let samples = samples.map_err(|_| reply.unreadable("sound that is not base64"))?;
            if samples.is_empty() {
                return Err(SpeechError::NoAudio("gemini".into()));
            }
            Ok(wav(&samples, RATE))
        })
    }
}

/// Samples of 16 bits, one channel, with the header that says so.
fn wav(samples: &[u8], rate: u32) -> Vec<u8> {
    let length = u32::try_from(samples.len()).unwrap_or(u32::MAX - 36);
    let mut file = Vec::with_capacity(samples.len() + 44);
    file.extend_from_slice(b"RIFF");
    file.extend_from_slice(&(length + 36).to_le_bytes());
    file.extend_from_slice(b"WAVEfmt ");
    file.extend_from_slice(&16_u32.to_le_bytes());
    for number in [1_u16, 1] {
        file.extend_from_slice(&number.to_le_bytes());
    }
    for number in [rate, rate * 2] {
        file.extend_from_slice(&number.to_le_bytes());
    }
    for number in [2_u16, 16] {
        file.extend_from_slice(&number.to_le_bytes());
    }
    file.extend_from_slice(b"data");
    file.extend_from_slice(&length.to_le_bytes());
    file.extend_from_slice(samples);
    file
}
