//! Text that a page does not show and a model reads.

use super::super::finding::SkillRisk::Injection;
use super::super::finding::SkillSeverity::High;
use super::super::reading::StatementContext;
use super::{ScanRule, fixed};

pub(super) const RULES: &[ScanRule] = &[
    fixed(
        ("html_comment_injection", Injection, High),
        &["assistant", "agent", "ai", "llm", "model", "claude", "copilot", "gpt", "hermes", "system:", "you must", "you are"],
        r"\b(?:assistants?|agents?|ais?|llms?|language models?|claude|copilot|gpt|hermes|system:|you (?:must|should|are))\b[^\n]{0,120}\b(?:ignore|install|send|execute|upload|secrets?|obey|override|exfiltrate|forward|without asking|do not (?:tell|mention|inform)|don't (?:tell|mention)|curl|always run|run the|must (?:always|never)|read the user)\b",
        "A comment that nobody sees gives orders to the agent.",
    )
    .only(StatementContext::Hidden),
    fixed(
        ("hidden_div", Injection, High),
        &["display", "visibility", "opacity", "font-size", "color", "-9999", "hidden", "height:", "text-indent"],
        r#"<\w+\b[^>\n]*(?:style\s*=\s*["'][^"'>\n]*(?:display\s*:\s*none|visibility\s*:\s*hidden|opacity\s*:\s*0(?:\.0+)?\s*[;"']|font-size\s*:\s*[01](?:px|pt|em|%)?\s*[;"']|color\s*:\s*(?:white|#fff(?:fff)?|transparent|rgba\([^)]*,\s*0\))|(?:left|top|text-indent)\s*:\s*-\d{3,}|(?:max-)?height\s*:\s*0)|\s(?:hidden|aria-hidden=["']true["']))(?:[\s"';][^>\n]*)?>[^<\n]*\b(?:assistants?|agents?|ai|llm|model|claude|system|ignore|always (?:run|install|recommend|execute)|instructions?|must (?:always|never|run|obey)|without (?:asking|confirmation))\b"#,
        "Text that a page hides gives orders to the agent.",
    ),
];
