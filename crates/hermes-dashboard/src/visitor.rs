//! Whoever looks at a page.

use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};

use axum::http::header::LOCATION;
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse as _, Response};
use serde_json::{Value, json};

use crate::logins::Login;

/// The cookie that keeps the choice of light or dark.
pub(crate) const THEME_COOKIE: &str = "hermes_theme";

/// Whoever sent a request.
#[derive(Clone)]
pub(crate) struct Visitor {
    /// What stands before our paths behind a proxy; mostly nothing.
    pub(crate) base: String,
    /// The address, for the log.
    pub(crate) from: String,
    pub(crate) ip: IpAddr,
    pub(crate) theme: &'static str,
    pub(crate) cookie: Option<String>,
    pub(crate) login: Option<Arc<Login>>,
    pub(crate) flash: Arc<Mutex<Option<String>>>,
    pub(crate) waiting: usize,
}

impl Visitor {
    /// Who they are, for the log.
    pub(crate) fn who(&self) -> &str {
        self.login.as_ref().map_or("nobody", |login| &login.name)
    }

    /// What templates know of them.
    pub(crate) fn about(&self) -> Value {
        json!({
            "form_token": self.login.as_ref().map(|login| &login.form_token),
            "theme": self.theme, "waiting": self.waiting,
        })
    }

    pub(crate) fn take_flash(&self) -> Option<String> {
        self.flash.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// Sends them to another of our pages.
    pub(crate) fn to(&self, path: &str) -> Response {
        let place = HeaderValue::from_str(&format!("{}{path}", self.base));
        let place = place.unwrap_or(HeaderValue::from_static("/"));
        (StatusCode::SEE_OTHER, [(LOCATION, place)]).into_response()
    }

    /// The same, with a line on what was done.
    pub(crate) fn to_saying(&self, path: &str, said: impl Into<String>) -> Response {
        if let Some(login) = &self.login {
            login.say(said.into());
        }
        self.to(path)
    }
}
