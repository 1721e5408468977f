use std::collections::HashMap;
use std::io;
use std::net::IpAddr;
use std::sync::Mutex;
use std::time::Duration;

use futures_util::future::BoxFuture;
use hermes_testkit::{WebReply, WebServer};
use reqwest::header::AUTHORIZATION;

use super::*;
use crate::request::FetchLimits;
use crate::settings::BlocklistSettings;

mod spellings;

/// A resolver that answers each question of a name with the next entry, the last one for ever.
#[derive(Default)]
struct Names {
    answers: HashMap<&'static str, Vec<Vec<IpAddr>>>,
    asked: Mutex<Vec<String>>,
}

impl Names {
    fn with(mut self, name: &'static str, answers: &[&[&str]]) -> Self {
        let parse = |list: &&[&str]| list.iter().map(|text| text.parse().unwrap()).collect();
        self.answers.insert(name, answers.iter().map(parse).collect());
        self
    }
}

impl NameLookup for Names {
    fn lookup(&self, name: String) -> BoxFuture<'static, io::Result<Vec<IpAddr>>> {
        let mut asked = self.asked.lock().unwrap();
        let before = asked.iter().filter(|earlier| **earlier == name).count();
        let found =
            self.answers.get(name.as_str()).and_then(|list| list.get(before).or(list.last()));
        asked.push(name);
        let found = found.cloned().ok_or_else(|| io::Error::other("no such name"));
        Box::pin(async move { found })
    }
}

fn door(policy: Policy, names: Names) -> HttpDoor {
    HttpDoor::new(DoorOptions { policy, lookup: Arc::new(names), ..DoorOptions::default() })
}

/// A door that may reach one server on this machine and nothing else there.
fn door_to(server: &WebServer) -> HttpDoor {
    let own_origins = vec![Url::parse(&server.origin()).unwrap()];
    HttpDoor::new(DoorOptions { own_origins, ..DoorOptions::default() })
}

fn rule(error: &FetchError) -> &'static str {
    match error {
        FetchError::Refused(refusal) => refusal.rule(),
        other => panic!("not refused: {other}"),
    }
}

#[tokio::test]
async fn an_answer_arrives_whole_whatever_its_status() {
    let server = WebServer::start(|seen| match seen.path.as_str() {
        "/a?b=%C3%A4" => WebReply::bytes("hello").header("x-y", "z"),
        _ => WebReply::bytes("gone").with_status(404),
    });
    let door = door_to(&server);
    let got = door.fetch(FetchRequest::get(format!(" {}/a?b=ä ", server.origin()))).await.unwrap();
    assert_eq!(
        (got.status.as_u16(), got.text().as_str(), got.header("X-Y")),
        (200, "hello", Some("z"))
    );
    let got = door.fetch(FetchRequest::get(format!("{}/none", server.origin()))).await.unwrap();
    assert_eq!((got.status.as_u16(), got.text().as_str()), (404, "gone"));
    assert_eq!(server.requests()[0].header("accept-encoding"), Some(ACCEPTED));
    assert!(server.requests()[0].header("referer").is_none());
}

#[tokio::test]
async fn private_addresses_need_a_permission_and_metadata_has_none() {
    let server = WebServer::start(|_| WebReply::bytes("secret"));
    let public = door(Policy::PublicOnly, Names::default());
    let open = door(Policy::PrivateToo, Names::default());
    let port = server.port();
    for host in
        ["127.0.0.1", "127.1", "2130706433", "0x7f000001", "[::ffff:127.0.0.1]", "localhost"]
    {
        let error =
            public.fetch(FetchRequest::get(format!("http://{host}:{port}/"))).await.unwrap_err();
        assert_eq!(rule(&error), "private_address", "{host}");
    }
    assert!(server.requests().is_empty());
    open.fetch(FetchRequest::get(server.origin())).await.unwrap();
    for host in
        ["169.254.169.254", "metadata.google.internal", "[fd00:ec2::254]", "100.100.100.200"]
    {
        let error = open.fetch(FetchRequest::get(format!("http://{host}/"))).await.unwrap_err();
        assert_eq!(rule(&error), "metadata_address", "{host}");
    }
}

#[tokio::test]
async fn a_name_is_judged_by_every_address_it_has_when_the_connection_is_made() {
    let names = Names::default()
        .with("inside.example", &[&["10.0.0.1"]])
        .with("mixed.example", &[&["93.184.216.34", "127.0.0.1"]])
        .with("cloud.example", &[&["169.254.169.254"]])
        .with("empty.example", &[&[]]);
    let door = door(Policy::PublicOnly, names);
    for (host, wanted) in [
        ("inside.example", "private_address"),
        ("mixed.example", "private_address"),
        ("cloud.example", "metadata_address"),
        ("empty.example", "unresolved_host"),
        ("unknown.example", "unresolved_host"),
    ] {
        let error = door.fetch(FetchRequest::get(format!("http://{host}/"))).await.unwrap_err();
        assert_eq!(rule(&error), wanted, "{host}: {error}");
        assert!(error.to_string().contains(host), "{error}");
    }
}

#[tokio::test]
async fn a_name_that_changes_its_mind_between_check_and_connection_gains_nothing() {
    // The first answer is public (and leads nowhere here), every later one is this machine.
    let server = WebServer::start(|_| WebReply::bytes("secret"));
    let names =
        Arc::new(Names::default().with("rebind.example", &[&["192.0.2.1"], &["127.0.0.1"]]));
    let lookup: Arc<dyn NameLookup> = Arc::clone(&names) as _;
    let door = HttpDoor::new(DoorOptions { lookup, ..DoorOptions::default() });
    let url = format!("http://rebind.example:{}/", server.port());
    for _ in 0..3 {
        let error = door.fetch(FetchRequest::get(&url)).await.unwrap_err();
        assert_eq!(rule(&error), "private_address");
    }
    assert_eq!(names.asked.lock().unwrap().len(), 3, "one look-up for each connection");
    assert!(server.requests().is_empty());
}

#[tokio::test]
async fn the_connection_goes_to_the_address_that_was_judged() {
    let server = WebServer::start(|seen| WebReply::bytes(seen.header("host").unwrap_or_default()));
    let names = Names::default().with("name.example", &[&["127.0.0.1"]]);
    let door = door(Policy::PrivateToo, names);
    let url = format!("http://name.example:{}/", server.port());
    assert_eq!(
        door.fetch(FetchRequest::get(url)).await.unwrap().text(),
        format!("name.example:{}", server.port())
    );
}

#[tokio::test]
async fn redirects_are_judged_anew_even_from_a_server_of_the_users_own() {
    let inner = WebServer::start(|_| WebReply::bytes("secret"));
    let to = inner.origin();
    let server = WebServer::start(move |seen| match seen.path.as_str() {
        "/private" => WebReply::redirect(&to),
        "/metadata" => WebReply::redirect("http://169.254.169.254/latest"),
        "/file" => WebReply::redirect("file:///etc/passwd"),
        "/slash" => WebReply::redirect("/\\127.0.0.1/"),
        "/key" => WebReply::redirect("/x?k=ghp_0123456789abcdefghijABCDEFGHIJ012345"),
        "/loop" => WebReply::redirect("loop"),
        "/one" => WebReply::redirect("two?x#y"),
        other => WebReply::bytes(other),
    });
    let door = door_to(&server);
    let fetch = |path: &str| door.fetch(FetchRequest::get(format!("{}{path}", server.origin())));
    assert_eq!(rule(&fetch("/private").await.unwrap_err()), "private_address");
    assert_eq!(rule(&fetch("/metadata").await.unwrap_err()), "metadata_address");
    assert_eq!(rule(&fetch("/file").await.unwrap_err()), "not_web");
    assert_eq!(rule(&fetch("/slash").await.unwrap_err()), "malformed_authority");
    assert_eq!(fetch("/key").await.unwrap_err(), FetchError::SecretInUrl);
    assert!(matches!(fetch("/loop").await.unwrap_err(), FetchError::Redirects { limit: 5, .. }));
    let got = fetch("/one").await.unwrap();
    assert_eq!((got.text().as_str(), got.url.path()), ("/two?x", "/two"));
    assert!(inner.requests().is_empty());
}

#[tokio::test]
async fn a_key_stays_with_the_host_it_was_meant_for() {
    let other = WebServer::start(|_| WebReply::bytes("ok"));
    let to = other.origin();
    let first = WebServer::start(move |seen| match seen.path.as_str() {
        "/near" => WebReply::redirect("/there"),
        "/far" => WebReply::redirect(&to),
        _ => WebReply::bytes("ok"),
    });
    let door = door(Policy::PrivateToo, Names::default());
    for path in ["/near", "/far"] {
        let value = HeaderValue::from_static("token opensesame");
        let request = FetchRequest::get(format!("{}{path}", first.origin()));
        door.fetch(request.secret_header(AUTHORIZATION, value)).await.unwrap();
    }
    assert!(first.requests().iter().all(|seen| seen.carries("opensesame")));
    assert_eq!(first.requests().len(), 3);
    assert!(!other.requests()[0].carries("opensesame"));
}

#[tokio::test]
async fn what_is_sent_is_not_sent_again_to_wherever_a_server_likes() {
    let server = WebServer::start(|_| WebReply::redirect("/elsewhere"));
    let request =
        FetchRequest::get(server.origin()).method(Method::POST).json(&serde_json::json!({"a": 1}));
    let got = door_to(&server).fetch(request).await.unwrap();
    assert_eq!(got.status.as_u16(), 302);
    assert_eq!(server.requests().len(), 1);
    assert_eq!(server.requests()[0].body, serde_json::json!({"a": 1}));
}

#[tokio::test]
async fn keys_in_addresses_and_blocked_sites_are_refused_before_anything_is_resolved() {
    let blocklist = BlocklistSettings {
        enabled: true,
        domains: vec!["bad.example".to_owned()],
        shared_files: Vec::new(),
    };
    let names = Arc::new(Names::default());
    let lookup: Arc<dyn NameLookup> = Arc::clone(&names) as _;
    let sites = SitePolicy::new(&blocklist, std::path::Path::new("/"));
    let door = HttpDoor::new(DoorOptions { sites, lookup, ..DoorOptions::default() });
    let key = "https://x.example/?q=sk%2Dant-api03-abcdefghijklmnopqrstuvwxyz0123456789";
    let error = door.fetch(FetchRequest::get(key)).await.unwrap_err();
    assert!(error.to_string().starts_with("Blocked:"), "{error}");
    let error = door.fetch(FetchRequest::get("https://www.bad.example/")).await.unwrap_err();
    assert!(matches!(&error, FetchError::Site(blocked) if blocked.rule == "bad.example"));
    assert!(names.asked.lock().unwrap().is_empty());
}

#[tokio::test]
async fn bodies_end_at_the_limit_announced_or_not_packed_or_not() {
    let bomb = {
        use std::io::Write as _;
        let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
        packer.write_all(&vec![b'x'; 4 << 20]).unwrap();
        packer.finish().unwrap()
    };
    let server = WebServer::start(move |seen| match seen.path.as_str() {
        "/long" => WebReply::bytes(vec![b'x'; 200_001]),
        "/bomb" => WebReply::bytes(bomb.clone()).header("content-encoding", "gzip"),
        "/broken" => WebReply::bytes("no gzip").header("content-encoding", "gzip"),
        "/cut" => WebReply::bytes("half").cut(),
        _ => WebReply::bytes(vec![b'x'; 200_000]),
    });
    let door = door_to(&server);
    let limits = FetchLimits { bytes: 200_000, ..FetchLimits::default() };
    let fetch = |path: &str| {
        door.fetch(FetchRequest::get(format!("{}{path}", server.origin())).limits(limits))
    };
    assert_eq!(fetch("/fits").await.unwrap().body.len(), 200_000);
    for path in ["/long", "/bomb"] {
        let error = fetch(path).await.unwrap_err();
        assert!(matches!(error, FetchError::TooLarge { limit: 200_000, .. }), "{path}: {error}");
        assert!(error.to_string().contains("200,000"), "{error}");
    }
    assert!(matches!(fetch("/broken").await.unwrap_err(), FetchError::Encoding { .. }));
    assert!(matches!(fetch("/cut").await.unwrap_err(), FetchError::Connection { .. }));
}

#[tokio::test]
async fn a_server_that_does_not_answer_is_given_up() {
    let server = WebServer::start(|_| WebReply::bytes("late").after(Duration::from_secs(600)));
    let limits = FetchLimits { time: Duration::from_millis(200), ..FetchLimits::default() };
    let error = door_to(&server)
        .fetch(FetchRequest::get(server.origin()).limits(limits))
        .await
        .unwrap_err();
    assert_eq!(error, FetchError::Timeout { host: "127.0.0.1".to_owned(), after: limits.time });
}

#[tokio::test]
async fn through_a_proxy_closed_addresses_stay_closed_and_unknown_names_are_the_proxys() {
    let proxy = WebServer::start(|seen| WebReply::bytes(seen.path.clone()));
    let vars = [("HTTP_PROXY".to_owned(), proxy.origin())];
    let names = Names::default().with("inside.example", &[&["10.0.0.1"]]);
    let proxies = ProxySettings::from_vars(&hermes_tool::Vars::default().overlaid(vars));
    let door =
        HttpDoor::new(DoorOptions { proxies, lookup: Arc::new(names), ..DoorOptions::default() });
    let error = door.fetch(FetchRequest::get("http://inside.example/")).await.unwrap_err();
    assert_eq!(rule(&error), "private_address");
    let error = door.fetch(FetchRequest::get("http://127.0.0.1/")).await.unwrap_err();
    assert_eq!(rule(&error), "private_address");
    let got = door.fetch(FetchRequest::get("http://only-there.example/x")).await.unwrap();
    assert_eq!(got.text(), "http://only-there.example/x");
}

#[tokio::test]
async fn the_settings_make_the_door() {
    let config = serde_json::json!({"security": {
        "allow_private_urls": true,
        "website_blocklist": {"enabled": true, "domains": ["bad.example"]},
    }});
    let server = WebServer::start(|_| WebReply::bytes("ok"));
    let options = DoorOptions::read(&config, &Vars::default(), Path::new("/nowhere"));
    let door = HttpDoor::new(options);
    assert_eq!(door.fetch(FetchRequest::get(server.origin())).await.unwrap().text(), "ok");
    assert!(matches!(door.check("http://bad.example/"), Err(FetchError::Site(_))));
}

#[tokio::test]
async fn an_address_can_be_judged_without_a_request() {
    let names = Names::default()
        .with("open.example", &[&["93.184.216.34"]])
        .with("inside.example", &[&["93.184.216.34", "fd00::7"]])
        .with("cloud.example", &[&["100.100.100.200"]]);
    let door = door(Policy::PublicOnly, names);
    let url = door.judge(" http://open.example/ä ").await.unwrap();
    assert_eq!(url.as_str(), "http://open.example/%C3%A4");
    assert_eq!(rule(&door.judge("http://inside.example/").await.unwrap_err()), "private_address");
    assert_eq!(rule(&door.judge("http://cloud.example/").await.unwrap_err()), "metadata_address");
    assert_eq!(rule(&door.judge("http://gone.example/").await.unwrap_err()), "unresolved_host");
    assert!(door.judge("http://8.8.8.8/").await.is_ok());
    assert!(door.judge_connected("8.8.8.8".parse().unwrap()).is_ok());
    assert!(door.judge_connected("::ffff:10.0.0.1".parse().unwrap()).is_err());
}

#[tokio::test]
async fn an_address_that_is_a_key_is_not_for_somebody_elses_service() {
    let door = door(Policy::PublicOnly, Names::default());
    for url in [
        "https://x.example/?access_token=a",
        "https://x.example/?a=b&X-Amz-Signature=0",
        "https://x.example/?pass%77ord=x",
        "https://x.example/?TOKEN=1",
    ] {
        let error = door.check_for_third_party(url).unwrap_err();
        assert!(
            matches!(error, FetchError::CredentialInUrl(_)) && error.is_about_a_secret(),
            "{url}"
        );
        assert!(door.check(url).is_ok(), "{url}");
    }
    for url in ["https://x.example/?code=1&key=2&auth=3&sig=4", "https://x.example/?token="] {
        assert!(door.check_for_third_party(url).is_ok(), "{url}");
    }
}

#[tokio::test]
async fn a_server_of_the_settings_may_be_private_but_not_whoever_it_points_to() {
    let inner = WebServer::start(|_| WebReply::bytes("secret"));
    let to = inner.origin();
    let server = WebServer::start(move |seen| match seen.path.as_str() {
        "/near" => WebReply::redirect("/there"),
        "/far" => WebReply::redirect(&to),
        other => WebReply::bytes(other),
    });
    let door = door(Policy::PublicOnly, Names::default());
    let fetch = |path: &str| {
        let request = FetchRequest::get(format!("{}{path}", server.origin()));
        door.fetch(request.configured_by_user())
    };
    assert_eq!(fetch("/near").await.unwrap().text(), "/there");
    assert_eq!(rule(&fetch("/far").await.unwrap_err()), "private_address");
    let request = FetchRequest::post(server.origin()).form(&[("q", "a b&ü")]);
    assert!(door.fetch(request.clone()).await.unwrap_err().is_refusal());
    door.fetch(request.configured_by_user()).await.unwrap();
    assert!(inner.requests().is_empty());
}
