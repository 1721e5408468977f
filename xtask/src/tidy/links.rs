//! Links between the Markdown files of the repository, and to headings in them.
//!
//! Reads as much Markdown as that takes: code is left out, `[text](target)` and `[name]: target` are
//! links, lines that begin with `#` are headings. Addresses on the net are not visited.

use std::collections::{BTreeMap, BTreeSet};

use super::Findings;
use super::tree::Tree;
use crate::docs::markdown::anchor;

pub(super) fn lead_somewhere(tree: &Tree, findings: &mut Findings) {
    for (path, file) in tree.ending_in(".md") {
        for (line, target) in links(&file.text) {
            if let Some(problem) = problem(tree, path, &target) {
                findings.breach(format!("{path}:{line}"), format!("the link `{target}` {problem}"));
            }
        }
    }
}

fn problem(tree: &Tree, from: &str, target: &str) -> Option<String> {
    if target.contains("://") || target.starts_with("mailto:") {
        return None;
    }
    let (file, heading) = target.split_once('#').unwrap_or((target, ""));
    let file = if file.is_empty() {
        from.to_owned()
    } else if let Some(path) = resolve(from, file) {
        path
    } else {
        return Some("leads out of the repository; write the full address".into());
    };
    if !tree.has(&file) {
        return Some(format!("leads to {file}, which does not exist"));
    }
    let has_heading = heading.is_empty()
        || tree
            .get(&file)
            .is_none_or(|target| !file.ends_with(".md") || anchors(&target.text).contains(heading));
    (!has_heading).then(|| format!("names no heading of {file}"))
}

/// A relative path, seen from a file; nothing if it is absolute or climbs out of the root.
fn resolve(from: &str, target: &str) -> Option<String> {
    if target.starts_with('/') {
        return None;
    }
    let mut parts: Vec<&str> = from.split('/').collect();
    parts.pop();
    for part in target.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            name => parts.push(name),
        }
    }
    Some(parts.join("/"))
}

/// The targets of links with their lines, counted from 1.
fn links(text: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    for (number, line) in outside_of_code(text) {
        for (at, _) in line.match_indices("](") {
            let rest = &line[at + 2..];
            found.extend(rest.find(')').map(|end| (number, &rest[..end])).map(target));
        }
        if line.starts_with('[')
            && let Some((_, rest)) = line.split_once("]: ")
        {
            found.push(target((number, rest)));
        }
    }
    found
}

/// Without the title that may follow, and without angle brackets.
fn target((line, link): (usize, &str)) -> (usize, String) {
    let address = link.split_whitespace().next().unwrap_or_default();
    (line, address.trim_start_matches('<').trim_end_matches('>').to_owned())
}

/// The names of all headings; one that occurs again is numbered.
fn anchors(text: &str) -> BTreeSet<String> {
    let mut seen = BTreeMap::<String, usize>::new();
    let mut anchors = BTreeSet::new();
    // Headings are linked to by their words, in code or not; so only fences are left out.
    for (_, line) in outside_of_fences(text) {
        let title = line.trim_start_matches('#');
        if title.len() == line.len() || !title.starts_with(' ') {
            continue;
        }
        let name = anchor(title);
        let count = seen.entry(name.clone()).or_default();
        anchors.insert(if *count == 0 { name } else { format!("{name}-{count}") });
        *count += 1;
    }
    anchors
}

fn outside_of_fences(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut fence: Option<&str> = None;
    text.lines().enumerate().filter_map(move |(index, line)| {
        let start = line.trim_start();
        let mark = ["```", "~~~"].into_iter().find(|mark| start.starts_with(mark));
        match (fence, mark) {
            (None, Some(mark)) => fence = Some(mark),
            (Some(open), Some(mark)) if open == mark => fence = None,
            (None, None) => return Some((index + 1, line)),
            _ => {}
        }
        None
    })
}

/// Lines without what stands between backticks.
fn outside_of_code(text: &str) -> impl Iterator<Item = (usize, String)> {
    outside_of_fences(text).map(|(number, line)| {
        let pieces: Vec<&str> = line.split('`').collect();
        let is_code = |index: usize| index % 2 == 1 && index + 1 < pieces.len();
        let kept = pieces.iter().enumerate().filter(|(index, _)| !is_code(*index));
        (number, kept.map(|(_, piece)| *piece).collect())
    })
}

#[cfg(test)]
mod tests {
    use super::super::breaches;
    use super::*;

    #[test]
    fn good_links_are_silent() {
        let readme = "# Top\n[a](docs/a.md), [b](docs/a.md#the-end \"title\"), [c](#top), [d](docs)\n\
                      [e](https://example.org/x), ![f](<docs/a.md>), [`code`](docs/a.md)\n\
                      [g]: docs/../docs/a.md\n\
                      `[x](no.md)`\n```text\n[y](no.md)\n# no\n```\n";
        let files =
            [("README.md", readme), ("docs/a.md", "# A\n## The `end`\n[up](../README.md)\n")];
        assert_eq!(breaches(lead_somewhere, &files), Vec::<String>::new());
    }

    #[test]
    fn each_kind_of_dead_link_says_what_is_wrong() {
        let page = "[a](b.md)\n[c](../../x.md)\n[d](#nowhere)\n[e](../README.md#nowhere)\n\
                    [f](/README.md)\n[g]: gone.md\n";
        let found = breaches(lead_somewhere, &[("docs/a.md", page), ("README.md", "# Top\n")]);
        assert_eq!(
            found,
            [
                "docs/a.md:1: the link `b.md` leads to docs/b.md, which does not exist",
                "docs/a.md:2: the link `../../x.md` leads out of the repository; write the full address",
                "docs/a.md:3: the link `#nowhere` names no heading of docs/a.md",
                "docs/a.md:4: the link `../README.md#nowhere` names no heading of README.md",
                "docs/a.md:5: the link `/README.md` leads out of the repository; write the full address",
                "docs/a.md:6: the link `gone.md` leads to docs/gone.md, which does not exist",
            ]
        );
    }

    #[test]
    fn headings_that_repeat_are_numbered() {
        let names = anchors("# Use\n## Use\n```\n# no\n```\n#no\n### Use it");
        assert_eq!(names, ["use", "use-1", "use-it"].map(str::to_owned).into());
    }
}
