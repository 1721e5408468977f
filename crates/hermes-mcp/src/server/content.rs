//! Results as the protocol wants them.

use hermes_runtime::{CallOutcome, Status};
use hermes_tool::ToolOutput;
use rmcp::model::{CallToolResult, ContentBlock};
use serde_json::Value;

/// The answer to a call. Text is sent once, as text; a result that says how it failed is marked as
/// an error, so that the client's model reads it and goes on.
pub(super) fn result(outcome: &CallOutcome) -> CallToolResult {
    let blocks = match &outcome.output {
        ToolOutput::Multimodal { content, .. } => content.iter().map(block).collect(),
        _ => vec![ContentBlock::text(outcome.text())],
    };
    match outcome.verdict().status {
        Status::Ok => CallToolResult::success(blocks),
        _ => CallToolResult::error(blocks),
    }
}

/// One part of a message in the chat-completions form. Parts in the protocol's own form are passed
/// on; a part of no known form is shown as what it is.
fn block(part: &Value) -> ContentBlock {
    let known = match part["type"].as_str() {
        Some("text") => part["text"].as_str().map(ContentBlock::text),
        Some("image_url") => part["image_url"]["url"]
            .as_str()
            .and_then(data_url)
            .map(|(media, data)| ContentBlock::image(data, media)),
        Some("input_audio") => {
            let audio = &part["input_audio"];
            let format = audio["format"].as_str().unwrap_or("wav");
            audio["data"].as_str().map(|data| ContentBlock::audio(data, format!("audio/{format}")))
        }
        _ => serde_json::from_value(part.clone()).ok(),
    };
    known.unwrap_or_else(|| ContentBlock::text(part.to_string()))
}

/// Media type and content of `data:TYPE;base64,CONTENT`.
fn data_url(url: &str) -> Option<(&str, &str)> {
    url.strip_prefix("data:")?.split_once(";base64,")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn shown(part: &Value) -> Value {
        serde_json::to_value(block(part)).unwrap()
    }

    #[test]
    fn images_and_sound_keep_their_bytes_and_type() {
        let image =
            json!({"type": "image_url", "image_url": {"url": "data:image/png;base64,QUJD"}});
        assert_eq!(
            shown(&image),
            json!({"type": "image", "data": "QUJD", "mimeType": "image/png"})
        );
        let sound =
            json!({"type": "input_audio", "input_audio": {"data": "QUJD", "format": "wav"}});
        assert_eq!(
            shown(&sound),
            json!({"type": "audio", "data": "QUJD", "mimeType": "audio/wav"})
        );
    }

    #[test]
    fn parts_of_the_protocol_pass_and_strange_ones_are_shown() {
        let resource = json!({"type": "resource",
            "resource": {"uri": "test://x", "mimeType": "text/plain", "text": "hello"}});
        assert_eq!(shown(&resource), resource);
        let strange = json!({"type": "hologram", "x": 1});
        assert_eq!(shown(&strange), json!({"type": "text", "text": strange.to_string()}));
        let remote =
            json!({"type": "image_url", "image_url": {"url": "https://example.com/a.png"}});
        assert_eq!(shown(&remote)["type"], "text");
    }
}
