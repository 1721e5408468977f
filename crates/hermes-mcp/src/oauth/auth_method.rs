//! How a client shows who it is at the token endpoint, and which way both sides can agree on.

use serde::{Deserialize, Serialize};

/// The methods of RFC 7591 that are known here.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum AuthMethod {
    /// By name alone.
    #[default]
    #[serde(rename = "none")]
    None,
    /// By secret, in the header.
    #[serde(rename = "client_secret_basic")]
    Basic,
    /// By secret, in the body.
    #[serde(rename = "client_secret_post")]
    Post,
    /// By a signed note.
    #[serde(rename = "private_key_jwt")]
    Signed,
}

impl AuthMethod {
    /// The word for it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Basic => "client_secret_basic",
            Self::Post => "client_secret_post",
            Self::Signed => "private_key_jwt",
        }
    }

    /// The method of a word.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        [Self::None, Self::Basic, Self::Post, Self::Signed]
            .into_iter()
            .find(|method| method.as_str() == word)
    }

    /// The best of the methods a server takes, for a client with or without a secret. A server that does
    /// not say takes `client_secret_basic`.
    #[must_use]
    pub fn choose(supported: Option<&[String]>, has_secret: bool) -> Self {
        if !has_secret {
            return Self::None;
        }
        let takes = |method: Self| {
            supported.is_none_or(|words| words.iter().any(|word| word == method.as_str()))
        };
        [Self::Basic, Self::Post, Self::None]
            .into_iter()
            .find(|method| takes(*method))
            .unwrap_or(Self::Basic)
    }

    /// What a client that is about to register should ask for: no secret if that will do.
    #[must_use]
    pub fn to_register(supported: Option<&[String]>) -> Self {
        let takes = |method: Self| {
            supported.is_some_and(|words| words.iter().any(|word| word == method.as_str()))
        };
        if supported.is_none() || takes(Self::None) {
            return Self::None;
        }
        if takes(Self::Basic) || !takes(Self::Post) { Self::Basic } else { Self::Post }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(words: &[&str]) -> Vec<String> {
        words.iter().map(|word| (*word).to_owned()).collect()
    }

    #[test]
    fn the_method_follows_what_the_server_takes() {
        let choose = |list: &[&str], has_secret| AuthMethod::choose(Some(&words(list)), has_secret);
        assert_eq!(choose(&["client_secret_post", "client_secret_basic"], true), AuthMethod::Basic);
        assert_eq!(choose(&["client_secret_post"], true), AuthMethod::Post);
        assert_eq!(choose(&["none"], true), AuthMethod::None);
        assert_eq!(choose(&["client_secret_post"], false), AuthMethod::None);
        assert_eq!(AuthMethod::choose(None, true), AuthMethod::Basic);
    }

    #[test]
    fn registering_asks_for_a_secret_only_where_one_is_wanted() {
        let ask = |list: &[&str]| AuthMethod::to_register(Some(&words(list)));
        assert_eq!(ask(&["client_secret_basic", "none"]), AuthMethod::None);
        assert_eq!(ask(&["client_secret_basic"]), AuthMethod::Basic);
        assert_eq!(ask(&["client_secret_post"]), AuthMethod::Post);
        assert_eq!(AuthMethod::to_register(None), AuthMethod::None);
    }
}
