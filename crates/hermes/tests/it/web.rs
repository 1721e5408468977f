//! The web tools through the program, against servers on the loopback.

use std::time::{Duration, Instant};

use hermes_testkit::{ModelServer, Seen, Step, WebReply, WebServer};
use serde_json::{Value, json};

use crate::support::Sandbox;

const PAGE: &str = "<!doctype html><html><head><title>Tides - Harbour office</title></head><body><nav><a href='/'>Home</a></nav>\
<main><h1>Tides</h1><p>High water is at <b>6.15</b>, see <a href='/table?d=1'>the table</a>.</p><pre><code class='language-sh'>tide --now\n</code></pre></main>\
<footer>© Harbour office</footer></body></html>";

fn html(text: &str) -> WebReply {
    WebReply::bytes(text).header("content-type", "text/html; charset=utf-8")
}

/// A sandbox whose settings let tools reach this machine.
fn open(more: &str) -> Sandbox {
    Sandbox::with_config(&format!("security:\n  allow_private_urls: true\n{more}"))
}

fn call(sandbox: &Sandbox, tool: &str, args: &Value) -> Value {
    sandbox.run(["tools", "call", tool, &args.to_string()]).json()
}

fn read(sandbox: &Sandbox, url: &str) -> Value {
    call(sandbox, "web_extract", &json!({"urls": [url]}))["results"][0].clone()
}

#[test]
fn a_page_is_read_as_markdown_with_its_title() {
    let server = WebServer::start(|_| html(PAGE));
    let at = server.origin();
    let page = read(&open(""), &at);
    assert_eq!(page["title"], "Tides");
    assert_eq!(page["error"], Value::Null);
    assert_eq!(
        page["content"],
        format!(
            "# Tides\n\nHigh water is at **6.15**, see [the table]({at}/table?d=1).\n\n```sh\ntide --now\n```"
        )
    );
    let seen = &server.requests()[0];
    assert!(seen.header("user-agent").unwrap().starts_with("Mozilla/5.0"));
    assert!(seen.header("accept-encoding").unwrap().contains("br"));
}

#[test]
fn rules_about_addresses_hold_for_every_kind_of_page() {
    let server = WebServer::start(|seen| match seen.path.as_str() {
        "/away" => WebReply::redirect("http://169.254.169.254/latest/meta-data"),
        _ => html(PAGE),
    });
    let closed = Sandbox::with_config("");
    let page = read(&closed, &server.origin());
    let error = page["error"].as_str().unwrap();
    assert!(error.starts_with("Blocked:") && !error.contains("allow_private"), "{error}");
    assert!(server.requests().is_empty());
    let opened = open("  website_blocklist:\n    enabled: true\n    domains: [\"bad.example\"]\n");
    let page = read(&opened, &format!("{}/away", server.origin()));
    assert!(page["error"].as_str().unwrap().contains("metadata"), "{page}");
    let page = read(&opened, "https://www.bad.example/x");
    assert_eq!(page["blocked_by_policy"]["rule"], "bad.example");
    assert_eq!(page["blocked_by_policy"]["host"], "www.bad.example");
    let key = format!("{}/?k=ghp_0123456789abcdefghijABCDEFGHIJ012345", server.origin());
    let refused = call(&opened, "web_extract", &json!({"urls": [server.origin(), key]}));
    assert!(refused["error"].as_str().unwrap().starts_with("Blocked:"), "{refused}");
    let crawled = call(&closed, "web_crawl", &json!({"url": server.origin()}));
    assert!(crawled["error"].as_str().unwrap().starts_with("Blocked:"), "{crawled}");
    assert_eq!(server.requests().len(), 1, "only the redirect was asked for");
}

#[test]
fn results_keep_their_order_and_bad_items_their_place() {
    let server = WebServer::start(|seen| match seen.path.as_str() {
        "/gone" => html("no").with_status(404),
        path => html(&format!("<title>{path}</title><p>This is the text of page {path}.</p>")),
    });
    let at = server.origin();
    let args = json!({"urls": [format!("{at}/one"), 7, {"href": format!("{at}/two")}, format!("{at}/gone"), "ftp://x/y", format!("{at}/six")]});
    let results = call(&open(""), "web_extract", &args)["results"].clone();
    assert_eq!(results.as_array().unwrap().len(), 5, "the sixth is not read");
    assert_eq!(results[0]["title"], "/one");
    assert!(results[1]["error"].as_str().unwrap().contains("no address"));
    assert_eq!(results[2]["title"], "/two");
    assert!(results[3]["error"].as_str().unwrap().contains("404"));
    assert!(results[4]["error"].as_str().unwrap().starts_with("Blocked:"));
    let nothing = call(&open(""), "web_extract", &json!({"urls": []}));
    assert!(nothing["error"].is_string(), "{nothing}");
}

#[test]
fn pages_are_fetched_at_the_same_time() {
    let server = WebServer::start(|_| html(PAGE).after(Duration::from_millis(900)));
    let urls: Vec<String> = (0..5).map(|number| format!("{}/{number}", server.origin())).collect();
    let started = Instant::now();
    let results = call(&open(""), "web_extract", &json!({ "urls": urls }))["results"].clone();
    let took = started.elapsed();
    assert!(results.as_array().unwrap().iter().all(|page| page["title"] == "Tides"), "{results}");
    let seen: Vec<Instant> = server.requests().iter().map(|seen| seen.at).collect();
    let apart = seen.iter().max().unwrap().duration_since(*seen.iter().min().unwrap());
    assert!(
        apart < Duration::from_millis(800),
        "the last began {apart:?} after the first; {took:?} in all"
    );
}

#[test]
fn a_server_that_stumbles_is_asked_again() {
    let server = WebServer::start(|_| WebReply::status(503));
    let page = read(&open(""), &server.origin());
    assert!(page["error"].as_str().unwrap().contains("503"), "{page}");
    assert_eq!(server.requests().len(), 3);
}

#[test]
fn legacy_letters_feeds_files_and_the_rest() {
    let cyrillic: &[u8] = b"<html><head><meta http-equiv=Content-Type content='text/html; charset=windows-1251'><title>\xcc\xee\xf1\xf2</title></head><body><h1>\xcc\xee\xf1\xf2</h1><p>\xd1\xf2\xe0\xf0\xfb\xe9 \xec\xee\xf1\xf2 \xee\xf2\xea\xf0\xfb\xf2.</p></body></html>";
    let japanese: &[u8] = b"<html><head><title>\x8b\xb4</title></head><body><p>\x8b\xb4\x82\xaa\x8a\x4a\x82\xa2\x82\xbd\x81\x42</p></body></html>";
    let pdf = two_pages();
    let server = WebServer::start(move |seen: &Seen| {
        match seen.path.as_str() {
        "/cyrillic" => WebReply::bytes(cyrillic).header("content-type", "text/html"),
        "/japanese" => WebReply::bytes(japanese).header("content-type", "text/html; charset=Shift_JIS"),
        "/feed" => WebReply::bytes("<?xml version='1.0'?><rss><channel><title>News</title><item><title>A</title><link>/a</link><pubDate>today</pubDate></item></channel></rss>").header("content-type", "application/rss+xml"),
        "/json" => WebReply::json(&json!({"b": [1], "a": "x"})),
        "/pdf" => WebReply::bytes(pdf.clone()).header("content-type", "application/pdf"),
        "/scan" => WebReply::bytes(pages(&["", ""])).header("content-type", "application/pdf"),
        "/png" => WebReply::bytes("\u{fffd}PNG").header("content-type", "image/png"),
        "/zip" => WebReply::bytes(vec![0, 1, 2]).header("content-type", "application/zip"),
        "/shell" => html("<title>App</title><div id=root></div><script src=x.js></script>"),
        _ => WebReply::bytes("plain\n  text\n").header("content-type", "text/plain"),
    }
    });
    let sandbox = open("");
    let get = |path: &str| read(&sandbox, &format!("{}{path}", server.origin()));
    assert_eq!(get("/cyrillic")["content"], "# Мост\n\nСтарый мост открыт.");
    assert_eq!(get("/cyrillic")["title"], "Мост");
    assert_eq!(get("/japanese")["content"], "橋が開いた。");
    assert_eq!(get("/feed")["content"], format!("# News\n\n- [A]({}/a) (today)", server.origin()));
    assert_eq!(get("/json")["content"], "{\n  \"b\": [\n    1\n  ],\n  \"a\": \"x\"\n}");
    assert_eq!(get("/text")["content"], "plain\n  text\n");
    let pdf = get("/pdf");
    assert_eq!(
        pdf["content"], "## Page 1\n\nThe first page\n\n## Page 2\n\nThe second page",
        "{pdf}"
    );
    assert!(get("/scan")["error"].as_str().unwrap().contains("scanned"), "{}", get("/scan"));
    assert!(get("/png")["error"].as_str().unwrap().contains("vision_analyze"));
    assert!(get("/zip")["error"].as_str().unwrap().contains("application/zip (3 bytes)"));
    assert!(get("/shell")["error"].as_str().unwrap().contains("browser_navigate"));
}

fn two_pages() -> Vec<u8> {
    pages(&["The first page", "The second page"])
}

/// A PDF with a page for each text; none for an empty one.
fn pages(texts: &[&str]) -> Vec<u8> {
    let kids: Vec<String> = (0..texts.len()).map(|at| format!("{} 0 R", 4 + at * 2)).collect();
    let mut objects = vec![
        "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
        format!("<< /Type /Pages /Count {} /Kids [{}] >>", texts.len(), kids.join(" ")),
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>"
            .to_owned(),
    ];
    for (at, text) in texts.iter().enumerate() {
        objects.push(format!("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Resources << /Font << /F1 3 0 R >> >> /Contents {} 0 R >>", 5 + at * 2));
        let drawn = if text.is_empty() {
            String::new()
        } else {
            format!("BT /F1 24 Tf 72 700 Td ({text}) Tj ET")
        };
        objects.push(format!("<< /Length {} >>\nstream\n{drawn}\nendstream", drawn.len()));
    }
    let mut file = String::from("%PDF-1.4\n");
    let mut places = Vec::new();
    for (at, object) in objects.iter().enumerate() {
        places.push(file.len());
        file.push_str(&format!("{} 0 obj\n{object}\nendobj\n", at + 1));
    }
    let table = file.len();
    file.push_str(&format!("xref\n0 {}\n0000000000 65535 f \n", objects.len() + 1));
    for place in places {
        file.push_str(&format!("{place:010} 00000 n \n"));
    }
    file.push_str(&format!(
        "trailer\n<< /Size {} /Root 1 0 R >>\nstartxref\n{table}\n%%EOF\n",
        objects.len() + 1
    ));
    file.into_bytes()
}

#[test]
fn a_long_page_is_cut_in_the_middle_and_kept_whole_in_a_file() {
    let text: String = (1..=2_000).map(|number| format!("row {number} of a long text\n")).collect();
    let served = text.clone();
    let server = WebServer::start(move |_| {
        WebReply::bytes(served.clone()).header("content-type", "text/plain")
    });
    let sandbox = open("");
    let answer =
        call(&sandbox, "web_extract", &json!({"urls": [server.origin()], "char_limit": 3_000}));
    let content = answer["results"][0]["content"].as_str().unwrap();
    assert!(content.chars().count() < 3_600 && content.starts_with("row 1 of"), "{content}");
    assert!(content.contains("row 2000 of a long text"));
    let path = content.split("is in ").nth(1).unwrap().split(';').next().unwrap();
    assert!(path.contains("/cache/web/127.0.0.1-") && path.ends_with(".md"), "{path}");
    assert_eq!(std::fs::read_to_string(path).unwrap(), text);
    let offset: u64 =
        content.split("offset=").nth(1).unwrap().split(')').next().unwrap().parse().unwrap();
    let on = call(&sandbox, "read_file", &json!({"path": path, "offset": offset, "limit": 1}));
    let last = content.split("\n\n[…").next().unwrap().lines().last().unwrap();
    assert!(on.to_string().contains(last), "{on} goes on after {last}");
}

#[test]
fn long_pages_are_summed_up_by_a_model_if_that_is_wanted() {
    let long: String =
        (1..=400).map(|number| format!("<p>Fact {number} of the page.</p>")).collect();
    let server = WebServer::start(move |seen| match seen.path.as_str() {
        "/long" => html(&format!("<title>Facts</title><main><h1>Facts</h1>{long}</main>")),
        _ => html(PAGE),
    });
    let model = ModelServer::start([Step::text("Four hundred facts.")]);
    let config = format!(
        "web: {{ summarize: true }}\nmodel: {{ provider: custom, base_url: '{}', default: scripted }}\n",
        model.url()
    );
    let sandbox = open(&config);
    let short = read(&sandbox, &server.origin());
    assert!(short["content"].as_str().unwrap().starts_with("# Tides"), "{short}");
    assert!(model.requests().is_empty(), "a short page is shown as it is");
    let page = read(&sandbox, &format!("{}/long", server.origin()));
    let content = page["content"].as_str().unwrap();
    assert!(content.starts_with("Four hundred facts.\n\n---\n[A model's summary of "), "{content}");
    let path = content.split("is in ").nth(1).unwrap().trim_end_matches(".]");
    assert!(std::fs::read_to_string(path).unwrap().contains("Fact 400 of the page."));
    let asked = model.requests()[0].body["messages"].to_string();
    assert!(asked.contains("Fact 1 of the page.") && asked.contains("Fact 400 of"), "{asked}");
    // A model that does not answer costs the summary, not the page.
    let page = read(&sandbox, &format!("{}/long", server.origin()));
    let content = page["content"].as_str().unwrap();
    assert!(
        content.starts_with("# Facts\n\nFact 1 of") && content.contains("[Not summed up: "),
        "{content}"
    );
}

#[test]
fn search_answers_without_a_key_and_says_who_could_help() {
    let server = WebServer::start(|_| {
        html(
            "<div class=result><a class=result__a href='//duckduckgo.com/l/?uddg=https%3A%2F%2Fa.example%2F'>Alder</a><a class=result__snippet>A tree</a></div>",
        )
    });
    let limited = WebServer::start(|_| WebReply::status(202));
    let (at, none) = (server.origin(), limited.origin());
    let sandbox =
        open(&format!("web:\n  duckduckgo_url: {at}/html/\n  duckduckgo_lite_url: {none}\n"));
    let found = call(&sandbox, "web_search", &json!({"query": "alder", "limit": "3"}));
    assert_eq!(
        found,
        json!({"success": true, "data": {"web": [{"title": "Alder", "url": "https://a.example/", "description": "A tree", "position": 1}]}})
    );
    let sandbox = open(&format!("web:\n  duckduckgo_url: {none}\n  duckduckgo_lite_url: {none}\n"));
    let failed = call(&sandbox, "web_search", &json!({"query": "alder"}));
    assert_eq!(failed["success"], false);
    assert!(failed["error"].as_str().unwrap().contains("TAVILY_API_KEY"), "{failed}");
}

#[test]
fn a_key_is_enough_to_search_elsewhere() {
    let server = WebServer::start(|_| {
        WebReply::json(
            &json!({"results": [{"title": "T", "url": "https://t.example/", "content": "c"}]}),
        )
    });
    let sandbox = Sandbox::with_config("").var("TAVILY_BASE_URL", server.origin());
    sandbox.write(".env", "TAVILY_API_KEY=tvly-test\n");
    let found = call(&sandbox, "web_search", &json!({"query": "x"}));
    assert_eq!(found["data"]["web"][0]["url"], "https://t.example/");
    let page =
        call(&sandbox, "web_extract", &json!({"urls": ["https://x.example/?access_token=abc"]}));
    assert!(page["error"].as_str().unwrap().starts_with("Blocked:"), "{page}");
}

#[test]
fn a_crawl_stays_on_the_host_obeys_its_rules_and_ends() {
    let server = WebServer::start(|seen| match seen.path.as_str() {
        "/robots.txt" => WebReply::bytes("User-agent: *\nDisallow: /private\n"),
        path => {
            let next = path.trim_start_matches("/p").parse::<u32>().unwrap_or(0) + 1;
            html(&format!(
                "<title>Page {path}</title><p>Words of page {path} for the reader.</p><a href='/p{next}'>on</a><a href='/private/x'>no</a><a href='https://elsewhere.example/'>out</a><a href='/a.png'>picture</a>"
            ))
        }
    });
    let at = server.origin();
    let basic = call(&open(""), "web_crawl", &json!({"url": at}))["results"].clone();
    let titles: Vec<&str> =
        basic.as_array().unwrap().iter().map(|page| page["title"].as_str().unwrap()).collect();
    assert_eq!(titles, ["Page /", "Page /p1", "Page /p2"]);
    let advanced =
        call(&open(""), "web_crawl", &json!({"url": at, "depth": "advanced"}))["results"].clone();
    assert_eq!(advanced.as_array().unwrap().len(), 4);
    assert!(
        server
            .requests()
            .iter()
            .all(|seen| !seen.path.contains("private") && !seen.path.contains("png"))
    );
    let refused = call(&open(""), "web_crawl", &json!({"url": format!("{at}/private/x")}));
    assert!(refused["error"].as_str().unwrap().contains("robots.txt"), "{refused}");
}
