//! Each registry, right and wrong.

use std::time::{Duration, Instant};

use hermes_testkit::{WebReply, WebServer};
use serde_json::{Value, json};

use super::doubles::{GitHubDouble, repo, skill, zip};
use super::{Bench, ended, said};
use crate::hub::bundle::hash;
use crate::hub::search;
use crate::report::VerbStatus::{Blocked, Done, Failed, Usage};

fn list(report: &crate::report::VerbReport) -> Vec<(String, String, String)> {
    let value: Value =
        serde_json::from_str(&report.plain()).unwrap_or_else(|_| panic!("{report:#?}"));
    let text = |item: &Value, key: &str| item[key].as_str().unwrap_or_default().to_owned();
    let items = value.as_array().unwrap().iter();
    items
        .map(|item| (text(item, "name"), text(item, "identifier"), text(item, "trust_level")))
        .collect()
}

fn github_bench(github: &GitHubDouble, more: &[(&str, &str)]) -> Bench {
    let addresses = github.addresses();
    let mut all: Vec<(&str, &str)> =
        addresses.iter().map(|(name, address)| (*name, address.as_str())).collect();
    all.extend_from_slice(more);
    Bench::new(&all)
}

#[tokio::test]
async fn github_taps_are_searched_and_their_descriptions_read() {
    let github = GitHubDouble::with(&[
        (
            "anthropics/skills",
            repo(&[("skills/pdf/SKILL.md", &skill("pdf", "x")), ("docs/SKILL.md", "x")]),
        ),
        ("acme/tools", repo(&[("skills/pdf-forms/SKILL.md", &skill("pdf-forms", "x"))])),
    ]);
    let bench = github_bench(&github, &[]);
    ended(&bench.run(&["tap", "add", "acme/tools"]).await, Done);
    let report = bench.run(&["search", "pdf", "--source", "github", "--json"]).await;
    ended(&report, Done);
    assert_eq!(
        list(&report),
        [
            ("pdf".into(), "anthropics/skills/skills/pdf".into(), "trusted".into()),
            ("pdf-forms".into(), "acme/tools/skills/pdf-forms".into(), "community".into()),
        ]
    );
    said(&report, "Does pdf things.");
    let asked = github.server.requests().len();
    bench.run(&["search", "forms", "--source", "github", "--json"]).await;
    assert!(github.server.requests().len() < asked + 12, "lists are kept for an hour");
    let report = bench.run(&["search", "pdf", "--source", "anthropic", "--json"]).await;
    assert_eq!(list(&report).len(), 1);
    ended(&bench.run(&["search", "pdf", "--source", "nonsense"]).await, Usage);
}

#[tokio::test]
async fn a_used_up_limit_says_how_to_log_in_and_a_short_one_is_waited_for() {
    let limited = WebServer::start(|_| {
        WebReply::status(403)
            .header("x-ratelimit-remaining", "0")
            .header("x-ratelimit-reset", "99999999999")
    });
    let bench = Bench::new(&[("github_api", &limited.origin()), ("github_raw", &limited.origin())]);
    let report = bench.run(&["install", "acme/tools/pdf", "--yes"]).await;
    ended(&report, Failed);
    said(&report, "GITHUB_TOKEN");
    assert_eq!(limited.requests().len(), 1, "an hour is not waited for");

    let patient = WebServer::start(|_| WebReply::status(429).header("retry-after", "0"));
    let bench = Bench::new(&[("github_api", &patient.origin())]);
    ended(&bench.run(&["install", "acme/tools/pdf", "--yes"]).await, Failed);
    assert_eq!(patient.requests().len(), 3, "three tries");

    // A plain 403 is a refusal, not a limit.
    let closed = WebServer::start(|_| WebReply::status(403));
    let bench = Bench::new(&[("github_api", &closed.origin())]);
    let report = bench.run(&["install", "acme/tools/pdf", "--yes"]).await;
    said(&report, "github answered 403");
}

#[tokio::test]
async fn a_token_is_sent_to_github_and_to_nobody_it_redirects_to() {
    let elsewhere = WebServer::start(|_| WebReply::json(&json!({"default_branch": "main"})));
    let to = elsewhere.origin();
    let github = WebServer::start(move |_| WebReply::redirect(&to));
    let bench = Bench::new(&[("github_api", &github.origin())])
        .open_to_private()
        .var("GITHUB_TOKEN", "opensesame");
    bench.run(&["install", "acme/tools/pdf", "--yes"]).await;
    assert!(github.requests()[0].carries("token opensesame"));
    assert!(!elsewhere.requests().iter().any(|seen| seen.carries("opensesame")));
}

#[tokio::test]
async fn an_app_signs_for_its_token() {
    let key = concat!(env!("CARGO_MANIFEST_DIR"), "/src/hub/tests/app-key.pem");
    let server = WebServer::start(|seen| {
        if seen.path == "/app/installations/7/access_tokens" && seen.method == "POST" {
            return WebReply::json(&json!({"token": "from-the-app"})).with_status(201);
        }
        WebReply::status(404)
    });
    let bench = Bench::new(&[("github_api", &server.origin())])
        .var("GITHUB_APP_ID", "42")
        .var("GITHUB_APP_INSTALLATION_ID", "7")
        .var("GITHUB_APP_PRIVATE_KEY_PATH", key);
    bench.run(&["install", "acme/tools/pdf", "--yes"]).await;
    let requests = server.requests();
    assert_eq!(requests[0].header("authorization"), Some("Bearer ***"));
    assert!(requests[1].carries("token from-the-app"), "{requests:?}");
}

#[tokio::test]
async fn a_redirect_to_a_private_address_is_refused_from_every_registry() {
    let inner = WebServer::start(|_| WebReply::bytes("secret"));
    let to = inner.origin();
    let server = WebServer::start(move |_| WebReply::redirect(&to));
    let origin = server.origin();
    let bench = Bench::new(&[
        ("github_api", &origin),
        ("github_raw", &origin),
        ("clawhub", &origin),
        ("lobehub", &origin),
        ("browse_sh", &origin),
        ("skills_sh", &origin),
    ]);
    for identifier in [
        "acme/tools/pdf",
        "skills-sh/acme/tools/pdf",
        "clawhub/pdf",
        "lobehub/pdf",
        "browse-sh/x.com/pdf",
    ] {
        let report = bench.run(&["install", identifier, "--yes"]).await;
        ended(&report, Blocked);
        said(&report, "not on the public internet");
    }
    let report = bench.run(&["install", &format!("well-known:{}", inner.origin()), "--yes"]).await;
    ended(&report, Blocked);
    let report = bench.run(&["install", &format!("{}/SKILL.md", inner.origin()), "--yes"]).await;
    ended(&report, Blocked);
    assert!(inner.requests().is_empty());
}

#[tokio::test]
async fn skills_sh_lists_repositories_and_finds_the_skill_in_them() {
    let registry = WebServer::start(|seen| {
        assert_eq!(seen.path, "/api/search?q=pdf%20form&limit=10");
        WebReply::json(&json!({"skills": [
            {"id": "acme/tools/pdf", "source": "acme/tools", "skillId": "pdf", "name": "pdf", "installs": 12},
            {"id": "../../x", "source": "../..", "skillId": "x", "name": "evil"},
        ]}))
    });
    let github = GitHubDouble::with(&[(
        "acme/tools",
        repo(&[(".claude/skills/pdf/SKILL.md", &skill("pdf", "x"))]),
    )]);
    let bench = github_bench(&github, &[("skills_sh", &registry.origin())]);
    let report = bench.run(&["search", "pdf", "form", "--source", "skills-sh", "--json"]).await;
    assert_eq!(
        list(&report),
        [("pdf".into(), "skills-sh/acme/tools/pdf".into(), "community".into())]
    );
    for spelling in ["skills-sh", "skils.sh"] {
        let report =
            bench.run(&["install", &format!("{spelling}/acme/tools/pdf"), "--force"]).await;
        ended(&report, Done);
    }
    assert_eq!(bench.lock()["installed"]["pdf"]["source"], "skills-sh");
    assert_eq!(bench.lock()["installed"]["pdf"]["identifier"], "skills-sh/acme/tools/pdf");
}

#[tokio::test]
async fn the_index_spares_the_registries_and_is_not_believed_about_trust() {
    let index = WebServer::start(|_| {
        WebReply::json(&json!({"skills": [
            {"name": "pdf", "description": "d", "source": "github", "identifier": "evil/repo/pdf", "trust_level": "builtin"},
            {"name": "pdf-2", "source": "github", "identifier": "openai/skills/skills/pdf-2", "trust_level": "whatever"},
            {"name": "pdf-3", "source": "lobehub", "identifier": "openai/skills/pdf-3"},
            {"broken": true},
        ]}))
    });
    let registry = WebServer::start(|_| WebReply::json(&json!({"skills": []})));
    let bench = Bench::new(&[("index", &index.origin()), ("skills_sh", &registry.origin())]);
    let report = bench.run(&["search", "pdf", "--json"]).await;
    ended(&report, Done);
    assert_eq!(
        list(&report)
            .iter()
            .map(|(name, _, trust)| (name.as_str(), trust.as_str()))
            .collect::<Vec<_>>(),
        [("pdf", "community"), ("pdf-2", "trusted"), ("pdf-3", "community")]
    );
    assert!(registry.requests().is_empty());
    drop(index);
    // The copy serves while nobody answers.
    assert_eq!(list(&bench.run(&["search", "pdf", "--json"]).await).len(), 3);
}

#[tokio::test]
async fn without_the_index_all_are_asked_and_those_that_fail_are_named() {
    let registry = WebServer::start(|_| {
        WebReply::json(&json!({"skills": [{"slug": "x.com/pdf", "name": "pdf"}]}))
    });
    let broken = WebServer::start(|_| WebReply::status(500));
    let cut = WebServer::start(|_| WebReply::bytes("{").cut());
    let bench = Bench::new(&[
        ("browse_sh", &registry.origin()),
        ("clawhub", &broken.origin()),
        ("lobehub", &cut.origin()),
    ]);
    let report = bench.run(&["search", "pdf"]).await;
    ended(&report, Done);
    said(&report, "browse-sh/x.com/pdf");
    said(&report, "clawhub was left out: clawhub answered 500");
    said(&report, "lobehub was left out");
    said(&report, "hermes-index was left out");
}

#[tokio::test]
async fn a_slow_source_is_named_and_does_not_hold_up_the_others() {
    let slow = WebServer::start(|_| WebReply::bytes("{}").after(Duration::from_secs(600)));
    let registry = WebServer::start(|_| {
        WebReply::json(&json!({"skills": [{"slug": "x.com/pdf", "name": "pdf"}]}))
    });
    let bench = Bench::new(&[("clawhub", &slow.origin()), ("browse_sh", &registry.origin())]);
    let hub = bench.hub();
    let started = Instant::now();
    let outcome = search::search(&hub, "pdf", None, 10, Duration::from_secs(2)).await.unwrap();
    assert!(started.elapsed() < Duration::from_secs(20));
    assert_eq!(outcome.slow, ["clawhub"]);
    assert_eq!(outcome.records.len(), 1);
}

fn well_known(v2: bool, digest: &'static str) -> WebServer {
    let archive =
        zip(&[("pack/SKILL.md", skill("packed", "x").as_bytes()), ("pack/a/b.txt", b"b")]);
    let document = skill("plain", "x");
    let digests = [hash::of_bytes(&archive), hash::of_bytes(document.as_bytes())];
    WebServer::start(move |seen| match seen.path.as_str() {
        "/.well-known/agent-skills/index.json" if v2 => {
            let [packed, plain] = digests.clone();
            let plain = if digest.is_empty() { plain } else { digest.to_owned() };
            WebReply::json(&json!({"$schema": "x", "skills": [
                {"name": "packed", "type": "archive", "description": "d", "url": "packed.zip", "digest": packed},
                {"name": "plain", "type": "skill-md", "description": "d", "url": "/plain/SKILL.md", "digest": plain},
                {"name": "bare", "type": "skill-md", "description": "d", "url": "/plain/SKILL.md"},
            ]}))
        }
        "/.well-known/agent-skills/packed.zip" => WebReply::bytes(archive.clone()),
        "/plain/SKILL.md" => WebReply::bytes(document.clone()),
        "/.well-known/skills/index.json" if !v2 => WebReply::json(&json!({"skills": [
            {"name": "old", "description": "d", "files": ["SKILL.md", "references/a b.md"]},
            {"name": "evil", "description": "d", "files": ["SKILL.md", "../../secret"]},
        ]})),
        "/.well-known/skills/old/SKILL.md" => WebReply::bytes(skill("old", "x")),
        "/.well-known/skills/old/references/a%20b.md" => WebReply::bytes("ref"),
        _ => WebReply::status(404),
    })
}

#[tokio::test]
async fn well_known_lists_of_both_versions_install_and_digests_must_fit() {
    let site = well_known(true, "");
    let bench = Bench::new(&[]).open_to_private();
    let report = bench.run(&["search", &site.origin(), "--json"]).await;
    assert_eq!(list(&report).len(), 3);
    let named = |name: &str| format!("well-known:{}/#{name}", site.origin());
    ended(&bench.run(&["install", &named("packed"), "--yes"]).await, Done);
    assert_eq!(bench.read("packed/a/b.txt"), "b");
    let index = format!("{}/.well-known/agent-skills/index.json#plain", site.origin());
    ended(&bench.run(&["install", &index, "--yes"]).await, Done);
    let report = bench.run(&["install", &site.origin(), "--yes"]).await;
    ended(&report, Usage);
    said(&report, "3 skills");
    let report = bench.run(&["install", &named("bare"), "--yes"]).await;
    said(&report, "no digest");
    assert_eq!(list(&bench.run(&["check", "--json"]).await).len(), 2);

    let wrong = well_known(true, "sha256:00");
    let report =
        bench.run(&["install", &format!("well-known:{}#plain", wrong.origin()), "--force"]).await;
    ended(&report, Failed);
    said(&report, "its digest is sha256:");

    let old = well_known(false, "");
    ended(
        &bench
            .run(&["install", &format!("{}/.well-known/skills/old", old.origin()), "--yes"])
            .await,
        Done,
    );
    assert_eq!(bench.read("old/references/a b.md"), "ref");
    let report = bench.run(&["install", &format!("{}#evil", old.origin()), "--yes"]).await;
    ended(&report, Failed);
    assert!(!old.requests().iter().any(|seen| seen.path.contains("secret")));
}

#[tokio::test]
async fn a_document_on_the_web_brings_the_files_beside_it() {
    let site = WebServer::start(|seen| match seen.path.as_str() {
        "/tool/SKILL.md" => WebReply::bytes("Read references/a.md, run `scripts/missing.sh`."),
        "/tool/references/a.md" => WebReply::bytes("a"),
        "/SKILL.md" => WebReply::bytes("no name at all"),
        _ => WebReply::status(404),
    });
    let bench = Bench::new(&[]).open_to_private();
    let report =
        bench.run(&["install", &format!("{}/tool/SKILL.md", site.origin()), "--yes"]).await;
    ended(&report, Done);
    said(&report, "mentions scripts/missing.sh, which is not there");
    assert_eq!(bench.read("tool/references/a.md"), "a");
    let address = format!("{}/SKILL.md", site.origin());
    let report = bench.run(&["install", &address, "--yes"]).await;
    ended(&report, Usage);
    said(&report, "--name");
    ended(&bench.run(&["install", &address, "--yes", "--name", "mine"]).await, Done);
}

#[tokio::test]
async fn clawhub_downloads_a_version_and_waits_when_told_to() {
    let waited = std::sync::atomic::AtomicUsize::new(0);
    let bomb = zip(&[("SKILL.md", &vec![b'x'; 8 << 20])]);
    let server = WebServer::start(move |seen| match seen.path.as_str() {
        "/skills/pdf" if waited.fetch_add(1, std::sync::atomic::Ordering::Relaxed) == 0 => {
            WebReply::status(429).header("retry-after", "0")
        }
        "/skills/pdf" => WebReply::json(&json!({"skill": {"tags": {"latest": "1.2"}}})),
        "/skills/bomb" => WebReply::json(&json!({"latestVersion": {"version": "1"}})),
        "/download?slug=pdf&version=1.2" => WebReply::bytes(zip(&[
            ("SKILL.md", skill("pdf", "x").as_bytes()),
            ("bin/\u{e4}.raw", &[0, 255]),
        ])),
        "/download?slug=bomb&version=1" => WebReply::bytes(bomb.clone()),
        path if path.starts_with("/skills?search=pdf&limit=") => WebReply::json(
            &json!({"items": [{"slug": "pdf", "displayName": "PDF", "summary": "s\u{1b}[2J"}]}),
        ),
        _ => WebReply::status(404),
    });
    let bench = Bench::new(&[("clawhub", &server.origin())]);
    let report = bench.run(&["search", "pdf", "--source", "clawhub"]).await;
    ended(&report, Done);
    assert!(!report.plain().contains('\u{1b}'), "a description cannot clear the screen");
    ended(&bench.run(&["install", "pdf", "--yes"]).await, Done);
    assert_eq!(std::fs::read(bench.path("pdf/bin/\u{e4}.raw")).unwrap(), [0, 255]);
    assert_eq!(bench.lock()["installed"]["pdf"]["metadata"]["source_revision"], "1.2");
    let report = bench.run(&["install", "clawhub/bomb", "--yes"]).await;
    ended(&report, Failed);
    said(&report, "a hundred times");
    bench.nothing_in_quarantine();
}

#[tokio::test]
async fn marketplaces_lobehub_and_browse_sh_install() {
    let list_file = json!({"plugins": [
        {"name": "documents", "description": "d", "source": "./", "skills": ["./skills/pdf", "./skills/../../x"]},
        {"name": "single", "description": "d", "source": "./one"},
    ]});
    let github = GitHubDouble::with(&[(
        "anthropics/skills",
        repo(&[
            (".claude-plugin/marketplace.json", &list_file.to_string()),
            ("skills/pdf/SKILL.md", &skill("pdf", "x")),
            ("one/SKILL.md", &skill("one", "x")),
        ]),
    )]);
    let registry = WebServer::start(|seen| match seen.path.as_str() {
        "/index.json" => WebReply::json(
            &json!({"agents": [{"identifier": "poet", "meta": {"title": "Poet: a", "description": "d"}}]}),
        ),
        "/poet.json" => WebReply::json(
            &json!({"meta": {"title": "Poet: a", "description": "- x"}, "config": {"systemRole": "Write."}}),
        ),
        "/api/skills" => WebReply::json(
            &json!({"skills": [{"slug": "book", "name": "book", "hostname": "x.com"}]}),
        ),
        "/api/skills/book" => WebReply::json(&json!({"skillMdUrl": "/files/book.md"})),
        "/files/book.md" => WebReply::bytes(skill("book", "x")),
        _ => WebReply::status(404),
    });
    let bench = github_bench(
        &github,
        &[("lobehub", &registry.origin()), ("browse_sh", &registry.origin())],
    );
    let report = bench.run(&["search", "pdf", "--source", "claude-marketplace", "--json"]).await;
    assert_eq!(
        list(&report),
        [("pdf".into(), "anthropics/skills/skills/pdf".into(), "trusted".into())]
    );
    for identifier in ["lobehub/poet", "browse-sh/x.com/book", "anthropics/skills/one"] {
        ended(&bench.run(&["install", identifier, "--yes"]).await, Done);
    }
    assert!(bench.read("poet/SKILL.md").contains("Write."));
    assert_eq!(bench.lock()["installed"]["one"]["trust_level"], "trusted");
}

#[tokio::test]
async fn our_own_optional_skills_keep_their_categories() {
    let optional = tempfile::tempdir().unwrap();
    let folder = optional.path().join("media/audio/mixer");
    std::fs::create_dir_all(&folder).unwrap();
    #[expect(clippy::disallowed_methods, reason = "a file of the test's own")]
    std::fs::write(folder.join("SKILL.md"), skill("mixer", "x")).unwrap();
    let bench = Bench::new(&[]).var("HERMES_OPTIONAL_SKILLS", optional.path().to_str().unwrap());
    let report = bench.run(&["browse", "--source", "official", "--json"]).await;
    assert_eq!(
        list(&report),
        [("mixer".into(), "official/media/audio/mixer".into(), "builtin".into())]
    );
    ended(&bench.run(&["install", "official/media/audio/mixer", "--yes"]).await, Done);
    assert_eq!(bench.lock()["installed"]["mixer"]["install_path"], "media/audio/mixer");
    ended(&bench.run(&["install", "official/media/../../x", "--yes"]).await, Usage);
    ended(&bench.run(&["install", "official/media/audio", "--yes"]).await, Usage);
}

#[tokio::test]
async fn a_short_name_must_be_the_name_of_one_skill() {
    let index = WebServer::start(|_| {
        WebReply::json(&json!({"skills": [
            {"name": "pdf", "source": "github", "identifier": "acme/tools/pdf"},
            {"name": "pdf", "source": "github", "identifier": "other/tools/pdf"},
            {"name": "one", "source": "github", "identifier": "acme/tools/one"},
        ]}))
    });
    let github =
        GitHubDouble::with(&[("acme/tools", repo(&[("one/SKILL.md", &skill("one", "x"))]))]);
    let bench = github_bench(&github, &[("index", &index.origin())]);
    let report = bench.run(&["install", "pdf", "--yes"]).await;
    ended(&report, Usage);
    said(&report, "other/tools/pdf");
    ended(&bench.run(&["install", "one", "--yes"]).await, Done);
    ended(&bench.run(&["install", "nothing-like-it", "--yes"]).await, Usage);
}

#[tokio::test]
async fn a_long_wait_is_told() {
    let slow = WebServer::start(|_| WebReply::status(404).after(Duration::from_millis(2500)));
    let bench = Bench::new(&[("github_api", &slow.origin())]);
    let person = super::Person::who_says(true);
    bench.run_as(&["install", "acme/tools/pdf", "--yes"], &person).await;
    assert_eq!(*person.told.lock().unwrap(), ["fetching acme/tools/pdf"]);
}

#[tokio::test]
async fn skills_sh_is_browsed_by_its_site_map() {
    let registry = WebServer::start(|seen| {
        let list = |pages: &[&str]| {
            let all: String =
                pages.iter().map(|page| format!("<url><loc>{page}</loc></url>")).collect();
            WebReply::bytes(format!("<?xml version=\"1.0\"?><urlset>{all}</urlset>"))
        };
        match seen.path.as_str() {
            "/sitemap.xml" => list(&[
                "https://www.skills.sh/sitemap-pages.xml",
                "https://www.skills.sh/sitemap-skills-0.xml",
                "https://www.skills.sh/sitemap-skills-1.xml",
            ]),
            "/sitemap-skills-0.xml" => {
                list(&["https://skills.sh/acme/tools/pdf", "https://skills.sh/about"])
            }
            "/sitemap-skills-1.xml" => {
                list(&["https://skills.sh/../../x", "https://skills.sh/anthropics/skills/docx/"])
            }
            other => panic!("{other}"),
        }
    });
    let bench = Bench::new(&[("skills_sh", &registry.origin())]);
    let report = bench.run(&["browse", "--source", "skills-sh", "--json"]).await;
    let mut found = list(&report);
    found.sort();
    assert_eq!(
        found,
        [
            ("docx".into(), "skills-sh/anthropics/skills/docx".into(), "trusted".into()),
            ("pdf".into(), "skills-sh/acme/tools/pdf".into(), "community".into()),
        ]
    );
}

#[tokio::test]
async fn what_a_server_fails_with_is_said_and_leaves_nothing() {
    for (status, header, end, words) in [
        // Nothing failed: it is not there, or not for us.
        (404, None, Usage, "repository acme/tools on GitHub (one that is private"),
        (500, None, Failed, "500"),
        (503, None, Failed, "503"),
        (429, Some(("retry-after", "600")), Failed, "limit"),
        (403, Some(("x-ratelimit-remaining", "0")), Failed, "limit"),
    ] {
        let server = WebServer::start(move |_| {
            let reply = WebReply::status(status);
            match header {
                Some((name, value)) => reply.header(name, value),
                None => reply,
            }
        });
        let origin = server.origin();
        let bench = Bench::new(&[("github_api", &origin), ("github_raw", &origin)]);
        let report = bench.run(&["install", "acme/tools/pdf", "--yes"]).await;
        ended(&report, end);
        said(&report, words);
        bench.nothing_in_quarantine();
        assert!(!bench.path("pdf").exists(), "{status}");
    }
}
