//! The page of a project in a package index: a list of links, in either of the two standard forms.

use serde_json::Value;
use url::Url;

/// Most files of a page that are looked at.
const MAX_FILES: usize = 20_000;

/// A file of a project.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IndexFile {
    /// As the index calls the file: project, version and platform are in it.
    pub name: String,
    /// Its address.
    pub url: String,
    /// Its sum, as the index gives it.
    pub sha256: Option<String>,
}

impl IndexFile {
    /// Whether it is a wheel of this version.
    #[must_use]
    pub fn is_wheel_of(&self, version: &str) -> bool {
        self.name.ends_with(".whl") && self.name.split('-').nth(1) == Some(version)
    }
}

/// The files that a page names; `address` is where the page is, for links that are relative. Links to anything but
/// http and https count for nothing.
#[must_use]
pub fn files_in_page(page: &str, address: &str) -> Vec<IndexFile> {
    let base = Url::parse(address).ok();
    let listed = match page.trim_start().starts_with('{') {
        true => in_json(page),
        false => in_html(page),
    };
    let file = |(name, link, sha256): (String, String, Option<String>)| {
        let mut url = match &base {
            Some(base) => base.join(&link).ok()?,
            None => Url::parse(&link).ok()?,
        };
        let in_link =
            url.fragment().and_then(|text| text.strip_prefix("sha256=")).map(str::to_owned);
        url.set_fragment(None);
        matches!(url.scheme(), "http" | "https").then(|| IndexFile {
            name,
            url: url.into(),
            sha256: sha256.or(in_link),
        })
    };
    listed.into_iter().take(MAX_FILES).filter_map(file).collect()
}

type Listed = (String, String, Option<String>);

fn in_json(page: &str) -> Vec<Listed> {
    let Ok(page) = serde_json::from_str::<Value>(page) else { return Vec::new() };
    let file = |file: &Value| {
        let text = |key: &str| file[key].as_str().map(str::to_owned);
        let sum = file["hashes"]["sha256"].as_str().map(str::to_owned);
        Some((text("filename")?, text("url")?, sum))
    };
    page["files"].as_array().into_iter().flatten().filter_map(file).collect()
}

/// Anchors, read without a parser of HTML: the standard allows nothing but a list of them.
fn in_html(page: &str) -> Vec<Listed> {
    let mut files = Vec::new();
    let mut rest = page;
    while let Some(at) = rest.find("<a ") {
        rest = &rest[at + 3..];
        let Some(end) = rest.find('>') else { break };
        let (attributes, after) = (&rest[..end], &rest[end + 1..]);
        let Some(close) = after.find('<') else { break };
        let name = unescaped(after[..close].trim());
        if let Some(link) = attribute(attributes, "href").filter(|_| !name.is_empty()) {
            files.push((name, link, None));
        }
        rest = &after[close..];
    }
    files
}

fn attribute(text: &str, name: &str) -> Option<String> {
    let at = text.find(&format!("{name}=\""))? + name.len() + 2;
    let value = &text[at..];
    Some(unescaped(&value[..value.find('"')?]))
}

fn unescaped(text: &str) -> String {
    text.replace("&amp;", "&").replace("&quot;", "\"").replace("&gt;", ">").replace("&lt;", "<")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn both_forms_of_a_page_are_read() {
        let html = "<!DOCTYPE html><html><body><h1>Links</h1>\n<a href=\"../../packages/x/demo-1.0-py3-none-any.whl#sha256=ab12\" \
                    data-requires-python=\"&gt;=3.8\">demo-1.0-py3-none-any.whl</a><br/>\n\
                    <a href=\"https://files.example/demo-1.0.tar.gz\">demo-1.0.tar.gz</a></body></html>";
        let json = serde_json::json!({"files": [{"filename": "demo-1.0-py3-none-any.whl",
            "url": "/packages/x/demo-1.0-py3-none-any.whl", "hashes": {"sha256": "ab12"}}]});
        for page in [html.to_owned(), json.to_string()] {
            let files = files_in_page(&page, "https://index.example/simple/demo/");
            assert_eq!(files[0].url, "https://index.example/packages/x/demo-1.0-py3-none-any.whl");
            assert_eq!(files[0].sha256.as_deref(), Some("ab12"));
            assert!(files[0].is_wheel_of("1.0") && !files[0].is_wheel_of("1.0.1"));
        }
        assert_eq!(files_in_page(html, "https://index.example/simple/demo/")[1].sha256, None);
        assert!(files_in_page("<a href=\"file:///etc/passwd\">x</a>", "https://i/").is_empty());
    }

    proptest! {
        #[test]
        fn no_page_makes_it_fail(page in "(<a |href=\"|\"|>|<|/|#sha256=|x|\\{|\"files\":|\\[){0,60}") {
            let _ = files_in_page(&page, "https://index.example/simple/x/");
        }
    }
}
