//! `hermes dashboard`, over real sockets, with a scripted model behind the agent.

mod chat;
mod doors;
mod pages;
mod real_browser;

use hermes_testkit::{ModelServer, Script};

use crate::support::Sandbox;
use crate::wire::{Answer, Request, Served};

/// A text that does something in whatever forgets to escape it.
pub(crate) const HOSTILE: &str =
    "</script><script>alert(1)</script><img src=x onerror=alert(2)>\"'><svg onload=alert(3)>";

/// The dashboard, and somebody who is logged in.
pub(crate) struct Dash {
    pub(crate) sandbox: Sandbox,
    pub(crate) model: ModelServer,
    pub(crate) server: Served,
    pub(crate) cookie: String,
    pub(crate) form_token: String,
}

/// Settings with a model that says what a script says.
pub(crate) fn settings(model: &ModelServer, more: &str) -> String {
    format!(
        "model:\n  provider: custom\n  base_url: {}\n  default: scripted\n  context_length: 200000\n\
         auxiliary: {{ title_generation: {{ enabled: false }} }}\n{more}",
        model.url()
    )
}

/// Writes a file of the home, and the folders above it.
pub(crate) fn write_deep(sandbox: &Sandbox, name: &str, text: &str) {
    std::fs::create_dir_all(sandbox.path(name).parent().unwrap()).unwrap();
    sandbox.write(name, text);
}

/// Starts the dashboard of a sandbox.
pub(crate) fn serve(sandbox: &Sandbox) -> Served {
    Served::start_saying(sandbox, &["dashboard", "--port", "0"], 1)
}

impl Dash {
    pub(crate) fn start(script: impl Into<Script>) -> Self {
        Self::with(script, "")
    }

    pub(crate) fn with(script: impl Into<Script>, more: &str) -> Self {
        let model = ModelServer::start(script);
        let sandbox = Sandbox::with_config(&settings(&model, more));
        Self::in_sandbox(sandbox, model)
    }

    pub(crate) fn in_sandbox(sandbox: Sandbox, model: ModelServer) -> Self {
        let server = serve(&sandbox);
        let link = server.url.split_once("/?").unwrap().1;
        let entered = server.send(&Request::get(&format!("/?{link}")));
        assert_eq!(entered.status, 303, "{entered:?}");
        let cookie = header(&entered, "set-cookie").unwrap();
        let cookie = cookie.split(';').next().unwrap().to_owned();
        let mut dash = Self { sandbox, model, server, cookie, form_token: String::new() };
        let page = dash.get("/config").body;
        let begin = page.split_once("data-form=\"").unwrap().1;
        dash.form_token = begin.split('"').next().unwrap().to_owned();
        assert_eq!(dash.form_token.len(), 64);
        dash
    }

    pub(crate) fn get(&self, path: &str) -> Answer {
        self.server.send(&Request::get(path).header("Cookie", self.cookie.clone()))
    }

    /// A form as a browser sends it.
    pub(crate) fn submit(&self, path: &str, fields: &[(&str, &str)]) -> Answer {
        let token = [("form_token", self.form_token.as_str())];
        self.server.send(&self.form(path, encoded(token.iter().chain(fields)).as_bytes()))
    }

    /// A request that changes something, with this body.
    pub(crate) fn form<'a>(&'a self, path: &'a str, body: &'a [u8]) -> Request<'a> {
        Request { method: "POST", body, ..Request::get(path) }
            .header("Content-Type", "application/x-www-form-urlencoded")
            .header("Cookie", self.cookie.clone())
            .header("Origin", format!("http://{}", self.server.authority))
    }

    /// What the page after a change says about it.
    #[track_caller]
    pub(crate) fn does(&self, path: &str, fields: &[(&str, &str)]) -> String {
        let answer = self.submit(path, fields);
        assert_eq!(answer.status, 303, "{path}: {answer:?}");
        self.get(&header(&answer, "location").unwrap()).body
    }
}

/// A header of an answer.
pub(crate) fn header(answer: &Answer, name: &str) -> Option<String> {
    let mut lines = answer.head.lines().filter_map(|line| line.split_once(": "));
    lines.find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value.to_owned())
}

/// Fields in the encoding of forms.
fn encoded<'a>(fields: impl Iterator<Item = &'a (&'a str, &'a str)>) -> String {
    let byte = |b: u8| match b {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' => (b as char).to_string(),
        other => format!("%{other:02X}"),
    };
    let word = |text: &str| text.bytes().map(byte).collect::<String>();
    let pairs: Vec<String> =
        fields.map(|(name, value)| format!("{}={}", word(name), word(value))).collect();
    pairs.join("&")
}
