//! Services that run browsers, played by servers of our own, with a real browser behind them.

use std::net::{Ipv4Addr, TcpListener};
use std::sync::Arc;
use std::time::Duration;

use hermes_browser::{
    Browser, BrowserError, BrowserProvider, BrowserSettings, BrowserUse, Browserbase, Firecrawl,
    LocalChromium, Navigated, Reach, RunningBrowser, choose,
};
use hermes_testkit::{WebReply, WebServer, demo_site, part};
use hermes_tool::Vars;
use hermes_tool::settings::Settings as _;
use hermes_web::{DoorOptions, HttpDoor};
use serde_json::{Value, json};

use crate::scene::quick;

fn vars(pairs: &[(&str, &str)]) -> Vars {
    pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
}

fn door() -> HttpDoor {
    HttpDoor::new(DoorOptions::default())
}

/// A browser that somebody else started, with a port.
struct Running {
    port: u16,
    _child: hermes_process::Child,
    _folder: tempfile::TempDir,
}

impl Running {
    async fn start() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let port =
            TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap().local_addr().unwrap().port();
        let child = hermes_process::Command::new(part("HERMES_TEST_CHROMIUM"))
            .args([
                "--headless=new",
                "--no-sandbox",
                "--disable-gpu",
                "--no-first-run",
                "about:blank",
            ])
            .arg(format!("--remote-debugging-port={port}"))
            .arg(format!("--user-data-dir={}", folder.path().display()))
            .env("PATH", "/usr/bin:/bin")
            .env("HOME", folder.path())
            .output(hermes_process::OutputMode::Discard)
            .spawn()
            .unwrap();
        let running = Self { port, _child: child, _folder: folder };
        let deadline = std::time::Instant::now() + Duration::from_secs(30);
        while tokio::net::TcpStream::connect(("127.0.0.1", port)).await.is_err() {
            assert!(std::time::Instant::now() < deadline, "the browser opens no port");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        running
    }

    fn address(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }
}

async fn works(browser: Browser) {
    let site = demo_site();
    let led = browser.navigate(&format!("{}/small.html", site.origin())).await.unwrap();
    assert!(matches!(led, Navigated::Page(page) if page.title == "Small"));
    browser.close().await;
}

#[tokio::test]
async fn a_running_browser_is_found_by_every_form_of_its_address() {
    let running = Running::start().await;
    let address = running.address();
    for form in
        [address.clone(), format!("{address}/json/version"), address.replace("http://", "ws://")]
    {
        let provider = RunningBrowser::new(form, door());
        assert_eq!(provider.reach(), Reach::Elsewhere);
        works(provider.open(quick()).await.unwrap().browser).await;
    }
    let nobody = RunningBrowser::new("http://127.0.0.1:9/?token=s3cret", door());
    let error = nobody.open(quick()).await.err().unwrap().to_string();
    assert!(!error.contains("s3cret"), "{error}");
}

/// A service that hands out the running browser, or answers with a status.
fn service(address: String, status: u16) -> WebServer {
    WebServer::start(move |seen| match (seen.method.as_str(), status) {
        ("POST", 402)
            if seen.body.get("keepAlive").is_none() && seen.body.get("proxies").is_none() =>
        {
            WebReply::json(&json!({"id": "b1", "connectUrl": address, "cdpUrl": address}))
        }
        ("POST", 200) => {
            WebReply::json(&json!({"id": "b1", "connectUrl": address, "cdpUrl": address}))
        }
        ("POST", 299) => WebReply::bytes("not json"),
        ("POST", status) => WebReply::json(&json!({"message": "no"})).with_status(status),
        _ => WebReply::json(&json!({})),
    })
}

#[tokio::test]
async fn services_are_asked_and_given_back_as_they_want_it() {
    let running = Running::start().await;
    let double = service(running.address(), 200);
    let base = double.origin();
    let keys = vars(&[
        ("BROWSERBASE_API_KEY", "k1"),
        ("BROWSERBASE_PROJECT_ID", "p1"),
        ("BROWSERBASE_BASE_URL", &base),
        ("BROWSER_USE_API_KEY", "k2"),
        ("BROWSER_USE_BASE_URL", &base),
        ("FIRECRAWL_API_KEY", "k3"),
        ("FIRECRAWL_API_URL", &base),
    ]);
    type Row = (
        Box<dyn BrowserProvider>,
        &'static str,
        &'static str,
        Value,
        &'static str,
        &'static str,
        &'static str,
    );
    let providers: [Row; 3] = [
        (
            Box::new(Browserbase::new(&keys, door())),
            "/v1/sessions",
            "x-bb-api-key",
            json!({"projectId": "p1", "keepAlive": true, "proxies": true}),
            "POST",
            "/v1/sessions/b1",
            "k1",
        ),
        (
            Box::new(BrowserUse::new(&keys, door())),
            "/browsers",
            "x-browser-use-api-key",
            json!({}),
            "PATCH",
            "/browsers/b1",
            "k2",
        ),
        (
            Box::new(Firecrawl::new(&keys, door())),
            "/v2/browser",
            "authorization",
            json!({"ttl": 300}),
            "DELETE",
            "/v2/browser/b1",
            "k3",
        ),
    ];
    for (provider, path, header, body, method, closing, key) in providers {
        let before = double.requests().len();
        let opened = provider.open(quick()).await.unwrap();
        works(opened.browser).await;
        provider.release(opened.id).await;
        let seen = double.requests();
        let (create, close) = (&seen[before], seen.last().unwrap());
        assert_eq!((create.method.as_str(), create.path.as_str()), ("POST", path));
        assert_eq!(create.body, body, "{path}");
        assert!(create.carries(key) && create.header(header).is_some(), "{path}");
        assert_eq!((close.method.as_str(), close.path.as_str()), (method, closing));
    }
}

#[tokio::test]
async fn a_plan_that_allows_less_is_asked_for_less() {
    let running = Running::start().await;
    let double = service(running.address(), 402);
    let base = double.origin();
    let keys = vars(&[
        ("BROWSERBASE_API_KEY", "k"),
        ("BROWSERBASE_PROJECT_ID", "p"),
        ("BROWSERBASE_BASE_URL", &base),
    ]);
    let opened = Browserbase::new(&keys, door()).open(quick()).await.unwrap();
    assert_eq!(double.requests().len(), 3);
    assert_eq!(opened.features, ["basic_stealth"]);
    opened.browser.close().await;
}

#[tokio::test]
async fn what_a_service_says_is_told_in_words_and_without_its_key() {
    for (status, words) in
        [(401, "key is not accepted"), (429, "too many"), (500, "has trouble"), (299, "no id")]
    {
        let double = service("http://127.0.0.1:9".to_owned(), status);
        let base = double.origin();
        let keys = vars(&[("FIRECRAWL_API_KEY", "k-secret"), ("FIRECRAWL_API_URL", &base)]);
        let error = Firecrawl::new(&keys, door()).open(quick()).await.err().unwrap();
        assert!(matches!(error, BrowserError::Provider { .. }));
        let error = error.to_string();
        assert!(error.contains(words) && !error.contains("k-secret"), "{status}: {error}");
    }
    let error = BrowserUse::new(&vars(&[]), door()).open(quick()).await.err().unwrap().to_string();
    assert!(error.contains("set BROWSER_USE_API_KEY"), "{error}");
}

#[test]
fn the_provider_follows_address_name_and_keys_in_this_order() {
    let chosen = |config: Value, pairs: &[(&str, &str)]| {
        let vars = vars(pairs);
        let settings = BrowserSettings::read(&config, &vars);
        let local = LocalChromium::new(vars.clone(), "/nowhere".into(), Reach::Local);
        let provider: Result<Arc<dyn BrowserProvider>, BrowserError> =
            choose(&settings, &vars, &door(), &local);
        provider.map(|provider| provider.name())
    };
    let base = ("BROWSERBASE_API_KEY", "k");
    let project = ("BROWSERBASE_PROJECT_ID", "p");
    let used = ("BROWSER_USE_API_KEY", "k");
    assert_eq!(chosen(json!({}), &[]).unwrap(), "local");
    assert_eq!(chosen(json!({}), &[("FIRECRAWL_API_KEY", "k")]).unwrap(), "local");
    assert_eq!(chosen(json!({}), &[base]).unwrap(), "local");
    assert_eq!(chosen(json!({}), &[base, project]).unwrap(), "browserbase");
    assert_eq!(chosen(json!({}), &[base, project, used]).unwrap(), "browser-use");
    let named = json!({"browser": {"cloud_provider": "firecrawl"}});
    assert_eq!(chosen(named.clone(), &[used]).unwrap(), "firecrawl");
    assert_eq!(chosen(named, &[("BROWSER_CDP_URL", "ws://x")]).unwrap(), "cdp");
    assert!(chosen(json!({"browser": {"cloud_provider": "clouds"}}), &[]).is_err());
}
