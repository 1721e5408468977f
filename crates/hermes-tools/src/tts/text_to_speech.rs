//! `text_to_speech`: a text as sound.

use std::path::{Path, PathBuf};

use hermes_media::speech::{AudioFormat, Speaker, SpeechError, SpeechSettings, climbs, file_stem};
use hermes_tool::settings::Settings as _;
use hermes_tool::{CallDisplay, ToolContext, ToolError, ToolOutput, ToolResult, tool};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use crate::file::whole_file::write_whole;
use crate::media_cache;

/// The platform whose voice messages are Opus.
const WANTS_OPUS: &str = "telegram";

/// Arguments of `text_to_speech`.
#[derive(Deserialize, JsonSchema)]
struct TextToSpeech {
    /// What is to be said.
    text: String,
    /// Where the sound goes; its ending (.mp3, .ogg, .wav, .flac) says in which form. A new file of its own if absent.
    output_path: Option<String>,
}

/// Speak a text: makes a sound file and says where it is.
///
/// Put the `media_tag` of the result into your answer as it is, and chat programs play the sound. Long texts are cut;
/// the result says so.
#[tool(
    toolset = "tts",
    emoji = "🔊",
    effects(writes, network),
    output = trusted,
    aliases("tts_speak"),
    display = CallDisplay::verb("speak").args(&["text"])
)]
async fn text_to_speech(args: TextToSpeech, cx: &ToolContext) -> ToolResult {
    let path = args.output_path.as_deref().map(str::trim).filter(|path| !path.is_empty());
    if path.is_some_and(climbs) {
        return Err(failed("output_path leads upwards (`..`); name the place directly", "path"));
    }
    let settings = SpeechSettings::read(cx.config(), cx.vars());
    let speaker = Speaker::new(settings, cx.vars().clone());
    let is_for_opus = cx.vars().non_blank("HERMES_SESSION_PLATFORM") == Some(WANTS_OPUS);
    let usual = if is_for_opus { AudioFormat::Ogg } else { AudioFormat::Mp3 };
    let wished = path.map(Path::new).and_then(AudioFormat::of_path).unwrap_or(usual);
    cx.report(format!("{} speaks", speaker.provider_name()), None);
    let spoken = speaker.speak(&args.text, wished, cx.cancellation()).await;
    let spoken = spoken.map_err(|error: SpeechError| failed(&error.to_string(), error.kind()))?;
    let file = match path {
        // A file's ending tells the truth about what is in it.
        Some(path) => {
            let path = PathBuf::from(path).with_extension(spoken.format.extension());
            write_whole(&path.to_string_lossy(), spoken.audio, cx).await?
        }
        None => {
            let stem = file_stem(&jiff::Zoned::now());
            media_cache::save("audio", stem, spoken.format.extension(), spoken.audio, cx).await?
        }
    };
    let file = file.display().to_string();
    let is_voice = spoken.is_voice;
    let tag = format!("MEDIA:{file}");
    let tag = if is_voice { format!("[[audio_as_voice]]\n{tag}") } else { tag };
    let mut result = json!({
        "success": true,
        "file_path": file,
        "media_tag": tag,
        "provider": spoken.provider,
        "voice_compatible": is_voice,
    });
    if !spoken.notes.is_empty() {
        result["warning"] = spoken.notes.join("; ").into();
    }
    ToolOutput::json(&result)
}

fn failed(why: &str, kind: &str) -> ToolError {
    ToolError::answer(why).with("success", false).with("error_type", kind)
}
