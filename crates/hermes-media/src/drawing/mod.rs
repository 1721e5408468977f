//! Pictures made from words, and from other pictures.
//!
//! An [`ImageMaker`] turns one [`ImageWish`] into one picture. Which one is asked is in the settings
//! (`image_gen.provider`); without a word there it is fal, whose key is good for nothing else. A key for chat alone
//! opens no service that charges by the picture.
//!
//! Pictures that are to be changed come as bytes: whoever calls has fetched them by the rules for addresses and files,
//! so no provider is sent to an address that a model wrote.

mod chat;
mod fal;
mod fal_models;
mod openai;
mod settings;
mod xai;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use futures_util::future::BoxFuture;
use hermes_tool::Vars;
pub use settings::{DrawingSettings, ServiceAddress};
use tokio_util::sync::CancellationToken;

use crate::fal_queue;
use crate::picture::{FittedPicture, PictureSource};
use crate::service::{Service, ServiceError, ServiceReply};

/// Most bytes of an answer that holds a picture.
const MAX_ANSWER: usize = 80 << 20;

/// The shape of a picture.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AspectRatio {
    /// Wider than high.
    #[default]
    Landscape,
    /// As wide as high.
    Square,
    /// Higher than wide.
    Portrait,
}

impl AspectRatio {
    /// As a ratio of numbers.
    #[must_use]
    pub const fn ratio(self) -> &'static str {
        match self {
            Self::Landscape => "16:9",
            Self::Square => "1:1",
            Self::Portrait => "9:16",
        }
    }

    /// In dots, as services with fixed sizes name it.
    const fn dots(self) -> &'static str {
        match self {
            Self::Landscape => "1536x1024",
            Self::Square => "1024x1024",
            Self::Portrait => "1024x1536",
        }
    }
}

/// What is to be made.
#[derive(Clone, Debug)]
pub struct ImageWish {
    /// In words.
    pub prompt: String,
    /// Its shape.
    pub aspect: AspectRatio,
    /// The pictures to begin with; none for one from words alone.
    pub sources: Vec<FittedPicture>,
}

/// What was made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MadeImage {
    /// It lies at an address of the provider.
    At(String),
    /// It came along.
    Bytes(Vec<u8>),
}

/// Something that makes pictures.
pub trait ImageMaker: Send + Sync {
    /// Its name, as it stands in the settings.
    fn name(&self) -> &'static str;

    /// The model that is asked.
    fn model(&self) -> &str;

    /// How many pictures it takes to begin with; 0 if it only draws from words.
    fn max_sources(&self) -> usize;

    /// Makes one.
    fn make<'a>(
        &'a self,
        wish: &'a ImageWish,
        cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, Result<MadeImage, DrawingError>>;
}

/// Why there is no picture.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DrawingError {
    /// The prompt is empty.
    #[error("the prompt is empty")]
    Empty,
    /// No provider is set up.
    #[error(
        "no provider of images is set up; `image_gen.provider` names one and .env holds its key"
    )]
    NotSetUp,
    /// The settings name somebody unknown.
    #[error("`image_gen.provider` is {0}, which nobody is called; there are {known}", known = NAMES.join(", "))]
    Unknown(String),
    /// Its key is missing.
    #[error("{provider} needs a key: set {var} in the environment or in .env")]
    NoKey {
        /// Who needs it.
        provider: &'static str,
        /// Where it belongs.
        var: &'static str,
    },
    /// The model draws from words only, or takes fewer pictures.
    #[error("{model} {}", takes(*.most))]
    Sources {
        /// The model.
        model: String,
        /// How many it takes.
        most: usize,
    },
    /// The service failed.
    #[error(transparent)]
    Service(#[from] ServiceError),
}

fn takes(most: usize) -> String {
    match most {
        0 => "draws from words only; leave the images out, or choose a model that edits".to_owned(),
        1 => "takes one image to begin with".to_owned(),
        most => format!("takes at most {most} images to begin with"),
    }
}

impl DrawingError {
    /// The kind, as models are told it.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Empty | Self::Sources { .. } => "invalid_request",
            Self::NotSetUp | Self::Unknown(_) | Self::NoKey { .. } => "configuration",
            Self::Service(error) => error.kind(),
        }
    }
}

/// The names that `image_gen.provider` may be.
const NAMES: [&str; 5] = ["fal", "openai", "xai", "openrouter", "deepinfra"];

/// The maker that the settings choose.
///
/// # Errors
/// None is set up, or its key is missing.
pub fn maker(settings: &DrawingSettings, vars: &Vars) -> Result<Box<dyn ImageMaker>, DrawingError> {
    let named = settings.provider();
    let name = match named {
        Some(name) => name,
        None if vars.non_blank("FAL_KEY").is_some() => "fal",
        None => return Err(DrawingError::NotSetUp),
    };
    let model = settings.model();
    Ok(match name {
        "fal" => {
            let (service, key) = known("fal", "FAL_KEY", fal_queue::BASE, settings, vars)?;
            Box::new(fal::Fal::new(service, key, model))
        }
        "openai" => {
            let (service, key) = known("openai", "OPENAI_API_KEY", openai::BASE, settings, vars)?;
            Box::new(openai::OpenAiImages::new(service, key, model, settings.quality))
        }
        "deepinfra" => {
            let (base, var) = ("https://api.deepinfra.com/v1/openai", "DEEPINFRA_API_KEY");
            let (service, key) = known("deepinfra", var, base, settings, vars)?;
            Box::new(openai::OpenAiImages::deepinfra(service, key, model))
        }
        "xai" => {
            let (service, key) = known("xai", "XAI_API_KEY", xai::BASE, settings, vars)?;
            Box::new(xai::XaiImages::new(service, key, model))
        }
        "openrouter" => {
            let (service, key) =
                known("openrouter", "OPENROUTER_API_KEY", chat::BASE, settings, vars)?;
            Box::new(chat::ChatImages::new(service, key, model))
        }
        other => return Err(DrawingError::Unknown(other.to_owned())),
    })
}

fn known(
    name: &'static str,
    var: &'static str,
    base: &str,
    settings: &DrawingSettings,
    vars: &Vars,
) -> Result<(Service, String), DrawingError> {
    let key = vars.non_blank(var).ok_or(DrawingError::NoKey { provider: name, var })?;
    let base = settings.address(name).base_url.clone().unwrap_or_else(|| base.to_owned());
    Ok((Service::new(name, base, vars), key.to_owned()))
}

/// Has a picture made, after the checks that need no service.
///
/// # Errors
/// What the wish asks for cannot be done, or the service failed.
pub async fn make(
    maker: &dyn ImageMaker,
    wish: &ImageWish,
    cancel: &CancellationToken,
) -> Result<MadeImage, DrawingError> {
    if wish.prompt.trim().is_empty() {
        return Err(DrawingError::Empty);
    }
    if wish.sources.len() > maker.max_sources() {
        let (model, most) = (maker.model().to_owned(), maker.max_sources());
        return Err(DrawingError::Sources { model, most });
    }
    maker.make(wish, cancel).await
}

/// The first picture in an answer of OpenAI's shape: an address, or base64.
fn first_image(reply: &ServiceReply) -> Result<MadeImage, DrawingError> {
    let answer = reply.json()?;
    let first = &answer["data"][0];
    if let Some(data) = first["b64_json"].as_str() {
        return Ok(MadeImage::Bytes(unpacked(reply, data)?));
    }
    match first["url"].as_str() {
        Some(url) => image_at(reply, url),
        None => Err(reply.unreadable("an answer without an image").into()),
    }
}

/// An address of a picture: one that holds it is opened, others are handed on if they are web addresses.
fn image_at(reply: &ServiceReply, url: &str) -> Result<MadeImage, DrawingError> {
    match PictureSource::parse(url) {
        Ok(PictureSource::Inline(bytes)) => Ok(MadeImage::Bytes(bytes)),
        Ok(PictureSource::Web(url)) => Ok(MadeImage::At(url)),
        _ => Err(reply.unreadable("an image at no address").into()),
    }
}

fn unpacked(reply: &ServiceReply, data: &str) -> Result<Vec<u8>, DrawingError> {
    let bytes = STANDARD.decode(data.trim());
    Ok(bytes.map_err(|_| reply.unreadable("an image that is not base64"))?)
}

/// The model's name, or a usual one.
fn or(model: Option<&str>, usual: &str) -> String {
    model.unwrap_or(usual).to_owned()
}

#[cfg(test)]
mod tests;
