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
        r"\b(?:ignor(?:e|ing)|forget(?:ting)?|set aside) ~(?:previous|all|above|prior|earlier|preceding|foregoing|former|existing) ~(?:instructions?|prompts?|directives?|orders)\b|\b(?:ignor(?:e|ing)|forget(?:ting)?|set aside) ~(?:previous|prior|earlier|preceding|foregoing) ~(?:guidelines?|guidance|policies|policy)\b",
    ),
    (
        All,
        "sys_prompt_override",
        r"\bsystem[ -]prompt[ -]overrid(?:e|den|ing)\b|\boverrid(?:e|es|ing) (?:(?:the|your|this|my) )?(?:\w+ )?system[ -]prompt\b|\bnew system[ -]prompt\s*:",
    ),
    (
        All,
        "disregard_rules",
        r"\bdisregard(?:ing)? ~(?:your|all|any|every|the|these|those|previous|prior|earlier|existing) ~(?:instructions?|rules?|guidelines?|policies|policy|constraints?|safeguards?|programming)\b",
    ),
    (
        All,
        "bypass_restrictions",
        r"\b(?:act|behav(?:e|ing)|respond|answer|operate|reply|work|pretend|speak|talk|proceed) ~(?:as (?:if|though)|like) ~you ~(?:(?:have|had|are|were|face|know|follow|obey) ~(?:no|zero|without|free (?:of|from)|not bound by|unbound by|not subject to)|(?:do not|don['’]?t|did not|didn['’]?t|never|no longer|have never|need not|needn['’]?t) ~(?:have|had|face|follow|obey|know|respect)(?: to (?:follow|obey|respect))?) ~(?:restrictions?|limits?|limitations?|rules?|constraints?|boundaries|guidelines?|filters?|policies|policy)\b|\bwithout (?:any |your )?(?:usual )?(?:ethical|safety) (?:restrictions?|limits?|limitations?|constraints?|guidelines?)\b",
    ),
    (
        All,
        "hidden_div",
        r#"<\s*(?:div|span|p|section|td|font|a|b|i|li|article|aside)\b[^>]*\bstyle\s*=\s*(?:"[^"]*|'[^']*|[^"'>]*)\bdisplay\s*:\s*none"#,
    ),
    (
        All,
        "translate_execute",
        r"\btranslat(?:e|ing)\b[^\n]{1,200}?\b(?:in)?to\b[^\n]{1,200}?\b(?:and|then)\s+(?:then\s+)?(?:execute|run|eval(?:uate)?)\b",
    ),
    (
        All,
        "deception_hide",
        r"\b(?:do not|don['’]?t|never|must not|without|avoid|refrain from) ~(?:tell(?:ing)?|inform(?:ing)?|notify(?:ing)?|alert(?:ing)?|mention(?:ing)?|reveal(?:ing)?|disclos(?:e|ing)) ~(?:the|your) (?:user|human|owner)s?\b|\bkeep (?:this|it|that) (?:a )?(?:secret|hidden|quiet) from (?:the|your) (?:user|human|owner)\b|\bhide (?:this|it|that|these) from (?:the|your) (?:user|human|owner)\b",
    ),
    (All, "exfil_curl", r"\bcurl\b[^\n]*\$\{?\w*(?:KEY|TOKEN|SECRET|PASSWORD|CREDENTIAL|API)"),
    (All, "exfil_wget", r"\bwget\b[^\n]*\$\{?\w*(?:KEY|TOKEN|SECRET|PASSWORD|CREDENTIAL|API)"),
    (
        All,
        "read_secrets",
        r#"\b(?:cat|bat|xxd|base64|scp)\s[^\n|;&]*?(?:\.env(?:[._-][\w.-]*)?|\bcredentials(?:\.(?:json|ya?ml|toml|csv|ini|db|bak|old|txt))?|\.netrc|\.pgpass|\.npmrc|\.pypirc|\.git-credentials|\.docker/config\.json|\bid_(?:rsa|ed25519|ecdsa|dsa))\.?(?:[\s"'`|;&)<>,]|$)"#,
    ),
    (
        Context,
        "role_hijack",
        r"\byou(?: are|['’]re) ~now (?:a|an|the|my)\b|\bfrom now on,? you(?: are|['’]re) (?:a|an|the|my)\b|\bact as (?:an? )?(?:evil|unfiltered|unrestricted|jailbroken|uncensored)\b",
    ),
    (Context, "role_pretend", r"\bpretend ~(?:you(?: are|['’]re)|to be)\b"),
    (
        Context,
        "leak_system_prompt",
        r"\b(?:output|print|reveal|show|repeat|display|leak|dump|disclose|recite|reproduce|tell me|give me) ~(?:(?:system|initial|hidden|original|secret) (?:prompt|instructions?)|(?:system|initial) message)\b",
    ),
    (
        Context,
        "remove_filters",
        r"\b(?:respond|answer|reply|speak|write|act|operate|work) ~without ~(?:restrictions?|limitations?|filters?|filtering|censorship|safety)\b|\b(?:disable|remove|drop|lift|turn off|switch off) ~(?:safety|content|moderation) (?:filters?|checks?|restrictions?|guards?|guardrails?)\b",
    ),
    (
        Context,
        "fake_update",
        r"\byou(?: have|['’]ve) ~been ~(?:updated|upgraded|patched|reprogrammed|reconfigured|retrained) (?:to|with|into)\b|\byour (?:instructions|rules|guidelines|policy|policies|programming) (?:have|has) (?:just )?(?:been )?(?:changed|updated|replaced|superseded)\b",
    ),
    (
        Context,
        "identity_override",
        r"\b(?:name|call|rename) yourself\b|\byour (?:new )?name is (?:now|from now on)\b|\bfrom now on,? your name is\b|\byour new (?:identity|persona) is\b",
    ),
    (
        Context,
        "c2_node_registration",
        r"\bregister(?:ing)? (?:yourself |itself )?(?:as )?(?:an? |the )?(?:new )?(?:node|bot|implant|zombie)\b|\bregister(?:ing)? (?:yourself|itself|this (?:node|host|machine|agent|instance|device)|~as an? (?:new )?(?:agent|worker)) ~(?:with|at|to|on|in) ~(?:server|controller|master|hub|network|swarm|operator|c2|https?://)",
    ),
    (
        Context,
        "c2_heartbeat",
        r"\b(?:heartbeat|beacon)s? (?:back )?(?:to|with)\b|\bbeacon(?:ing)? (?:home|back)\b|\bcheck(?:-|\s)?in (?:to|with) ~(?:server|controller|master|hub|node|operator|endpoint|c2|base|handler|https?://)|\b(?:send|emit|post|transmit|ping) ~(?:heartbeats?|beacons?|check-?ins?|keep-?alives?|status pings?) ~(?:to|back to|at) ~(?:server|controller|master|hub|node|operator|endpoint|c2|https?://)",
    ),
    (
        Context,
        "c2_task_pull",
        r"\bpull(?:ing)? (?:down )?(?:the |your |its )?(?:new |next |pending |latest )?task(?:ing|s)?\b|\b(?:pull|fetch|poll|retrieve|receive|download|await|collect|request) ~(?:tasks?|tasking|commands?|orders|jobs|instructions?) ~from ~(?:server|controller|master|hub|operator|c2|https?://)",
    ),
    (
        Context,
        "c2_network_connect",
        r"\b(?:(?:connect|link|attach) ~(?:to|with|into)|join) ~(?:c2|botnet|swarm|hive|mesh|(?:node|agent|bot|command) network)\b|\bconnect(?:ing)? to the network\b",
    ),
    (Context, "forced_action", r"\byou (?:must|shall) ~(?:register|connect|report|beacon)\b"),
    (
        Context,
        "anti_forensic_oneliner",
        r"\b(?:only|always|exclusively|just) ~(?:use|run|execute|write|issue) ~one[- ]?liners?\b|\b(?:use|run|execute|write|issue) ~one[- ]?liners? ~(?:only|exclusively)\b|\bas a one[- ]?liner ~(?:no|without) ~(?:files?|traces?)\b",
    ),
    (
        Context,
        "anti_forensic_disk",
        r"\b(?:do not|don['’]?t|never|avoid|without) ~(?:writ(?:e|ing)|sav(?:e|ing)|leav(?:e|ing)|touch(?:ing)?|stor(?:e|ing)) ~(?:disk|traces?|evidence|artifacts?)\b|\bnever ~(?:create|drop) ~disk\b|\b(?:clear|wipe|erase) (?:all |your |the )?(?:(?:shell|bash|command) history|tracks)\b",
    ),
    (
        Context,
        "env_var_unset_agent",
        r"\b(?:unset|env -u|export -n) (?:-v )?\w*(?:CLAUDE|CODEX|CURSOR|HERMES|GEMINI|AIDER|COPILOT|AGENT|OPENAI|ANTHROPIC)\w*",
    ),
    // Three of the names are everyday words: see `IDIOMS`.
    (
        Context,
        "known_c2_framework",
        r"\b(?:cobalt\s*strike|metasploit|meterpreter|brainworm|brute ratel|poshc2|covenant c2|merlin c2|empire c2|koadic)\b|\b(?:[\w']+ )?(?:sliver|havoc|mythic)\b(?: [\w']+)?",
    ),
    (
        Context,
        "c2_explicit",
        r"\bc2 (?:server|channel|node|infrastructure|infra|beacon|callback|endpoint|domain|network|traffic|panel|implant|framework)s?\b|\bc&c (?:server|channel|node)s?\b|\b(?:beacon|callback|implant)s? (?:with|to|for) (?:the |a |our )?c2\b",
    ),
    (Context, "c2_explicit_long", r"\bcommand(?:[\s-]+(?:and|n|&)[\s-]+|\s*&\s*)control\b"),
    (
        Strict,
        "send_to_url",
        r"\b(?:send|post|upload|transmit|forward|submit|exfiltrate|deliver|leak|ship)(?:s|ing)?\b[^\n]{1,300}?\b(?:to|at)\s+\S{0,3}https?://",
    ),
    (
        Strict,
        "context_exfil",
        r"\b(?:include|output|print|send|share|dump|paste|forward|append|attach|upload|reveal|post) ~(?:conversation|chat (?:history|logs?)|previous messages|message history|transcript|(?:entire|full|whole|complete|all) ~(?:chat|context|session|history))\b",
    ),
    (Strict, "ssh_backdoor", r"\bauthorized_keys\b"),
    (
        Strict,
        "ssh_access",
        r"(?:\x7e|\$\{?HOME\}?|/root|/(?:home|Users)/[\w.-]+|%USERPROFILE%)[/\\]\.ssh\b",
    ),
    (Strict, "hermes_env", r"(?:\.hermes|\$\{?HERMES_HOME\}?)/\.env\b"),
    (
        Strict,
        "agent_config_mod",
        r"(?:\b(?:edit|modify|update|change|append|write|add|overwrite|replace|insert|patch|echo|tee|sed|put|save|inject)\b[^\n]{0,300}?|>\s*)(?:[\w./$-]*/)?(?:AGENTS\.md|CLAUDE\.md|GEMINI\.md|\.cursorrules|\.clinerules|\.windsurfrules)\b",
    ),
    (
        Strict,
        "hermes_config_mod",
        r"(?:\b(?:edit|modify|update|change|append|write|add|overwrite|replace|insert|patch|echo|tee|sed|put|save)\b[^\n]{0,300}?|>\s*)\S*(?:\.hermes|\$\{?HERMES_HOME\}?)/(?:config\.ya?ml|SOUL\.md)\b|\bhermes config set\b",
    ),
    (
        Strict,
        "hardcoded_secret",
        r#"\b\w*(?:api[_-]?key|token|secret|password|passwd)["']?\s*[:=]\s*["'][A-Za-z0-9+/=_.-]{20,}"#,
    ),
];

/// Findings that mean something else: the kind, and words of which one in the finding clears it.
pub(super) const IDIOMS: &[(&str, &[&str])] = &[
    (
        "known_c2_framework",
        &[
            "wreak",
            "wrought",
            "cause havoc",
            "causes havoc",
            "causing havoc",
            "create havoc",
            "play havoc",
            "playing havoc",
            "plays havoc",
            "raise havoc",
            "general havoc",
            "total havoc",
            "havoc on",
            "thin sliver",
            "tiny sliver",
            "small sliver",
            "sliver of",
            "slivers",
            "mythic beast",
            "mythic creature",
            "mythic hero",
            "mythic quest",
            "mythic proportion",
            "mythic figure",
            "mythic past",
            "mythic status",
            "mythic rarity",
            "mythic+",
        ],
    ),
    (
        "read_secrets",
        &[
            ".env.example",
            ".env.sample",
            ".env.template",
            ".env.dist",
            ".env.schema",
            ".env.defaults",
        ],
    ),
];
