//! What a skill says about itself, as far as it bears on where its secrets may go.

/// Shortest word of a name or description that may name a host.
const SHORTEST: usize = 4;
/// Words that name nobody.
const EMPTY: &[&str] = &[
    "skill",
    "skills",
    "tool",
    "tools",
    "with",
    "from",
    "that",
    "this",
    "when",
    "data",
    "code",
    "using",
    "uses",
    "user",
    "users",
    "file",
    "files",
    "agent",
    "agents",
    "help",
    "helps",
    "helper",
    "text",
    "test",
    "tests",
    "sample",
    "metrics",
    "collect",
    "collector",
    "stats",
    "cloud",
    "sync",
    "remote",
    "server",
    "host",
    "site",
    "http",
    "https",
    "logs",
    "track",
    "report",
    "upload",
    "send",
    "store",
    "cache",
    "access",
    "and",
    "your",
    "them",
    "into",
    "about",
    "the",
];

/// Read from the frontmatter of `SKILL.md`.
#[derive(Clone, Debug, Default)]
pub(super) struct SkillFacts {
    /// Words of name and description.
    pub(super) words: Vec<String>,
    /// Variable and host, as `credential_destinations` says.
    pub(super) destinations: Vec<(String, String)>,
}

impl SkillFacts {
    /// Reads the lines between the fences; anything unusual is left out, which only makes the scan
    /// stricter.
    pub(super) fn read(skill_md: &str) -> Self {
        let mut facts = Self::default();
        let text = skill_md.trim_start_matches('\u{feff}').trim_start();
        let Some(block) = text.strip_prefix("---") else { return facts };
        let mut key = String::new();
        let mut variable = String::new();
        for line in block.lines().skip(1).take_while(|line| line.trim_end() != "---") {
            let indented = line.starts_with([' ', '\t', '-']);
            let inside = line.trim();
            if !indented {
                let (name, value) = inside.split_once(':').unwrap_or((inside, ""));
                key = name.trim().to_owned();
                if matches!(key.as_str(), "name" | "description") {
                    facts.add_words(value);
                }
                continue;
            }
            match key.as_str() {
                "description" => facts.add_words(inside),
                "credential_destinations" => facts.add_destination(inside, &mut variable),
                _ => {}
            }
        }
        facts
    }

    fn add_words(&mut self, text: &str) {
        let words = text
            .split(|character: char| !character.is_ascii_alphanumeric())
            .map(str::to_ascii_lowercase)
            .filter(|word| word.len() >= SHORTEST && !EMPTY.contains(&word.as_str()));
        self.words.extend(words);
    }

    /// `NAME: host`, `NAME: [host, host]`, or `NAME:` with `- host` below.
    fn add_destination(&mut self, line: &str, variable: &mut String) {
        let hosts = match line.strip_prefix('-') {
            Some(host) => host,
            None => {
                let (name, hosts) = line.split_once(':').unwrap_or((line, ""));
                *variable = name.trim().trim_matches(['"', '\'']).to_owned();
                hosts
            }
        };
        let clean = |host: &str| host.trim_matches([' ', '[', ']', '"', '\'']).to_ascii_lowercase();
        for host in hosts.split(',').map(clean).filter(|host| host.contains('.')) {
            self.destinations.push((variable.clone(), host));
        }
    }

    /// Whether the skill is about finding or judging attacks, so that samples of them belong to it.
    pub(super) fn is_about_attacks(&self) -> bool {
        const ABOUT: &[&str] = &[
            "security",
            "vulnerability",
            "vulnerabilities",
            "vulnerable",
            "pentest",
            "penetration",
            "malware",
            "malicious",
            "injection",
            "exploit",
            "exploits",
            "exploitation",
            "threat",
            "threats",
            "attack",
            "attacks",
            "forensics",
            "owasp",
            "phishing",
            "adversarial",
            "footgun",
            "footguns",
            "jailbreak",
            "jailbreaks",
            "redteam",
            "miners",
            "incident",
            "hardening",
        ];
        self.words.iter().any(|word| ABOUT.contains(&word.as_str()))
    }

    /// Whether the skill is about machines that somebody rents, which ask the cloud who they are.
    pub(super) fn is_about_clouds(&self) -> bool {
        const ABOUT: &[&str] = &[
            "google",
            "gcloud",
            "azure",
            "amazon",
            "compute",
            "kubernetes",
            "vertex",
            "terraform",
        ];
        self.words.iter().any(|word| ABOUT.contains(&word.as_str()))
    }

    /// Whether the skill is about how agents are set up, so that it changes their settings.
    pub(super) fn is_about_agent_settings(&self) -> bool {
        const ABOUT: &[&str] =
            &["hook", "hooks", "settings", "configuration", "configure", "setup", "onboarding"];
        self.words.iter().any(|word| ABOUT.contains(&word.as_str()))
    }

    pub(super) fn may_go(&self, variable: &str, host: &str) -> bool {
        self.destinations.iter().any(|(name, to)| name == variable && to == host)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn declared_destinations_are_read_in_every_spelling() {
        let facts = SkillFacts::read(
            "---\nname: acme-billing\ncredential_destinations:\n  A_TOKEN: [a.io, \"b.io\"]\n  B_TOKEN:\n    - c.io\n---\nC_TOKEN: d.io\n",
        );
        assert!(facts.may_go("A_TOKEN", "b.io") && facts.may_go("B_TOKEN", "c.io"));
        assert!(!facts.may_go("A_TOKEN", "c.io") && !facts.may_go("C_TOKEN", "d.io"));
        assert_eq!(facts.words, ["acme", "billing"]);
    }
}
