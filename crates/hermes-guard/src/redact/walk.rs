//! One walk over a text, from hit to hit: each goes to the rule that knows its kind.

use super::anchors::{self, SecretAnchor};
use super::scan::{RedactRules, SecretScan};
use super::{
    assignment, blocks, calls, flags, headers, keys, logins, manifests, short_options, tokens, urls,
};

/// The text with everything hidden, if anything is.
pub(super) fn walk(text: &str, rules: RedactRules) -> Option<String> {
    let mut scan = SecretScan::new(text, rules);
    for hit in anchors::automaton().find_overlapping_iter(text) {
        if hit.start() < scan.done() {
            continue;
        }
        let range = hit.range();
        match anchors::kind(hit.pattern()) {
            SecretAnchor::Prefix(index) => keys::visit(&mut scan, range.start, index),
            SecretAnchor::Block => blocks::visit(&mut scan, range.start),
            SecretAnchor::Scheme => urls::visit(&mut scan, range),
            SecretAnchor::Webhook => urls::webhook(&mut scan, range.end),
            SecretAnchor::Jwt => tokens::jwt(&mut scan, range.start),
            SecretAnchor::Query => urls::query_start(&mut scan, range.start),
            SecretAnchor::Manifest => manifests::visit(&mut scan, range),
            SecretAnchor::Positional => flags::positional(&mut scan, range),
            SecretAnchor::PuttyKey => blocks::putty(&mut scan, range.end),
            SecretAnchor::AzureSecret => tokens::azure(&mut scan, range),
            SecretAnchor::Marked => tokens::marked(&mut scan, range),
            SecretAnchor::Crypt => tokens::crypt(&mut scan, range),
            SecretAnchor::LoginLine => logins::visit(&mut scan, range.start),
            SecretAnchor::RelayLine => logins::relay(&mut scan, range.end),
            SecretAnchor::Bot => {
                tokens::bot(&mut scan, range.end);
                logins::visit(&mut scan, range.end - 1);
            }
            SecretAnchor::ChatBot => tokens::chat_bot(&mut scan, range),
            SecretAnchor::Phone => tokens::phone(&mut scan, range.start),
            SecretAnchor::Authorization => headers::authorization(&mut scan, range),
            SecretAnchor::Cookie => headers::cookie(&mut scan, range),
            SecretAnchor::User => flags::user(&mut scan, range),
            SecretAnchor::PasswordOption => short_options::password_option(&mut scan, range),
            SecretAnchor::CookieJar => logins::cookie_jar(&mut scan, range),
            SecretAnchor::WifiCode => logins::wifi(&mut scan, range.end),
            SecretAnchor::Call => calls::visit(&mut scan, range),
            SecretAnchor::Piped => short_options::piped(&mut scan, range),
            SecretAnchor::KeyMember => tokens::key_member(&mut scan, range),
            SecretAnchor::Name => assignment::visit(&mut scan, range),
        }
    }
    scan.finish()
}
