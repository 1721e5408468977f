//! What each model of fal wants to be told.

use serde_json::{Value, json};

use super::AspectRatio;

/// How a model is told the size of a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SizeStyle {
    /// `image_size` with a word.
    Word,
    /// `aspect_ratio` with two numbers.
    Ratio,
    /// `image_size` in dots.
    Dots,
}

/// A model of fal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FalModel {
    name: &'static str,
    size: SizeStyle,
    /// How many pictures its `/edit` takes; 0 if there is none.
    pub(super) max_sources: usize,
    steps: Option<u32>,
    png: bool,
}

const fn model(name: &'static str, size: SizeStyle, max_sources: usize) -> FalModel {
    FalModel { name, size, max_sources, steps: None, png: true }
}

/// The usual one.
pub(super) const USUAL: &str = "fal-ai/flux-2/klein/9b";

static MODELS: &[FalModel] = &[
    FalModel { steps: Some(4), ..model(USUAL, SizeStyle::Word, 4) },
    model("fal-ai/flux-2-pro", SizeStyle::Word, 8),
    FalModel { steps: Some(8), ..model("fal-ai/z-image/turbo", SizeStyle::Word, 0) },
    model("fal-ai/nano-banana-pro", SizeStyle::Ratio, 10),
    model("fal-ai/gpt-image-1.5", SizeStyle::Dots, 10),
    model("fal-ai/gpt-image-2", SizeStyle::Dots, 10),
    FalModel { png: false, ..model("fal-ai/ideogram/v3", SizeStyle::Word, 0) },
    FalModel { png: false, ..model("fal-ai/recraft/v4/pro", SizeStyle::Word, 0) },
    model("fal-ai/qwen-image", SizeStyle::Word, 0),
    FalModel { png: false, ..model("fal-ai/krea/v2/medium", SizeStyle::Ratio, 0) },
    FalModel { png: false, ..model("fal-ai/krea/v2/large", SizeStyle::Ratio, 0) },
];

/// A model nobody here knows: asked with as little as possible, and let decide itself whether it edits.
static UNKNOWN: FalModel =
    FalModel { name: "", size: SizeStyle::Word, max_sources: 4, steps: None, png: false };

impl FalModel {
    pub(super) fn of(name: &str) -> &'static Self {
        MODELS.iter().find(|model| model.name == name).unwrap_or(&UNKNOWN)
    }

    /// What is sent, with nothing that the model does not know.
    pub(super) fn request(&self, prompt: &str, aspect: AspectRatio) -> Value {
        let mut body = json!({"prompt": prompt});
        match self.size {
            SizeStyle::Word => {
                body["image_size"] = match aspect {
                    AspectRatio::Landscape => "landscape_16_9",
                    AspectRatio::Square => "square_hd",
                    AspectRatio::Portrait => "portrait_16_9",
                }
                .into();
            }
            SizeStyle::Ratio => body["aspect_ratio"] = aspect.ratio().into(),
            SizeStyle::Dots => body["image_size"] = aspect.dots().into(),
        }
        if let Some(steps) = self.steps {
            body["num_inference_steps"] = steps.into();
        }
        if self.png {
            body["output_format"] = "png".into();
        }
        body
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_model_is_told_the_size_its_own_way() {
        let of = |name: &str| FalModel::of(name).request("p", AspectRatio::Portrait);
        let usual = json!({"prompt": "p", "image_size": "portrait_16_9", "num_inference_steps": 4,
            "output_format": "png"});
        assert_eq!(of(USUAL), usual);
        assert_eq!(of("fal-ai/krea/v2/large"), json!({"prompt": "p", "aspect_ratio": "9:16"}));
        assert_eq!(of("fal-ai/gpt-image-2")["image_size"], "1024x1536");
        assert_eq!(of("a/new-one"), json!({"prompt": "p", "image_size": "portrait_16_9"}));
    }
}
