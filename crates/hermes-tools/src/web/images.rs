//! Pictures inside a text: data that no model reads, replaced by what they show.

/// What such data begins with.
const DATA: &str = "data:image/";

/// Replaces pictures that are written out as base64 data. Those with an address stay.
pub(super) fn without_data(text: &str) -> String {
    if !text.contains(DATA) {
        return text.to_owned();
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(DATA) {
        let (before, data) = rest.split_at(at);
        let end = data
            .find(|letter: char| {
                letter.is_whitespace() || matches!(letter, ')' | '"' | '\'' | '<' | '>' | ']')
            })
            .unwrap_or(data.len());
        if !data[..end].contains(";base64,") {
            out.push_str(before);
            out.push_str(&data[..end]);
            rest = &data[end..];
            continue;
        }
        rest = &data[end..];
        match before.strip_suffix('(') {
            Some(opened) if rest.starts_with(')') => {
                rest = &rest[1..];
                match opened.rfind("![").filter(|_| opened.ends_with(']')) {
                    Some(start) if !opened[start + 2..opened.len() - 1].contains("![") => {
                        let alt = opened[start + 2..opened.len() - 1].trim();
                        out.push_str(&opened[..start]);
                        out.push_str(&placeholder(alt));
                    }
                    _ => {
                        out.push_str(opened);
                        out.push_str(&placeholder(""));
                    }
                }
            }
            _ => {
                out.push_str(before);
                out.push_str(&placeholder(""));
            }
        }
    }
    out.push_str(rest);
    out
}

fn placeholder(alt: &str) -> String {
    if alt.is_empty() { "[IMAGE]".to_owned() } else { format!("[IMAGE: {alt}]") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_becomes_a_placeholder_and_addresses_stay() {
        for (text, wanted) in [
            ("a ![cat](data:image/png;base64,AAAA==) b", "a [IMAGE: cat] b"),
            ("![](data:image/png;base64,AA)", "[IMAGE]"),
            ("see (data:image/gif;base64,AA) there", "see [IMAGE] there"),
            ("src=\"data:image/gif;base64,AA\" x", "src=\"[IMAGE]\" x"),
            ("data:image/jpeg;base64,AA", "[IMAGE]"),
            ("![a](https://x/y.png)", "![a](https://x/y.png)"),
            ("data:image/svg+xml,%3Csvg", "data:image/svg+xml,%3Csvg"),
            (
                "![a](data:image/png;base64,A) ![b](data:image/png;base64,B)",
                "[IMAGE: a] [IMAGE: b]",
            ),
        ] {
            assert_eq!(without_data(text), wanted, "{text}");
        }
    }
}
