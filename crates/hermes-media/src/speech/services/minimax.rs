//! MiniMax, which sends sound as hexadecimal digits.

use futures_util::future::BoxFuture;
use hermes_tool::Vars;
use serde_json::json;
use tokio_util::sync::CancellationToken;

use super::super::{AudioFormat, MAX_AUDIO_BYTES, SpeechError, SpeechProvider, VoiceSettings};
use super::{key, or, service};
use crate::service::{Service, ServiceError};

const BASE: &str = "https://api.minimax.io";
const VOICE: &str = "English_expressive_narrator";
const MODEL: &str = "speech-2.8-hd";

pub(super) struct MiniMax {
    service: Service,
    key: String,
    group: Option<String>,
    voice: VoiceSettings,
}

impl MiniMax {
    pub(super) fn new(voice: VoiceSettings, vars: &Vars) -> Result<Self, SpeechError> {
        let group = voice.group_id.clone();
        Ok(Self {
            service: service("MiniMax", &voice, BASE, vars),
            key: key("MiniMax", "MINIMAX_API_KEY", vars)?,
            group: group.or_else(|| vars.non_blank("MINIMAX_GROUP_ID").map(str::to_owned)),
            voice,
        })
    }
}

impl SpeechProvider for MiniMax {
    fn name(&self) -> &str {
        "minimax"
    }

    fn max_chars(&self) -> usize {
        10_000
    }

    fn form_for(&self, wished: AudioFormat) -> AudioFormat {
        match wished {
            AudioFormat::Ogg => AudioFormat::Mp3,
            other => other,
        }
    }

    fn speak<'a>(
        &'a self,
        text: &'a str,
        wished: AudioFormat,
        cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, Result<Vec<u8>, SpeechError>> {
        Box::pin(async move {
            let group = self.group.as_deref().map(|group| {
                let group: String =
                    url::form_urlencoded::byte_serialize(group.as_bytes()).collect();
                format!("?GroupId={group}")
            });
            let body = json!({
                "model": or(&self.voice.model, MODEL),
                "text": text,
                "stream": false,
                "voice_setting": {
                    "voice_id": or(&self.voice.voice, VOICE),
                    "speed": self.voice.speed.unwrap_or(1.0),
                    "vol": 1.0,
                    "pitch": 0,
                },
                "audio_setting": {
                    "sample_rate": 32_000,
                    "bitrate": 128_000,
                    "format": self.form_for(wished).extension(),
                    "channel": 1,
                },
            });
            let call = self.service.post(&format!("/v1/t2a_v2{}", group.unwrap_or_default()))?;
            // Two digits for each byte.
            let call = call.bearer(&self.key).json(&body).bytes(2 * MAX_AUDIO_BYTES);
            let reply = call.send(cancel).await?;
            let answer = reply.json()?;
            let status = &answer["base_resp"];
            if status["status_code"].as_i64().unwrap_or_default() != 0 {
                let words = status["status_msg"].as_str().unwrap_or("it failed");
                let words = format!("{words} (code {})", status["status_code"]);
                return Err(ServiceError::Failed { service: "MiniMax".into(), words }.into());
            }
            let digits = answer["data"]["audio"].as_str().unwrap_or_default();
            let sound = from_hex(digits);
            Ok(sound.ok_or_else(|| reply.unreadable("sound that is not hexadecimal"))?)
        })
    }
}

fn from_hex(digits: &str) -> Option<Vec<u8>> {
    let pairs = digits.as_bytes().chunks(2);
    pairs
        .map(|pair| match pair {
            [high, low] => {
                let digit = |byte: &u8| char::from(*byte).to_digit(16);
                u8::try_from(digit(high)? * 16 + digit(low)?).ok()
            }
            _ => None,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_become_bytes_or_nothing() {
        assert_eq!(from_hex("00fFa1"), Some(vec![0, 255, 161]));
        assert_eq!(from_hex(""), Some(vec![]));
        assert_eq!((from_hex("0"), from_hex("zz")), (None, None));
    }
}
