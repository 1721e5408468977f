//! Reading web pages: what a page of 100 kB costs, and whether five pages take longer than the slowest of them.
//!
//! The page is made here: articles, menus, tables, code and lists as pages have them. The five pages come from a server on
//! the loopback that lets each wait; what counts beside the time is that every page came out whole.

use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use hermes_testkit::{WebReply, WebServer};
use serde::Serialize;
use serde_json::{Value, json};
use tokio::runtime::Runtime as Workers;
use url::Url;

use crate::ours::cpu_ns;
use crate::report::{Baseline, Row, Target};
use crate::terminal::Rig;
use crate::timing::median;
use crate::units::Unit;

/// Length of the page.
const BYTES: usize = 100_000;
/// How often it is read.
const RUNS: usize = 31;
/// How long each of the five pages lets us wait.
const SLOWEST: Duration = Duration::from_millis(400);
/// How often the five are read.
const ROUNDS: usize = 5;

const EXTRACT: Target = Target::AtMost(15e6);
/// The slowest page and a quarter of it on top.
const FIVE: Target = Target::AtMost(500e6);

/// Nanoseconds of the median run of each.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Numbers {
    extract_cpu: f64,
    five_pages: f64,
}

/// A page of the given length with everything pages have.
fn page() -> String {
    let mut page = String::from(
        "<!doctype html><html><head><title>A long page</title></head><body><nav><a href=/>Home</a></nav><main><h1>A long page</h1>",
    );
    for number in 0.. {
        if page.len() > BYTES {
            break;
        }
        page.push_str(&format!(
            "<section class=part id=s{number}><h2>Part {number}</h2><p>Some <b>words</b> about part {number}, with <a href=\"/p/{number}\">a link</a> and <code>code_{number}()</code>.</p>\
             <ul class=list><li>one</li><li>two <em>and more</em></li></ul><div class=share-buttons><a href=#>Share</a></div>\
             <table><tr><th>Key</th><th>Value</th></tr><tr><td>a</td><td>{number}</td></tr></table><pre><code class=language-rust>let x = {number};\n</code></pre></section>"
        ));
    }
    page.push_str("</main><footer>The end</footer></body></html>");
    page
}

/// Measures both.
pub(crate) fn measure() -> Result<Numbers> {
    let page = page();
    let address = Url::parse("https://site.example/").context("an address")?;
    let mut costs = Vec::new();
    for _ in 0..RUNS {
        let begun = cpu_ns()?;
        let read = hermes_extract::html(&page, &address).context("the page was not read")?;
        costs.push(cpu_ns()? - begun);
        ensure!(
            read.markdown.contains("## Part 7\n") && !read.markdown.contains("Share"),
            "the page came out wrong"
        );
    }
    Ok(Numbers {
        extract_cpu: median(costs.into_iter()).context("nothing was measured")?,
        five_pages: five_pages()?,
    })
}

fn five_pages() -> Result<f64> {
    let server = WebServer::start(|_| {
        WebReply::bytes(page()).header("content-type", "text/html").after(SLOWEST)
    });
    let folder = tempfile::tempdir().context("making a folder")?;
    let workers = Workers::new().context("starting the workers")?;
    let rig = Rig::with(folder.path(), json!({"security": {"allow_private_urls": true}}))?;
    let urls: Vec<String> = (0..5).map(|number| format!("{}/{number}", server.origin())).collect();
    let mut times = Vec::new();
    for _ in 0..ROUNDS {
        let begun = Instant::now();
        let answer = workers.block_on(rig.call_tool("web_extract", json!({"urls": urls})));
        times.push(begun.elapsed().as_nanos() as f64);
        let answer: Value = serde_json::from_str(&answer).context("the answer is no JSON")?;
        let whole = answer["results"]
            .as_array()
            .is_some_and(|pages| pages.iter().all(|page| page["title"] == "A long page"));
        ensure!(whole, "a page is missing: {answer:.300}");
    }
    median(times.into_iter()).context("nothing was measured")
}

/// All rows. Nothing here is compared with another program.
pub(crate) fn rows(numbers: &Numbers) -> Vec<Row> {
    let row = |name, value, target| Row::new(name, Unit::Time, value, Baseline::Skipped, target);
    vec![
        row("page of 100 kB to Markdown, processor time", numbers.extract_cpu, EXTRACT),
        row("five pages, each 400 ms slow", numbers.five_pages, FIVE),
    ]
}
