//! What sources say about skills, and how far a source is believed.

use hermes_guard::skill_scan::SkillTrust;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// How far the origin of a skill is believed. Later is more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TrustLevel {
    /// Anybody.
    Community,
    /// A repository whose owner answers for it.
    Trusted,
    /// Shipped with this program.
    Builtin,
}

impl TrustLevel {
    /// The guard's word for it.
    #[must_use]
    pub const fn of_guard(self) -> SkillTrust {
        match self {
            Self::Community => SkillTrust::Community,
            Self::Trusted => SkillTrust::Trusted,
            Self::Builtin => SkillTrust::Builtin,
        }
    }

    /// The word in tables, JSON and files.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Community => "community",
            Self::Trusted => "trusted",
            Self::Builtin => "builtin",
        }
    }
}

/// A skill as a source lists it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct HubRecord {
    /// What it is called.
    pub name: String,
    /// What it is for, in the source's words.
    #[serde(default)]
    pub description: String,
    /// The source's id.
    #[serde(default)]
    pub source: String,
    /// What `install` takes.
    pub identifier: String,
    /// Worked out here, never taken from a source.
    #[serde(default = "community")]
    pub trust_level: TrustLevel,
    /// `owner/name`, where files come from a repository.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repo: Option<String>,
    /// The folder in that repository.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Words that describe it.
    #[serde(default)]
    pub tags: Vec<String>,
    /// What else the source says.
    #[serde(default)]
    pub extra: Map<String, Value>,
}

fn community() -> TrustLevel {
    TrustLevel::Community
}

impl HubRecord {
    /// A record with its three necessary parts.
    pub fn new(
        source: &str,
        name: impl Into<String>,
        identifier: impl Into<String>,
        trust_level: TrustLevel,
    ) -> Self {
        Self {
            name: name.into(),
            description: String::new(),
            source: source.to_owned(),
            identifier: identifier.into(),
            trust_level,
            repo: None,
            path: None,
            tags: Vec::new(),
            extra: Map::new(),
        }
    }

    /// The same with a description.
    #[must_use]
    pub fn described(mut self, description: impl Into<String>) -> Self {
        self.description = description.into();
        self
    }

    /// How well it fits a query: lower is better, nothing if it does not.
    #[must_use]
    pub fn rank(&self, query: &str) -> Option<u8> {
        let query = query.trim().to_lowercase();
        let name = self.name.to_lowercase();
        if query.is_empty() {
            return Some(5);
        }
        if name == query {
            return Some(0);
        }
        if name.starts_with(&query) {
            return Some(1);
        }
        let provider = self.repo.as_deref().unwrap_or(&self.identifier).split('/').next();
        if provider.is_some_and(|provider| provider.to_lowercase() == query) {
            return Some(2);
        }
        let text = format!("{name} {} {}", self.description, self.tags.join(" ")).to_lowercase();
        let words: Vec<&str> =
            text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
        let mut asked = query.split_whitespace();
        if asked.clone().all(|word| words.contains(&word)) {
            return Some(3);
        }
        asked.all(|word| text.contains(word)).then_some(4)
    }
}

/// Keeps what fits, best first.
#[must_use]
pub fn ranked(
    records: impl IntoIterator<Item = HubRecord>,
    query: &str,
    limit: usize,
) -> Vec<HubRecord> {
    let mut found: Vec<(u8, HubRecord)> = records
        .into_iter()
        .filter_map(|record| record.rank(query).map(|rank| (rank, record)))
        .collect();
    found.sort_by(|(left_rank, left), (right_rank, right)| {
        (left_rank, std::cmp::Reverse(left.trust_level), &left.name).cmp(&(
            right_rank,
            std::cmp::Reverse(right.trust_level),
            &right.name,
        ))
    });
    found.into_iter().take(limit).map(|(_, record)| record).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exact_names_come_before_prefixes_providers_words_and_parts() {
        let record = |name: &str, description: &str, repo: &str| {
            let mut record =
                HubRecord::new("x", name, format!("{repo}/{name}"), TrustLevel::Community);
            record.repo = Some(repo.to_owned());
            record.described(description)
        };
        let all = [
            record("other", "fill pdfs", "a/b"),
            record("forms", "fill a pdf form", "a/b"),
            record("own", "nothing", "pdf/b"),
            record("pdf-tools", "", "a/b"),
            record("pdf", "", "a/b"),
            record("none", "", "a/b"),
        ];
        let names: Vec<String> =
            ranked(all, "PDF", 10).into_iter().map(|record| record.name).collect();
        assert_eq!(names, ["pdf", "pdf-tools", "own", "forms", "other"]);
    }
}
