//! Names of things and of what is done with them.

use std::fmt;

/// Domains that run commands or programs, or reach other hosts.
const CLOSED: [&str; 6] =
    ["shell_command", "command_line", "python_script", "pyscript", "hassio", "rest_command"];
/// No name is longer.
const MAX_NAME: usize = 255;

/// What is wrong with a name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NameError {
    /// It is no name of a thing.
    #[error("{0:?} is no entity id; they look like light.kitchen")]
    Entity(String),
    /// It is no name of a domain or service.
    #[error("{0:?} is no name of a domain or service; they are lower-case letters, digits and _")]
    Word(String),
    /// The domain is closed to models.
    #[error("services of the domain {0} are closed here: they run programs or reach other hosts")]
    Closed(String),
}

/// The name of a thing, such as `light.kitchen`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EntityId(String);

impl EntityId {
    /// Checks a name.
    ///
    /// # Errors
    /// [`NameError::Entity`].
    pub fn parse(text: &str) -> Result<Self, NameError> {
        let sound = text.split_once('.').is_some_and(|(domain, object)| {
            let word = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
            let begins = domain.starts_with(|c: char| c.is_ascii_lowercase() || c == '_');
            begins && domain.chars().all(word) && !object.is_empty() && object.chars().all(word)
        });
        if sound && text.len() <= MAX_NAME {
            Ok(Self(text.to_owned()))
        } else {
            Err(NameError::Entity(shortened(text)))
        }
    }
}

impl fmt::Display for EntityId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Something that can be done, such as `light.turn_on`, in a domain that is open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServiceName {
    domain: String,
    service: String,
}

impl ServiceName {
    /// Checks both names, and whether the domain is open.
    ///
    /// # Errors
    /// The first name that will not do.
    pub fn parse(domain: &str, service: &str) -> Result<Self, NameError> {
        for word in [domain, service] {
            if !is_domain(word) {
                return Err(NameError::Word(shortened(word)));
            }
        }
        if CLOSED.contains(&domain) {
            return Err(NameError::Closed(domain.to_owned()));
        }
        Ok(Self { domain: domain.to_owned(), service: service.to_owned() })
    }

    /// What stands before the dot: the kind of device or helper.
    #[must_use]
    pub fn domain(&self) -> &str {
        &self.domain
    }

    /// What is done.
    #[must_use]
    pub fn service(&self) -> &str {
        &self.service
    }
}

/// Whether a word can name a domain or a service.
#[must_use]
pub fn is_domain(word: &str) -> bool {
    word.len() <= MAX_NAME
        && word.starts_with(|c: char| c.is_ascii_lowercase())
        && word.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
}

fn shortened(text: &str) -> String {
    text.chars().take(60).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn names_that_could_be_part_of_another_address_are_refused() {
        for good in ["light.kitchen", "_x.1", "sensor.a_b_2"] {
            assert!(EntityId::parse(good).is_ok(), "{good}");
        }
        for bad in
            ["", "light", ".x", "light.", "1.x", "light.a/b", "light.a.b", "Light.a", "light.ä"]
        {
            assert!(EntityId::parse(bad).is_err(), "{bad}");
        }
        assert!(ServiceName::parse("light", "turn_on").is_ok());
        for (domain, service) in [("light", "../x"), ("", "x"), ("_a", "x"), ("a", "turn-on")] {
            assert!(ServiceName::parse(domain, service).is_err(), "{domain}.{service}");
        }
    }

    #[test]
    fn domains_that_run_programs_are_closed() {
        for domain in CLOSED {
            let refused = ServiceName::parse(domain, "reload").unwrap_err();
            assert_eq!(refused, NameError::Closed(domain.to_owned()));
        }
    }

    proptest! {
        #[test]
        fn what_passes_holds_nothing_that_an_address_understands(text in ".{0,40}") {
            if EntityId::parse(&text).is_ok() || is_domain(&text) {
                prop_assert!(text.chars().all(|c| c.is_ascii_alphanumeric() || "._".contains(c)));
            }
        }
    }
}
