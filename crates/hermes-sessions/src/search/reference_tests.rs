//! Details in which a search answers as people who know the Python program expect.

use super::super::tests::{say, session, store};
use super::super::{NewMessage, SessionDatabase};
use super::*;

fn found(store: &SessionDatabase, request: &Request) -> Vec<Found> {
    match store.search(request).unwrap() {
        Answer::Discover(discover) => discover.results,
        other => panic!("{other:?}"),
    }
}

/// A conversation in which every second message is what a tool answered.
fn with_tools(store: &SessionDatabase) -> Vec<i64> {
    session(store, "a");
    let rows: Vec<NewMessage> = (0..20)
        .map(|n| match n {
            10 => NewMessage::new("user", "where is the zebra"),
            n if n % 2 == 1 => NewMessage::new("tool", format!("giraffe {n}").as_str()),
            n => NewMessage::new("assistant", format!("line {n}").as_str()),
        })
        .collect();
    store.append("a", &rows).unwrap()
}

fn roles(messages: &[Shown]) -> Vec<&str> {
    messages.iter().map(|shown| shown.role.as_str()).collect()
}

#[test]
fn windows_hold_no_tool_rows() {
    let (_folder, store) = store();
    let ids = with_tools(&store);
    let hit = &found(&store, &Request::discover("zebra"))[0];
    assert!(!roles(&hit.messages).contains(&"tool"), "{:?}", hit.messages);
    // Still so many neighbours, of those that speak.
    assert_eq!((hit.messages_before, hit.messages_after), (5, 4));

    let request = Request {
        session_id: Some("a".into()),
        around_message_id: Some(ids[10]),
        window: Some(3),
        ..Request::default()
    };
    let Answer::Scroll(scroll) = store.search(&request).unwrap() else { panic!() };
    assert!(!roles(&scroll.messages).contains(&"tool"), "{:?}", scroll.messages);
    assert_eq!((scroll.messages_before, scroll.messages_after), (3, 3));
}

#[test]
fn what_a_tool_answered_is_shown_when_it_is_what_was_looked_for() {
    let (_folder, store) = store();
    let ids = with_tools(&store);
    let request = Request { roles: vec!["tool".into()], ..Request::discover("\"giraffe 11\"") };
    let hit = &found(&store, &request)[0];
    assert_eq!(hit.match_message_id, Some(ids[11]));
    let tools: Vec<i64> =
        hit.messages.iter().filter(|shown| shown.role == "tool").map(|shown| shown.id).collect();
    assert_eq!(tools, [ids[11]]);
    assert!(hit.messages.iter().any(|shown| shown.anchor && shown.id == ids[11]));
}

#[test]
fn title_hits_have_bookends() {
    let (_folder, store) = store();
    session(&store, "a");
    store.set_title("a", "The plan").unwrap();
    let lines: Vec<String> = (0..30).map(|n| format!("line {n}")).collect();
    let ids = say(&store, "a", &lines.iter().map(String::as_str).collect::<Vec<_>>());
    let hit = &found(&store, &Request::discover("The plan"))[0];
    let numbers = |shown: &[Shown]| shown.iter().map(|shown| shown.id).collect::<Vec<_>>();
    assert_eq!(hit.matched_role, TITLE_ROLE);
    assert_eq!(numbers(&hit.bookend_start), ids[..3]);
    assert_eq!(numbers(&hit.bookend_end), ids[27..]);

    session(&store, "b");
    store.set_title("b", "Short").unwrap();
    let ids = say(&store, "b", &["one", "two", "three", "four"]);
    let hit = &found(&store, &Request::discover("Short"))[0];
    assert_eq!(numbers(&hit.bookend_start), ids[..3]);
    assert_eq!(numbers(&hit.bookend_end), ids[3..]);
}

#[test]
fn without_a_limit_there_are_as_many_as_the_schema_says() {
    let (_folder, store) = store();
    for n in 0..6 {
        let id = format!("s{n}");
        session(&store, &id);
        say(&store, &id, &["the zebra"]);
    }
    assert_eq!(store.search(&Request::default()).unwrap().count(), DEFAULT_LIMIT);
    assert_eq!(found(&store, &Request::discover("zebra")).len(), DEFAULT_LIMIT);
    let request = Request { limit: Some(5), ..Request::default() };
    assert_eq!(store.search(&request).unwrap().count(), 5);
}

#[test]
fn stop_words_alone_make_no_hit_when_any_word_will_do() {
    let (_folder, store) = store();
    for (id, text) in [("a", "this is the one from me"), ("b", "an invoice"), ("c", "in Lisbon")] {
        session(&store, id);
        say(&store, id, &[text]);
    }
    let hits = found(&store, &Request::discover("is this the invoice from Lisbon"));
    let mut ids: Vec<&str> = hits.iter().map(|hit| hit.session_id.as_str()).collect();
    ids.sort_unstable();
    assert_eq!(ids, ["b", "c"]);
    assert_eq!(found(&store, &Request::discover("where was what")).len(), 0);
}

#[test]
fn of_equally_good_hits_the_older_comes_first() {
    let (_folder, store) = store();
    for id in ["a", "b", "c"] {
        session(&store, id);
        say(&store, id, &["the zebra"]);
    }
    let ids: Vec<String> =
        found(&store, &Request::discover("zebra")).into_iter().map(|hit| hit.session_id).collect();
    assert_eq!(ids, ["a", "b", "c"]);
}
