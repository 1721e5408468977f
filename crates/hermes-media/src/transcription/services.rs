//! Services that listen. All take a form with a file; they differ in names.

use std::time::Duration;

use futures_util::future::BoxFuture;
use hermes_tool::Vars;
use reqwest::multipart::{Form, Part};
use tokio_util::sync::CancellationToken;

use super::{ListenerSettings, Recording, Transcriber, TranscriptionError, TranscriptionSettings};
use crate::service::Service;

/// What is different about one of them.
struct Listening {
    name: &'static str,
    title: &'static str,
    base: &'static str,
    path: &'static str,
    /// The variable with the key; an older or more special one first.
    keys: &'static [&'static str],
    model: &'static str,
    /// The name of the field that names the model.
    model_field: &'static str,
    language_field: &'static str,
}

const fn like_openai(
    name: &'static str,
    title: &'static str,
    base: &'static str,
    keys: &'static [&'static str],
    model: &'static str,
) -> Listening {
    Listening {
        name,
        title,
        base,
        path: "/audio/transcriptions",
        keys,
        model,
        model_field: "model",
        language_field: "language",
    }
}

static SERVICES: [Listening; 6] = [
    like_openai(
        "groq",
        "Groq",
        "https://api.groq.com/openai/v1",
        &["GROQ_API_KEY"],
        "whisper-large-v3-turbo",
    ),
    like_openai(
        "openai",
        "OpenAI",
        "https://api.openai.com/v1",
        &["VOICE_TOOLS_OPENAI_KEY", "OPENAI_API_KEY"],
        "whisper-1",
    ),
    like_openai(
        "mistral",
        "Mistral",
        "https://api.mistral.ai/v1",
        &["MISTRAL_API_KEY"],
        "voxtral-mini-latest",
    ),
    like_openai(
        "deepinfra",
        "DeepInfra",
        "https://api.deepinfra.com/v1/openai",
        &["DEEPINFRA_API_KEY"],
        "openai/whisper-large-v3-turbo",
    ),
    Listening {
        path: "/stt",
        ..like_openai("xai", "xAI", "https://api.x.ai/v1", &["XAI_API_KEY"], "")
    },
    Listening {
        path: "/v1/speech-to-text",
        model_field: "model_id",
        language_field: "language_code",
        ..like_openai(
            "elevenlabs",
            "ElevenLabs",
            "https://api.elevenlabs.io",
            &["ELEVENLABS_API_KEY"],
            "scribe_v2",
        )
    },
];

struct ListeningService {
    about: &'static Listening,
    service: Service,
    key: Option<String>,
    settings: ListenerSettings,
}

pub(super) fn named(
    name: &str,
    settings: &TranscriptionSettings,
    vars: &Vars,
) -> Result<Box<dyn Transcriber>, TranscriptionError> {
    let Some(about) = SERVICES.iter().find(|about| about.name == name) else {
        let known: Vec<&str> =
            std::iter::once("local").chain(SERVICES.iter().map(|about| about.name)).collect();
        let (name, known) = (name.to_owned(), known.join(", "));
        return Err(TranscriptionError::Unknown { name, known });
    };
    let settings = match about.name {
        "groq" => &settings.groq,
        "openai" => &settings.openai,
        "mistral" => &settings.mistral,
        "deepinfra" => &settings.deepinfra,
        "xai" => &settings.xai,
        _ => &settings.elevenlabs,
    };
    let key = about.keys.iter().find_map(|name| vars.non_blank(name)).map(str::to_owned);
    // A server of one's own may want none.
    if key.is_none() && settings.base_url.is_none() {
        let var = about.keys.last().copied().unwrap_or_default();
        return Err(TranscriptionError::NoKey { provider: about.title, var });
    }
    let base = settings.base_url.as_deref().unwrap_or(about.base);
    Ok(Box::new(ListeningService {
        about,
        service: Service::new(about.title, base, vars),
        key,
        settings: settings.clone(),
    }))
}

impl Transcriber for ListeningService {
    fn name(&self) -> &'static str {
        self.about.name
    }

    fn transcribe<'a>(
        &'a self,
        recording: &'a Recording,
        cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, Result<String, TranscriptionError>> {
        Box::pin(async move {
            let file = Part::bytes(recording.bytes.clone()).file_name(recording.file_name());
            let mut form = Form::new();
            let model = self.settings.model.as_deref().unwrap_or(self.about.model);
            if !model.is_empty() {
                form = form.text(self.about.model_field, model.to_owned());
            }
            if let Some(language) = &self.settings.language {
                form = form.text(self.about.language_field, language.clone());
            }
            // Behind the other fields: some servers read the form as it arrives.
            form = form.part("file", file);
            let time: Duration = self.settings.timeout.duration();
            let mut call = self.service.post(self.about.path)?.multipart(form).time(time);
            if let Some(key) = &self.key {
                call = match self.about.name {
                    "elevenlabs" => call.secret("xi-api-key", "", key),
                    _ => call.bearer(key),
                };
            }
            let reply = call.send(cancel).await?;
            let answer = reply.json()?;
            let text = answer["text"].as_str();
            let text = text.ok_or_else(|| reply.unreadable("an answer without a text"))?;
            Ok(text.trim().to_owned())
        })
    }
}
