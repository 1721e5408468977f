//! `image_generate`: a picture from words, or from other pictures.

use hermes_media::drawing::{
    self, AspectRatio, DrawingError, DrawingSettings, ImageWish, MadeImage,
};
use hermes_media::picture::{Picture, PictureKind, PictureLimits};
use hermes_tool::settings::Settings as _;
use hermes_tool::{
    CallDisplay, SchemaPatch, SchemaScope, ToolContext, ToolError, ToolOutput, ToolResult, tool,
};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::media_cache;
use crate::picture_sources::picture;

/// What providers take of a picture to begin with.
const SOURCE: PictureLimits = PictureLimits { base64_bytes: 8 << 20, side: 4_096 };

/// Arguments of `image_generate`.
#[derive(Deserialize, JsonSchema)]
struct ImageGenerate {
    /// What the picture shows, in as much detail as you like.
    prompt: String,
    /// Its shape.
    #[serde(default)]
    aspect_ratio: AspectChoice,
    /// A picture to change: an address, a path or a base64 data: URL.
    image_url: Option<String>,
    /// Further pictures to take things from.
    #[serde(default)]
    reference_image_urls: Vec<String>,
}

#[derive(Clone, Copy, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum AspectChoice {
    #[default]
    Landscape,
    Square,
    Portrait,
}

/// Make a picture from a description.
///
/// Show the result to the person: as an image link if it is an address, as `MEDIA:<path>` on a line of its own if it is
/// a path.
#[tool(
    toolset = "image_gen",
    emoji = "🎨",
    effects(writes, network),
    output = trusted,
    dynamic_schema = with_active_backend,
    display = CallDisplay::verb("create").args(&["prompt"])
)]
async fn image_generate(args: ImageGenerate, cx: &ToolContext) -> ToolResult {
    let settings = DrawingSettings::read(cx.config(), cx.vars());
    let maker = drawing::maker(&settings, cx.vars()).map_err(failed)?;
    let named = args.image_url.iter().chain(&args.reference_image_urls);
    let named: Vec<&String> = named.filter(|url| !url.trim().is_empty()).collect();
    if named.len() > maker.max_sources() {
        let (model, most) = (maker.model().to_owned(), maker.max_sources());
        return Err(failed(DrawingError::Sources { model, most }));
    }
    let mut sources = Vec::new();
    for url in named {
        let fitted = picture(url, cx).await?.fit(SOURCE).await;
        sources.push(fitted.map_err(|error| ToolError::answer(format!("{url}: {error}")))?);
    }
    let modality = if sources.is_empty() { "text" } else { "image" };
    let aspect = match args.aspect_ratio {
        AspectChoice::Landscape => AspectRatio::Landscape,
        AspectChoice::Square => AspectRatio::Square,
        AspectChoice::Portrait => AspectRatio::Portrait,
    };
    let wish = ImageWish { prompt: args.prompt, aspect, sources };
    cx.report(format!("{} draws", maker.model()), None);
    let made = drawing::make(maker.as_ref(), &wish, cx.cancellation()).await.map_err(failed)?;
    let image = match made {
        MadeImage::At(url) => url,
        MadeImage::Bytes(bytes) => saved(bytes, cx).await?,
    };
    ToolOutput::json(&json!({
        "success": true,
        "image": image,
        "modality": modality,
        "provider": maker.name(),
        "model": maker.model(),
    }))
}

async fn saved(bytes: Vec<u8>, cx: &ToolContext) -> Result<String, ToolError> {
    let picture = Picture::recognise(bytes).map_err(|_| {
        failed_with("the provider sent something that is no picture", "invalid_response")
    })?;
    let extension = match picture.kind() {
        PictureKind::Dots(format) => format.mime().rsplit('/').next().unwrap_or("png"),
        PictureKind::Drawing => "svg",
    };
    let stem = jiff::Zoned::now().strftime("image_%Y%m%d_%H%M%S").to_string();
    let path = media_cache::save("images", stem, extension, picture.into_bytes(), cx).await?;
    Ok(path.display().to_string())
}

#[expect(clippy::needless_pass_by_value, reason = "shaped for `map_err`")]
fn failed(error: DrawingError) -> ToolError {
    failed_with(&error.to_string(), error.kind())
}

fn failed_with(why: &str, kind: &str) -> ToolError {
    ToolError::answer(why)
        .with("success", false)
        .with("image", Value::Null)
        .with("error_type", kind)
}

/// The description names who draws and whether pictures can be changed; without anybody who draws there is no tool.
fn with_active_backend(scope: &SchemaScope<'_>) -> SchemaPatch {
    let settings = DrawingSettings::read(scope.config, scope.vars);
    let Ok(maker) = drawing::maker(&settings, scope.vars) else { return SchemaPatch::Remove };
    let editing = match maker.max_sources() {
        0 => "It draws from words only: leave image_url and reference_image_urls out.".to_owned(),
        1 => "It can also change a picture (image_url).".to_owned(),
        most => format!(
            "It can also change pictures: up to {most} in image_url and reference_image_urls."
        ),
    };
    let description = format!(
        "{}\n\nActive: {} with {}. {editing}",
        image_generate_tool().description(),
        maker.name(),
        maker.model()
    );
    SchemaPatch::Merge(Map::from_iter([("description".to_owned(), description.into())]))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use hermes_tool::Vars;

    use super::*;

    fn described(config: &Value, key: Option<&str>) -> Option<String> {
        let key = key.map(|name| (name.to_owned(), "k".to_owned()));
        let vars: Vars = key.into_iter().collect();
        let scope = SchemaScope {
            available: &BTreeSet::new(),
            vars: &vars,
            config,
            detail: hermes_tool::SchemaDetail::Full,
        };
        match image_generate_tool().dynamic_schema().unwrap()(&scope) {
            SchemaPatch::Merge(fields) => Some(fields["description"].as_str().unwrap().to_owned()),
            _ => None,
        }
    }

    #[test]
    fn the_description_names_who_draws_and_whether_pictures_can_be_changed() {
        let fal = described(&json!({}), Some("FAL_KEY")).unwrap();
        assert!(
            fal.contains("fal with fal-ai/flux-2/klein/9b") && fal.contains("up to 4"),
            "{fal}"
        );
        let blind = json!({"image_gen": {"model": "fal-ai/qwen-image"}});
        assert!(described(&blind, Some("FAL_KEY")).unwrap().contains("from words only"));
    }

    #[test]
    fn without_a_provider_it_is_not_offered() {
        assert_eq!(described(&json!({}), None), None);
        assert_eq!(described(&json!({}), Some("OPENAI_API_KEY")), None);
        let chosen = json!({"image_gen": {"provider": "openai"}});
        assert!(described(&chosen, Some("OPENAI_API_KEY")).is_some());
    }
}
