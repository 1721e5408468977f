//! The arguments of a call as they are sent.

use hermes_runtime::repair::arguments::parse_arguments;
use serde_json::Value;

/// Argument text ready to be sent.
pub(super) struct SentArguments {
    /// Compact JSON, keys sorted.
    pub(super) text: String,
    /// Whether the stored text could be read.
    pub(super) readable: bool,
}

/// Writes argument text anew, so that the same arguments are always the same bytes.
pub(super) fn rewrite(stored: &str) -> SentArguments {
    match parse_arguments(stored) {
        Ok(parsed) => {
            let mut object = Value::Object(parsed.object);
            object.sort_all_objects();
            SentArguments { text: object.to_string(), readable: true }
        }
        Err(_) => SentArguments { text: "{}".to_owned(), readable: false },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_arguments_are_the_same_bytes() {
        for stored in [
            "{\"b\": {\"z\":1, \"a\":[{\"y\":2,\"x\":3}]}, \"a\":0}",
            "{a:0,b:{a:[{x:3,y:2}],z:1},}",
        ] {
            assert_eq!(rewrite(stored).text, r#"{"a":0,"b":{"a":[{"x":3,"y":2}],"z":1}}"#);
        }
        assert_eq!(rewrite("").text, "{}");
    }

    #[test]
    fn a_cut_text_is_an_empty_object_and_marked() {
        let sent = rewrite(r#"{"path": "a"#);
        assert_eq!((sent.text.as_str(), sent.readable), ("{}", false));
    }

    #[test]
    fn a_lone_surrogate_becomes_the_replacement_character() {
        assert_eq!(rewrite(r#"{"a":"\ud800"}"#).text, "{\"a\":\"\u{fffd}\"}");
    }
}
