//! Every provider against a double that looks at what it is asked and answers well, badly, late or not at all.

use std::sync::Arc;

use hermes_guard::redact::Redaction;
use hermes_testkit::{Seen, WebReply, WebServer};
use hermes_web::{DoorOptions, resolve};

use super::*;

/// Names that exist nowhere are public here, so that pages can be judged without a network.
struct AllPublic;

impl resolve::NameLookup for AllPublic {
    fn lookup(&self, _: String) -> BoxFuture<'static, std::io::Result<Vec<std::net::IpAddr>>> {
        Box::pin(async { Ok(vec![std::net::Ipv4Addr::new(93, 184, 216, 34).into()]) })
    }
}

fn web(vars: &[(&str, &str)], config: &Value) -> Web {
    let vars = vars.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
    let vars = Vars::default().overlaid(vars);
    Web {
        door: HttpDoor::new(DoorOptions { lookup: Arc::new(AllPublic), ..DoorOptions::default() }),
        settings: WebSettings::read(config, &vars),
        vars,
        home: None,
        redactor: Redactor::new(Redaction::On),
        time_left: None,
    }
}

/// One provider, how it is configured for a double, and what it asks.
struct Case {
    provider: &'static dyn WebProvider,
    vars: fn(&str) -> Vec<(&'static str, String)>,
    search: Option<Asked>,
    extract: Option<Asked>,
}

struct Asked {
    path: &'static str,
    header: Option<(&'static str, &'static str)>,
    body: Value,
    answer: Value,
}

const PAGES: [&str; 2] = ["https://a.example/1", "https://b.example/2"];

fn cases() -> Vec<Case> {
    let hits = json!({"results": [
        {"title": "One", "url": PAGES[0], "content": "first", "highlights": ["fir", "st"], "excerpts": ["first"], "score": 1.0},
        {"title": "Two", "url": PAGES[1], "content": "second", "highlights": ["second"], "excerpts": ["sec", "ond"], "score": 2.0},
    ]});
    vec![
        Case {
            provider: &tavily::Tavily,
            vars: |at| vec![("TAVILY_API_KEY", "k1".into()), ("TAVILY_BASE_URL", at.into())],
            search: Some(Asked {
                path: "/search",
                header: None,
                body: json!({"api_key": "k1", "query": "old bridges", "max_results": 7, "include_raw_content": false, "include_images": false}),
                answer: hits.clone(),
            }),
            extract: Some(Asked {
                path: "/extract",
                header: None,
                body: json!({"api_key": "k1", "urls": PAGES, "include_images": false}),
                answer: json!({"results": [{"url": PAGES[1], "title": "Two", "raw_content": "text two"}], "failed_results": [{"url": PAGES[0], "error": "gone"}]}),
            }),
        },
        Case {
            provider: &exa::Exa,
            vars: |at| vec![("EXA_API_KEY", "k2".into()), ("EXA_BASE_URL", at.into())],
            search: Some(Asked {
                path: "/search",
                header: Some(("x-api-key", "k2")),
                body: json!({"query": "old bridges", "numResults": 7, "contents": {"highlights": true}}),
                answer: hits.clone(),
            }),
            extract: Some(Asked {
                path: "/contents",
                header: Some(("x-api-key", "k2")),
                body: json!({"urls": PAGES, "text": true}),
                answer: json!({"results": [{"url": PAGES[1], "title": "Two", "text": "text two"}]}),
            }),
        },
        Case {
            provider: &parallel::Parallel,
            vars: |at| {
                vec![
                    ("PARALLEL_API_KEY", "k3".into()),
                    ("PARALLEL_BASE_URL", at.into()),
                    ("PARALLEL_SEARCH_MODE", "fast".into()),
                ]
            },
            search: Some(Asked {
                path: "/v1beta/search",
                header: Some(("parallel-beta", "search-extract-2025-10-10")),
                body: json!({"search_queries": ["old bridges"], "objective": "old bridges", "mode": "fast", "max_results": 7}),
                answer: hits.clone(),
            }),
            extract: Some(Asked {
                path: "/v1beta/extract",
                header: Some(("x-api-key", "k3")),
                body: json!({"urls": PAGES, "full_content": true}),
                answer: json!({"results": [{"url": PAGES[1], "title": "Two", "full_content": "text two"}], "errors": [{"url": PAGES[0], "error_type": "gone"}]}),
            }),
        },
        Case {
            provider: &firecrawl::Firecrawl,
            vars: |at| vec![("FIRECRAWL_API_KEY", "k4".into()), ("FIRECRAWL_API_URL", at.into())],
            search: Some(Asked {
                path: "/v2/search",
                header: Some(("authorization", "Bearer k4")),
                body: json!({"query": "old bridges", "limit": 7}),
                answer: json!({"data": {"web": [{"title": "One", "url": PAGES[0], "description": "first"}, {"title": "Two", "url": PAGES[1], "description": "second"}]}}),
            }),
            extract: None,
        },
        Case {
            provider: &searxng::Searxng,
            vars: |at| vec![("SEARXNG_URL", format!("{at}/"))],
            search: Some(Asked {
                path: "/search?q=old+bridges&format=json&pageno=1",
                header: None,
                body: Value::Null,
                answer: hits.clone(),
            }),
            extract: None,
        },
        Case {
            provider: &brave::Brave,
            vars: |at| vec![("BRAVE_SEARCH_API_KEY", "k5".into()), ("BRAVE_BASE_URL", at.into())],
            search: Some(Asked {
                path: "/res/v1/web/search?q=old+bridges&count=7",
                header: Some(("x-subscription-token", "k5")),
                body: Value::Null,
                answer: json!({"web": {"results": [{"title": "One", "url": PAGES[0], "description": "first"}, {"title": "Two", "url": PAGES[1], "description": "second"}]}}),
            }),
            extract: None,
        },
        Case {
            provider: &xai::Xai,
            vars: |at| vec![("XAI_API_KEY", "k6".into()), ("XAI_BASE_URL", format!("{at}/v1"))],
            search: Some(Asked {
                path: "/v1/responses",
                header: Some(("authorization", "Bearer k6")),
                body: json!({"model": "grok-4-fast", "tools": [{"type": "web_search"}]}),
                answer: json!({"output": [{"content": [{"text": "first\nsecond", "annotations": [{"url": PAGES[0], "title": "One", "start_index": 5}, {"url": PAGES[1], "title": "Two"}]}]}]}),
            }),
            extract: None,
        },
    ]
}

fn for_double(case: &Case, server: &WebServer) -> Web {
    let vars = (case.vars)(&server.origin());
    let vars: Vec<(&str, &str)> =
        vars.iter().map(|(name, value)| (*name, value.as_str())).collect();
    web(&vars, &json!({"web": {"search_backend": case.provider.name()}}))
}

fn check(case: &Case, asked: &Asked, seen: &Seen) {
    let name = case.provider.name();
    assert_eq!(seen.path, asked.path, "{name}");
    if let Some((header, value)) = asked.header {
        // The log of the double masks keys, and knows whether they were there.
        let sent = seen.header(header);
        assert!(sent.is_some() && seen.carries(value), "{name}: {sent:?}");
    }
    match &asked.body {
        Value::Null => assert_eq!(seen.method, "GET", "{name}"),
        Value::Object(fields) => {
            assert_eq!(seen.method, "POST", "{name}");
            for (field, value) in fields {
                assert_eq!(&seen.body[field], value, "{name}: {field}");
            }
        }
        _ => unreachable!(),
    }
}

#[tokio::test]
async fn every_service_is_asked_in_its_own_way_and_understood() {
    for case in cases() {
        let name = case.provider.name();
        if let Some(asked) = &case.search {
            let answer = asked.answer.clone();
            let server = WebServer::start(move |_| WebReply::json(&answer));
            let web = for_double(&case, &server);
            assert_eq!(case.provider.missing(&web), None, "{name}");
            assert_eq!(searcher(&web).name(), name);
            let mut hits = case.provider.search(&web, "old bridges", 7).await.unwrap();
            check(&case, asked, &server.requests()[0]);
            if name == "searxng" {
                assert_eq!(hits[0].title, "Two", "the better score comes first");
                hits.reverse();
            }
            assert_eq!(hits.len(), 2, "{name}");
            assert_eq!((hits[0].title.as_str(), hits[0].url.as_str()), ("One", PAGES[0]), "{name}");
            assert!(!hits[0].description.is_empty(), "{name}");
        }
        if let Some(asked) = &case.extract {
            let answer = asked.answer.clone();
            let server = WebServer::start(move |_| WebReply::json(&answer));
            let web = for_double(&case, &server);
            let urls = PAGES.map(|url| Url::parse(url).unwrap());
            let pages = case.provider.extract(&web, &urls).await;
            check(&case, asked, &server.requests()[0]);
            assert_eq!(
                (pages[0].url.as_str(), pages[0].error.is_some()),
                (PAGES[0], true),
                "{name}"
            );
            assert_eq!(
                (pages[1].title.as_str(), pages[1].content.as_str()),
                ("Two", "text two"),
                "{name}"
            );
        }
    }
}

#[tokio::test]
async fn failures_are_one_line_with_the_status_and_never_the_key() {
    let secret = "sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789";
    for case in cases().iter().filter(|case| case.search.is_some()) {
        let name = case.provider.name();
        for (status, says) in [
            (400, "HTTP 400"),
            (401, "key was not accepted"),
            (429, "rate limited"),
            (503, "the service failed"),
        ] {
            let server = WebServer::start(move |_| {
                WebReply::json(&json!({"error": {"message": format!("bad\nkey {secret}")}}))
                    .with_status(status)
            });
            let error = case.provider.search(&for_double(case, &server), "q", 3).await.unwrap_err();
            assert!(error.contains(says) && error.contains(&status.to_string()), "{name}: {error}");
            assert!(!error.contains('\n') && !error.contains(secret), "{name}: {error}");
        }
        let broken = WebServer::start(|_| WebReply::bytes("<html>oops</html>"));
        let error = case.provider.search(&for_double(case, &broken), "q", 3).await.unwrap_err();
        assert!(error.contains("not JSON"), "{name}: {error}");
        let cut = WebServer::start(|_| WebReply::bytes("{").cut());
        assert!(case.provider.search(&for_double(case, &cut), "q", 3).await.is_err(), "{name}");
        let strange = WebServer::start(|_| WebReply::json(&json!([1, {"results": 7}])));
        assert_eq!(
            case.provider.search(&for_double(case, &strange), "q", 3).await,
            Ok(Vec::new()),
            "{name}"
        );
        let slow = WebServer::start(|_| WebReply::bytes("{}").after(Duration::from_secs(600)));
        let mut web = for_double(case, &slow);
        web.time_left = Some(Duration::from_millis(150));
        let error = case.provider.search(&web, "q", 3).await.unwrap_err();
        assert!(error.contains("did not answer within"), "{name}: {error}");
    }
}

#[tokio::test]
async fn firecrawl_pages_are_fetched_together_and_judged_by_where_they_ended() {
    let server = WebServer::start(|seen| {
        let asked = seen.body["url"].as_str().unwrap_or_default().to_owned();
        let source = if asked.contains("a.example") {
            "http://169.254.169.254/latest".to_owned()
        } else {
            asked
        };
        WebReply::json(
            &json!({"data": {"markdown": "text", "metadata": {"title": "T", "sourceURL": source}}}),
        )
    });
    let web = web(&[("FIRECRAWL_API_URL", &server.origin())], &json!({}));
    let urls = PAGES.map(|url| Url::parse(url).unwrap());
    let pages = reader(&web).unwrap().extract(&web, &urls).await;
    assert!(pages[0].error.as_deref().unwrap().contains("metadata") && pages[0].content.is_empty());
    assert_eq!((pages[1].title.as_str(), pages[1].content.as_str()), ("T", "text"));
    assert_eq!(server.requests()[0].path, "/v2/scrape");
    assert_eq!(server.requests()[0].body["formats"], json!(["markdown"]));
}

#[tokio::test]
async fn services_crawl_when_they_are_the_reader() {
    let server = WebServer::start(|seen| match (seen.method.as_str(), seen.path.as_str()) {
        ("POST", "/v2/crawl") => WebReply::json(&json!({"id": "job-1"})),
        ("GET", "/v2/crawl/job-1") => WebReply::json(
            &json!({"status": "completed", "data": [{"markdown": "m", "metadata": {"title": "T", "sourceURL": "https://a.example/x"}}]}),
        ),
        ("POST", "/crawl") => WebReply::json(
            &json!({"results": [{"url": "https://a.example/y", "raw_content": "n"}]}),
        ),
        _ => WebReply::status(404),
    });
    let order = CrawlOrder {
        url: Url::parse("https://a.example/").unwrap(),
        instructions: Some("prices".into()),
        thorough: true,
    };
    let fire = web(&[("FIRECRAWL_API_URL", &server.origin())], &json!({}));
    let pages = crawler(&fire).unwrap().crawl(&fire, &order).await.unwrap();
    assert_eq!((pages[0].url.as_str(), pages[0].content.as_str()), ("https://a.example/x", "m"));
    let body = &server.requests()[0].body;
    assert_eq!((&body["url"], &body["limit"]), (&json!("https://a.example/"), &json!(20)));
    let tavily = web(&[("TAVILY_API_KEY", "k"), ("TAVILY_BASE_URL", &server.origin())], &json!({}));
    let pages = crawler(&tavily).unwrap().crawl(&tavily, &order).await.unwrap();
    assert_eq!(pages[0].content, "n");
    let body = server.requests().last().unwrap().body.clone();
    assert_eq!(
        (&body["extract_depth"], &body["instructions"]),
        (&json!("advanced"), &json!("prices"))
    );
    assert!(crawler(&web(&[], &json!({}))).is_none());
}

const RESULTS: &str = r#"<div class="result results_links result--ad"><a class="result__a" href="https://duckduckgo.com/y.js?ad_domain=x">Ad</a></div>
<div class="result results_links"><h2><a class="result__a" href="//duckduckgo.com/l/?uddg=https%3A%2F%2Fa.example%2F1%3Fx%3D1&amp;rut=z">One</a></h2><a class="result__snippet" href="x">first <b>bridge</b></a></div>
<div class="result"><a class="result__a" href="https://b.example/2">Two</a></div>"#;
const LITE: &str = r#"<table><tr><td>1.</td><td><a rel="nofollow" href="//duckduckgo.com/l/?uddg=https%3A%2F%2Fc.example%2F" class='result-link'>Three</a></td></tr>
<tr><td></td><td class='result-snippet'>third</td></tr></table>"#;

fn key_free(server: &WebServer) -> Web {
    let (html, lite) = (format!("{}/html/", server.origin()), format!("{}/lite/", server.origin()));
    web(&[("HERMES_DUCKDUCKGO_URL", &html), ("HERMES_DUCKDUCKGO_LITE_URL", &lite)], &json!({}))
}

#[tokio::test]
async fn search_works_without_any_key() {
    let server = WebServer::start(|_| WebReply::bytes(RESULTS).header("content-type", "text/html"));
    let web = key_free(&server);
    let hits = searcher(&web).search(&web, "old bridges & more", 5).await.unwrap();
    assert_eq!(hits.len(), 2);
    assert_eq!(
        hits[0],
        Hit {
            title: "One".into(),
            url: "https://a.example/1?x=1".into(),
            description: "first bridge".into()
        }
    );
    assert_eq!(hits[1].url, "https://b.example/2");
    let seen = &server.requests()[0];
    assert_eq!((seen.method.as_str(), seen.path.as_str()), ("POST", "/html/"));
    assert!(seen.carries("q=old+bridges+%26+more"), "{seen:?}");
    assert!(seen.header("user-agent").unwrap().starts_with("Mozilla/"));
    assert_eq!(searcher(&web).search(&web, "x", 1).await.unwrap().len(), 1);
}

#[tokio::test]
async fn the_lighter_page_stands_in_and_both_may_be_limited() {
    let server = WebServer::start(|seen| match seen.path.as_str() {
        "/html/" => WebReply::bytes("wait").with_status(202),
        _ => WebReply::bytes(LITE),
    });
    let web = key_free(&server);
    let hits = searcher(&web).search(&web, "x", 5).await.unwrap();
    assert_eq!(
        (hits[0].title.as_str(), hits[0].url.as_str(), hits[0].description.as_str()),
        ("Three", "https://c.example/", "third")
    );
    for reply in [
        WebReply::status(403),
        WebReply::bytes("<div class='anomaly-modal'>bots</div>"),
        WebReply::status(202),
    ] {
        let server = WebServer::start(move |_| reply.clone());
        let web = key_free(&server);
        let error = searcher(&web).search(&web, "x", 5).await.unwrap_err();
        assert!(error.contains("rate limited") && error.contains("TAVILY_API_KEY"), "{error}");
    }
    let nothing = WebServer::start(|_| WebReply::bytes("<div class=no-results>No results.</div>"));
    let web = key_free(&nothing);
    assert_eq!(searcher(&web).search(&web, "x", 5).await, Ok(Vec::new()));
}

#[test]
fn who_searches_and_reads_follows_the_settings_and_then_the_keys() {
    let chosen = |vars: &[(&str, &str)], config: Value| {
        let web = web(vars, &json!({ "web": config }));
        (searcher(&web).name(), reader(&web).map(WebProvider::name))
    };
    assert_eq!(chosen(&[], json!({})), ("ddg", Ok("native")));
    assert_eq!(
        chosen(&[("EXA_API_KEY", "k"), ("BRAVE_SEARCH_API_KEY", "k")], json!({})),
        ("exa", Ok("exa"))
    );
    assert_eq!(chosen(&[("SEARXNG_URL", "http://s")], json!({})), ("searxng", Ok("native")));
    assert_eq!(chosen(&[("TAVILY_API_KEY", "k")], json!({"backend": "exa"})), ("exa", Ok("exa")));
    assert_eq!(
        chosen(&[("TAVILY_API_KEY", "k")], json!({"backend": "unknown"})),
        ("tavily", Ok("tavily"))
    );
    assert_eq!(
        chosen(
            &[("TAVILY_API_KEY", "k")],
            json!({"extract_backend": "native", "search_backend": "ddg"})
        ),
        ("ddg", Ok("native"))
    );
    assert_eq!(chosen(&[("XAI_API_KEY", "k")], json!({})).0, "ddg");
    let (_, unfit) = chosen(&[], json!({"extract_backend": "searxng"}));
    let error = unfit.unwrap_err();
    assert!(
        error.contains("searxng") && error.contains("firecrawl, parallel, tavily, exa, native"),
        "{error}"
    );
    // A name for both that only searches leaves reading to the others.
    assert_eq!(chosen(&[], json!({"backend": "brave-free"})), ("brave-free", Ok("native")));
}
