//! URLs as people and models write them, made fit for the wire.

use std::borrow::Cow;
use std::fmt::Write as _;

/// Trims a web address, closes a gap after `://`, turns an international host name into its ASCII
/// form, and escapes blanks and characters beyond ASCII. Escapes that are there stay as they are.
/// Text with another scheme, or none, comes back as it was, only trimmed.
#[must_use]
pub fn normalise(text: &str) -> Cow<'_, str> {
    let trimmed = text.trim();
    let Some((scheme, rest)) = trimmed.split_once("://") else { return Cow::Borrowed(trimmed) };
    if !scheme.eq_ignore_ascii_case("http") && !scheme.eq_ignore_ascii_case("https") {
        return Cow::Borrowed(trimmed);
    }
    let closed = rest.trim_start();
    if closed.len() == rest.len() && trimmed.bytes().all(|byte| byte.is_ascii_graphic()) {
        return Cow::Borrowed(trimmed);
    }
    let end = closed.find(['/', '?', '#']).unwrap_or(closed.len());
    let (authority, tail) = closed.split_at(end);
    let mut url = format!("{scheme}://");
    push_authority(authority, &mut url);
    push_escaped(tail, &mut url);
    Cow::Owned(url)
}

fn push_authority(authority: &str, url: &mut String) {
    let (user, host_and_port) = match authority.rsplit_once('@') {
        Some((user, rest)) => (Some(user), rest),
        None => (None, authority),
    };
    if let Some(user) = user {
        push_escaped(user, url);
        url.push('@');
    }
    let port = host_and_port
        .rfind(':')
        .filter(|&at| host_and_port[at + 1..].bytes().all(|byte| byte.is_ascii_digit()));
    let (host, port) = host_and_port.split_at(port.unwrap_or(host_and_port.len()));
    match ::url::Host::parse(host) {
        Ok(::url::Host::Domain(ascii)) if !host.is_ascii() => url.push_str(&ascii),
        // An ASCII host needs nothing; a broken one is for the check to refuse, not for us to mend.
        _ => url.push_str(host),
    }
    url.push_str(port);
}

fn push_escaped(text: &str, url: &mut String) {
    for character in text.chars() {
        if character.is_ascii_graphic() {
            url.push(character);
        } else {
            for byte in character.encode_utf8(&mut [0; 4]).bytes() {
                // Writing to a string cannot fail.
                let _ = write!(url, "%{byte:02X}");
            }
        }
    }
}
