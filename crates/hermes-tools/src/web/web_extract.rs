//! `web_extract`: what pages say, as Markdown.

use futures_util::future::join_all;
use hermes_tool::{CallDisplay, ShownCall, ToolContext, ToolError, thousands, tool};
use hermes_web::{FetchError, HttpDoor, Url};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::budget::{fitted, stored};
use super::images::without_data;
use super::providers::{PageResult, Web, WebProvider, reader};
use super::settings::{LEAST_CHARS, MOST_CHARS};
use super::summary::{LONG, summary};

/// The most pages of one call.
const MOST_URLS: usize = 5;

#[derive(Deserialize, JsonSchema)]
struct WebExtract {
    /// The pages to read, at most five.
    #[schemars(with = "Vec<String>", length(min = 1, max = MOST_URLS))]
    urls: Vec<Value>,
    /// Characters of each page to show; the rest of longer ones goes to a file.
    #[schemars(range(min = LEAST_CHARS, max = MOST_CHARS))]
    char_limit: Option<i64>,
}

/// Read web pages: their content as Markdown, without menus and advertisements. Also feeds, PDF, JSON and text. Long pages
/// are cut in the middle; the whole text then lies in a file.
#[tool(
    toolset = "web",
    emoji = "📄",
    effects(network),
    max_result_chars = unlimited,
    output = untrusted,
    display = CallDisplay::verb("fetch").detail(domains)
)]
async fn web_extract(args: WebExtract, cx: &ToolContext) -> Result<Value, ToolError> {
    let web = Web::of(cx);
    let limit = match args.char_limit {
        Some(limit) => usize::try_from(limit).unwrap_or_default().clamp(LEAST_CHARS, MOST_CHARS),
        None => web.settings.extract_char_limit,
    };
    let provider = reader(&web).map_err(ToolError::answer)?;
    if let Some(missing) = provider.missing(&web) {
        return Err(ToolError::answer(missing));
    }
    let mut results = read_all(&web, provider, &args.urls).await.map_err(ToolError::answer)?;
    if results.is_empty() {
        return Err(ToolError::answer("urls is empty: name at least one page"));
    }
    let shown = join_all(results.iter().map(|page| shown(page, limit, &web, cx))).await;
    for (page, content) in results.iter_mut().zip(shown) {
        page.content = content;
    }
    Ok(json!({"results": results}))
}

/// What is shown of a page: its summary if one is wanted and can be had, else as much of it as fits.
async fn shown(page: &PageResult, limit: usize, web: &Web, cx: &ToolContext) -> String {
    let text = without_data(&page.content);
    let fits = |text: &str| fitted(text, limit, &page.url, web.home.as_ref());
    let length = text.chars().count();
    if !web.settings.summarize || length <= LONG {
        return fits(&text);
    }
    match summary(&page.title, &text, web.redactor, cx).await {
        Ok(summary) => {
            let kept = web.home.as_ref().and_then(|home| stored(&text, &page.url, home).ok());
            let kept =
                kept.map(|path| format!(" The whole text is in {path}.")).unwrap_or_default();
            let length = thousands(length);
            format!("{summary}\n\n---\n[A model's summary of {length} characters.{kept}]")
        }
        Err(why) => format!("{}\n\n[Not summed up: {why}]", fits(&text)),
    }
}

/// One result for each item that was given, in order.
async fn read_all(
    web: &Web,
    provider: &'static dyn WebProvider,
    items: &[Value],
) -> Result<Vec<PageResult>, String> {
    let mut results: Vec<Option<PageResult>> = Vec::new();
    let mut wanted: Vec<(usize, Url)> = Vec::new();
    for (at, item) in items.iter().take(MOST_URLS).enumerate() {
        results.push(None);
        let Some(address) = address_of(item) else {
            results[at] =
                Some(PageResult::failed("", "this item is no address: give URLs as text"));
            continue;
        };
        match admitted(&web.door, provider, &address).await {
            Ok(url) => wanted.push((at, url)),
            // Whoever put a key into one address is not helped with the others either.
            Err(error) if error.is_about_a_secret() => return Err(error.for_model()),
            Err(error) => results[at] = Some(PageResult::refused(address, &error)),
        }
    }
    let urls: Vec<Url> = wanted.iter().map(|(_, url)| url.clone()).collect();
    if !urls.is_empty() {
        let pages = provider.extract(web, &urls).await;
        for ((at, _), page) in wanted.into_iter().zip(pages) {
            results[at] = Some(emptied(page));
        }
    }
    Ok(results.into_iter().flatten().collect())
}

/// A page without a word is a failure that nobody mentioned.
fn emptied(mut page: PageResult) -> PageResult {
    if page.content.trim().is_empty() && page.error.is_none() {
        page.error = Some("the page has no text".to_owned());
    }
    page
}

async fn admitted(
    door: &HttpDoor,
    provider: &dyn WebProvider,
    address: &str,
) -> Result<Url, FetchError> {
    if !provider.is_third_party() {
        return door.check(address);
    }
    door.check_for_third_party(address)?;
    door.judge(address).await
}

/// The address in an item: text, or an object as search results are.
fn address_of(item: &Value) -> Option<String> {
    let text = match item {
        Value::String(text) => text,
        Value::Object(fields) => fields.get("url").or_else(|| fields.get("href"))?.as_str()?,
        _ => return None,
    };
    let text = text.trim();
    let bare = !text.contains("://")
        && text.contains('.')
        && !text.starts_with(['/', '.', '#'])
        && !text.contains(char::is_whitespace);
    let bare = bare && !text.split('/').next().unwrap_or_default().contains(':');
    (!text.is_empty()).then(|| if bare { format!("https://{text}") } else { text.to_owned() })
}

/// The site of the first page, and how many pages follow.
fn domains(call: &ShownCall<'_>) -> String {
    let urls = call.list("urls");
    let first = urls.first().and_then(address_of).unwrap_or_default();
    let domain = first.split("://").nth(1).unwrap_or(&first).split('/').next().unwrap_or_default();
    match urls.len() {
        0 | 1 => domain.to_owned(),
        more => format!("{domain} +{}", more - 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_found_in_texts_and_in_search_results() {
        for (item, wanted) in [
            (json!("https://a.example/"), Some("https://a.example/")),
            (json!({"url": "https://b.example/"}), Some("https://b.example/")),
            (json!({"href": " http://c.example "}), Some("http://c.example")),
            (json!("d.example/path"), Some("https://d.example/path")),
            (json!("file:///etc/passwd"), Some("file:///etc/passwd")),
            (json!("localhost:80"), Some("localhost:80")),
            (json!(" "), None),
            (json!(7), None),
            (json!({"title": "x"}), None),
        ] {
            assert_eq!(address_of(&item).as_deref(), wanted, "{item}");
        }
    }

    #[test]
    fn a_call_is_shown_by_its_first_site() {
        let args = json!({"urls": ["https://a.org/x", "b.org"]});
        let call = ShownCall { args: &args, result: None };
        assert_eq!(domains(&call), "a.org +1");
    }
}
