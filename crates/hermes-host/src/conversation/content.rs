//! What a person says, as it is sent: text, and the images they show.

use std::path::Path;

use anyhow::Context as _;
use base64::Engine as _;
use hermes_llm::message::ImageUrl;
use hermes_llm::{ContentPart, MessageContent};
use hermes_protocol::UserInput;

/// What a person says, with the images they show.
pub fn content(ask: UserInput) -> anyhow::Result<MessageContent> {
    if ask.images.is_empty() {
        return Ok(MessageContent::Text(ask.text));
    }
    let mut parts = vec![ContentPart::Text { text: ask.text }];
    for path in &ask.images {
        parts.push(ContentPart::ImageUrl { image_url: ImageUrl { url: image(path)? } });
    }
    Ok(MessageContent::Parts(parts))
}

/// An image as a `data:` URL.
fn image(path: &Path) -> anyhow::Result<String> {
    /// Providers refuse larger ones.
    const MAX_BYTES: u64 = 20 * 1024 * 1024;
    let size =
        std::fs::metadata(path).with_context(|| format!("look at {}", path.display()))?.len();
    anyhow::ensure!(size <= MAX_BYTES, "{} is larger than 20 MiB", path.display());
    let bytes = std::fs::read(path).with_context(|| format!("read {}", path.display()))?;
    let kind = match bytes.as_slice() {
        [0x89, b'P', b'N', b'G', ..] => "png",
        [0xFF, 0xD8, 0xFF, ..] => "jpeg",
        [b'G', b'I', b'F', b'8', ..] => "gif",
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => "webp",
        _ => anyhow::bail!("{} is no PNG, JPEG, GIF or WebP image", path.display()),
    };
    let text = base64::engine::general_purpose::STANDARD.encode(&bytes);
    Ok(format!("data:image/{kind};base64,{text}"))
}
