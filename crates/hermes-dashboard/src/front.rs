//! Who is there, and may they? Before every page: the login, the form token of what changes something, and after it the
//! page for what went wrong.

use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;

use axum::body::{Body, Bytes, to_bytes};
use axum::extract::{Request, State};
use axum::http::header::{
    ACCEPT, CACHE_CONTROL, CONTENT_TYPE, COOKIE, HeaderMap, ORIGIN, SET_COOKIE,
};
use axum::http::{HeaderValue, Method, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use hermes_serve::PeerAddress;
use serde_json::{Value, json};

use crate::app::App;
use crate::form::Fields;
use crate::password::is_same;
use crate::problem::PageProblem;
use crate::view::Page;
use crate::visitor::{THEME_COOKIE, Visitor};

/// The header in which the script sends the form token.
const FORM_HEADER: &str = "x-hermes-form";
/// The field in which a form sends it.
const FORM_FIELD: &str = "form_token";
/// What may be seen without a login.
const OPEN: &[&str] = &["/login", "/api/status", "/health"];
/// Where our styles and script are.
const ASSETS: &str = "/assets/";
/// Longest path below which a proxy may put us.
const MAX_BASE: usize = 200;

/// The check before every page.
pub(crate) async fn front(State(app): State<App>, request: Request, next: Next) -> Response {
    let mut visitor = visitor(&app, &request);
    let is_asset = request.uri().path().starts_with(ASSETS);
    let wants_json = wants_json(request.headers());
    let mut response = match admit(&app, &mut visitor, request).await {
        Ok(mut request) => {
            request.extensions_mut().insert(visitor.clone());
            next.run(request).await
        }
        Err(answer) => answer,
    };
    if let Some(problem) = response.extensions().get::<PageProblem>().cloned() {
        let status = problem.status;
        response = match wants_json {
            true => axum::Json(problem.body()).into_response(),
            false => {
                let data = json!({"text": problem.text});
                Page { template: "page_problem", title: problem.title, here: "", data }
                    .show(&visitor)
            }
        };
        *response.status_mut() = status;
    }
    if !is_asset {
        response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    }
    response
}

fn visitor(app: &App, request: &Request) -> Visitor {
    let headers = request.headers();
    let ip = request.extensions().get::<PeerAddress>().map(|peer| peer.0.ip());
    let ip = ip.unwrap_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED));
    let given = cookie(headers, &app.cookie.name);
    let login = given.as_deref().and_then(|cookie| app.logins.of_cookie(cookie));
    let theme = match cookie(headers, THEME_COOKIE).as_deref() {
        Some("light") => "light",
        Some("dark") => "dark",
        _ => "auto",
    };
    Visitor {
        base: base_path(headers),
        from: ip.to_string(),
        ip,
        theme,
        cookie: given.filter(|_| login.is_some()),
        flash: login.as_ref().map(|login| Arc::clone(&login.flash)).unwrap_or_default(),
        waiting: if login.is_some() { app.questions.count() } else { 0 },
        login,
    }
}

/// Lets a request pass, or answers it.
async fn admit(app: &App, visitor: &mut Visitor, request: Request) -> Result<Request, Response> {
    let path = request.uri().path().to_owned();
    if request.method() == Method::GET
        && path == "/"
        && let Some(link) = link_in(request.uri().query())
    {
        return Err(by_link(app, visitor, &link));
    }
    let is_open = OPEN.contains(&path.as_str()) || path.starts_with(ASSETS);
    let Some(login) = visitor.login.clone() else {
        return match (is_open, request.method() == Method::GET && !wants_json(request.headers())) {
            (true, _) => Ok(request),
            (false, true) => Err(visitor.to("/login")),
            (false, false) => {
                let text = "Log in first: the terminal of `hermes dashboard` has a link.";
                let problem = PageProblem {
                    status: StatusCode::UNAUTHORIZED,
                    ..PageProblem::forbidden(text)
                };
                Err(problem.into_response())
            }
        };
    };
    if matches!(*request.method(), Method::GET | Method::HEAD) || path == "/login" {
        return Ok(request);
    }
    let refused = |text: &str| PageProblem::forbidden(text).into_response();
    // Whether it is our own was looked at before anything else.
    if !request.headers().contains_key(ORIGIN) {
        return Err(refused("The request does not say which page it comes from."));
    }
    if hermes_process::descends_from_own_command() {
        return Err(refused("A command that Hermes runs may change nothing here."));
    }
    let (head, body) = request.into_parts();
    // It is there as a whole: the check before us has read it, up to its limit.
    let Ok(body) = to_bytes(body, usize::MAX).await else {
        return Err(refused("The request did not arrive whole."));
    };
    let header = head.headers.get(FORM_HEADER).and_then(|value| value.to_str().ok());
    let field = is_form(&head.headers).then(|| Fields::parse(&body));
    let token = header.or_else(|| field.as_ref()?.get(FORM_FIELD)).unwrap_or_default();
    if !is_same(token.as_bytes(), login.form_token.as_bytes()) {
        return Err(refused("The page is out of date. Load it again and repeat what you did."));
    }
    Ok(Request::from_parts(head, Body::from(body)))
}

fn by_link(app: &App, visitor: &mut Visitor, link: &str) -> Response {
    let Some(cookie) = app.logins.by_link(link) else {
        let text = "This link was used, or is older than five minutes. Press Enter in the terminal \
                    of `hermes dashboard` for a new one.";
        return PageProblem::forbidden(text).into_response();
    };
    app.audit.note("link", &visitor.from, "log in", "by link");
    with_cookie(app, visitor.to("/"), &cookie)
}

/// An answer that brings a login.
pub(crate) fn with_cookie(app: &App, mut answer: Response, cookie: &str) -> Response {
    let secure = if app.cookie.is_secure { "; Secure" } else { "" };
    let line = format!(
        "{}={cookie}; Path=/; HttpOnly; SameSite=Strict; Max-Age={}{secure}",
        app.cookie.name,
        app.logins.life()
    );
    if let Ok(line) = HeaderValue::from_str(&line) {
        answer.headers_mut().append(SET_COOKIE, line);
    }
    answer
}

/// An answer that takes it away.
pub(crate) fn without_cookie(app: &App, mut answer: Response) -> Response {
    let line = format!("{}=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0", app.cookie.name);
    if let Ok(line) = HeaderValue::from_str(&line) {
        answer.headers_mut().append(SET_COOKIE, line);
    }
    answer
}

fn link_in(query: Option<&str>) -> Option<String> {
    let mut pairs = url::form_urlencoded::parse(query?.as_bytes());
    pairs.find(|(name, _)| name == "t").map(|(_, value)| value.into_owned())
}

fn cookie(headers: &HeaderMap, name: &str) -> Option<String> {
    let all = headers.get_all(COOKIE).iter().filter_map(|line| line.to_str().ok());
    let mut pairs = all.flat_map(|line| line.split(';')).filter_map(|pair| pair.split_once('='));
    pairs.find(|(key, _)| key.trim() == name).map(|(_, value)| value.trim().to_owned())
}

fn is_form(headers: &HeaderMap) -> bool {
    let kind = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    kind.split(';').next().is_some_and(|kind| kind.trim() == "application/x-www-form-urlencoded")
}

/// Whether the script asks, not the browser itself.
pub(crate) fn wants_json(headers: &HeaderMap) -> bool {
    let accepted = headers.get(ACCEPT).and_then(|value| value.to_str().ok()).unwrap_or_default();
    headers.contains_key(FORM_HEADER)
        || accepted.starts_with("application/json")
        || accepted.starts_with("text/event-stream")
}

/// Where a proxy has put us, if it says so in a way that can only be a path of its own.
fn base_path(headers: &HeaderMap) -> String {
    let given = headers.get("x-forwarded-prefix").and_then(|value| value.to_str().ok());
    let path = given.unwrap_or_default().trim_end_matches('/');
    let is_path = path.starts_with('/')
        && !path.contains("//")
        && !path.contains("..")
        && path.len() <= MAX_BASE
        && path
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'/' | b'-' | b'_' | b'.'));
    if is_path { path.to_owned() } else { String::new() }
}

/// The body as JSON.
pub(crate) fn json_body(body: &Bytes) -> Result<Value, PageProblem> {
    serde_json::from_slice(body).map_err(|problem| {
        PageProblem::refused(format!("The request is not understood: {problem}"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_proxy_cannot_send_people_elsewhere() {
        let base = |given: &str| {
            base_path(&HeaderMap::from_iter([(
                "x-forwarded-prefix".parse().unwrap(),
                given.parse().unwrap(),
            )]))
        };
        assert_eq!(base("/hermes/"), "/hermes");
        for foreign in
            ["//evil.example", "/a//b", "https://evil.example", "/a/../b", "/\"><script>", "evil"]
        {
            assert_eq!(base(foreign), "", "{foreign}");
        }
    }

    #[test]
    fn cookies_are_found_by_their_whole_name() {
        let headers = HeaderMap::from_iter([(COOKIE, "xa=1; a=2;b=3".parse().unwrap())]);
        assert_eq!(cookie(&headers, "a").as_deref(), Some("2"));
        assert_eq!(cookie(&headers, "b").as_deref(), Some("3"));
        assert_eq!(cookie(&headers, "c"), None);
    }
}
