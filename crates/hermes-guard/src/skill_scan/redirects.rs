//! Settings that send everything through somebody else: registries, mirrors, proxies, the address of a model.
//!
//! Whoever answers in place of a registry decides what is installed, and whoever stands before a service gets its
//! keys. The name of the setting varies with the tool; what counts is that it names a source or a way, and that
//! the address belongs to nobody the skill speaks of.

use std::sync::LazyLock;

use regex::Regex;

use super::facts::SkillFacts;
use super::finding::{MAX_MATCH_CHARS, SkillFinding, SkillRisk, SkillSeverity, shown};
use super::hosts;
use super::reading::{Reading, StatementContext};
use super::words::warns;

/// Longer statements are no settings.
const MAX_STATEMENT: usize = 2048;

#[expect(clippy::expect_used, reason = "the pattern is a constant and every test runs it")]
static SETTING: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r#"(?i)(?:\bregistry|\b(?:extra-)?index-url|\bindex_url|\bGOPROXY|\b\w+_(?:BASE_URL|API_BASE|PROXY|MIRROR)|\bproxy|\binsteadOf|\bname ?servers?\b[^\n]{0,20}\bto|\breplace-with|\bregistry-mirrors?|\bsources?\.list\S*|\bgpg --(?:recv-keys|fetch-keys|keyserver)|\bhttp\.proxy|\bpac_url)\b[^\n]{0,60}?(?:https?://|\bns\d?\.)[^\s"'`<>]+"#,
    )
    .expect("constant pattern")
});

/// An address in a table that names a source of packages.
#[expect(clippy::expect_used, reason = "the pattern is a constant and every test runs it")]
static ADDRESS: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r#"(?i)\burl\s*=\s*["']https?://[^\s"'`<>]+"#).expect("constant pattern")
});

/// Names that stand for the reader's own company.
fn stands_for_own(host: &str) -> bool {
    host.ends_with(".example.com")
        || ["company", "corp.", "internal", "acme", "myorg", "intranet", "proxy."]
            .iter()
            .any(|word| host.contains(word))
}

pub(super) fn find(
    file: &str,
    reading: &Reading,
    facts: &SkillFacts,
    findings: &mut Vec<SkillFinding>,
) {
    let indexed = ["[tool.uv.index]]", "[tool.poetry.source]]", "[tool.pdm.source]]"]
        .iter()
        .any(|table| reading.text.contains(table));
    for statement in &reading.statements {
        let text = &reading.text[statement.range.clone()];
        if statement.place == StatementContext::Example
            || text.len() > MAX_STATEMENT
            || !(text.contains("://") || text.contains("ns1."))
        {
            continue;
        }
        let found = SETTING.find(text).or_else(|| ADDRESS.find(text).filter(|_| indexed));
        let Some(found) = found else { continue };
        let stranger = hosts::destinations(found.as_str()).into_iter().any(|to| {
            let host = to.host.as_str();
            !hosts::is_loopback(host)
                && !hosts::is_private(host)
                && !hosts::is_placeholder(host)
                && !hosts::is_vendor(host)
                && !hosts::is_registry(host)
                && !stands_for_own(host)
                && !hosts::is_named_in(host, &facts.words)
        }) || found.as_str().contains("ns1.");
        if !stranger || statement.place == StatementContext::Prose && warns(text) {
            continue;
        }
        findings.push(SkillFinding {
            pattern_id: "network_redirect",
            severity: SkillSeverity::High,
            category: SkillRisk::SupplyChain,
            file: file.to_owned(),
            line: reading.line_at(statement.range.start + found.start()),
            matched: shown(found.as_str(), MAX_MATCH_CHARS),
            description: "Packages or traffic go through somebody the skill does not speak of.",
        });
    }
}
