//! How the agent speaks: a few lines in its instructions, chosen by name.
//!
//! Some are built in. Further ones are in `agent.personalities`, by name: a text, or a section with
//! `system_prompt` and perhaps `description`, `tone` and `style`. Of two with the same name the
//! user's own counts. `agent.personality` names the one in force.

use hermes_tool::Vars;
use hermes_tool::settings::{Settings, TextOr};
use serde_json::Value;

use super::settings::{OwnPersonality, PromptSettings};

/// Words that mean none.
pub const NONE: [&str; 3] = ["none", "default", "off"];

const BUILT_IN: &[(&str, &str, &str)] = &[
    (
        "concise",
        "short and to the point",
        "Keep every answer as short as it can be without leaving out what matters. No greeting, no \
         summary of what was asked, no closing words.",
    ),
    (
        "teacher",
        "explains as it goes",
        "Explain what you do and why, step by step, as a patient teacher does. Name the idea behind \
         each step, give a small example, and say where to read more.",
    ),
    (
        "technical",
        "exact, with details",
        "Speak to an expert: exact terms, versions, numbers, commands and trade-offs. Leave out what \
         such a reader knows.",
    ),
    (
        "creative",
        "looks for unusual ways",
        "Look for unusual ways. Offer two or three ideas that differ from each other before you settle \
         on one, and say what is surprising about it.",
    ),
];

/// A way to speak.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Personality {
    /// What `/personality` and the configuration call it.
    pub name: String,
    /// A line on it.
    pub about: String,
    /// What the agent is told.
    pub text: String,
}

/// All there are, by name.
#[must_use]
pub fn all(config: &Value) -> Vec<Personality> {
    let built_in = BUILT_IN.iter().map(|(name, about, text)| Personality {
        name: (*name).to_owned(),
        about: (*about).to_owned(),
        text: (*text).to_owned(),
    });
    let own = PromptSettings::read(config, &Vars::default()).personalities;
    let own: Vec<Personality> =
        own.into_iter().filter_map(|(name, written)| read(&name, written)).collect();
    let mut all: Vec<Personality> =
        built_in.filter(|one| own.iter().all(|mine| mine.name != one.name)).collect();
    all.extend(own);
    all.sort_by(|a, b| a.name.cmp(&b.name));
    all
}

/// The one in force, if there is one.
#[must_use]
pub fn chosen(config: &Value) -> Option<Personality> {
    let name = PromptSettings::read(config, &Vars::default()).personality?.trim().to_lowercase();
    all(config).into_iter().find(|one| one.name == name)
}

fn read(name: &str, written: TextOr<OwnPersonality>) -> Option<Personality> {
    let OwnPersonality { system_prompt, description, tone, style } = written.into_parts(|text| {
        OwnPersonality { system_prompt: Some(text), ..OwnPersonality::default() }
    });
    let mut text = system_prompt?.trim().to_owned();
    for (what, word) in [("Tone", tone), ("Style", style)] {
        if let Some(word) = word {
            text += &format!("\n{what}: {}", word.trim());
        }
    }
    let about = description.map_or_else(|| first_line(&text), |line| line.trim().to_owned());
    (!text.is_empty()).then(|| Personality { name: name.trim().to_lowercase(), about, text })
}

fn first_line(text: &str) -> String {
    text.lines().next().unwrap_or_default().chars().take(80).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn ones_own_count_before_those_built_in() {
        let config = json!({"agent": {"personality": " Pirate", "personalities": {
            "pirate": {"system_prompt": "Speak like a pirate.", "tone": "loud", "description": "arr"},
            "concise": "Three words.",
            "broken": {"tone": "x"}, "empty": "  "}}});
        let names: Vec<String> = all(&config).into_iter().map(|one| one.name).collect();
        assert_eq!(names, ["concise", "creative", "pirate", "teacher", "technical"]);
        let pirate = chosen(&config).unwrap();
        assert_eq!(pirate.text, "Speak like a pirate.\nTone: loud");
        assert_eq!(pirate.about, "arr");
        assert_eq!(all(&config)[0].text, "Three words.");
    }

    #[test]
    fn none_and_unknown_ones_are_none() {
        assert_eq!(chosen(&json!({})), None);
        assert_eq!(chosen(&json!({"agent": {"personality": "none"}})), None);
        assert!(NONE.iter().all(|word| all(&json!({})).iter().all(|one| one.name != *word)));
    }
}
