//! How long actions take, beside each other: `cargo run --release -p hermes-browser --example speed`.
//!
//! Prints the median of each in milliseconds. Takes the Chromium that the variables of the process name.

#![allow(
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a program for people who measure"
)]

use std::time::{Duration, Instant};

use hermes_browser::{Browser, BrowserOptions, Detail};
use hermes_testkit::demo_site;
use hermes_tool::Vars;

const ROUNDS: usize = 50;

fn median(mut times: Vec<Duration>) -> f64 {
    times.sort();
    times[times.len() / 2].as_secs_f64() * 1000.0
}

async fn open(browser: &Browser, url: &str) {
    browser.navigate(url).await.unwrap();
}

#[tokio::main]
async fn main() {
    let site = demo_site();
    let page = |name: &str| format!("{}/{name}", site.origin());
    let folder = tempfile::tempdir().unwrap();
    let vars = Vars::from_process();
    let mut starts = Vec::new();
    for _ in 0..5 {
        let begun = Instant::now();
        let browser =
            Browser::launch(&vars, folder.path(), BrowserOptions::default()).await.unwrap();
        open(&browser, &page("small.html")).await;
        starts.push(begun.elapsed());
        browser.close().await;
    }
    println!("start and first page  {:8.2} ms", median(starts));
    let browser = Browser::launch(&vars, folder.path(), BrowserOptions::default()).await.unwrap();
    let small = page("small.html");
    open(&browser, &small).await;
    browser.snapshot(Detail::Compact).await.unwrap();
    let no_files = |_: &str| Err(String::new());
    let mut rows: Vec<(&str, Vec<Duration>)> = Vec::new();
    let mut times = [const { Vec::new() }; 6];
    for _ in 0..ROUNDS {
        let begun = Instant::now();
        browser.click("e3").await.unwrap();
        times[0].push(begun.elapsed());
        let begun = Instant::now();
        browser.type_text("e2", "words", no_files).await.unwrap();
        times[1].push(begun.elapsed());
        let begun = Instant::now();
        browser.evaluate("1 + 1").await.unwrap();
        times[2].push(begun.elapsed());
        let begun = Instant::now();
        browser.snapshot(Detail::Compact).await.unwrap();
        times[3].push(begun.elapsed());
    }
    for _ in 0..ROUNDS {
        let begun = Instant::now();
        open(&browser, &small).await;
        browser.snapshot(Detail::Compact).await.unwrap();
        times[4].push(begun.elapsed());
    }
    open(&browser, &page("links.html")).await;
    for _ in 0..ROUNDS {
        let begun = Instant::now();
        browser.snapshot(Detail::Compact).await.unwrap();
        times[5].push(begun.elapsed());
    }
    let names = [
        "click",
        "type",
        "evaluate",
        "snapshot, small",
        "page and snapshot",
        "snapshot, 400 links",
    ];
    rows.extend(names.into_iter().zip(times));
    for (name, times) in rows {
        println!("{name:21} {:8.2} ms", median(times));
    }
    browser.close().await;
}
