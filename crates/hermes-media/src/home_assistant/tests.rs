use hermes_testkit::{WebReply, WebServer};

use super::*;

const TOKEN: &str = "token-of-the-house";

fn house(server: &WebServer) -> HomeAssistant {
    let vars = [("HASS_TOKEN", TOKEN.to_owned()), ("HASS_URL", format!("{}/", server.origin()))];
    let vars: Vars = vars.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
    HomeAssistant::from_vars(&vars).unwrap()
}

fn states() -> Value {
    let thing = |id: &str, name: &str, area: &str| {
        json!({"entity_id": id, "state": "on", "last_changed": "t1", "last_updated": "t2",
            "context": {"id": "x"}, "attributes": {"friendly_name": name, "area": area}})
    };
    json!([
        thing("light.k", "Kitchen lamp", ""),
        thing("light.b", "Bed", "Upper Floor"),
        thing("lightning.x", "Storm", ""),
        thing("sensor.t", "Kitchen heat", "")
    ])
}

#[tokio::test]
async fn things_are_found_by_domain_and_area() {
    let server = WebServer::start(|_| WebReply::json(&states()));
    let (house, cancel) = (house(&server), CancellationToken::new());
    let ids = |found: Value| -> Vec<String> {
        assert_eq!(found["count"], found["entities"].as_array().unwrap().len());
        let entities = found["entities"].as_array().unwrap().iter();
        entities.map(|one| one["entity_id"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(ids(house.entities(None, None, &cancel).await.unwrap()).len(), 4);
    let lights = house.entities(Some("light"), None, &cancel).await.unwrap();
    assert_eq!(
        lights["entities"][0],
        json!({"entity_id": "light.k", "state": "on", "friendly_name": "Kitchen lamp"})
    );
    assert_eq!(ids(lights), ["light.k", "light.b"]);
    let kitchen = house.entities(None, Some("KITCHEN"), &cancel).await.unwrap();
    assert_eq!(ids(kitchen), ["light.k", "sensor.t"]);
    assert_eq!(ids(house.entities(None, Some("upper"), &cancel).await.unwrap()), ["light.b"]);
    let seen = &server.requests()[0];
    assert_eq!((seen.method.as_str(), seen.path.as_str()), ("GET", "/api/states"));
    assert!(seen.header("authorization") == Some("Bearer ***") && seen.carries(TOKEN));
}

#[tokio::test]
async fn one_thing_is_told_in_five_fields() {
    let server = WebServer::start(|_| WebReply::json(&states()[0]));
    let id = EntityId::parse("light.k").unwrap();
    let state = house(&server).state(&id, &CancellationToken::new()).await.unwrap();
    let names: Vec<&String> = state.as_object().unwrap().keys().collect();
    assert_eq!(names, ["entity_id", "state", "attributes", "last_changed", "last_updated"]);
    assert_eq!(server.requests()[0].path, "/api/states/light.k");
}

#[tokio::test]
async fn what_can_be_done_is_told_with_its_fields() {
    let answer = json!([{"domain": "light", "services": {"turn_on": {"description": "Switch on",
        "name": "x", "fields": {"brightness": {"description": "How bright", "selector": {}}}},
        "toggle": {"description": "Switch"}}}, {"domain": "fan", "services": {}}]);
    let server = WebServer::start(move |_| WebReply::json(&answer));
    let (house, cancel) = (house(&server), CancellationToken::new());
    let light = house.services(Some("light"), &cancel).await.unwrap();
    let services = json!({"turn_on": {"description": "Switch on",
        "fields": {"brightness": "How bright"}}, "toggle": {"description": "Switch"}});
    assert_eq!(light, json!({"count": 1, "domains": [{"domain": "light", "services": services}]}));
    assert_eq!(house.services(None, &cancel).await.unwrap()["count"], 2);
}

#[tokio::test]
async fn the_thing_beside_the_data_wins() {
    let server = WebServer::start(|_| WebReply::json(&states()));
    let name = ServiceName::parse("light", "turn_on").unwrap();
    let id = EntityId::parse("light.k").unwrap();
    let Value::Object(data) = json!({"entity_id": "light.b", "brightness": 9}) else { panic!() };
    let done = house(&server).act(&name, Some(&id), data, &CancellationToken::new()).await.unwrap();
    assert_eq!(done["service"], "light.turn_on");
    assert_eq!(done["affected_entities"][0], json!({"entity_id": "light.k", "state": "on"}));
    let seen = &server.requests()[0];
    assert_eq!((seen.method.as_str(), seen.path.as_str()), ("POST", "/api/services/light/turn_on"));
    assert_eq!(seen.body, json!({"entity_id": "light.k", "brightness": 9}));
}

#[tokio::test]
async fn failures_are_told_apart_and_show_no_token() {
    let words = json!({"message": format!("no: {TOKEN}")});
    let cases = [
        (WebReply::json(&words).with_status(401), "authentication"),
        (WebReply::json(&words).with_status(404), "not_found"),
        (WebReply::json(&words).with_status(429), "rate_limit"),
        (WebReply::status(502), "provider_error"),
        (WebReply::bytes("[broken"), "invalid_response"),
        (WebReply::bytes("[").cut(), "connection"),
    ];
    for (reply, kind) in cases {
        let server = WebServer::start(move |_| reply.clone());
        let error = house(&server).entities(None, None, &CancellationToken::new()).await;
        let error = error.unwrap_err();
        assert_eq!(error.kind(), kind, "{error}");
        assert!(!error.to_string().contains(TOKEN), "{error}");
    }
}

#[test]
fn without_a_token_there_is_no_house() {
    assert!(HomeAssistant::from_vars(&Vars::default()).is_none());
}
