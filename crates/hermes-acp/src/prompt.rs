//! What a person sends, as the model gets it.

use agent_client_protocol::v1::schema::{ContentBlock, EmbeddedResourceResource};
use hermes_llm::message::ImageUrl;
use hermes_llm::{ContentPart, MessageContent};

/// The blocks of a prompt in their order. Files the person points at are named, those they send along are quoted.
pub(crate) fn content(blocks: &[ContentBlock]) -> Result<MessageContent, String> {
    let mut texts: Vec<String> = Vec::new();
    let mut images = Vec::new();
    for block in blocks {
        match block {
            ContentBlock::Text(text) => texts.push(text.text.clone()),
            ContentBlock::Image(image) => {
                let url = format!("data:{};base64,{}", image.mime_type, image.data);
                images.push(ContentPart::ImageUrl { image_url: ImageUrl { url } });
            }
            ContentBlock::ResourceLink(link) => {
                texts.push(format!("[{}]({})", link.name, local(&link.uri)));
            }
            ContentBlock::Resource(embedded) => match &embedded.resource {
                EmbeddedResourceResource::TextResourceContents(file) => {
                    let fence = "`".repeat(3 + file.text.matches("```").count().min(8));
                    texts.push(format!("{}\n{fence}\n{}\n{fence}", local(&file.uri), file.text));
                }
                EmbeddedResourceResource::BlobResourceContents(blob) => match &blob.mime_type {
                    Some(kind) if kind.starts_with("image/") => {
                        let url = format!("data:{kind};base64,{}", blob.blob);
                        images.push(ContentPart::ImageUrl { image_url: ImageUrl { url } });
                    }
                    _ => return Err(format!("{} is neither text nor a picture", blob.uri)),
                },
                _ => return Err("a kind of resource that is not known here".to_owned()),
            },
            ContentBlock::Audio(_) => return Err("sound cannot be read here".to_owned()),
            _ => return Err("a kind of content that is not known here".to_owned()),
        }
    }
    let text = texts.join("\n");
    if images.is_empty() {
        return match text.trim().is_empty() {
            true => Err("the prompt says nothing".to_owned()),
            false => Ok(MessageContent::Text(text)),
        };
    }
    let mut parts = vec![ContentPart::Text { text }];
    parts.extend(images);
    Ok(MessageContent::Parts(parts))
}

/// The path of a file of this machine; any other address as it is.
fn local(uri: &str) -> &str {
    uri.strip_prefix("file://").unwrap_or(uri)
}

#[cfg(test)]
mod tests {
    use agent_client_protocol::v1::schema::{ImageContent, ResourceLink, TextContent};

    use super::*;

    #[test]
    fn files_are_named_and_pictures_go_along() {
        let blocks = [
            ContentBlock::Text(TextContent::new("look at")),
            ContentBlock::ResourceLink(ResourceLink::new("a.rs", "file:///p/a.rs")),
            ContentBlock::Image(ImageContent::new("AA==", "image/png")),
        ];
        let MessageContent::Parts(parts) = content(&blocks).unwrap() else { panic!() };
        assert_eq!(parts[0].as_text(), Some("look at\n[a.rs](/p/a.rs)"));
        assert_eq!(parts.len(), 2);
        assert!(content(&[]).is_err());
    }
}
