//! Texts to look for secrets in: a log, source code, and a bit of everything. Every line is made
//! from its number alone; some lines hold a secret that is none.

use std::fmt::Write as _;

/// What a text is like.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Kind {
    /// Lines of a server: times, levels, addresses, requests.
    Log,
    /// Code that works with keys and tokens, as code does.
    Source,
    /// Both, and settings, headers and URLs.
    Mixed,
}

impl Kind {
    pub(crate) const ALL: [Self; 3] = [Self::Log, Self::Source, Self::Mixed];

    /// The file it is in.
    pub(super) fn file_name(self) -> &'static str {
        match self {
            Self::Log => "log.txt",
            Self::Source => "source.txt",
            Self::Mixed => "mixed.txt",
        }
    }

    /// A text of at least so many bytes.
    pub(super) fn text(self, bytes: usize) -> String {
        let mut text = String::with_capacity(bytes + 1_000);
        for number in 0.. {
            if text.len() >= bytes {
                break;
            }
            match self {
                Self::Log => log_line(&mut text, number),
                Self::Source => source_lines(&mut text, number),
                Self::Mixed => mixed_lines(&mut text, number),
            }
        }
        text
    }
}

/// One line in so many holds a secret.
const LINES_TO_A_SECRET: usize = 100;

/// What begins every secret, and must be gone when all are hidden. Put together here, since it
/// looks like a real one.
pub(super) fn secret_start() -> String {
    ["gh", "p_", "0123456789abcdefghij"].concat()
}

fn secret(number: usize) -> String {
    format!("{}{number:016}", secret_start())
}

const PATHS: [&str; 8] = [
    "/",
    "/api/v1/orders",
    "/api/v1/orders/items",
    "/static/app.js",
    "/login",
    "/health",
    "/assets/logo.svg",
    "/search",
];
const EVENTS: [&str; 8] = [
    "request completed",
    "cache miss, loading from the database",
    "connection closed by peer",
    "retrying after a time-out",
    "session refreshed",
    "job queued",
    "checkpoint written",
    "user signed in",
];
const LEVELS: [&str; 8] = ["INFO", "INFO", "DEBUG", "INFO", "WARN", "INFO", "ERROR", "DEBUG"];

fn log_line(text: &mut String, number: usize) {
    let (hour, minute, second) = (number / 3_600 % 24, number / 60 % 60, number % 60);
    let (level, event, path) = (LEVELS[number % 8], EVENTS[number / 3 % 8], PATHS[number / 5 % 8]);
    let (client, took) = (number * 37 % 256, number * 7_919 % 2_000);
    let _ = write!(
        text,
        "2026-03-14T{hour:02}:{minute:02}:{second:02}.{:03}Z {level:<5} [worker-{}] shop.http: \
         {event} method=GET path={path}?page={} status=200 client=10.0.{client}.17 \
         took_ms={took} request_id={:016x}",
        number % 1_000,
        number % 16,
        number % 50,
        number.wrapping_mul(0x9E37_79B9_7F4A_7C15),
    );
    if number % LINES_TO_A_SECRET == 7 {
        let _ = write!(text, " authorization=\"Bearer {}\"", secret(number));
    }
    text.push('\n');
}

fn source_lines(text: &mut String, number: usize) {
    let _ = write!(
        text,
        "    /// Reads entry {number} of the table, and says which one is missing.\n    \
         pub fn entry_{number}(&self, key: &str, token: Option<&Token>) -> Result<Entry, Error> {{\n        \
         let max_tokens = self.settings.max_tokens.unwrap_or(DEFAULT_MAX_TOKENS);\n        \
         let Some(entry) = self.entries.get(key) else {{\n            \
         return Err(Error::Missing {{ key: key.to_owned(), number: {number} }});\n        \
         }};\n        \
         if entry.tokens > max_tokens && token.is_none() {{\n            \
         return Err(Error::TooLong {{ tokens: entry.tokens, max_tokens }});\n        \
         }}\n        \
         // See https://example.com/docs/table?section={number}#entries for the layout.\n        \
         Ok(Entry {{ password_hash: entry.password_hash, ..entry.clone() }})\n    \
         }}\n\n"
    );
    if number % (LINES_TO_A_SECRET / 10) == 7 {
        let _ = writeln!(text, "    const TEST_KEY: &str = \"{}\";\n", secret(number));
    }
}

fn mixed_lines(text: &mut String, number: usize) {
    match number % 8 {
        0..=2 => log_line(text, number),
        3 if number % 64 == 3 => source_lines(text, number),
        3 => text
            .push_str("The quick brown fox jumps over the lazy dog, and nothing else happens.\n"),
        4 => {
            let _ = writeln!(
                text,
                "  \"id\": {number}, \"name\": \"item {number}\", \"api_version\": \"v1\","
            );
        }
        5 => {
            let _ = writeln!(
                text,
                "GET https://user.example.com:8443/a/{number}?q=one&sort=asc HTTP/1.1"
            );
        }
        6 if number % LINES_TO_A_SECRET == 6 => {
            let _ = writeln!(text, "export DEPLOY_TOKEN={}", secret(number));
        }
        6 => {
            let _ = writeln!(text, "export RETRY_LIMIT_{number}={}", number % 9);
        }
        _ => {
            let _ = writeln!(
                text,
                "drwxr-xr-x  2 root root    4096 Mar 14 09:{:02} build-{number}",
                number % 60
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_long_enough_and_hold_secrets() {
        for kind in Kind::ALL {
            let text = kind.text(100_000);
            assert!((100_000..102_000).contains(&text.len()), "{kind:?}: {}", text.len());
            assert!(text.matches(&secret_start()).count() >= 2, "{kind:?}");
        }
    }
}
