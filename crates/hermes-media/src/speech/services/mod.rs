//! Services that speak, each with its own way of being asked.

mod elevenlabs;
mod gemini;
mod minimax;
mod mistral;
mod openai;
mod xai;

use hermes_tool::Vars;

use super::settings::{SpeechSettings, VoiceSettings};
use super::{SpeechError, SpeechProvider, known_names};
use crate::service::Service;

/// Their names, as they stand in the settings.
pub(super) const NAMES: [&str; 6] = ["elevenlabs", "openai", "minimax", "gemini", "xai", "mistral"];

/// The service of this name, with its key.
pub(super) fn named(
    name: &str,
    settings: &SpeechSettings,
    vars: &Vars,
) -> Result<Box<dyn SpeechProvider>, SpeechError> {
    let voice = settings.voice(name);
    Ok(match name {
        "elevenlabs" => Box::new(elevenlabs::ElevenLabs::new(&voice, vars)?),
        "openai" => Box::new(openai::OpenAiSpeech::new(voice, vars)?),
        "minimax" => Box::new(minimax::MiniMax::new(voice, vars)?),
        "gemini" => Box::new(gemini::GeminiSpeech::new(voice, vars)?),
        "xai" => Box::new(xai::XaiSpeech::new(voice, vars)?),
        "mistral" => Box::new(mistral::MistralSpeech::new(voice, vars)?),
        other => {
            let (name, known) = (other.to_owned(), known_names(settings));
            return Err(SpeechError::UnknownProvider { name, known });
        }
    })
}

/// A key from the first of the variables that holds one.
fn key(provider: &str, names: &'static str, vars: &Vars) -> Result<String, SpeechError> {
    let found = names.split(" or ").find_map(|name| vars.non_blank(name));
    let missing = || SpeechError::NoKey { provider: provider.to_owned(), vars: names };
    found.map(str::to_owned).ok_or_else(missing)
}

/// The service at the address of the settings, or at its own.
fn service(name: &str, voice: &VoiceSettings, usual: &str, vars: &Vars) -> Service {
    Service::new(name, voice.base_url.as_deref().unwrap_or(usual), vars)
}

fn or(text: &Option<String>, usual: &str) -> String {
    text.clone().unwrap_or_else(|| usual.to_owned())
}

#[cfg(test)]
mod tests;
