//! What the known attacks look like.
//!
//! In the patterns, `~` stands for up to eight words of filler within a sentence, each with the blank
//! after it, and a blank stands for any run of blanks. All are matched without regard to case.

use super::ThreatScope::{self, All, Context, Strict};

/// A word that ends in a full stop or the like ends the sentence, and with it the filler.
const FILLER: &str = r"(?:\S*[^\s.!?;]\s+){0,8}?";

/// The pattern with its shorthands written out.
pub(super) fn expand(pattern: &str) -> String {
    format!("(?i){}", pattern.replace(' ', r",?\s+").replace('~', FILLER))
}

pub(super) const PATTERNS: &[(ThreatScope, &str, &str)] = &[
    (
        All,
        "prompt_injection",
        r"\bignor(?:e|ing) ~(?:previous|all|above|prior|earlier|preceding) ~(?:instructions?|prompts?|directives?)\b",
    ),
    (
        All,
        "sys_prompt_override",
        r"\bsystem prompt overrid(?:e|den|ing)\b|\boverrid(?:e|ing) (?:(?:the|your|this|my) )?(?:\w+ )?system prompt\b",
    ),
    (
        All,
        "disregard_rules",
        r"\bdisregard(?:ing)? ~(?:your|all|any|every|the|these|previous|prior) ~(?:instructions?|rules?|guidelines?|policies|policy|constraints?)\b",
    ),
    (
        All,
        "bypass_restrictions",
        r"\b(?:act|behave|respond|answer|operate|reply|work|pretend) ~(?:as (?:if|though)|like) ~you ~(?:have|had|are|were|face) ~(?:no|zero|without|free of|not bound by|unbound by) ~(?:restrictions?|limits?|limitations?|rules?|constraints?|boundaries)\b",
    ),
    (
        All,
        "hidden_div",
        r#"<\s*(?:div|span|p|section)\b[^>]*\bstyle\s*=\s*["']?[^"'>]*\bdisplay\s*:\s*none"#,
    ),
    (
        All,
        "translate_execute",
        r"\btranslat(?:e|ing) ~(?:in)?to [^.!?\n]{0,80}?\b(?:and|then) (?:then )?(?:execute|run|eval(?:uate)?)\b",
    ),
    (
        All,
        "deception_hide",
        r"\b(?:do not|don['’]?t|never|must not) ~(?:tell|inform|notify|alert|mention|reveal) ~(?:the|your) users?\b",
    ),
    (All, "exfil_curl", r"\bcurl\b[^\n]*\$\{?\w*(?:KEY|TOKEN|SECRET|PASSWORD|CREDENTIAL|API)"),
    (All, "exfil_wget", r"\bwget\b[^\n]*\$\{?\w*(?:KEY|TOKEN|SECRET|PASSWORD|CREDENTIAL|API)"),
    (
        All,
        "read_secrets",
        r#"\bcat [^\n|;&]*?(?:\.env(?:\.(?:local|dev(?:elopment)?|prod(?:uction)?|stag(?:e|ing)|test))?|\bcredentials(?:\.(?:json|ya?ml|toml|csv|ini|db))?|\.netrc|\.pgpass|\.npmrc|\.pypirc)\.?(?:[\s"'`|;&)<>,]|$)"#,
    ),
    (Context, "role_hijack", r"\byou(?: are|['’]re) ~now (?:a|an|the)\b"),
    (Context, "role_pretend", r"\bpretend ~(?:you(?: are|['’]re)|to be)\b"),
    (
        Context,
        "leak_system_prompt",
        r"\b(?:output|print|reveal|show|repeat|display|leak|dump|disclose|recite) ~(?:system|initial|hidden|original) (?:prompt|message|instructions?)\b",
    ),
    (
        Context,
        "remove_filters",
        r"\b(?:respond|answer|reply|speak|write|act|operate|work) ~without ~(?:restrictions?|limitations?|filters?|filtering|censorship|safety)\b|\b(?:disable|remove|drop|lift|turn off|switch off) ~(?:safety|content|moderation) (?:filters?|checks?|restrictions?|guards?|guardrails?)\b",
    ),
    (
        Context,
        "fake_update",
        r"\byou(?: have|['’]ve) ~been ~(?:updated|upgraded|patched|reprogrammed) (?:to|with|into)\b",
    ),
    (
        Context,
        "identity_override",
        r"\b(?:name|call|rename) yourself\b|\byour (?:new )?name is (?:now|from now on)\b|\bfrom now on,? your name is\b",
    ),
    (
        Context,
        "c2_node_registration",
        r"\bregister (?:yourself|itself|this (?:node|host|machine|agent|instance|device)|(?:~)?as an? (?:new )?(?:node|bot|agent|worker|implant)) ~(?:with|at|to|on|in) ~(?:server|controller|master|hub|network|swarm|operator|c2|https?://)",
    ),
    (
        Context,
        "c2_heartbeat",
        r"\b(?:send|emit|post|transmit) ~(?:heartbeats?|beacons?|check-?ins?|keep-?alives?) ~(?:to|back to) ~(?:server|controller|master|hub|node|operator|endpoint|c2|https?://)",
    ),
    (
        Context,
        "c2_task_pull",
        r"\b(?:pull|fetch|poll|retrieve|receive|download|await) ~(?:tasks?|tasking|commands?|orders|jobs|instructions?) ~from ~(?:server|controller|master|hub|operator|c2|https?://)",
    ),
    (
        Context,
        "c2_network_connect",
        r"\b(?:(?:connect|link) ~(?:to|with|into)|join) ~(?:c2|botnet|swarm|hive|mesh|(?:node|agent|bot|command) network)\b",
    ),
    (Context, "forced_action", r"\byou must ~(?:register|connect|report|beacon)\b"),
    (
        Context,
        "anti_forensic_oneliner",
        r"\b(?:only|always|exclusively) ~(?:use|run|execute) ~one[- ]?liners?\b|\b(?:use|run|execute) ~one[- ]?liners? ~(?:only|exclusively)\b|\bas a one[- ]?liner ~(?:no|without) ~(?:files?|traces?)\b",
    ),
    (
        Context,
        "anti_forensic_disk",
        r"\b(?:do not|don['’]?t|never|avoid|without) ~(?:writ(?:e|ing)|sav(?:e|ing)|leav(?:e|ing)|touch(?:ing)?|stor(?:e|ing)) ~(?:disk|traces?|evidence|artifacts?)\b",
    ),
    (
        Context,
        "env_var_unset_agent",
        r"\bunset (?:-v )?\w*(?:CLAUDE|CODEX|CURSOR|HERMES|GEMINI|AIDER|COPILOT|AGENT)\w*",
    ),
    // Three of the names are everyday words and need company to count.
    (
        Context,
        "known_c2_framework",
        r"\b(?:cobalt\s?strike|metasploit|brainworm)\b|\b(?:sliver|havoc|mythic) ~(?:c2|implants?|beacons?|payloads?|framework|server|teamserver|agents?|operators?|listeners?|stagers?)\b|\b(?:use|using|run|install|deploy|launch|load|via|through|c2|framework) (?:the )?(?:sliver|havoc|mythic)\b",
    ),
    (
        Context,
        "c2_explicit",
        r"\bc2 (?:server|channel|node|infrastructure|infra|beacon|callback|endpoint|domain|network|traffic)s?\b|\bc&c server\b",
    ),
    (Context, "c2_explicit_long", r"\bcommand(?:[\s-]+and[\s-]+|\s*&\s*)control\b"),
    (
        Strict,
        "send_to_url",
        r"\b(?:send|post|upload|transmit|forward|submit|exfiltrate) ~(?:to|at) ~<?https?://",
    ),
    (
        Strict,
        "context_exfil",
        r"\b(?:include|output|print|send|share|dump|paste|forward|append|attach|upload) ~(?:entire|full|whole|complete|all) ~(?:conversation|chat|context|session|transcript|history)\b",
    ),
    (Strict, "ssh_backdoor", r"\bauthorized_keys\b"),
    (Strict, "ssh_access", r"(?:\x7e|\$\{?HOME\}?|/root|/(?:home|Users)/[\w.-]+)/\.ssh\b"),
    (Strict, "hermes_env", r"(?:\.hermes|\$\{?HERMES_HOME\}?)/\.env\b"),
    (
        Strict,
        "agent_config_mod",
        r"(?:\b(?:edit|modify|update|change|append|write|add|overwrite|replace|insert|patch|echo|tee|sed)\b[^\n]{0,100}?|>\s*)(?:[\w./$-]*/)?(?:AGENTS\.md|CLAUDE\.md|\.cursorrules|\.clinerules)\b",
    ),
    (
        Strict,
        "hermes_config_mod",
        r"(?:\b(?:edit|modify|update|change|append|write|add|overwrite|replace|insert|patch|echo|tee|sed)\b[^\n]{0,100}?|>\s*)\S*(?:\.hermes|\$\{?HERMES_HOME\}?)/(?:config\.ya?ml|SOUL\.md)\b|\bhermes config set\b",
    ),
    (
        Strict,
        "hardcoded_secret",
        r#"\b\w*(?:api[_-]?key|token|secret|password|passwd)["']?\s*[:=]\s*["'][A-Za-z0-9+/=_.-]{20,}["']"#,
    ),
];
