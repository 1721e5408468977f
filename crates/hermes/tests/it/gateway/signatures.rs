//! Signatures made by other people's libraries are taken, and whatever differs from them is not.

use std::process::Stdio;

use hermes_testkit::{Step, TelegramDouble, part};

use super::others::{free_port, post};
use super::stage::Stage;
use super::{OWNER, TOKEN};
use crate::support::std_command;

/// What a library prints, asked by a line of its own language.
fn library(program: &str, args: &[&str]) -> String {
    let parts = part("HERMES_TEST_CHATS");
    let mut command = std_command(format!("{parts}/{program}"));
    command.args(args).current_dir(format!("{parts}/node")).env_clear();
    let output = command.env("PATH", "/usr/bin:/bin").stdin(Stdio::null()).output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    assert!(output.status.success(), "{said}\n{}", String::from_utf8_lossy(&output.stderr));
    said
}

fn python(code: &str, args: &[&str]) -> String {
    library("python/bin/python", &[&["-c", code], args].concat())
}

/// A gateway with one route that only delivers, under this secret.
fn route(secret: &str) -> (Stage, TelegramDouble, u16) {
    let telegram = TelegramDouble::start(TOKEN);
    let port = free_port();
    let platforms = format!(
        "  telegram:\n    extra:\n      base_url: {}\n  webhook:\n    enabled: true\n    extra:\n      \
         port: {port}\n      routes:\n        r:\n          secret: {secret}\n          \
         prompt: 'Heard {{word}}.'\n          deliver: telegram\n          deliver_only: true\n",
        telegram.url()
    );
    let env = format!(
        "TELEGRAM_BOT_TOKEN={TOKEN}\nTELEGRAM_ALLOWED_USERS={OWNER}\nTELEGRAM_HOME_CHANNEL={OWNER}\n"
    );
    let mut stage = Stage::new([Step::text("x")], &platforms, &env);
    stage.start_until("webhook", "connected");
    (stage, telegram, port)
}

const JSON: (&str, &str) = ("content-type", "application/json");

#[test]
fn calls_signed_by_octokit() {
    let secret = "It's a Secret to Everybody";
    let (_stage, telegram, port) = route(&format!("\"{secret}\""));
    let body = r#"{"word": "octokit"}"#;
    let code = "import {Webhooks} from '@octokit/webhooks';\
                console.log(await new Webhooks({secret: process.argv[1]}).sign(process.argv[2]))";
    let sign = |secret: &str, body: &str| {
        library("node/node", &["--input-type=module", "-e", code, secret, body])
    };
    let right = sign(secret, body);
    let call = |signature: &str, id: &str, body: &str| {
        let headers = [
            JSON,
            ("x-github-event", "push"),
            ("x-github-delivery", id),
            ("x-hub-signature-256", signature),
        ];
        post(port, "/webhooks/r", &headers, body).0
    };
    assert_eq!(call(&sign("another", body), "d1", body), 401);
    assert_eq!(call(&right, "d1", r#"{"word": "forged!"}"#), 401);
    assert_eq!(call(&right, "d1", body), 202);
    telegram.wait_for_text(OWNER, "Heard octokit.");
    assert_eq!(call(&right, "d1", body), 202, "a replay is taken and not run");
    assert_eq!(post(port, "/webhooks/r", &[JSON], body).0, 401, "no signature at all");
    assert_eq!(telegram.messages(OWNER).len(), 1);
}

#[test]
fn calls_signed_by_svix() {
    let secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
    let (_stage, telegram, port) = route(secret);
    let body = r#"{"word": "svix"}"#;
    let code = "import sys, datetime; from svix.webhooks import Webhook\n\
                at = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(seconds=int(sys.argv[3]))\n\
                print(int(at.timestamp()), Webhook(sys.argv[1]).sign('msg_1', at, sys.argv[2]))";
    let sign = |secret: &str, shift: &str| {
        let said = python(code, &[secret, body, shift]);
        let (stamp, signature) = said.split_once(' ').unwrap();
        (stamp.to_owned(), signature.to_owned())
    };
    let call = |stamp: &str, signature: &str, id: &str| {
        let headers =
            [JSON, ("svix-id", id), ("svix-timestamp", stamp), ("svix-signature", signature)];
        post(port, "/webhooks/r", &headers, body).0
    };
    let (stamp, right) = sign(secret, "0");
    let (stale, old) = sign(secret, "-600");
    let (_, other) = sign("whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", "0");
    assert_eq!(call(&stamp, &other, "msg_1"), 401, "another secret");
    assert_eq!(call(&stamp, &right, "msg_2"), 401, "the signature of another message");
    assert_eq!(call(&stale, &old, "msg_1"), 401, "ten minutes old");
    let both = format!("{other} {right}");
    assert_eq!(call(&stamp, &both, "msg_1"), 202, "while a secret is changed there are two");
    telegram.wait_for_text(OWNER, "Heard svix.");
    assert_eq!(call(&stamp, &right, "msg_1"), 202, "a replay is taken and not run");
    assert_eq!(telegram.messages(OWNER).len(), 1);
}

#[test]
fn calls_signed_by_twilio() {
    let port = free_port();
    let url = "https://hermes.example.org/webhooks/twilio";
    let env = format!(
        "TWILIO_ACCOUNT_SID=AC1\nTWILIO_AUTH_TOKEN=tok1\nTWILIO_PHONE_NUMBER=+15550000000\n\
         SMS_WEBHOOK_URL={url}\nSMS_WEBHOOK_PORT={port}\nSMS_ALLOWED_USERS=+15551234567\n"
    );
    let service = hermes_testkit::WebServer::start(|_| {
        hermes_testkit::WebReply::json(&serde_json::json!({"sid": "SM9"})).with_status(201)
    });
    let platforms = format!("  sms:\n    extra:\n      base_url: {}\n", service.origin());
    let mut stage = Stage::new([Step::text("By return.")], &platforms, &env);
    stage.start_until("sms", "connected");
    let code = "import sys; from urllib.parse import parse_qsl; from twilio.request_validator import RequestValidator\n\
                print(RequestValidator(sys.argv[1]).compute_signature(sys.argv[2], dict(parse_qsl(sys.argv[3]))))";
    let body = "MessageSid=SM1&From=%2B15551234567&To=%2B15550000000&Body=are+you+there";
    let form = ("content-type", "application/x-www-form-urlencoded");
    let call = |signature: &str, body: &str| {
        post(port, "/webhooks/twilio", &[form, ("x-twilio-signature", signature)], body).0
    };
    assert_eq!(call(&python(code, &["other", url, body]), body), 403);
    let right = python(code, &["tok1", url, body]);
    assert_eq!(
        call(&right, &body.replace("are", "ARE")),
        403,
        "other words under the same signature"
    );
    assert_eq!(call(&right, body), 200);
    assert_eq!(call(&right, body), 200, "a replay is no second message");
    let sent = || service.requests().iter().filter(|one| one.method == "POST").count();
    stage.until("an answer", || sent() > 0);
    assert_eq!(stage.model.questions().len(), 1);
    assert!(
        service.requests()[0].body.to_string().contains("By+return."),
        "{:?}",
        service.requests()
    );
}
