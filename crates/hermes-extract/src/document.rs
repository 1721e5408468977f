//! Any answer of a web server, by its kind.

use serde_json::Value;
use url::Url;

use crate::error::ExtractError;
use crate::page::{self, Extract};
use crate::{feed, pdf};

/// Kinds beside `text/…` that are text all the same.
const TEXTS: &[&str] = &[
    "application/javascript",
    "application/x-javascript",
    "application/ecmascript",
    "application/yaml",
    "application/x-yaml",
    "application/toml",
    "application/sql",
    "application/x-sh",
    "application/csv",
    "application/x-ndjson",
    "application/graphql",
    "application/x-tex",
    "application/rtf+plain",
    "application/typescript",
    "application/markdown",
];

/// What an answer says. `media_type` is lower-case and without parameters, empty if the server did not say; `text` decodes
/// the body and is asked only where there is text.
///
/// # Errors
/// Why there is nothing to read.
pub fn document(
    body: &[u8],
    media_type: &str,
    address: &Url,
    text: impl FnOnce() -> String,
) -> Result<Extract, ExtractError> {
    if media_type == "application/pdf" || body.starts_with(b"%PDF-") {
        return pdf::pdf(body);
    }
    if media_type.starts_with("image/") && media_type != "image/svg+xml" {
        return Err(ExtractError::Image(media_type.to_owned()));
    }
    let html = matches!(media_type, "text/html" | "application/xhtml+xml");
    let readable = html
        || media_type.starts_with("text/")
        || media_type.ends_with("json")
        || media_type.ends_with("xml")
        || media_type.ends_with("+yaml")
        || TEXTS.contains(&media_type)
        || looks_like_text(body);
    if !readable {
        let media_type =
            if media_type.is_empty() { "application/octet-stream" } else { media_type };
        return Err(ExtractError::Unsupported {
            media_type: media_type.to_owned(),
            bytes: body.len(),
        });
    }
    let text = text();
    if html || !media_type.ends_with("xml") && starts_like_html(&text) && media_type != "text/plain"
    {
        // Feeds come as HTML from careless servers.
        if let Some(feed) = Some(&text)
            .filter(|text| starts_like_xml(text))
            .and_then(|text| feed::xml(text, address))
        {
            return Ok(feed);
        }
        return Ok(page::html(&text, address)?);
    }
    if media_type.ends_with("json")
        || media_type.is_empty() && text.trim_start().starts_with(['{', '['])
    {
        if let Ok(value) = serde_json::from_str::<Value>(&text) {
            return Ok(feed::json(&value, address).unwrap_or_else(|| pretty(&value, &text)));
        }
        return Ok(as_text(text));
    }
    if starts_like_xml(&text)
        && let Some(feed) = feed::xml(&text, address)
    {
        return Ok(feed);
    }
    Ok(as_text(text))
}

fn pretty(value: &Value, text: &str) -> Extract {
    let markdown = serde_json::to_string_pretty(value).unwrap_or_else(|_| text.to_owned());
    Extract { title: String::new(), markdown }
}

fn as_text(text: String) -> Extract {
    let title =
        text.lines().find_map(|line| line.strip_prefix("# ")).unwrap_or_default().trim().to_owned();
    Extract { title, markdown: text }
}

fn starts_like_html(text: &str) -> bool {
    let start: String = text.trim_start().chars().take(200).collect::<String>().to_lowercase();
    start.starts_with("<!doctype html")
        || start.starts_with("<html")
        || start.contains("<head>")
        || start.contains("<html")
}

fn starts_like_xml(text: &str) -> bool {
    let start: String =
        text.trim_start_matches('\u{feff}').trim_start().chars().take(600).collect();
    start.starts_with("<?xml")
        || ["<rss", "<feed", "<rdf:RDF"]
            .iter()
            .any(|tag| start.starts_with(tag) || start.contains(tag))
}

/// Whether bytes of no known kind are text: nothing in them that text never has.
fn looks_like_text(body: &[u8]) -> bool {
    let start = &body[..body.len().min(4_096)];
    !start.is_empty() && !start.iter().any(|&byte| byte < 9 || (14..27).contains(&byte)) && {
        // The cut may have gone through a character.
        std::str::from_utf8(start).err().is_none_or(|error| error.error_len().is_none())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(body: &[u8], kind: &str) -> Result<Extract, ExtractError> {
        let address = Url::parse("https://site.example/x").unwrap();
        document(body, kind, &address, || String::from_utf8_lossy(body).into_owned())
    }

    #[test]
    fn text_stays_text_and_json_is_set_out() {
        assert_eq!(read(b"a,b\n1,2\n", "text/csv").unwrap().markdown, "a,b\n1,2\n");
        assert_eq!(
            read(b"{\"b\":[1],\"a\":null}", "application/json").unwrap().markdown,
            "{\n  \"b\": [\n    1\n  ],\n  \"a\": null\n}"
        );
        assert_eq!(read(b"{broken", "application/json").unwrap().markdown, "{broken");
        assert_eq!(
            read(b"<note><to>x</to></note>", "application/xml").unwrap().markdown,
            "<note><to>x</to></note>"
        );
        let readme = read(b"\n# Tool\n\n<b>raw</b>", "text/markdown").unwrap();
        assert_eq!(
            (readme.title.as_str(), readme.markdown.as_str()),
            ("Tool", "\n# Tool\n\n<b>raw</b>")
        );
        assert_eq!(
            read(b"key: value\n", "application/octet-stream").unwrap().markdown,
            "key: value\n"
        );
        assert_eq!(read(b"<html> is a tag", "text/plain").unwrap().markdown, "<html> is a tag");
    }

    #[test]
    fn feeds_are_found_whatever_they_are_called() {
        for kind in
            ["application/rss+xml", "text/xml", "application/xml", "text/html", "text/plain", ""]
        {
            let got = read(b"<?xml version='1.0'?><rss><channel><title>T</title><item><title>A</title></item></channel></rss>", kind).unwrap();
            assert_eq!(got.markdown, "# T\n\n- A", "{kind}");
        }
    }

    #[test]
    fn what_cannot_be_read_is_said_with_its_kind() {
        assert_eq!(read(b"\x89PNG", "image/png"), Err(ExtractError::Image("image/png".to_owned())));
        let zip = read(b"PK\x03\x04\0\0", "application/zip").unwrap_err();
        assert!(zip.to_string().contains("application/zip (6 bytes)"), "{zip}");
        assert!(matches!(
            read(b"%PDF-1.4 nonsense", "application/pdf"),
            Err(ExtractError::BrokenPdf(_))
        ));
        assert!(matches!(read(b"", "text/html"), Err(ExtractError::NeedsBrowser(_))));
    }
}
