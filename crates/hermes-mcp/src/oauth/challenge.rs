//! What a server says when it wants us to log in: the header `WWW-Authenticate`.

use url::Url;

/// The parts of a `Bearer` challenge that matter here.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Challenge {
    /// Where the server describes whom it trusts.
    pub resource_metadata: Option<Url>,
    /// What a token has to allow.
    pub scope: Option<String>,
    /// What was wrong with the token.
    pub error: Option<String>,
}

impl Challenge {
    /// Reads the header. Parts that cannot be read are left out, as are challenges of other schemes.
    #[must_use]
    pub fn parse(header: &str) -> Self {
        let mut challenge = Self::default();
        let mut is_bearer = false;
        for part in parts(header) {
            let (key, value) = match part.split_once('=') {
                Some((key, value)) => (key.trim(), unquoted(value.trim())),
                None => (part.trim(), String::new()),
            };
            // A scheme stands before the first of its parameters: `Bearer realm="x"`.
            let key = match key.split_once(char::is_whitespace) {
                Some((scheme, key)) => {
                    is_bearer = scheme.eq_ignore_ascii_case("bearer");
                    key.trim()
                }
                None if value.is_empty() && !part.contains('=') => {
                    is_bearer = key.eq_ignore_ascii_case("bearer");
                    continue;
                }
                None => key,
            };
            if !is_bearer || value.is_empty() {
                continue;
            }
            match key.to_ascii_lowercase().as_str() {
                "resource_metadata" => challenge.resource_metadata = Url::parse(&value).ok(),
                "scope" => challenge.scope = Some(value),
                "error" => challenge.error = Some(value),
                _ => {}
            }
        }
        challenge
    }
}

/// The parts between commas that are not inside quotes.
fn parts(header: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let (mut start, mut is_quoted, mut is_escaped) = (0, false, false);
    for (at, c) in header.char_indices() {
        match c {
            _ if is_escaped => is_escaped = false,
            '\\' if is_quoted => is_escaped = true,
            '"' => is_quoted = !is_quoted,
            ',' if !is_quoted => {
                parts.push(header[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(header[start..].trim());
    parts.retain(|part| !part.is_empty());
    parts
}

fn unquoted(value: &str) -> String {
    let Some(inner) = value.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) else {
        return value.to_owned();
    };
    let mut text = String::with_capacity(inner.len());
    let mut is_escaped = false;
    for c in inner.chars() {
        if c == '\\' && !is_escaped {
            is_escaped = true;
        } else {
            text.push(c);
            is_escaped = false;
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_full_challenge_is_read() {
        let header = r#"Bearer realm="a, b", error="insufficient_scope", scope="files:read files:write",
            resource_metadata="https://mcp.example.com/.well-known/oauth-protected-resource""#;
        let challenge = Challenge::parse(header);
        assert_eq!(challenge.scope.as_deref(), Some("files:read files:write"));
        assert_eq!(challenge.error.as_deref(), Some("insufficient_scope"));
        assert_eq!(challenge.resource_metadata.unwrap().host_str(), Some("mcp.example.com"));
    }

    #[test]
    fn only_bearer_counts_and_values_may_be_bare() {
        let challenge =
            Challenge::parse(r#"Basic scope="x", bearer scope=plain, Digest error="no""#);
        assert_eq!(challenge.scope.as_deref(), Some("plain"));
        assert_eq!(challenge.error, None);
        assert_eq!(Challenge::parse("Bearer"), Challenge::default());
        assert_eq!(Challenge::parse(r#"Bearer scope="a \"b\"""#).scope.as_deref(), Some("a \"b\""));
    }

    proptest! {
        #[test]
        fn nothing_makes_the_reader_stumble(header in ".{0,200}") {
            let _ = Challenge::parse(&header);
        }
    }
}
