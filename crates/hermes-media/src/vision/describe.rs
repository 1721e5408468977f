//! A model on the side that looks and tells.

use std::time::Duration;

use hermes_llm::endpoint::OnDemandServers;
use hermes_llm::message::ImageUrl;
use hermes_llm::provider::{self, Auxiliary};
use hermes_llm::{
    ClientOptions, ContentPart, ErrorClass, Message, MessageContent, Model, ModelClient,
    ModelError, ModelRequest,
};
use hermes_tool::ToolContext;

use super::{TASK, VisionSettings};
use crate::picture::{Picture, PictureLimits};

/// Most tokens of a description.
const MAX_TOKENS: u32 = 2_000;
/// How long a description may take, unless the settings say otherwise.
const USUAL_TIME: Duration = Duration::from_secs(120);
/// What is sent at first.
const GENEROUS: PictureLimits = PictureLimits { base64_bytes: 20 << 20, side: 7_900 };
/// What is sent after a provider said that it is too large.
const MODEST: PictureLimits = PictureLimits { base64_bytes: 5 << 20, side: 7_900 };
/// Attempts in all: each further one only after something was learned from the one before.
const ATTEMPTS: usize = 4;

/// Has a picture described and the question answered; an error is a sentence for the model that asked.
pub(super) async fn describe(
    picture: Picture,
    question: &str,
    cx: &ToolContext,
) -> Result<String, String> {
    let lookup = |name: &str| cx.vars().get(name).map(str::to_owned);
    let settings = VisionSettings::of(cx);
    let found = provider::side_task(TASK, cx.config(), &lookup);
    let Auxiliary { mut endpoint, timeout } = found.map_err(|problem| {
        format!("there is no model to look at it: {problem}; `auxiliary.vision` may name one")
    })?;
    if let Some(model) = &settings.model_now {
        model.clone_into(&mut endpoint.model);
    }
    if let Some(servers) = cx.service::<OnDemandServers>() {
        servers.give(&mut endpoint);
    }
    let mut options = ClientOptions::read(cx.config(), &lookup);
    options.timeouts.call = timeout.unwrap_or(USUAL_TIME);
    let client = ModelClient::new(endpoint, options);
    let mut limits = GENEROUS;
    let mut request = request(&picture, question, &settings, limits).await?;
    for _ in 1..ATTEMPTS {
        match client.answer(&request, &mut |_| {}, cx.cancellation()).await {
            Ok(answer) => return words_of(&answer.content, client.name()),
            Err(error) if is_about_size(&error) && limits != MODEST => {
                limits = MODEST;
                request = self::request(&picture, question, &settings, limits).await?;
            }
            // What such a server would learn is to leave pictures out.
            Err(error) if error.class == ErrorClass::ImageRejected => {
                return Err(reason(&error, client.name()));
            }
            Err(error) => match client.adapt(&error) {
                Some(change) => tracing::debug!(change, "asking again"),
                None => return Err(reason(&error, client.name())),
            },
        }
    }
    Err(format!("{} could not be asked", client.name()))
}

async fn request(
    picture: &Picture,
    question: &str,
    settings: &VisionSettings,
    limits: PictureLimits,
) -> Result<ModelRequest, String> {
    let fitted = picture.clone().fit(limits).await.map_err(|error| error.to_string())?;
    let text = format!(
        "Describe this image fully: what it shows, the people and things in it and where they are, colours, any text \
         word for word, and what is unusual. Then answer this question about it:\n\n{}",
        question.trim()
    );
    let parts = vec![
        ContentPart::Text { text },
        ContentPart::ImageUrl { image_url: ImageUrl { url: fitted.data_url() } },
    ];
    #[expect(clippy::cast_possible_truncation, reason = "a temperature needs few digits")]
    let temperature = settings.temperature as f32;
    Ok(ModelRequest {
        messages: vec![Message::user(MessageContent::Parts(parts))],
        max_tokens: Some(MAX_TOKENS),
        temperature: Some(temperature),
        ..ModelRequest::default()
    })
}

fn words_of(answer: &str, model: &str) -> Result<String, String> {
    let words = answer.trim();
    if words.is_empty() { Err(format!("{model} said nothing")) } else { Ok(words.to_owned()) }
}

fn is_about_size(error: &ModelError) -> bool {
    let text = error.message.to_lowercase();
    let says_so = || {
        ["too large", "exceed", "size", "maximum", "too big"].iter().any(|word| text.contains(word))
    };
    match error.class {
        ErrorClass::PayloadTooLarge => true,
        ErrorClass::ImageRejected | ErrorClass::FormatError | ErrorClass::ContextOverflow => {
            says_so()
        }
        _ => false,
    }
}

fn reason(error: &ModelError, model: &str) -> String {
    let why = match error.class {
        ErrorClass::Billing => format!("the account behind {model} has no credit left"),
        ErrorClass::ImageRejected => {
            format!(
                "{model} does not take this image, or no images at all; `auxiliary.vision` may name another model"
            )
        }
        ErrorClass::Auth => format!("the key for {model} was refused"),
        ErrorClass::Cancelled => return "it was interrupted".to_owned(),
        _ => format!("{model} could not look at it"),
    };
    format!("{why} ({})", error.message)
}
