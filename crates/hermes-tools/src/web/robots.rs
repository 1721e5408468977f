//! What a site asks of programs that go through it: `robots.txt`.

use std::time::Duration;

/// The name we answer to.
const OURS: &str = "hermes";
/// The longest pause a site may ask for.
const LONGEST_PAUSE: Duration = Duration::from_secs(5);
/// The longest file that is read; what is behind it counts as absent.
const MOST_BYTES: usize = 500_000;

/// The rules for us.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Robots {
    rules: Vec<(String, bool)>,
    pub(super) pause: Duration,
}

impl Robots {
    /// Everything is closed: the site could not say what it wants.
    pub(super) fn closed() -> Self {
        Self { rules: vec![("/".to_owned(), false)], pause: Duration::ZERO }
    }

    /// Reads the rules of the group for us, else of the group for everybody.
    pub(super) fn parse(text: &str) -> Self {
        let end = text.floor_char_boundary(MOST_BYTES.min(text.len()));
        let (mut ours, mut general) = (Self::default(), Self::default());
        let (mut has_ours, mut naming) = (false, false);
        let (mut to_ours, mut to_general) = (false, false);
        let text = text[..end].trim_start_matches('\u{feff}');
        for line in text.lines() {
            let line = line.split('#').next().unwrap_or_default();
            let Some((name, value)) = line.split_once(':') else { continue };
            let (name, value) = (name.trim().to_ascii_lowercase(), value.trim());
            if name == "user-agent" {
                if !naming {
                    (to_ours, to_general) = (false, false);
                }
                naming = true;
                let agent = value.to_ascii_lowercase();
                to_ours |= agent == OURS || agent.starts_with("hermes/");
                to_general |= agent == "*";
                has_ours |= to_ours;
                continue;
            }
            naming = false;
            for (applies, group) in [(to_ours, &mut ours), (to_general, &mut general)] {
                if applies {
                    group.add(&name, value);
                }
            }
        }
        if has_ours { ours } else { general }
    }

    fn add(&mut self, name: &str, value: &str) {
        match name {
            "allow" | "disallow" if !value.is_empty() => {
                self.rules.push((value.to_owned(), name == "allow"));
            }
            "crawl-delay" => {
                let seconds = value
                    .parse::<f64>()
                    .unwrap_or_default()
                    .clamp(0.0, LONGEST_PAUSE.as_secs_f64());
                self.pause = Duration::from_secs_f64(seconds);
            }
            _ => {}
        }
    }

    /// Whether a path with its query may be visited: the longest rule that fits decides, and a permission wins a draw.
    pub(super) fn allows(&self, path: &str) -> bool {
        let fitting = self.rules.iter().filter(|(rule, _)| fits(rule, path));
        fitting.max_by_key(|(rule, allow)| (rule.len(), *allow)).is_none_or(|(_, allow)| *allow)
    }
}

/// Whether a path begins with a rule, in which `*` is anything and `$` at the end the end.
fn fits(rule: &str, path: &str) -> bool {
    let (rule, whole) = match rule.strip_suffix('$') {
        Some(rule) => (rule, true),
        None => (rule, false),
    };
    let mut parts = rule.split('*');
    let Some(mut rest) = parts.next().and_then(|first| path.strip_prefix(first)) else {
        return false;
    };
    let parts: Vec<&str> = parts.collect();
    for (at, part) in parts.iter().enumerate() {
        if whole && at + 1 == parts.len() {
            return rest.ends_with(part);
        }
        match rest.find(part) {
            Some(found) => rest = &rest[found + part.len()..],
            None => return false,
        }
    }
    !whole || rest.is_empty()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_longest_fitting_rule_of_our_group_decides() {
        let robots = Robots::parse(
            "User-agent: *\nDisallow: /private\nAllow: /private/open\nDisallow: /*.pdf$\nDisallow:\nCrawl-delay: 0.5\n# x\nUser-agent: other\nDisallow: /\n",
        );
        for (path, wanted) in [
            ("/", true),
            ("/private", false),
            ("/private/x", false),
            ("/private/open/y", true),
            ("/a.pdf", false),
            ("/a.pdf?x", true),
            ("/public", true),
        ] {
            assert_eq!(robots.allows(path), wanted, "{path}");
        }
        assert_eq!(robots.pause, Duration::from_millis(500));
        let ours = Robots::parse(
            "User-agent: *\nDisallow: /\n\nUser-agent: a\nUser-agent: Hermes\nDisallow: /x\n",
        );
        assert!(ours.allows("/") && !ours.allows("/x"));
        assert!(!Robots::parse("\u{feff}User-agent: *\nDisallow: /x\n").allows("/x"));
        assert!(Robots::parse("").allows("/x") && !Robots::closed().allows("/x"));
        assert!(Robots::parse("<html>not found</html>").allows("/"));
        assert_eq!(Robots::parse("User-agent: *\nCrawl-delay: 1e9").pause, LONGEST_PAUSE);
    }

    proptest! {
        #[test]
        fn any_text_is_some_rules(text in "\\PC{0,200}", path in "/\\PC{0,40}") {
            let _ = Robots::parse(&format!("user-agent: *\ndisallow: {text}\ncrawl-delay: {text}")).allows(&path);
            let _ = Robots::parse(&text);
        }
    }
}
