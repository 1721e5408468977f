//! Searches over small databases, as a model does them.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::super::tests::{say, session, session_of, store};
use super::super::{COMPRESSION, NewMessage, NewSession, SessionDatabase, SessionsError};
use super::*;

fn found(store: &SessionDatabase, request: &Request) -> Discover {
    match store.search(request).unwrap() {
        Answer::Discover(discover) => discover,
        other => panic!("{other:?}"),
    }
}

fn sessions(store: &SessionDatabase, query: &str) -> Vec<String> {
    let request = Request { limit: Some(10), ..Request::discover(query) };
    found(store, &request).results.into_iter().map(|found| found.session_id).collect()
}

/// One session a text, in which it is said.
fn library(texts: &[&str]) -> (tempfile::TempDir, SessionDatabase) {
    let (folder, store) = store();
    for (index, text) in texts.iter().enumerate() {
        let id = format!("s{index}");
        session(&store, &id);
        say(&store, &id, &[text]);
    }
    (folder, store)
}

#[test]
fn words_phrases_beginnings_and_operators() {
    let (_folder, store) = library(&[
        "the zebra crosses the street",
        "a street without animals",
        "Zebras are striped, don't you know",
        "call read_file on src/lib.rs now",
        "naïve café",
    ]);
    let cases: [(&str, &[&str]); 14] = [
        ("zebra street", &["s0"]),
        ("\"street without\"", &["s1"]),
        ("\"without street\"", &[]),
        ("zebra*", &["s0", "s2"]),
        ("street NOT zebra", &["s1"]),
        ("striped OR animals", &["s1", "s2"]),
        ("don't", &["s2"]),
        ("zebra? (street)!", &["s0"]),
        ("read_file", &["s3"]),
        ("src/lib.rs", &["s3"]),
        ("-- street , zebra ; ~ [x] OR OR animals", &["s1"]),
        ("naive CAFE", &["s4"]),
        ("NOT zebra", &[]),
        ("% & | \\ < > = #", &[]),
    ];
    for (query, expected) in cases {
        let mut ids = sessions(&store, query);
        ids.sort();
        assert_eq!(ids, expected, "{query}");
    }
}

#[test]
fn scripts_without_spaces() {
    let (_folder, store) = library(&[
        "日本語のデータベースを検索する",
        "東京タワー",
        "rustで東京を書く",
        "データ",
        "대한민국 서울",
    ]);
    let parts = json!([{"type": "text", "text": "画像の中の猫"}]);
    session(&store, "s5");
    store.append("s5", &[NewMessage::new("user", parts)]).unwrap();
    let cases: [(&str, &[&str]); 10] = [
        ("データベース", &["s0"]),
        ("日本語 検索する", &["s0"]),
        ("東京", &["s1", "s2"]),
        ("東京 rust", &["s2"]),
        ("RUST 東京", &["s2"]),
        ("東京 NOT タワー", &["s2"]),
        ("猫", &["s5"]),
        ("東 猫", &[]),
        ("서울 OR 猫", &["s4", "s5"]),
        ("大阪", &[]),
    ];
    for (query, expected) in cases {
        let mut ids = sessions(&store, query);
        ids.sort();
        assert_eq!(ids, expected, "{query}");
    }
    let discover = found(&store, &Request::discover("東京 rust"));
    assert_eq!(discover.results[0].snippet, ">>>rust<<<で東京を書く");
    // Nothing found where something was taken back.
    store.rewind("s1", 1).unwrap();
    assert_eq!(sessions(&store, "東京"), ["s2"]);
}

#[test]
fn an_answer_has_the_promised_fields() {
    let (_folder, store) = store();
    session(&store, "a");
    store.set_title("a", "Animals").unwrap();
    let lines: Vec<String> = (0..30).map(|n| format!("line {n}")).collect();
    let mut lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    lines[15] = "where is the zebra";
    let ids = say(&store, "a", &lines);
    let answer = serde_json::to_value(store.search(&Request::discover("zebra")).unwrap()).unwrap();
    assert_eq!(
        (&answer["success"], &answer["mode"], &answer["count"]),
        (&json!(true), &json!("discover"), &json!(1))
    );
    let hit = &answer["results"][0];
    assert_eq!(
        (&hit["session_id"], &hit["title"], &hit["matched_role"]),
        (&json!("a"), &json!("Animals"), &json!("assistant"))
    );
    assert_eq!(hit["match_message_id"], json!(ids[15]));
    assert_eq!(hit["snippet"], "where is the >>>zebra<<<");
    let shown = |name: &str| -> Vec<i64> {
        hit[name].as_array().unwrap().iter().map(|shown| shown["id"].as_i64().unwrap()).collect()
    };
    assert_eq!(shown("bookend_start"), ids[..3]);
    assert_eq!(shown("messages"), ids[10..21]);
    assert_eq!(shown("bookend_end"), ids[27..]);
    assert_eq!((&hit["messages_before"], &hit["messages_after"]), (&json!(5), &json!(5)));
    let anchors: Vec<&Value> =
        hit["messages"].as_array().unwrap().iter().map(|shown| &shown["anchor"]).collect();
    assert_eq!(anchors.iter().filter(|anchor| ***anchor == json!(true)).count(), 1);
    assert_eq!(hit["messages"][5]["anchor"], true);
    assert!(hit.get("parent_session_id").is_none());
}

#[test]
fn each_conversation_answers_once_and_the_asking_one_not_at_all() {
    let (_folder, store) = store();
    session(&store, "a");
    say(&store, "a", &["zebra zebra"]);
    store.end("a", COMPRESSION).unwrap();
    let child = NewSession {
        id: "b".into(),
        source: "cli".into(),
        parent_session_id: Some("a".into()),
        ..Default::default()
    };
    store.create(&child).unwrap();
    say(&store, "b", &["zebra again"]);
    session(&store, "c");
    say(&store, "c", &["a zebra among many other animals of the wide savanna"]);
    assert_eq!(sessions(&store, "zebra").len(), 2);
    for current in ["a", "b"] {
        let request =
            Request { current_session: Some(current.into()), ..Request::discover("zebra") };
        let results = found(&store, &request).results;
        assert_eq!(results.len(), 1, "{current}");
        assert_eq!(results[0].session_id, "c");
    }
}

#[test]
fn helpers_are_hidden_jobs_come_last_and_roles_matter() {
    let (_folder, store) = store();
    for (id, source) in [("job", "cron"), ("helper", "subagent"), ("tool", "tool"), ("me", "cli")] {
        session_of(&store, id, source);
    }
    say(&store, "job", &["zebra"]);
    say(&store, "helper", &["zebra"]);
    say(&store, "tool", &["zebra"]);
    say(&store, "me", &["there was a zebra somewhere in the long text of this message"]);
    store.append("me", &[NewMessage::new("tool", "giraffe")]).unwrap();
    assert_eq!(sessions(&store, "zebra"), ["me", "job"]);
    assert_eq!(sessions(&store, "giraffe"), [""; 0]);
    let request = Request { roles: vec!["tool".into()], ..Request::discover("giraffe") };
    assert_eq!(found(&store, &request).count, 1);
}

#[test]
fn time_comes_first_when_asked() {
    let (_folder, store) =
        library(&["zebra and much more text here", "zebra", "zebra and some more"]);
    let order = |sort| {
        let request = Request { sort, limit: Some(10), ..Request::discover("zebra") };
        found(&store, &request)
            .results
            .into_iter()
            .map(|found| found.session_id)
            .collect::<Vec<_>>()
    };
    assert_eq!(order(Some(Sort::Newest)), ["s2", "s1", "s0"]);
    assert_eq!(order(Some(Sort::Oldest)), ["s0", "s1", "s2"]);
    assert_eq!(order(None)[0], "s1", "the shortest text is most about it");
}

#[test]
fn a_title_that_was_typed_comes_first() {
    let (_folder, store) = library(&["the plan of the house", "nothing", "something"]);
    store.set_title("s1", "The plan").unwrap();
    store.set_title("s2", "The plan #2").unwrap();
    for query in ["The plan", "\"The plan\"", "`The plan`"] {
        let results = found(&store, &Request::discover(query)).results;
        assert_eq!(
            (results[0].session_id.as_str(), results[0].matched_role.as_str()),
            ("s2", TITLE_ROLE),
            "{query}"
        );
        assert_eq!(results.last().unwrap().session_id, "s0", "{query}");
    }
}

#[test]
fn what_was_summarised_is_found_and_what_was_taken_back_is_not() {
    let (_folder, store) = store();
    session(&store, "a");
    let old = say(&store, "a", &["zebra", "yes"]);
    say(&store, "a", &["giraffe", "no"]);
    store.rewind("a", 1).unwrap();
    store.compact("a", &old, &[NewMessage::new("user", "summary")]).unwrap();
    assert_eq!(sessions(&store, "zebra"), ["a"]);
    assert_eq!(sessions(&store, "giraffe"), [""; 0]);
}

#[test]
fn several_words_without_a_hit_are_tried_one_by_one() {
    let (_folder, store) = library(&["the zebra", "a giraffe"]);
    let discover = found(&store, &Request::discover("zebra giraffe lion"));
    assert_eq!(discover.count, 2);
    assert!(discover.message.unwrap().contains("some of them"));
    let two = found(&store, &Request::discover("zebra giraffe"));
    assert_eq!(two.count, 0);
}

#[test]
fn common_words_neither_hide_nor_outweigh_rare_ones() {
    let (_folder, store) = store();
    session(&store, "old");
    say(&store, "old", &["the quetzal", "the quetzal quetzal", "the"]);
    session(&store, "many");
    say(&store, "many", &["the street"; 2_500]);
    // More matches than are ranked: the newest come first, and the rare word still counts.
    assert_eq!(sessions(&store, "the"), ["many"]);
    assert_eq!(sessions(&store, "the quetzal"), ["old"]);
    assert_eq!(sessions(&store, "quetzal OR street"), ["old", "many"]);
    let best = found(&store, &Request::discover("the quetzal")).results.remove(0);
    assert_eq!(best.messages[best.messages_before].content, "the quetzal quetzal");
    let newest = Request { sort: Some(Sort::Newest), ..Request::discover("the") };
    assert_eq!(found(&store, &newest).results[0].session_id, "many");
}

#[test]
fn scrolling_shows_neighbours() {
    let (_folder, store) = store();
    session(&store, "a");
    let lines: Vec<String> = (0..10).map(|n| n.to_string()).collect();
    let ids = say(&store, "a", &lines.iter().map(String::as_str).collect::<Vec<_>>());
    session(&store, "other");
    let far = say(&store, "other", &["far"]);
    let scroll = |session: &str, message, window, current: Option<&str>| {
        let request = Request {
            session_id: Some(session.into()),
            around_message_id: Some(message),
            window,
            current_session: current.map(str::to_owned),
            ..Request::default()
        };
        store.search(&request)
    };
    let Answer::Scroll(near_start) = scroll("a", ids[1], Some(2), None).unwrap() else { panic!() };
    assert_eq!(near_start.messages.iter().map(|shown| shown.id).collect::<Vec<_>>(), ids[..4]);
    assert_eq!((near_start.messages_before, near_start.messages_after), (1, 2));
    let Answer::Scroll(wide) = scroll("a", ids[5], Some(99), None).unwrap() else { panic!() };
    assert_eq!((wide.window, wide.messages.len()), (20, 10));
    assert!(matches!(
        scroll("a", ids[1], None, Some("a")),
        Err(SessionsError::OwnConversation { .. })
    ));
    assert!(matches!(scroll("a", far[0], None, None), Err(SessionsError::NoMessage { .. })));
    assert!(matches!(scroll("none", 1, None, None), Err(SessionsError::NoSession { .. })));
    // A message of a session that goes on from this one.
    let child = NewSession {
        id: "b".into(),
        source: "cli".into(),
        parent_session_id: Some("a".into()),
        ..Default::default()
    };
    store.create(&child).unwrap();
    let later = say(&store, "b", &["later"]);
    let Answer::Scroll(followed) = scroll("a", later[0], None, None).unwrap() else { panic!() };
    assert_eq!(followed.session_id, "b");
    assert!(followed.warning.unwrap().contains("session b"));
}

#[test]
fn a_long_session_is_read_at_its_ends() {
    let (_folder, store) = store();
    session(&store, "a");
    let read = |store: &SessionDatabase| match store
        .search(&Request { session_id: Some("a".into()), ..Request::default() })
        .unwrap()
    {
        Answer::Read(read) => read,
        other => panic!("{other:?}"),
    };
    let first = say(&store, "a", &["x"; 30]);
    let whole = read(&store);
    assert_eq!((whole.truncated, whole.messages.len()), (false, 30));
    say(&store, "a", &["y"; 5]);
    let ends = read(&store);
    assert_eq!((ends.truncated, ends.message_count, ends.messages.len()), (true, 35, 30));
    assert_eq!((ends.messages[19].id, ends.messages[20].id), (first[19], first[25]));
    assert!(ends.message.unwrap().starts_with("5 messages"));
}

#[test]
fn browsing_shows_the_newest_activity() {
    let (_folder, store) = library(&["first session of all", "second"]);
    say(&store, "s0", &["again"]);
    let Answer::Browse(browse) =
        store.search(&Request { query: Some("  ".into()), ..Default::default() }).unwrap()
    else {
        panic!()
    };
    let ids: Vec<&str> = browse.results.iter().map(|recent| recent.session_id.as_str()).collect();
    assert_eq!(ids, ["s0", "s1"]);
    assert_eq!(browse.results[0].preview, "first session of all");
    let own = Request { current_session: Some("s0".into()), ..Request::default() };
    assert_eq!(store.search(&own).unwrap().count(), 1);
}

#[test]
fn long_messages_are_cut_and_say_so() {
    let (_folder, store) = library(&[&format!("zebra {}", "x".repeat(5_000))]);
    let discover = found(&store, &Request::discover("zebra"));
    let shown = &discover.results[0].messages[0];
    assert!(shown.truncated);
    assert_eq!(shown.content.chars().count(), MAX_MESSAGE_TEXT + 1);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn no_query_is_an_error(query in "[\\PC\0\n\"*日本語東京 ]{0,40}|([a-c\"*(): ^-]|OR |AND |NOT |NEAR){0,20}") {
        thread_local! {
            static LIBRARY: (tempfile::TempDir, SessionDatabase) = library(&["a b c", "日本語", "東京 a"]);
        }
        LIBRARY.with(|(_, store)| {
            let answer = store.search(&Request::discover(query.as_str()));
            prop_assert!(answer.is_ok(), "{:?}", answer);
            Ok(())
        })?;
    }
}
