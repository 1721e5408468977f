//! The user's own rules: what never runs, what is asked about, what runs without a question.
//!
//! Deny and ask rules hold for every spelling of a command, in any letter case: the command as it
//! was written, and every program it would run with its words resolved, behind `sudo` and in
//! `sh -c` too. A rule that could be dodged by another spelling would be none. An allow rule is the other way round: it holds for exactly one simple command, letter for letter,
//! and for nothing with a separator, a redirection or a substitution in it, because what follows
//! those was not what the user had in mind.
//!
//! A deny or ask rule can also name a category of the analysis. Allowing a category is no rule of this kind but a lasting approval, see `memory`.

use hermes_guard::command::{CommandContext, category_for, spellings};
use hermes_guard::shell::pattern::{PatternCase, ShellPattern};

use crate::ApprovalSettings;
use crate::concern::Concern;

/// What turns one command into several, or moves its input and output.
const SEPARATORS: [char; 8] = ['\n', ';', '&', '|', '<', '>', '`', '\r'];

/// The user's rules, ready to match.
#[derive(Debug)]
pub(crate) struct CommandRules {
    deny: Vec<Rule>,
    ask: Vec<Rule>,
    allow: Vec<Allow>,
}

/// A deny or ask rule: a pattern, and the category of that name if there is one.
#[derive(Debug)]
struct Rule {
    source: String,
    pattern: ShellPattern,
    category: Option<&'static str>,
}

impl Rule {
    fn new(source: &str) -> Self {
        let pattern = ShellPattern::new(source.trim(), PatternCase::Ignored);
        Self { source: source.trim().to_owned(), pattern, category: category_for(source) }
    }

    fn source(&self) -> &str {
        &self.source
    }

    fn holds(&self, spellings: &[String], concerns: &[Concern]) -> bool {
        let is_found = |key: &str| concerns.iter().any(|concern| concern.key == key);
        self.category.is_some_and(is_found)
            || spellings.iter().any(|spelling| self.pattern.matches(spelling))
    }
}

#[derive(Debug)]
enum Allow {
    Exactly(String),
    Matching(String, ShellPattern),
}

/// What deny and ask rules say about a command.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Matched<'a> {
    /// The first deny rule that holds.
    pub(crate) deny: Option<&'a str>,
    /// Every ask rule that holds.
    pub(crate) ask: Vec<&'a str>,
}

impl CommandRules {
    pub(crate) fn new(settings: &ApprovalSettings) -> Self {
        let rules = |list: &[String]| list.iter().map(|source| Rule::new(source)).collect();
        let allow = settings.allow.iter().chain(&settings.allowlist).map(|rule| {
            let rule = rule.trim();
            if ShellPattern::has_wildcards(rule) {
                let pattern = ShellPattern::new(rule, PatternCase::Matters);
                Allow::Matching(rule.to_owned(), pattern)
            } else {
                Allow::Exactly(rule.to_owned())
            }
        });
        Self { deny: rules(&settings.deny), ask: rules(&settings.ask), allow: allow.collect() }
    }

    /// The deny and ask rules that hold for a command, however it is written, and for what the
    /// analysis found in it.
    pub(crate) fn matched(
        &self,
        command: &str,
        host: &CommandContext<'_>,
        concerns: &[Concern],
    ) -> Matched<'_> {
        if self.deny.is_empty() && self.ask.is_empty() {
            return Matched::default();
        }
        let mut spellings = spellings(command, host);
        spellings.push(command.trim().to_owned());
        spellings.push(command.split_whitespace().collect::<Vec<_>>().join(" "));
        let by_name: Vec<String> = spellings.iter().filter_map(|line| by_name(line)).collect();
        spellings.extend(by_name);
        let holds = |rule: &&Rule| rule.holds(&spellings, concerns);
        Matched {
            deny: self.deny.iter().find(holds).map(Rule::source),
            ask: self.ask.iter().filter(holds).map(Rule::source).collect(),
        }
    }

    /// What the ask rules that hold for a command say.
    pub(crate) fn asking(&self, command: &str, host: &CommandContext<'_>) -> Vec<Concern> {
        let matched = self.matched(command, host, &[]);
        matched.ask.iter().map(|rule| Concern::from_ask_rule(rule, command)).collect()
    }

    /// The allow rule that covers a command.
    pub(crate) fn allowing(&self, command: &str) -> Option<&str> {
        let command = command.trim();
        if is_compound(command) {
            return None;
        }
        self.allow.iter().find_map(|rule| match rule {
            Allow::Exactly(text) => (text == command).then_some(text.as_str()),
            Allow::Matching(source, pattern) => pattern.matches(command).then_some(source.as_str()),
        })
    }
}

/// The command with the bare name of its program, if it was written with a path.
fn by_name(command: &str) -> Option<String> {
    let end = command.find(char::is_whitespace).unwrap_or(command.len());
    let slash = command[..end].rfind('/')?;
    Some(command[slash + 1..].to_owned())
}

/// Whether a command is more than one simple command without redirections and substitutions, so
/// that no allow rule covers it.
#[must_use]
pub fn is_compound(command: &str) -> bool {
    command.contains(SEPARATORS) || command.contains("$(")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rules(deny: &[&str], ask: &[&str], allow: &[&str]) -> CommandRules {
        let list = |rules: &[&str]| rules.iter().map(|rule| (*rule).to_owned()).collect();
        CommandRules::new(&ApprovalSettings {
            deny: list(deny),
            ask: list(ask),
            allow: list(&allow[..allow.len() / 2]),
            allowlist: list(&allow[allow.len() / 2..]),
            ..ApprovalSettings::default()
        })
    }

    fn denies(rules: &CommandRules, command: &str) -> bool {
        rules.matched(command, &CommandContext::default(), &[]).deny.is_some()
    }

    #[test]
    fn a_deny_rule_cannot_be_dodged() {
        let rules = rules(&["GIT push"], &[], &[]);
        for command in [
            "git push",
            "Git  push",
            "cd x && git   push",
            "cd x;git push # done",
            "true|git push",
            "(git push)",
            "{ git push; }",
            "if true; then git push; fi",
            "! git push",
            "echo \"now $(git push)\"",
            "echo `git push`",
            "sudo git push",
            "sudo -u me git push",
            "sudo -n -E env A=1 git push",
            "A=1 B='x y' git push",
            "nohup nice -n 5 git push &",
            "timeout 5s git push",
            "/usr/bin/git push",
            "echo a\ngit push",
            "g'i't pu\\sh",
            "\"git\" 'push'",
            "git${IFS}push",
            "git \\\n  push",
            "g\u{1b}[31mit push",
            "$'git' push",
            "x=push; git $x",
            "bash -c 'git push'",
            "sudo bash -lc \"cd x && git push\"",
            "sh -c \"sh -c 'git push'\"",
            "eval \"git push\"",
            "su me -c 'git push'",
            "echo git push | sh",
        ] {
            assert!(denies(&rules, command), "{command:?}");
        }
    }

    #[test]
    fn a_deny_rule_is_not_about_data() {
        let rules = rules(&["git push"], &[], &[]);
        for command in ["echo 'git push'", "git commit -m \"git push\"", "# git push", "git pull"] {
            assert!(!denies(&rules, command), "{command:?}");
        }
    }

    #[test]
    fn the_first_deny_rule_and_all_ask_rules_are_named() {
        let rules = rules(&["x", "npm pub*", "npm *"], &["npm *", "*publish*", "yarn *"], &[]);
        let matched = rules.matched("npm publish", &CommandContext::default(), &[]);
        assert_eq!(matched.deny, Some("npm pub*"));
        assert_eq!(matched.ask, ["npm *", "*publish*"]);
    }

    #[test]
    fn an_allow_rule_covers_one_simple_command() {
        let rules = rules(&[], &[], &["git push *", "make test"]);
        assert_eq!(rules.allowing(" git push origin main "), Some("git push *"));
        assert_eq!(rules.allowing("make test"), Some("make test"));
        for command in [
            "git push origin main; rm -rf x",
            "git push origin main && x",
            "git push origin $(x)",
            "git push origin `x`",
            "git push origin > ~/.bashrc",
            "git push origin < x",
            "git push origin\nx",
            "git push origin & x",
            "git push origin | sh",
            "GIT PUSH origin",
            "make tests",
        ] {
            assert_eq!(rules.allowing(command), None, "{command:?}");
        }
    }
}
