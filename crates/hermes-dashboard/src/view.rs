//! Pages: templates filled in. Every text is escaped where it is put in, by the engine, unless it was laid out by
//! `hermes_sessions::laid_out` or drawn by `chart`.

use std::sync::LazyLock;

use axum::response::{Html, IntoResponse, Response};
use hermes_protocol::text::{amount, dollars};
use hermes_sessions::laid_out;
use hermes_store::clock::{local_time, now};
use minijinja::{AutoEscape, Environment, Value as Filled, context};
use serde::Serialize;

use crate::assets;
use crate::visitor::Visitor;

/// The templates, by name.
macro_rules! templates {
    ($($name:literal),* $(,)?) => {
        const TEMPLATES: &[(&str, &str)] =
            &[$(($name, include_str!(concat!("../templates/", $name, ".html")))),*];
    };
}

templates![
    "base",
    "block",
    "page_approvals",
    "page_channels",
    "page_chat",
    "page_config",
    "page_cron",
    "page_job",
    "page_login",
    "page_logs",
    "page_memory",
    "page_models",
    "page_overview",
    "page_problem",
    "page_session",
    "page_sessions",
    "page_tools",
    "page_usage",
    "parts",
    "transcript",
];

/// One page in the navigation: its address, its name, its picture.
#[derive(Serialize)]
struct NavItem {
    path: &'static str,
    name: &'static str,
    icon: &'static str,
}

const NAV: &[NavItem] = &[
    NavItem { path: "/", name: "Overview", icon: "home" },
    NavItem { path: "/chat", name: "Chat", icon: "chat" },
    NavItem { path: "/sessions", name: "Sessions", icon: "list" },
    NavItem { path: "/approvals", name: "Approvals", icon: "check" },
    NavItem { path: "/cron", name: "Jobs", icon: "clock" },
    NavItem { path: "/channels", name: "Channels", icon: "send" },
    NavItem { path: "/tools", name: "Tools", icon: "tool" },
    NavItem { path: "/models", name: "Models & keys", icon: "key" },
    NavItem { path: "/memory", name: "Memory", icon: "book" },
    NavItem { path: "/usage", name: "Usage", icon: "chart" },
    NavItem { path: "/logs", name: "Logs", icon: "log" },
    NavItem { path: "/config", name: "Settings", icon: "gear" },
];

static ENGINE: LazyLock<Environment<'static>> = LazyLock::new(engine);

fn engine() -> Environment<'static> {
    let mut engine = Environment::new();
    engine.set_auto_escape_callback(|_| AutoEscape::Html);
    for (name, text) in TEMPLATES {
        // A template that cannot be read is found by the tests below.
        if let Err(problem) = engine.add_template(name, text) {
            tracing::error!(%problem, name, "a template is broken");
        }
    }
    engine.add_filter("ago", |then: f64| ago(now() - then));
    engine.add_filter("when", |then: f64| local_time(then));
    engine.add_filter("amount", |number: f64| amount(number.max(0.0) as u64));
    engine.add_filter("usd", |number: f64| dollars(number));
    engine.add_filter("markdown", |text: &str| Filled::from_safe_string(markdown(text)));
    engine.add_filter("segment", |text: &str| {
        url::form_urlencoded::byte_serialize(text.as_bytes())
            .collect::<String>()
            .replace('+', "%20")
    });
    engine.add_function("asset", assets::name_of);
    engine
}

/// Markdown as it is laid out, with columns aligned by our styles: pages have none of their own. Quotes of a text are
/// escaped in what was laid out, so that only the layout itself can look like this.
fn markdown(text: &str) -> String {
    let mut html = laid_out(text);
    for side in ["left", "center", "right"] {
        html = html
            .replace(&format!(" style=\"text-align: {side}\">"), &format!(" class=\"{side}\">"));
    }
    html
}

/// How long something is ago, in words.
fn ago(seconds: f64) -> String {
    let whole = seconds.abs() as u64;
    let text = match whole {
        0..60 => return "just now".to_owned(),
        60..3_600 => format!("{} min", whole / 60),
        3_600..86_400 => format!("{} h", whole / 3_600),
        86_400..2_592_000 => format!("{} d", whole / 86_400),
        _ => format!("{} months", whole / 2_592_000),
    };
    if seconds < 0.0 { format!("in {text}") } else { format!("{text} ago") }
}

/// A page about to be sent.
pub(crate) struct Page<'a, T: Serialize> {
    pub(crate) template: &'static str,
    pub(crate) title: &'a str,
    /// The address in the navigation it stands under.
    pub(crate) here: &'static str,
    pub(crate) data: T,
}

impl<T: Serialize> Page<'_, T> {
    /// The page for a visitor.
    pub(crate) fn show(self, visitor: &Visitor) -> Response {
        let (flash, me) = (visitor.take_flash(), visitor.about());
        let data = Filled::from_serialize(&self.data);
        let all = context! {
            title => self.title, here => self.here, nav => NAV, me, flash,
            base => visitor.base, ..data
        };
        Html(fill(self.template, &all)).into_response()
    }
}

/// A part of a page for a visitor.
pub(crate) fn part(template: &str, visitor: &Visitor, data: &impl Serialize) -> String {
    let data = Filled::from_serialize(data);
    fill(template, &context! { me => visitor.about(), base => visitor.base, ..data })
}

/// A part that is the same for everybody.
pub(crate) fn plain_part(template: &str, data: &impl Serialize) -> String {
    fill(template, &Filled::from_serialize(data))
}

fn fill(template: &str, data: &Filled) -> String {
    let filled = ENGINE.get_template(template).and_then(|template| template.render(data));
    filled.unwrap_or_else(|problem| {
        tracing::error!(%problem, template, "a template could not be filled in");
        "This part of the page could not be put together; the log says why.".to_owned()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_template_can_be_read() {
        for (name, _) in TEMPLATES {
            assert!(ENGINE.get_template(name).is_ok(), "{name}");
        }
    }

    /// The policy of our pages forbids both, so they would not work.
    #[test]
    fn no_template_has_script_or_style_of_its_own() {
        for (name, text) in TEMPLATES {
            for bad in
                ["<style", " style=", " onclick", " onload", " onerror", " onsubmit", "javascript:"]
            {
                assert!(!text.contains(bad), "{name} has {bad}");
            }
            for tag in text.split("<script").skip(1) {
                assert!(tag.starts_with(" type=\"module\" src="), "{name}: {tag:.60}");
            }
        }
    }

    #[test]
    fn nothing_is_left_unescaped_on_purpose() {
        for (name, text) in TEMPLATES {
            assert!(!text.contains("|safe") && !text.contains("| safe"), "{name}");
            assert!(!text.contains("autoescape"), "{name}");
        }
    }

    #[test]
    fn tables_have_no_style_of_their_own() {
        let table = "| a | b |\n|---|---:|\n| 1 | style=\"text-align: right\"> |\n";
        let html = markdown(table);
        assert!(html.contains("class=\"right\">"), "{html}");
        assert!(!html.contains(" style=\""), "{html}");
    }

    #[test]
    fn times_are_told_in_words() {
        assert_eq!(ago(5.0), "just now");
        assert_eq!(ago(7_300.0), "2 h ago");
        assert_eq!(ago(-120.0), "in 2 min");
    }
}
