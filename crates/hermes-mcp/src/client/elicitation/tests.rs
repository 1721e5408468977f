//! Every kind of field, every kind of answer, and everything that must not be taken for a yes.

use super::*;

/// Answers the same to every question.
struct Scripted(FormReply, PageConsent);

impl Person for Scripted {
    fn fill(&self, _form: Form) -> BoxFuture<FormReply> {
        let reply = self.0.clone();
        Box::pin(async move { reply })
    }

    fn visit(&self, visit: PageRequest) -> BoxFuture<PageConsent> {
        assert_eq!(visit.host, "pay.example.com");
        let consent = self.1;
        Box::pin(async move { consent })
    }
}

/// Never says a word.
struct Silent;

impl Person for Silent {
    fn fill(&self, _form: Form) -> BoxFuture<FormReply> {
        Box::pin(std::future::pending())
    }

    fn visit(&self, _visit: PageRequest) -> BoxFuture<PageConsent> {
        Box::pin(std::future::pending())
    }
}

fn every_kind() -> Value {
    json!({"message": "Who are you?", "requestedSchema": {
        "type": "object",
        "properties": {
            "name": {"type": "string", "title": "Name", "minLength": 1, "default": "Jo"},
            "age": {"type": "integer", "minimum": 0, "maximum": 150, "default": 30},
            "height": {"type": "number", "default": 1.7},
            "member": {"type": "boolean", "default": true},
            "colour": {"type": "string", "enum": ["red", "green"], "default": "green"},
            "old": {"type": "string", "enum": ["r", "g"], "enumNames": ["Red", "Green"]},
            "size": {"type": "string", "oneOf": [
                {"const": "s", "title": "Small"}, {"const": "l", "title": "Large"}]},
            "pets": {"type": "array", "minItems": 1, "items": {"type": "string",
                "enum": ["cat", "dog"]}, "default": ["cat"]},
            "langs": {"type": "array", "items": {"anyOf": [
                {"const": "de", "title": "German"}, {"const": "fr", "title": "French"}]}},
            "word": {"type": "string", "format": "password"},
        },
        "required": ["name", "size"],
    }})
}

fn form() -> Form {
    Form::read("srv", &every_kind(), Duration::from_secs(1)).unwrap()
}

fn field(name: &str) -> Field {
    form().fields.into_iter().find(|field| field.name == name).unwrap()
}

fn entered(value: &Value) -> Map<String, Value> {
    value.as_object().unwrap().clone()
}

fn way() -> Elicitation {
    Elicitation::new("srv", ElicitationSettings::default())
}

async fn answer(params: &Value, reply: FormReply) -> Value {
    way().answer(params, &Scripted(reply, PageConsent::Given)).await.unwrap()
}

#[test]
fn every_kind_of_field_is_read_in_the_servers_order() {
    let names: Vec<String> = form().fields.into_iter().map(|field| field.name).collect();
    let expected =
        ["name", "age", "height", "member", "colour", "old", "size", "pets", "langs", "word"];
    assert_eq!(names, expected);
    assert_eq!(field("name").label(), "Name");
    assert!(field("name").is_required && !field("age").is_required);
    let titled = FieldChoice { value: "g".into(), title: "Green".into() };
    assert!(matches!(field("old").kind, FieldKind::One(choices) if choices[1] == titled));
    assert!(field("word").is_secret() && !field("name").is_secret());
}

#[test]
fn typed_text_becomes_the_fields_own_kind_of_value() {
    for (name, typed, value) in [
        ("name", " Ada ", json!("Ada")),
        ("age", "36", json!(36)),
        ("height", "1.65", json!(1.65)),
        ("height", "2", json!(2)),
        ("member", "No", json!(false)),
        ("colour", "red", json!("red")),
        ("colour", "2", json!("green")),
        ("size", "large", json!("l")),
        ("pets", "dog, cat", json!(["dog", "cat"])),
        ("langs", "1,French", json!(["de", "fr"])),
        ("word", " with blanks ", json!(" with blanks ")),
    ] {
        assert_eq!(field(name).parse(typed), Ok(value), "{name}");
    }
}

#[test]
fn what_does_not_fit_is_said_so() {
    for (name, typed) in [
        ("name", "  "),
        ("age", "1.5"),
        ("age", "151"),
        ("age", "-1"),
        ("height", "tall"),
        ("member", "perhaps"),
        ("colour", "blue"),
        ("size", "3"),
        ("pets", ""),
        ("pets", "cat, cow"),
    ] {
        assert!(field(name).parse(typed).is_err(), "{name} took {typed:?}");
    }
    let text = |format: &str| Field {
        kind: FieldKind::Text {
            format: Some(format.into()),
            length: field::FieldLimits::default(),
        },
        ..field("name")
    };
    assert!(text("email").parse("ada@example.com").is_ok() && text("email").parse("ada").is_err());
    assert!(text("uri").parse("https://a.b/c").is_ok() && text("uri").parse("a b").is_err());
    assert!(text("date").parse("2026-01-31").is_ok() && text("date").parse("31.1.").is_err());
}

#[tokio::test]
async fn accepting_sends_what_was_entered_and_defaults_for_the_rest() {
    let reply = FormReply::Accepted(entered(&json!({"size": "s", "age": 36})));
    let answer = answer(&every_kind(), reply).await;
    assert_eq!(answer["action"], "accept");
    assert_eq!(
        answer["content"],
        json!({"name": "Jo", "age": 36, "height": 1.7, "member": true, "colour": "green",
            "size": "s", "pets": ["cat"]})
    );
}

#[tokio::test]
async fn an_answer_that_does_not_fit_is_never_sent() {
    for wrong in [
        json!({}),
        json!({"size": "medium"}),
        json!({"size": "s", "age": "old"}),
        json!({"size": "s", "extra": 1}),
    ] {
        let answer = answer(&every_kind(), FormReply::Accepted(entered(&wrong))).await;
        assert_eq!(answer, json!({"action": "cancel"}), "{wrong}");
    }
}

#[tokio::test]
async fn no_and_silence_are_told_apart() {
    assert_eq!(answer(&every_kind(), FormReply::Declined).await, json!({"action": "decline"}));
    assert_eq!(answer(&every_kind(), FormReply::Cancelled).await, json!({"action": "cancel"}));
    let nobody = way().answer(&every_kind(), &NoPerson).await.unwrap();
    assert_eq!(nobody, json!({"action": "cancel"}));
}

#[tokio::test(start_paused = true)]
async fn nobody_waits_for_ever() {
    let before = tokio::time::Instant::now();
    let late = way().answer(&every_kind(), &Silent).await.unwrap();
    assert_eq!(late, json!({"action": "cancel"}));
    assert_eq!(before.elapsed().as_secs(), 305);
    let page = json!({"mode": "url", "message": "Pay", "url": "https://pay.example.com/x"});
    assert_eq!(way().answer(&page, &Silent).await.unwrap(), json!({"action": "cancel"}));
}

#[tokio::test]
async fn a_page_is_visited_only_with_consent() {
    let page = json!({"mode": "url", "message": "Pay", "url": "https://pay.example.com/x?id=1",
        "elicitationId": "e1"});
    for (consent, action) in [
        (PageConsent::Given, "accept"),
        (PageConsent::Declined, "decline"),
        (PageConsent::Cancelled, "cancel"),
    ] {
        let answer = way().answer(&page, &Scripted(FormReply::Declined, consent)).await.unwrap();
        assert_eq!(answer, json!({"action": action}));
    }
    for url in ["file:///etc/passwd", "javascript:alert(1)", "not a url", "https://"] {
        let page = json!({"mode": "url", "message": "Pay", "url": url});
        assert_eq!(answer(&page, FormReply::Declined).await, json!({"action": "decline"}), "{url}");
    }
}

#[tokio::test]
async fn a_form_nobody_can_show_is_declined() {
    let nested = json!({"type": "object", "properties": {"a": {"type": "object"}}});
    let params = json!({"message": "?", "requestedSchema": nested});
    let reply = FormReply::Accepted(Map::new());
    assert_eq!(answer(&params, reply).await, json!({"action": "decline"}));
    let off = ElicitationSettings { is_enabled: false, ..ElicitationSettings::default() };
    let refused = Elicitation::new("srv", off).answer(&every_kind(), &NoPerson).await;
    assert_eq!(refused.unwrap_err().code(), -32601);
}

#[test]
fn a_default_its_own_field_would_refuse_is_none() {
    let schema = json!({"properties": {"a": {"type": "integer", "default": "many"}}});
    let form =
        Form::read("srv", &json!({"requestedSchema": schema}), Duration::from_secs(1)).unwrap();
    assert_eq!(form.fields[0].default, None);
}
