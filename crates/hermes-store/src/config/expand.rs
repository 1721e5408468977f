//! `${NAME}` in strings.

use serde_json::Value;

/// Replaces `${NAME}` in every string below `value` (not in keys) by what `lookup` knows.
///
/// A name is letters, digits and `_`, not beginning with a digit. Unknown names, other uses of
/// `$`, and whatever a replacement brings along stay as they are.
pub fn expand(value: &mut Value, lookup: &impl Fn(&str) -> Option<String>) {
    match value {
        Value::String(text) => {
            if let Some(expanded) = expand_text(text, lookup) {
                *text = expanded;
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| expand(item, lookup)),
        Value::Object(map) => map.values_mut().for_each(|item| expand(item, lookup)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// `None` when nothing changes.
fn expand_text(text: &str, lookup: &impl Fn(&str) -> Option<String>) -> Option<String> {
    let mut result = String::new();
    let mut copied = 0;
    let mut from = 0;
    while let Some(start) = text[from..].find("${").map(|at| from + at) {
        from = start + 2;
        let Some(name) = leading_name(&text[from..]) else { continue };
        from += name.len();
        if !text[from..].starts_with('}') {
            continue;
        }
        from += 1;
        if let Some(replacement) = lookup(name) {
            result.push_str(&text[copied..start]);
            result.push_str(&replacement);
            copied = from;
        }
    }
    (copied > 0).then(|| result + &text[copied..])
}

fn leading_name(text: &str) -> Option<&str> {
    let end = text.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(text.len());
    Some(&text[..end])
        .filter(|name| !name.is_empty() && !name.starts_with(|c: char| c.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    fn known(name: &str) -> Option<String> {
        match name {
            "USER" => Some("ada".into()),
            "_N1" => Some("${USER}".into()),
            "EMPTY" => Some(String::new()),
            _ => None,
        }
    }

    fn expanded(text: &str) -> String {
        let mut value = json!(text);
        expand(&mut value, &known);
        value.as_str().unwrap().to_string()
    }

    #[test]
    fn known_names_are_replaced() {
        assert_eq!(expanded("hi ${USER}, ${USER}!"), "hi ada, ada!");
        assert_eq!(expanded("[${EMPTY}]"), "[]");
        assert_eq!(expanded("é${USER}é"), "éadaé");
    }

    #[test]
    fn everything_else_stays() {
        for text in ["${NOPE}", "$USER", "${}", "${1A}", "${USER", "${a b}", "$", "${USER:-x}", ""]
        {
            assert_eq!(expanded(text), text);
        }
        assert_eq!(expanded("${NOPE} ${USER}"), "${NOPE} ada");
        assert_eq!(expanded("${ ${USER}"), "${ ada");
        assert_eq!(expanded("${A${USER}"), "${Aada");
        // A replacement is not expanded again.
        assert_eq!(expanded("${_N1}"), "${USER}");
    }

    /// A search for the end of each of these from where it begins would take hours.
    #[test]
    fn many_unfinished_names_take_no_time() {
        let text = format!("{}}}", "${A".repeat(300_000));
        assert_eq!(expanded(&text), text);
    }

    #[test]
    fn reaches_all_strings_but_no_keys() {
        let mut value = json!({"${USER}": ["${USER}", {"x": "${USER}"}, 1, null]});
        expand(&mut value, &known);
        assert_eq!(value, json!({"${USER}": ["ada", {"x": "ada"}, 1, null]}));
    }

    proptest! {
        #[test]
        fn text_without_known_names_never_changes(text in "[${}A-Z é]{0,20}") {
            let mut value = json!(text);
            expand(&mut value, &|_| None);
            prop_assert_eq!(value, json!(text));
        }
    }
}
