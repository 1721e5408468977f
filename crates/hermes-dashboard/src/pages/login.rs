//! Coming and going, and the choice of light or dark.

use axum::Extension;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::header::{ORIGIN, SET_COOKIE};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::{IntoResponse as _, Response};
use serde_json::json;

use crate::app::App;
use crate::form::Fields;
use crate::front::{with_cookie, without_cookie};
use crate::logins::PasswordVerdict;
use crate::problem::{PageProblem, PageResult};
use crate::view::Page;
use crate::visitor::{THEME_COOKIE, Visitor};

fn page(app: &App, visitor: &Visitor, problem: Option<&str>) -> Response {
    let data = json!({"has_password": app.logins.door.is_some(), "problem": problem});
    Page { template: "page_login", title: "Log in", here: "", data }.show(visitor)
}

pub(crate) async fn show(
    State(app): State<App>,
    Extension(visitor): Extension<Visitor>,
) -> Response {
    page(&app, &visitor, None)
}

pub(crate) async fn enter(
    State(app): State<App>,
    Extension(visitor): Extension<Visitor>,
    headers: HeaderMap,
    body: Bytes,
) -> PageResult {
    if !headers.contains_key(ORIGIN) {
        return Err(PageProblem::forbidden("The request does not say which page it comes from."));
    }
    let fields = Fields::parse(&body);
    let (name, password) =
        (fields.text("name").to_owned(), fields.get("password").unwrap_or_default().to_owned());
    let (inner, ip) = (app.clone(), visitor.ip);
    let judged =
        tokio::task::spawn_blocking(move || inner.logins.by_password(ip, &name, &password));
    let verdict =
        judged.await.map_err(|_| PageProblem::broken("The password could not be tried."))?;
    let (status, text) = match verdict {
        PasswordVerdict::In(cookie) => {
            app.audit.note(fields.text("name"), &visitor.from, "log in", "by password");
            return Ok(with_cookie(&app, visitor.to("/"), &cookie));
        }
        PasswordVerdict::Wrong => {
            app.audit.note("nobody", &visitor.from, "log in", "refused");
            (StatusCode::UNAUTHORIZED, "Name or password is wrong.".to_owned())
        }
        PasswordVerdict::Locked(seconds) => {
            app.audit.note("nobody", &visitor.from, "log in", "locked out");
            let minutes = seconds.div_ceil(60);
            let text = format!("Too many wrong passwords. Try again in {minutes} minutes.");
            (StatusCode::TOO_MANY_REQUESTS, text)
        }
    };
    let mut response = page(&app, &visitor, Some(&text));
    *response.status_mut() = status;
    Ok(response)
}

pub(crate) async fn leave(
    State(app): State<App>,
    Extension(visitor): Extension<Visitor>,
) -> Response {
    if let Some(cookie) = &visitor.cookie {
        app.logins.log_out(cookie);
    }
    app.note(&visitor, "log out", "");
    without_cookie(&app, visitor.to("/login"))
}

pub(crate) async fn theme(Extension(visitor): Extension<Visitor>, body: Bytes) -> Response {
    let fields = Fields::parse(&body);
    let chosen = match fields.text("theme") {
        "light" => "light",
        "dark" => "dark",
        _ => "auto",
    };
    // Back to one of our own pages, never elsewhere.
    let back = fields.text("back");
    let is_ours = back.starts_with('/') && !back.starts_with("//") && !back.contains('\\');
    let mut response = visitor.to(if is_ours { back } else { "/" });
    let line =
        format!("{THEME_COOKIE}={chosen}; Path=/; HttpOnly; SameSite=Strict; Max-Age=31536000");
    if let Ok(line) = HeaderValue::from_str(&line) {
        response.headers_mut().append(SET_COOKIE, line);
    }
    response.into_response()
}
