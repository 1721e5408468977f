//! A small web site for tests of browsers: forms, frames, shadow roots, dialogs, files, a shop that is one page, and
//! pages that mean harm.

use std::time::Duration;

use crate::seen::Seen;
use crate::web::{WebReply, WebServer};

/// Longer than anybody waits for an answer.
const NEVER: Duration = Duration::from_secs(600);
/// The password the shop takes; the user is `ada`.
pub const SHOP_PASSWORD: &str = "lovelace";

/// Starts the site on a free port of the loopback.
#[must_use]
pub fn demo_site() -> WebServer {
    WebServer::start(answer)
}

fn answer(seen: &Seen) -> WebReply {
    let path = seen.path.split('?').next().unwrap_or_default();
    match path {
        "/login.html" => html(include_str!("site/login.html")),
        "/elements.html" => html(include_str!("site/elements.html")),
        "/frames.html" => html(include_str!("site/frames.html")),
        "/inner.html" => html(include_str!("site/inner.html")),
        "/dialogs.html" => html(include_str!("site/dialogs.html")),
        "/upload.html" => html(include_str!("site/upload.html")),
        "/hostile.html" => html(include_str!("site/hostile.html")),
        "/shop/login" => shop_login(seen),
        _ if path.starts_with("/shop") => html(include_str!("site/shop.html")),
        "/welcome" => html("<!doctype html><title>Welcome</title><h1>Welcome</h1>"),
        "/small.html" => html(
            "<!doctype html><title>Small</title><h1>Small</h1><label>Name <input></label>\
             <button onclick=\"document.title = 'Pressed'\">Press</button><a href=\"/login.html\">Log in</a>",
        ),
        "/links.html" => html(&links(400)),
        "/huge.html" => html(HUGE),
        "/empty.html" => html("<!doctype html><title>Empty</title>"),
        "/favicon.ico" => WebReply::status(204),
        "/here" => WebReply::redirect("/welcome"),
        "/to-metadata" => WebReply::redirect("http://169.254.169.254/latest/meta-data/"),
        "/never" | "/never.png" => WebReply::status(200).after(NEVER),
        "/stuck.html" => html(
            "<!doctype html><title>Stuck</title><h1>Stuck</h1><img src=\"/never.png\"><a href=\"/\">Away</a>",
        ),
        "/picture.svg" => WebReply::bytes(
            "<svg xmlns='http://www.w3.org/2000/svg' width='20' height='20'><rect width='20' height='20' fill='red'/></svg>",
        )
        .header("content-type", "image/svg+xml"),
        "/file.bin" => WebReply::bytes("contents of the file")
            .header("content-type", "application/octet-stream")
            .header("content-disposition", "attachment; filename=\"report.bin\""),
        "/" => html(
            "<!doctype html><title>Start</title><h1>Start</h1><a href=\"/login.html\">Log in</a> \
             <a href=\"/elements.html\">Elements</a> <a href=\"/shop\">Shop</a>",
        ),
        _ => html("<!doctype html><title>Not found</title><h1>Not found</h1>").with_status(404),
    }
}

/// A hundred thousand elements.
const HUGE: &str = "<!doctype html><title>Huge</title><h1>Huge</h1><script>\
    let all = ''; for (let i = 0; i < 33333; i++) all += '<div><span>text ' + i + '</span><a href=x>link ' + i + '</a></div>';\
    document.body.insertAdjacentHTML('beforeend', all)</script>";

fn links(count: usize) -> String {
    let links: String = (1..=count)
        .map(|at| format!("<li><a href=\"/page/{at}\">Link number {at}</a></li>"))
        .collect();
    format!("<!doctype html><title>Links</title><h1>Links</h1><ul>{links}</ul>")
}

fn html(body: &str) -> WebReply {
    WebReply::bytes(body).header("content-type", "text/html; charset=utf-8")
}

fn shop_login(seen: &Seen) -> WebReply {
    let right = seen.body["user"] == "ada" && seen.body["password"] == SHOP_PASSWORD;
    if right { WebReply::bytes("welcome") } else { WebReply::status(403) }
}
