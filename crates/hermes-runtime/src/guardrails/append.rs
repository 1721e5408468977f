//! Adding a line of advice to a result of any shape.

use hermes_tool::ToolOutput;
use serde_json::{Map, Value, json};

/// Puts text at the end of a result. A result with images gets it in its last text part, or in a
/// new one, and in the summary that models without eyes read. Values of unknown shape, which the
/// pipeline refuses anyway, stay as they are.
pub fn append_advice(output: &mut ToolOutput, text: &str) {
    match output {
        ToolOutput::Text(result) | ToolOutput::Foreign(Value::String(result)) => {
            result.push_str(text);
        }
        ToolOutput::Multimodal { content, text_summary } => {
            append_to_parts(content, text);
            if let Some(summary) = text_summary {
                summary.push_str(text);
            }
        }
        ToolOutput::Foreign(Value::Object(envelope)) => append_to_envelope(envelope, text),
        ToolOutput::Foreign(_) => {}
    }
}

fn append_to_envelope(envelope: &mut Map<String, Value>, text: &str) {
    if envelope.get("_multimodal") != Some(&Value::Bool(true)) {
        return;
    }
    if let Some(Value::Array(content)) = envelope.get_mut("content") {
        append_to_parts(content, text);
    }
    if let Some(Value::String(summary)) = envelope.get_mut("text_summary") {
        summary.push_str(text);
    }
}

fn append_to_parts(parts: &mut Vec<Value>, text: &str) {
    let last_text = parts.iter_mut().rev().find_map(|part| {
        let is_text = part.get("type").and_then(Value::as_str) == Some("text");
        match part.get_mut("text") {
            Some(Value::String(found)) if is_text => Some(found),
            _ => None,
        }
    });
    match last_text {
        Some(found) => found.push_str(text),
        None => parts.push(json!({"type": "text", "text": text.trim_start()})),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ADVICE: &str = "\n\n[Tool loop warning: x]";

    fn image() -> Value {
        json!({"type": "image_url", "image_url": {"url": "data:,"}})
    }

    #[test]
    fn guardrail_text_goes_into_the_text_part_of_a_multimodal_result() {
        let mut output = ToolOutput::Multimodal {
            content: vec![json!({"type": "text", "text": "a cat"}), image()],
            text_summary: Some("cat".into()),
        };
        append_advice(&mut output, ADVICE);
        assert_eq!(
            output,
            ToolOutput::Multimodal {
                content: vec![
                    json!({"type": "text", "text": "a cat\n\n[Tool loop warning: x]"}),
                    image()
                ],
                text_summary: Some("cat\n\n[Tool loop warning: x]".into()),
            }
        );
    }

    #[test]
    fn a_result_of_images_alone_gets_a_text_part() {
        let mut output = ToolOutput::Multimodal { content: vec![image()], text_summary: None };
        append_advice(&mut output, ADVICE);
        let ToolOutput::Multimodal { content, .. } = output else { panic!("the shape stays") };
        assert_eq!(content[1], json!({"type": "text", "text": "[Tool loop warning: x]"}));
    }

    #[test]
    fn plain_text_and_foreign_results_are_extended_too() {
        let mut output = ToolOutput::text("{}");
        append_advice(&mut output, ADVICE);
        assert_eq!(output, ToolOutput::text("{}\n\n[Tool loop warning: x]"));

        let mut output = ToolOutput::Foreign(json!({"_multimodal": true, "content": [image()]}));
        append_advice(&mut output, ADVICE);
        let ToolOutput::Foreign(envelope) = output else { panic!("the shape stays") };
        assert_eq!(envelope["content"][1]["text"], "[Tool loop warning: x]");

        let mut output = ToolOutput::Foreign(json!(7));
        append_advice(&mut output, ADVICE);
        assert_eq!(output, ToolOutput::Foreign(json!(7)));
    }
}
