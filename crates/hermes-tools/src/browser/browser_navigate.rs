//! `browser_navigate`: opens a page.

use hermes_browser::{AddressRefusal, Detail, Navigated, PageState, Reach, SessionLease};
use hermes_tool::{CallDisplay, ToolContext, ToolError, ToolOutput, ToolResult, tool};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::context::{
    BrowserContext, available, check_page, clean, news, opened, refused, said, success,
};

/// Arguments of `browser_navigate`.
#[derive(Deserialize, JsonSchema)]
struct BrowserNavigate {
    /// The address: http or https.
    url: String,
}

/// Words in the title of a page that keeps programs out.
const BLOCK_PAGES: &[&str] = &[
    "access denied",
    "access to this page has been denied",
    "attention required",
    "blocked",
    "bot detected",
    "captcha",
    "checking your browser",
    "cloudflare",
    "ddos protection",
    "just a moment",
    "please verify",
    "are you a robot",
    "robot check",
    "security check",
    "unusual traffic",
    "verify you are human",
    "verification required",
];

/// Open a page in the browser and get a snapshot of it.
///
/// The snapshot lists what can be used with references such as `@e5`, which the other browser tools take. Call this
/// first; the browser keeps its page, logins and history for the task. To just read a page's text, reading tools are
/// faster.
#[tool(
    toolset = "browser",
    emoji = "🌐",
    effects(network),
    output = untrusted,
    display = CallDisplay::verb("navigate").args(&["url"]),
    check = available
)]
async fn browser_navigate(args: BrowserNavigate, cx: &ToolContext) -> ToolResult {
    let browser = BrowserContext::of(cx)?;
    let url = with_scheme(&args.url);
    let (mut lease, url) = open_session(&browser, &url).await?;
    let key = lease.key.clone();
    let session = opened(&mut lease)?;
    let first = !std::mem::replace(&mut session.navigated, true);
    let led = match session.browser.navigate(url.as_str()).await {
        Ok(led) => led,
        Err(error) => {
            let answer = said(&error);
            if !session.browser.is_alive() {
                lease.discard().await;
            }
            return Err(answer);
        }
    };
    let mut fields = success();
    let page = match led {
        Navigated::Page(page) => page,
        Navigated::Download => {
            fields.insert("url".into(), url.as_str().into());
            fields.insert(
                "note".into(),
                "the address is a file, which is downloaded; the page is still the one before"
                    .into(),
            );
            news(session, "download", &mut fields).await;
            return ToolOutput::json(&Value::Object(fields));
        }
    };
    check_page(session).await?;
    browser.sessions.led(browser.task(), &key);
    fields.insert("url".into(), clean(&page.url).into());
    fields.insert("title".into(), clean(&page.title).into());
    match session.browser.snapshot(Detail::Compact).await {
        Ok(snapshot) => browser.snapshot_fields(&snapshot, &mut fields).await,
        Err(hermes_browser::BrowserError::Dialog(_)) => {
            fields.insert(
                "snapshot".into(),
                "(a dialog is open; answer it with browser_dialog to see the page)".into(),
            );
            fields.insert("element_count".into(), 0.into());
        }
        Err(error) => return Err(said(&error)),
    }
    check_page(session).await?;
    if looks_blocked(&page) {
        fields.insert(
            "bot_detection_warning".into(),
            format!("the title {:?} looks like a page that keeps programs out; do not try again and again, look for another source or ask the user", page.title).into(),
        );
    }
    if first && session.guard.reach() == Reach::Elsewhere && session.provider.name() != "cdp" {
        fields.insert("stealth_features".into(), json!(session.features));
        if !session.features.iter().any(|feature| feature == "proxies") {
            fields.insert(
                "stealth_warning".into(),
                "the browser uses no proxies: some sites may keep it out".into(),
            );
        }
    }
    if let Some(fallback) = &session.fallback {
        fields.insert(
            "fallback_from_cloud".into(),
            json!({"provider": fallback.provider, "reason": clean(&fallback.reason)}),
        );
    }
    news(session, "navigate", &mut fields).await;
    ToolOutput::json(&Value::Object(fields))
}

/// The browser that may open an address: the task's own, or the second one for addresses of the user's network.
async fn open_session(
    browser: &BrowserContext,
    url: &str,
) -> Result<(SessionLease, String), ToolError> {
    let sessions = &browser.sessions;
    let guard = sessions.guard().map_err(|error| said(&error))?;
    match guard.before(url).await {
        Ok(url) => {
            let lease = sessions.main(browser.task()).await.map_err(|error| said(&error))?;
            Ok((lease, url.into()))
        }
        Err(refusal @ AddressRefusal::Address(_))
            if guard.reach() == Reach::Elsewhere
                && sessions.settings().auto_local_for_private_urls =>
        {
            let local = sessions.local_guard();
            match local.before(url).await {
                Ok(url) if local.reach() == Reach::Local => {
                    let lease =
                        sessions.beside(browser.task()).await.map_err(|error| said(&error))?;
                    Ok((lease, url.into()))
                }
                _ => Err(refused(&refusal)),
            }
        }
        Err(refusal) => Err(refused(&refusal)),
    }
}

/// People leave the scheme out; so do models.
fn with_scheme(url: &str) -> String {
    let url = url.trim();
    let named = url.split_once(':').is_some_and(|(scheme, rest)| {
        rest.starts_with("//")
            || !rest.starts_with(|next: char| next.is_ascii_digit())
                && scheme.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '+')
    });
    if named || url.is_empty() { url.to_owned() } else { format!("https://{url}") }
}

fn looks_blocked(page: &PageState) -> bool {
    let title = page.title.to_lowercase();
    BLOCK_PAGES.iter().any(|words| title.contains(words))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_without_a_scheme_gets_one() {
        assert_eq!(with_scheme(" example.org/a "), "https://example.org/a");
        assert_eq!(with_scheme("localhost:8080/x"), "https://localhost:8080/x");
        for kept in
            ["http://example.org", "file:///etc/passwd", "javascript:alert(1)", "data:text/html,x"]
        {
            assert_eq!(with_scheme(kept), kept);
        }
    }

    #[test]
    fn pages_that_keep_programs_out_are_known_by_their_title() {
        let page = |title: &str| PageState { title: title.to_owned(), ..PageState::default() };
        assert!(looks_blocked(&page("Just a moment...")));
        assert!(!looks_blocked(&page("The moment of truth")));
    }
}
