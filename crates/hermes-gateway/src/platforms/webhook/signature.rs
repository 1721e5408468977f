//! Whether a call is genuine: the first header of a scheme that is there decides.

use base64::Engine as _;
use ring::hmac;

use crate::adapter::{WebhookRequest, hex, same_secret, signed};

/// How far a timestamp may be from now.
pub(super) const FRESH: f64 = 300.0;
/// A route that takes any call; only where nobody else can call.
pub(super) const OPEN: &str = "INSECURE_NO_AUTH";

/// What a signature says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Genuine {
    Yes,
    /// Right, but of a scheme in which a call can be replayed.
    OldScheme,
    No,
}

/// What a call is known by when it comes again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum CallMark {
    /// Nothing that says which call it is was signed: its id is all there is.
    Unsigned,
    /// This is signed and the same for every copy, whatever id it comes with.
    Signed(String),
    /// Each sending is signed anew with its time: a copy has the same signature, a second try the same id.
    Stamped(String),
}

/// What a genuine call is known by.
pub(super) fn mark(call: &WebhookRequest, secret: &str) -> CallMark {
    let header = |name: &str| call.header(name).map(str::to_ascii_lowercase);
    if secret == OPEN {
        return CallMark::Unsigned;
    }
    if call.header("svix-signature").is_some() {
        return CallMark::Signed(call.header("svix-id").unwrap_or_default().to_owned());
    }
    if let Some(signature) = header("x-hub-signature-256") {
        return CallMark::Signed(signature);
    }
    if call.header("x-gitlab-token").is_some() {
        return CallMark::Unsigned;
    }
    match (header("x-webhook-signature-v2"), header("x-webhook-signature")) {
        (Some(signature), _) => CallMark::Stamped(signature),
        (None, Some(signature)) => CallMark::Signed(signature),
        (None, None) => CallMark::Unsigned,
    }
}

fn mac(secret: &[u8], parts: &[&[u8]]) -> hmac::Tag {
    signed(hmac::HMAC_SHA256, secret, parts)
}

fn is_fresh(stamp: &str, now: f64) -> bool {
    stamp.trim().parse::<f64>().is_ok_and(|at| (now - at).abs() <= FRESH)
}

fn when(right: bool, then: Genuine) -> Genuine {
    if right { then } else { Genuine::No }
}

/// Checks a call against the secret of its route.
pub(super) fn check(call: &WebhookRequest, secret: &str, now: f64) -> Genuine {
    if secret == OPEN {
        return Genuine::Yes;
    }
    let body = call.body.as_slice();
    if let Some(given) = call.header("svix-signature") {
        let (id, stamp) = (call.header("svix-id"), call.header("svix-timestamp"));
        let (Some(id), Some(stamp)) = (id, stamp) else { return Genuine::No };
        let base64 = base64::engine::general_purpose::STANDARD;
        let bare = secret.strip_prefix("whsec_").unwrap_or(secret);
        let key = base64.decode(bare).unwrap_or_else(|_| secret.as_bytes().to_vec());
        let parts = [id.as_bytes(), b".", stamp.as_bytes(), b".", body];
        let ours = format!("v1,{}", base64.encode(mac(&key, &parts)));
        // Several may be given while a secret is being changed.
        let is_one = given.split(' ').fold(false, |found, one| found | same_secret(&ours, one));
        return when(is_one && is_fresh(stamp, now), Genuine::Yes);
    }
    if let Some(given) = call.header("x-hub-signature-256") {
        let ours = format!("sha256={}", hex(mac(secret.as_bytes(), &[body]).as_ref()));
        return when(same_secret(&ours, &given.to_ascii_lowercase()), Genuine::Yes);
    }
    if let Some(given) = call.header("x-gitlab-token") {
        return when(same_secret(secret, given), Genuine::Yes);
    }
    if let Some(given) = call.header("x-webhook-signature-v2") {
        let stamp = call.header("x-webhook-timestamp").unwrap_or_default();
        let ours = hex(mac(secret.as_bytes(), &[stamp.as_bytes(), b".", body]).as_ref());
        let is_right = same_secret(&ours, &given.to_ascii_lowercase()) && is_fresh(stamp, now);
        return when(is_right, Genuine::Yes);
    }
    if let Some(given) = call.header("x-webhook-signature") {
        let ours = hex(mac(secret.as_bytes(), &[body]).as_ref());
        return when(same_secret(&ours, &given.to_ascii_lowercase()), Genuine::OldScheme);
    }
    Genuine::No
}

#[cfg(test)]
mod tests {
    use std::net::SocketAddr;

    use axum::http::{HeaderMap, HeaderName, HeaderValue, Method};

    use super::*;

    const NOW: f64 = 1_700_000_000.0;

    fn call(headers: &[(&str, &str)], body: &str) -> WebhookRequest {
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            let name = HeaderName::from_bytes(name.as_bytes()).unwrap();
            map.insert(name, HeaderValue::from_str(value).unwrap());
        }
        WebhookRequest {
            method: Method::POST,
            path: "/webhooks/x".to_owned(),
            query: String::new(),
            headers: map,
            body: body.as_bytes().to_vec(),
            peer: SocketAddr::from(([127, 0, 0, 1], 1)),
        }
    }

    #[test]
    fn each_scheme_right_wrong_stale_and_absent() {
        // Made with `openssl dgst -sha256 -hmac s3cret` over `hello`.
        let github = "sha256=72a4bb3e59ca1f3dd7dcca7a2c74d6df55ab9a3a46cb0a9f8dd3ef2b9f4ea7d0";
        let ours = format!("sha256={}", hex(mac(b"s3cret", &[b"hello"]).as_ref()));
        let signed = call(&[("x-hub-signature-256", &ours)], "hello");
        assert_eq!(check(&signed, "s3cret", NOW), Genuine::Yes);
        assert_eq!(check(&signed, "other", NOW), Genuine::No);
        let forged = call(&[("x-hub-signature-256", github)], "hello!");
        assert_eq!(check(&forged, "s3cret", NOW), Genuine::No);
        assert_eq!(check(&call(&[], "hello"), "s3cret", NOW), Genuine::No);
        let gitlab = call(&[("x-gitlab-token", "s3cret")], "");
        assert_eq!(check(&gitlab, "s3cret", NOW), Genuine::Yes);
        assert_eq!(check(&gitlab, "s3cre", NOW), Genuine::No);
        let stamp = "1700000000";
        let v2 = hex(mac(b"s3cret", &[stamp.as_bytes(), b".", b"hello"]).as_ref());
        let v2 = call(&[("x-webhook-signature-v2", &v2), ("x-webhook-timestamp", stamp)], "hello");
        assert_eq!(check(&v2, "s3cret", NOW + 299.0), Genuine::Yes);
        assert_eq!(check(&v2, "s3cret", NOW + 301.0), Genuine::No, "a replay");
        let v1 = hex(mac(b"s3cret", &[b"hello"]).as_ref());
        let v1 = call(&[("x-webhook-signature", &v1)], "hello");
        assert_eq!(check(&v1, "s3cret", NOW), Genuine::OldScheme);
    }

    /// The example of the scheme's own documentation.
    #[test]
    fn svix_signs_as_its_documentation_says() {
        let secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
        let headers = [
            ("svix-id", "msg_p5jXN8AQM9LWM0D4loKWxJek"),
            ("svix-timestamp", "1614265330"),
            ("svix-signature", "v1,wrong v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="),
        ];
        let signed = call(&headers, "{\"test\": 2432232314}");
        assert_eq!(check(&signed, secret, 1_614_265_331.0), Genuine::Yes);
        assert_eq!(check(&signed, secret, 1_614_266_331.0), Genuine::No);
        let changed = call(&headers, "{\"test\": 2432232315}");
        assert_eq!(check(&changed, secret, 1_614_265_331.0), Genuine::No);
    }

    #[test]
    fn another_id_makes_no_other_call_of_a_signed_one() {
        let hub = |id: &str| {
            let headers = [("x-hub-signature-256", "sha256=AB"), ("x-github-delivery", id)];
            mark(&call(&headers, "hello"), "s3cret")
        };
        assert_eq!(hub("1"), hub("2"));
        assert_eq!(hub("1"), CallMark::Signed("sha256=ab".to_owned()));
        let v2 = call(&[("x-webhook-signature-v2", "ab"), ("x-request-id", "1")], "hello");
        assert_eq!(mark(&v2, "s3cret"), CallMark::Stamped("ab".to_owned()));
        let open = call(&[("x-hub-signature-256", "sha256=ab")], "hello");
        assert_eq!(mark(&open, OPEN), CallMark::Unsigned);
    }
}
