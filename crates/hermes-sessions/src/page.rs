//! Sessions as a page for browsers: one file, light or dark as the reader likes it, tool calls folded.
//!
//! Whatever was said is text here. What a model wrote as Markdown is laid out; HTML in it stays text, pictures become
//! links and links lead to the web or nowhere, so that opening a page neither runs nor fetches anything; the page
//! says so to the browser, too.

use pulldown_cmark::{CowStr, Event, LinkType, Options, Parser, Tag, TagEnd, html};
use serde_json::Value;

use super::content::Content;

/// Columns of the arguments in the line of a folded call.
const MAX_SUMMARY: usize = 100;

/// What stands before the first session.
pub(super) const START: &str = "<!doctype html>
<html lang=\"en\"><head><meta charset=\"utf-8\">
<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">
<meta name=\"color-scheme\" content=\"light dark\">
<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">
<title>Sessions</title>
<style>
:root{color-scheme:light dark;--text:#1f2328;--faint:#656d76;--line:#d1d9e0;--back:#fff;--block:#f6f8fa;--you:#0969da}
@media (prefers-color-scheme:dark){:root{--text:#e6edf3;--faint:#8d96a0;--line:#30363d;--back:#0d1117;--block:#161b22;--you:#4493f8}}
*{box-sizing:border-box}
body{font:16px/1.55 system-ui,sans-serif;color:var(--text);background:var(--back);max-width:52rem;margin:2rem auto;padding:0 1rem}
header p{color:var(--faint);font-size:.9rem}
article{border-top:1px solid var(--line);padding:.9rem 0}
h3{margin:0 0 .3rem;font-size:.8rem;font-weight:600;color:var(--faint)}
article.user h3{color:var(--you)}
pre{white-space:pre-wrap;overflow-wrap:anywhere;background:var(--block);padding:.7rem;border-radius:6px;font-size:.85rem}
code{font-family:ui-monospace,monospace}
details{margin:.4rem 0;border:1px solid var(--line);border-radius:6px;padding:.3rem .7rem}
summary{cursor:pointer;font-family:ui-monospace,monospace;font-size:.85rem;overflow-wrap:anywhere}
table{border-collapse:collapse}td,th{border:1px solid var(--line);padding:.2rem .6rem}
blockquote{margin-left:0;padding-left:1rem;border-left:3px solid var(--line);color:var(--faint)}
.said{white-space:pre-wrap;overflow-wrap:anywhere}
</style></head><body>
";

/// What stands after the last session.
pub(super) const END: &str = "</body></html>\n";

/// One session.
pub(super) fn section(session: &Value, (title, facts): (&str, &str)) -> String {
    let messages = session["messages"].as_array().map(Vec::as_slice).unwrap_or_default();
    let mut page =
        format!("<section><header><h2>{}</h2><p>{}</p></header>\n", escape(title), escape(facts));
    let mut answered = Vec::new();
    for (at, message) in messages.iter().enumerate() {
        let text = said(message);
        match message["role"].as_str().unwrap_or_default() {
            "user" => {
                let body = format!("<div class=\"said\">{}</div>", escape(&text));
                page += &article("user", "You", &body);
            }
            "assistant" => {
                let mut body = if text.trim().is_empty() { String::new() } else { laid_out(&text) };
                for call in message["tool_calls"].as_array().map(Vec::as_slice).unwrap_or_default()
                {
                    let rest = messages.iter().enumerate().skip(at + 1);
                    let result =
                        rest.filter(|(_, other)| other["role"] == "tool").find(|(_, other)| {
                            !call["id"].is_null() && other["tool_call_id"] == call["id"]
                        });
                    answered.extend(result.map(|(at, _)| at));
                    body += &called(call, result.map(|(_, message)| said(message)).as_deref());
                }
                page += &article("assistant", "Hermes", &body);
            }
            // A result whose call is shown stands there.
            "tool" if answered.contains(&at) => {}
            role => {
                let who = message["tool_name"].as_str().unwrap_or(role);
                page += &article("tool", who, &format!("<pre>{}</pre>", escape(&text)));
            }
        }
    }
    page + "</section>\n"
}

fn article(class: &str, who: &str, body: &str) -> String {
    format!("<article class=\"{class}\"><h3>{}</h3>\n{body}</article>\n", escape(who))
}

/// A call, folded: its name and the beginning of its arguments are seen.
fn called(call: &Value, result: Option<&str>) -> String {
    let function = &call["function"];
    let name = function["name"].as_str().unwrap_or("a tool");
    let raw = match &function["arguments"] {
        Value::String(text) => text.clone(),
        Value::Null => String::new(),
        other => other.to_string(),
    };
    let pretty = serde_json::from_str::<Value>(&raw)
        .ok()
        .and_then(|value| serde_json::to_string_pretty(&value).ok());
    let line: String = raw.split_whitespace().collect::<Vec<_>>().join(" ");
    let short: String = line.chars().take(MAX_SUMMARY).collect();
    let more = if short.len() < line.len() { "…" } else { "" };
    let result = result.map(|text| format!("<pre>{}</pre>", escape(text))).unwrap_or_default();
    format!(
        "<details><summary>{} {}{more}</summary><pre>{}</pre>{result}</details>\n",
        escape(name),
        escape(&short),
        escape(&pretty.unwrap_or(raw))
    )
}

fn said(message: &Value) -> String {
    match &message["content"] {
        Value::Null => String::new(),
        content => Content::from(content.clone()).text().into_owned(),
    }
}

/// Markdown as HTML that does nothing but show it: markup in it stays text, pictures become links, and links lead to the
/// web or nowhere. For pages that show what a model wrote.
#[must_use]
pub fn laid_out(text: &str) -> String {
    let options =
        Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS;
    let harmless = Parser::new_ext(text, options).map(|event| match event {
        Event::Html(text) | Event::InlineHtml(text) => Event::Text(text),
        Event::Start(
            Tag::Image { dest_url, title, id, .. } | Tag::Link { dest_url, title, id, .. },
        ) => {
            let (link_type, dest_url) = (LinkType::Inline, safe(dest_url));
            Event::Start(Tag::Link { link_type, dest_url, title, id })
        }
        Event::End(TagEnd::Image) => Event::End(TagEnd::Link),
        other => other,
    });
    let mut page = String::new();
    html::push_html(&mut page, harmless);
    page
}

/// An address that leads to the web, or nowhere.
fn safe(address: CowStr<'_>) -> CowStr<'_> {
    let kind = address.split(':').next().unwrap_or_default().to_ascii_lowercase();
    match matches!(kind.as_str(), "http" | "https" | "mailto") {
        true => address,
        false => CowStr::from("#"),
    }
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    #[test]
    fn a_call_stands_with_its_result_and_markdown_is_laid_out() {
        let session = json!({"messages": [
            {"role": "user", "content": "fix <it>"},
            {"role": "assistant", "content": "**Looking** at `a.rs`", "tool_calls": [
                {"id": "c1", "function": {"name": "read_file", "arguments": "{\"path\":\"a.rs\"}"}}]},
            {"role": "tool", "tool_call_id": "c1", "tool_name": "read_file", "content": "fn <main>"},
            {"role": "tool", "tool_call_id": "other", "tool_name": "lost", "content": "alone"},
        ]});
        let page = section(&session, ("t", "f"));
        assert!(page.contains("fix &lt;it&gt;"), "{page}");
        assert!(page.contains("<strong>Looking</strong> at <code>a.rs</code>"), "{page}");
        assert!(
            page.contains("<summary>read_file {&quot;path&quot;:&quot;a.rs&quot;}</summary>"),
            "{page}"
        );
        assert_eq!(page.matches("fn &lt;main&gt;").count(), 1, "{page}");
        assert!(page.contains("<h3>lost</h3>"), "{page}");
    }

    #[test]
    fn what_a_model_writes_neither_runs_nor_fetches_anything() {
        for hostile in [
            "<script>alert(1)</script>",
            "a <img src=x onerror=alert(1)> b",
            "[x](javascript:alert(1))",
            "![x](https://example.org/pixel.png)",
            "[x](data:text/html,<script>1</script>)",
            "<a href=\"javascript:1\">x</a>",
            "[x](JaVaScRiPt:1 \"<script>\")",
        ] {
            let page = laid_out(hostile).to_lowercase();
            for bad in ["<script", "<img", "<a href=\"javascript", "<a href=\"data"] {
                assert!(!page.contains(bad), "{hostile}: {page}");
            }
        }
    }

    proptest! {
        #[test]
        fn no_text_becomes_a_tag_of_its_own(text in "[<>a-z\"'=/:()\\[\\]!* \n`&;-]{0,120}") {
            let page = laid_out(&text);
            let tags = page.split('<').skip(1).map(|tag| {
                tag.trim_start_matches('/').split(|letter: char| !letter.is_ascii_alphanumeric()).next().unwrap_or_default().to_owned()
            });
            const OURS: [&str; 26] = ["p", "a", "em", "strong", "code", "pre", "ul", "ol", "li", "h1", "h2", "h3", "h4",
                "h5", "h6", "blockquote", "hr", "br", "table", "thead", "tbody", "tr", "th", "td", "del", "input"];
            for tag in tags {
                prop_assert!(OURS.contains(&tag.as_str()), "{tag:?} in {page}");
            }
        }
    }
}
