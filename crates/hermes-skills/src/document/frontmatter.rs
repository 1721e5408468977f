//! The fields of a skill.

use serde_json::Value;

use super::yaml::{self, YamlNode, YamlProblem, YamlStyle, YamlValue};

/// The block at the top of a document.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Frontmatter {
    root: Option<YamlNode>,
}

impl Frontmatter {
    /// Reads a block strictly. Something other than a mapping is kept as it is: see [`Frontmatter::is_mapping`].
    ///
    /// # Errors
    /// When it is not YAML.
    pub fn read(block: &str, first_line: usize) -> Result<Self, YamlProblem> {
        Ok(Self { root: Some(yaml::parse(block, first_line)?) })
    }

    /// Reads a block that is no YAML: each line with a colon is a field. The first of a name counts.
    #[must_use]
    pub fn read_broken(block: &str, first_line: usize) -> Self {
        let mut entries: Vec<(String, YamlNode)> = Vec::new();
        for (index, line) in block.lines().enumerate() {
            let Some((key, value)) = line.split_once(':') else { continue };
            let (key, value) = (key.trim(), value.trim());
            if key.is_empty() || entries.iter().any(|(known, _)| known == key) {
                continue;
            }
            let text = value.to_owned();
            let value = YamlValue::Scalar { text, style: YamlStyle::Plain };
            entries.push((key.to_owned(), YamlNode { line: first_line + index, value }));
        }
        Self { root: Some(YamlNode { line: first_line, value: YamlValue::Mapping(entries) }) }
    }

    /// Whether the block is a mapping, as it should be.
    #[must_use]
    pub fn is_mapping(&self) -> bool {
        matches!(self.root.as_ref().map(|root| &root.value), Some(YamlValue::Mapping(_)))
    }

    /// The fields in the order they are written.
    #[must_use]
    pub fn entries(&self) -> &[(String, YamlNode)] {
        self.root.as_ref().map_or(&[], YamlNode::entries)
    }

    /// What is said at the top level under this name.
    #[must_use]
    pub fn field(&self, name: &str) -> Option<&YamlNode> {
        self.root.as_ref()?.get(name)
    }

    /// A field of ours, below `metadata.hermes`.
    #[must_use]
    pub fn own_field(&self, name: &str) -> Option<&YamlNode> {
        self.field("metadata")?.get("hermes")?.get(name)
    }

    /// The name as written, if there is one.
    #[must_use]
    pub fn name(&self) -> Option<String> {
        self.written("name").map(|name| name.trim().to_owned()).filter(|name| !name.is_empty())
    }

    /// What the skill is for, if the field is a text.
    #[must_use]
    pub fn description(&self) -> Option<String> {
        self.written("description").map(|text| text.trim().to_owned())
    }

    /// A field that is a text, as written.
    #[must_use]
    pub fn written(&self, field: &str) -> Option<&str> {
        self.field(field)?.text()
    }

    /// Words that describe the skill.
    #[must_use]
    pub fn tags(&self) -> Vec<String> {
        self.text_list("tags")
    }

    /// Other skills that go with it.
    #[must_use]
    pub fn related_skills(&self) -> Vec<String> {
        self.text_list("related_skills")
    }

    /// A list from our own fields, or else from the top level.
    fn text_list(&self, field: &str) -> Vec<String> {
        let node =
            self.own_field(field).filter(|node| !node.is_null()).or_else(|| self.field(field));
        node.map(text_list).unwrap_or_default()
    }

    /// A list of texts at the top level, in any of its three spellings.
    #[must_use]
    pub fn texts(&self, field: &str) -> Vec<String> {
        self.field(field).map(text_list).unwrap_or_default()
    }

    /// `metadata` for whoever views the skill.
    #[must_use]
    pub fn metadata(&self) -> Option<Value> {
        self.field("metadata").filter(|node| !node.is_null()).map(YamlNode::to_json)
    }
}

/// Texts of a list, of `a, b`, or of `"[a, b]"`; empty ones are dropped.
pub(super) fn text_list(node: &YamlNode) -> Vec<String> {
    let words: Vec<&str> = match &node.value {
        YamlValue::Sequence(items) => items.iter().filter_map(YamlNode::text).collect(),
        YamlValue::Mapping(_) => Vec::new(),
        YamlValue::Scalar { .. } => {
            let text = node.text().unwrap_or_default().trim();
            let inner =
                text.strip_prefix('[').and_then(|text| text.strip_suffix(']')).unwrap_or(text);
            inner.split(',').map(|word| word.trim().trim_matches(['"', '\''])).collect()
        }
    };
    words.into_iter().map(str::trim).filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(block: &str) -> Frontmatter {
        Frontmatter::read(block, 2).unwrap()
    }

    #[test]
    fn names_and_tags_are_the_written_text() {
        let block = read("name: yes\nversion: 1.10\ntags: [010, 2024-01-02, no, '', ~]\n");
        assert_eq!(block.name().as_deref(), Some("yes"));
        assert_eq!(block.written("version"), Some("1.10"));
        assert_eq!(block.tags(), ["010", "2024-01-02", "no"]);
    }

    #[test]
    fn lists_come_in_three_spellings_and_ours_wins() {
        assert_eq!(read("tags: a, b,,\n").tags(), ["a", "b"]);
        assert_eq!(read("tags: \"[a, 'b']\"\n").tags(), ["a", "b"]);
        let both = "tags: [top]\nmetadata:\n  hermes:\n    tags: [own]\n    related_skills: x\n";
        assert_eq!(read(both).tags(), ["own"]);
        assert_eq!(read(both).related_skills(), ["x"]);
    }

    #[test]
    fn a_block_that_is_no_mapping_has_no_fields() {
        for block in ["- a\n", "text\n", ""] {
            assert!(!read(block).is_mapping(), "{block:?}");
            assert_eq!(read(block).name(), None);
        }
    }

    #[test]
    fn broken_lines_are_split_at_the_first_colon() {
        let block = Frontmatter::read_broken(
            "name : a\n description:  Use when: x \nnothing\n: b\nname: c\n",
            2,
        );
        assert_eq!(block.name().as_deref(), Some("a"));
        assert_eq!(block.description().as_deref(), Some("Use when: x"));
        assert_eq!(block.entries().len(), 2);
        assert_eq!(block.field("description").unwrap().line, 3);
    }
}
