//! Which names look like credentials.

/// Words that mark a name as secret wherever they stand.
const ALWAYS: &[&str] = &[
    "SECRET",
    "SECRETS",
    "PASSPHRASE",
    "PASSCODE",
    "CREDENTIAL",
    "CREDENTIALS",
    "CREDS",
    "APIKEY",
    "BEARER",
    "JWT",
];

/// Parts of words that mark a name as secret, for names written together: `PGPASSWORD`.
const INSIDE: &[&str] = &["PASSWORD", "PASSWD", "APIKEY", "SECRETKEY"];

/// Words that mark a name as secret when they end it.
const AT_END: &[&str] = &["KEY", "TOKEN", "PASS", "PWD", "PAT", "AUTH", "DSN"];

/// Words before [`AT_END`] that make the name harmless: a sort key is no key to anything.
const HARMLESS_BEFORE: &[&str] = &[
    "PUBLIC",
    "PRIMARY",
    "FOREIGN",
    "SORT",
    "CACHE",
    "PARTITION",
    "ROUTING",
    "SHORTCUT",
    "HOT",
    "MAX",
    "MIN",
    "NUM",
    "STOP",
    "EOS",
    "BOS",
    "PAD",
    "MASK",
    "NEXT",
    "PER",
];

/// Plurals are usually counts (`MAX_TOKENS`) or key bindings; these words before make them secret.
const SECRET_BEFORE_PLURAL: &[&str] =
    &["API", "ACCESS", "AUTH", "REFRESH", "BOT", "PRIVATE", "SIGNING", "ENCRYPTION"];

/// Whether a name looks like that of a credential: `OPENAI_API_KEY`, `GITHUB_TOKEN`,
/// `client_secret`, `PGPASSWORD`; but not `MAX_TOKENS`, `KEYBOARD` or `PUBLIC_KEY`.
///
/// Understands `SNAKE_CASE`, `kebab-case`, dotted paths and `camelCase`. A number at the end
/// (`GEMINI_API_KEY_2`) makes no difference.
pub fn is_secret_name(name: &str) -> bool {
    let mut words = words(name);
    while words.last().is_some_and(|word| word.bytes().all(|byte| byte.is_ascii_digit())) {
        words.pop();
    }
    if words.iter().any(|word| ALWAYS.contains(&word.as_str()))
        || words.iter().any(|word| INSIDE.iter().any(|part| word.contains(part)))
    {
        return true;
    }
    let before = |list: &[&str]| match words.as_slice() {
        [.., before, _] => list.contains(&before.as_str()),
        _ => false,
    };
    match words.last().map(String::as_str) {
        Some("KEYS" | "TOKENS") => before(SECRET_BEFORE_PLURAL),
        // The address of a webhook is all one needs to post to it.
        Some("URL") => before(&["WEBHOOK"]),
        // One word alone: `path=…/pass` and `pwd` are places and commands more often than secrets.
        Some("PASS" | "PWD" | "PAT" | "AUTH") if words.len() == 1 => false,
        Some(last) => AT_END.contains(&last) && !before(HARMLESS_BEFORE),
        None => false,
    }
}

/// The words of a name in capitals.
fn words(name: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut previous = ' ';
    for c in name.chars() {
        let begins = !previous.is_ascii_alphanumeric()
            || (c.is_ascii_uppercase() && previous.is_ascii_lowercase());
        if c.is_ascii_alphanumeric() {
            match words.last_mut() {
                Some(word) if !begins => word.push(c.to_ascii_uppercase()),
                _ => words.push(c.to_ascii_uppercase().to_string()),
            }
        }
        previous = c;
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn credentials_are_recognised() {
        for name in [
            "OPENAI_API_KEY",
            "api_key",
            "apiKey",
            "model.api_key",
            "X-API-Key",
            "APIKEY",
            "KEY",
            "GITHUB_TOKEN",
            "TOKEN",
            "accessToken",
            "TELEGRAM_BOT_TOKEN",
            "VERCEL_OIDC_TOKEN",
            "CLIENT_SECRET",
            "client-secret",
            "SECRET",
            "AWS_SECRET_ACCESS_KEY",
            "SECRET_KEY_BASE",
            "PASSWORD",
            "SUDO_PASSWORD",
            "PGPASSWORD",
            "password_file",
            "SMTP_PASS",
            "DB_PWD",
            "GITHUB_PAT",
            "PROXY_AUTH",
            "SENTRY_DSN",
            "GOOGLE_APPLICATION_CREDENTIALS",
            "SLACK_WEBHOOK_URL",
            "API_KEYS",
            "ACCESS_TOKENS",
            "GEMINI_API_KEY_2",
            "TOKEN_1",
            "SSH_KEY_PASSPHRASE",
            "SESSION_JWT",
        ] {
            assert!(is_secret_name(name), "{name}");
        }
    }

    #[test]
    fn harmless_names_are_left_alone() {
        for name in [
            "MAX_TOKENS",
            "max_tokens",
            "maxTokens",
            "TOKENS",
            "KEYBOARD",
            "KEYS",
            "MONKEY",
            "TOKENIZER",
            "TOKENIZERS_PARALLELISM",
            "PUBLIC_KEY",
            "CACHE_KEY",
            "STOP_TOKEN",
            "MAX_TOKEN",
            "PATH",
            "PWD",
            "PASS",
            "COMPASS",
            "BYPASS",
            "AUTHOR",
            "OAUTH",
            "AUTH_ENABLED",
            "KEY_BINDINGS",
            "TOKEN_LIMIT",
            "AWS_ACCESS_KEY_ID",
            "HERMES_HOME",
            "BASE_URL",
            "WEBHOOK_PORT",
            "SECRETARY",
            "",
            "_",
            "42",
            "é",
        ] {
            assert!(!is_secret_name(name), "{name}");
        }
    }
}
