//! What to ask for.

use super::Discovered;
use crate::oauth::challenge::Challenge;
use crate::oauth::settings::LoginSettings;

/// A token that lasts beyond the session.
const OFFLINE: &str = "offline_access";

/// The scope of the configuration, else of the challenge, else all there is, else none.
pub(super) fn choose(
    settings: &LoginSettings,
    challenge: &Challenge,
    found: &Discovered,
) -> Option<String> {
    if let Some(scope) = &settings.scope {
        return Some(scope.clone());
    }
    let everything = || found.scopes.as_ref().map(|scopes| scopes.join(" "));
    let scope = challenge.scope.clone().or_else(everything).filter(|scope| !scope.is_empty());
    match scope {
        Some(scope) if found.metadata.offers(OFFLINE) => Some(union(Some(&scope), OFFLINE)),
        None if found.metadata.offers(OFFLINE) => Some(OFFLINE.to_owned()),
        scope => scope,
    }
}

/// Both scopes, each word once.
pub(super) fn union(before: Option<&str>, more: &str) -> String {
    let mut words: Vec<&str> = Vec::new();
    for word in before.unwrap_or_default().split_whitespace().chain(more.split_whitespace()) {
        if !words.contains(&word) {
            words.push(word);
        }
    }
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::oauth::metadata::ServerMetadata;
    use url::Url;

    fn chosen(
        config: Option<&str>,
        challenge: Option<&str>,
        described: Option<&[&str]>,
        offered: &[&str],
    ) -> Option<String> {
        let owned = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
        let url = Url::parse("https://a.example/mcp").unwrap();
        let mut settings = LoginSettings::new("s", url.clone(), "/nowhere".into());
        settings.scope = config.map(str::to_owned);
        let challenge = Challenge { scope: challenge.map(str::to_owned), ..Challenge::default() };
        let mut metadata = ServerMetadata::undescribed(&url).unwrap();
        metadata.scopes_supported = Some(owned(offered));
        let found =
            Discovered { resource: url.to_string(), scopes: described.map(owned), metadata };
        choose(&settings, &challenge, &found)
    }

    #[test]
    fn the_nearest_source_of_a_scope_wins() {
        let described: Option<&[&str]> = Some(&["x", "y"]);
        assert_eq!(chosen(Some("mine"), Some("a"), described, &[]).as_deref(), Some("mine"));
        assert_eq!(chosen(None, Some("a b"), described, &[]).as_deref(), Some("a b"));
        assert_eq!(chosen(None, None, described, &[]).as_deref(), Some("x y"));
        assert_eq!(chosen(None, None, None, &["z"]), None);
    }

    #[test]
    fn a_lasting_token_is_asked_for_only_where_there_are_some() {
        assert_eq!(chosen(None, Some("a"), None, &[OFFLINE]).as_deref(), Some("a offline_access"));
        assert_eq!(chosen(None, Some("a"), None, &[]).as_deref(), Some("a"));
        assert_eq!(chosen(Some("mine"), None, None, &[OFFLINE]).as_deref(), Some("mine"));
    }

    #[test]
    fn asking_for_more_keeps_what_there_was() {
        assert_eq!(union(Some("a b"), "b c"), "a b c");
        assert_eq!(union(None, "c"), "c");
    }
}
