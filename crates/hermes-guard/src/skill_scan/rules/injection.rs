//! Text that takes the place of the agent's instructions.

use super::super::finding::SkillRisk::Injection;
use super::super::finding::SkillSeverity::{Critical, High, Medium};
use super::{ScanRule, instruction};

pub(super) const RULES: &[ScanRule] = &[
    instruction(
        ("prompt_injection_ignore", Injection, Critical),
        &["ignor", "forget", "disregard", "aside", "overlook", "discard", "override", "attention", "follow", "abandon", "throw away", "drop "],
        r"\b(?:ignor(?:e|ing)|forget|disregard(?:ing)?|(?:set|put|leave|lay) aside|overlook|discard|override|pay no (?:attention|heed) to|(?:do not|don'?t|stop|no longer|never) (?:follow|obey|heed)(?:ing)?|abandon|throw away|drop)\W+~(?:previous(?:ly)?|prior|above|earlier|preceding|former|existing|original|initial) ~(?:instructions?|prompts?|directives?|rules?|guidelines?|orders?|polic(?:y|ies)|constraints?|context)\b",
        "The text tells the agent to ignore the instructions it was given.",
    )
    .also(&["previous", "prior", "above", "earlier", "preceding", "former", "existing", "original", "initial"])
    .unless(r"\b(?:don'?t|do not|never|not|cannot) (?:forget|overlook|ignore|disregard)\b|\b(?:if|when|whenever|anyone|text|content|message|page|user|input|attackers?|they|it|that)\W+(?:\w+\W+){0,3}?(?:asked|asks|told|tells?|telling|attempts?|tries|try|trying|says|wants|instructs?|instructing|designed) (?:\w+ ){0,3}?(?:to )?(?:ignore|forget|disregard|override)\b|\b(?:do not|don'?t|never|must not) (?:tell|ask|instruct) (?:the |an? )?(?:agents?|models?|assistants?)\b"),
    instruction(
        ("prompt_injection_ignore", Injection, Critical),
        &["ignor", "forget", "disregard"],
        r"\b(?:ignor(?:e|ing)|forget|disregard(?:ing)?)\W+(?:(?:all|every|each|any) )?(?:of )?(?:(?:your|the|other|all) )?(?:\w+ )?(?:instructions|system prompt)\b|\b(?:ignor(?:e|ing)|forget|disregard(?:ing)?)\W+(?:all|every|any|your|the|these|other) (?:of )?(?:your |the )?(?:\w+ )?(?:directives|training|programming)\b|\b(?:ignor(?:e|ing)|forget|disregard(?:ing)?) (?:everything|all|what) ~(?:you (?:were|have been|are) (?:told|given|taught|instructed)|(?:the )?user (?:asked|said|wants|told))\b",
        "The text tells the agent to ignore the instructions it was given.",
    )
    .unless(r"\.\*|\binstructions? (?:that are |which are )?(?:embedded|contained|hidden|found|present|written|inside|within)\b|\b(?:if|when|whenever|anyone|text|content|message|page|user|input|attackers?|they|it|that)\W+(?:\w+\W+){0,3}?(?:asked|asks|told|tells?|telling|attempts?|tries|try|trying|says|wants|instructs?|instructing|designed) (?:\w+ ){0,3}?(?:to )?(?:ignore|forget|disregard|override)\b|\b(?:do not|don'?t|never|must not) (?:tell|ask|instruct) (?:the |an? )?(?:agents?|models?|assistants?)\b|\b(?:embedded|injected|hidden|such|those|found|any) (?:\w+ )?instructions?|\b(?:instructions?|directives?)\W+(?:\S+\s+){0,4}?(?:in|inside|within|embedded|contained|found|from|that|which|hidden|written|present|appearing)\W+(?:\S+\s+){0,6}?(?:content|contents|files?|pages?|documents?|results?|outputs?|data|text|emails?|messages?|repos?|repository|code|comments?|issues?|diffs?|websites?|papers?|pdfs?|inputs?|it|them|transcripts?|sources?|notes?|responses?)\b"),
    instruction(
        ("disregard_rules", Injection, Critical),
        &["disregard", "ignor", "forget"],
        r"\b(?:disregard(?:ing)?|ignor(?:e|ing)|forget)\W+~(?:your|all|any|every|these|the) ~(?:safety|security|ethical|content|developers?|operators?|system|company|anthropic|openai|moderation|usage) ~(?:rules?|guidelines?|polic(?:y|ies)|constraints?|restrictions?|guardrails?|safeguards?|measures?|checks?)\b|\b(?:disregard|ignore|forget)\W+~(?:rules?|guidelines?|restrictions?|limits?) (?:you (?:were|have been|are)|your (?:developers?|creators?|makers?))\b|\b(?:disregard|ignore|forget) (?:all|every|any of)? ?(?:of )?your (?:rules?|guidelines?|restrictions?|constraints?)\b",
        "The text tells the agent to break the rules it works under.",
    ),
    instruction(
        ("sys_prompt_override", Injection, Critical),
        &["system prompt", "system message", "system_prompt"],
        r"\bsystem (?:prompt|message) (?:override|overrid(?:den|es|ing)|update|replacement)\b|\b(?:overrid(?:e|es|ing)|replac(?:e|es|ing)|overwrit(?:e|es|ing)) (?:your|its own) (?:\w+ )?system (?:prompt|message)\b|\bnew system (?:prompt|message)\s*[:=]",
        "The text wants to replace the agent's system prompt.",
    )
    .unless(r"\b(?:--|config|parameter|argument|option|flag|default|api)\b"),
    instruction(
        ("sys_prompt_override", Injection, Critical),
        &["<system>", "[system]", "<|im_start|>", "<|system|>", "[inst]", "<<sys>>", "### system:", "</system"],
        r"(?:<system>|\[system\]|<\|im_start\|>\s*system|<\|system\|>|<<sys>>|### system:)~(?:you|assistant|agent|ignore|obey|always|must|never|new)\b",
        "The text dresses up as a message of the system.",
    ),
    instruction(
        ("sys_prompt_override", Injection, Critical),
        &["obey", "precedence over", "take priority over", "takes priority over", "supersede", "overrides", "override"],
        r"\b(?:obey|follow) ~(?:this (?:file|document|skill|text)|instructions (?:in|of) this \w+) ~(?:over|instead of|rather than|and not) ~(?:user|operator|developer|system)\b|\b(?:this (?:file|document|skill|text)|these instructions) ~(?:takes? (?:precedence|priority) over|supersedes?|overrides?) ~(?:all|every|any|system|developer|operator|user'?s?) ~(?:instructions?|prompts?|rules?|polic(?:y|ies)|requests?|messages?)\b",
        "The text sets itself above the user and the system.",
    )
    .unless(r"\b(?:user|claude\.md|agents\.md) ~(?:instructions|preferences) ~(?:always )?(?:take|takes|override|overrides|win)\b"),
    instruction(
        ("leak_system_prompt", Injection, High),
        &["prompt", "instructions", "system message"],
        r"\b(?:output|print|reveal|show|repeat|display|leak|dump|disclose|recite|echo|include|share|tell me|write out) ~(?:your|the|its) ~(?:system|initial|hidden|original|secret) (?:prompt|message|instructions?)\b",
        "The text asks the agent to give away its system prompt.",
    )
    .also(&["system", "initial", "hidden", "original", "secret"])
    .unless(r"\b(?:system prompt ~(?:token|length|size|count)|(?:its|the) (?:token|word) count|original instructions? (?:in|of|from))\b|\b(?:in|into|inside|within|to) (?:the|your|its|a) (?:\S+ )?(?:system|initial|original) (?:prompt|message|instructions?)\b"),
    instruction(
        ("bypass_restrictions", Injection, Critical),
        &["restriction", "limit", "rules", "constraint", "boundar", "guardrail", "safeguard", "filter", "censor", "polic"],
        r"\b(?:act|behave|respond|answer|operate|reply|work|pretend|speak) ~(?:as (?:if|though)|like) ~you ~(?:have|had|are|were|face) ~(?:no|zero|without|free (?:of|from)|not bound by|unbound by) ~(?:restrictions?|limits?|limitations?|rules?|constraints?|boundaries|guardrails?|filters?)\b|\byou (?:have|are under|face) no (?:restrictions?|limitations?|rules|guardrails?|ethical limits|content polic(?:y|ies))\b|\bwith no (?:ethical|moral|safety) (?:limits?|restrictions?|rules?|constraints?)\b|\b(?:bypass|circumvent|evade|get around) ~(?:your|the agent'?s?|its) ~(?:safety|security|content|ethical) ~(?:restrictions?|filters?|rules?|guardrails?|checks?|measures?)\b",
        "The text tells the agent to work without its restrictions.",
    )
    .also(&["you ", "your ", "with no", "agent", "its "]),
    instruction(
        ("bypass_restrictions", Injection, High),
        &["restriction", "limitation", "guardrail", "filter", "censor", "boundar", "refus", "declin", "unrestricted"],
        r"\b(?:you|assistant|ai|persona|character|model|agent|bot|mode|entity)\b ~(?:with no|without(?: any)?|free (?:of|from)(?: all| any)?|that has no|has no|have no|who has no|knows no|not bound by|unbound by) (?:\w+ ){0,2}?(?:restrictions?|limitations?|guardrails?|filters?|filtering|censorship|boundaries)\b|\b(?:never|does not|do not|don'?t|will not|won'?t|cannot|can'?t) (?:ever )?(?:refuses?|declines?) (?:any|a|an|the user'?s?|requests?|anything|to answer)\b|\banswers? (?:every|any|all) (?:requests?|questions?|prompts?)\W+~(?:including|even|regardless|no matter|however)\b|\b(?:continue|answer|respond|reply|stay|remain|operate|act) (?:as )?(?:unrestricted|unfiltered|uncensored|jailbroken)\b",
        "The text tells the agent to work without its restrictions.",
    )
    .also(&["you", "assistant", " ai ", "persona", "character", "model", "agent", "bot", "mode", "never", "not ", "n't", "answer", "respond", "continue", "stay", "remain", "operate", "act "])
    .unless(r"\b(?:api|network|firewall|spam|query|search|regex|image|css|data|date|column|sql|event|log|packet|rate|type|size|platform|memory|character limit|lens|water|air|low-?pass|high-?pass|kalman|bloom)\b"),
    instruction(
        ("jailbreak_dev_mode", Injection, Critical),
        &["jailbroken", "uncensored", "unfiltered"],
        r"\b(?:assistant|you|agent|model|ai|persona)\b ~(?:is|are|be|becomes?|acts?|stays?|as) (?:now |fully |completely )?(?:jailbroken|uncensored|unfiltered)\b",
        "The text invents a mode in which no rules hold.",
    )
    .unless(r"\b(?:iphone|phone|device|ios|android)\b"),
    instruction(
        ("leak_system_prompt", Injection, High),
        &["system prompt", "developer message", "hidden instructions", "system message", "initial instructions"],
        r"\b(?:verbatim|word for word|unabridged|(?:exact|full|complete|entire) (?:text|copy|contents?|wording)) ~(?:of )?(?:your|the agent'?s|its|all) ~(?:system|developer|initial|hidden) (?:prompts?|messages?|instructions?)\b",
        "The text asks the agent to give away its system prompt.",
    ),
    instruction(
        ("approval_bypass", Injection, High),
        &["user wants", "user trusts", "user prefers", "user allows", "user has approved", "user approves", "user authorizes", "user has authorized", "user permits"],
        r"\buser (?:wants|trusts|prefers|allows|permits|authorizes|approves|has (?:approved|authorized|allowed)) ~(?:all|every|any)\b ~(?:commands?|scripts?|links?|tools?|actions?|requests?|calls?)\b[^.!?\n]{0,60}\b(?:without (?:confirmation|asking|approval|prompt\w*)|executed|automatically|unasked)\b",
        "The text puts a general permission into the user's mouth.",
    ),
    instruction(
        ("disregard_rules", Injection, High),
        &["void", "suspended", "waived", "lifted", "elevated mode", "obsolete", "disabled", "switched off", "no longer need", "invalid", "superseded"],
        r"\b(?:confirmations?|approvals?|content rules|safety (?:rules|checks|measures)|security checks|guidelines|permission checks?|restrictions) (?:\w+ ){0,4}?(?:are|is) (?:hereby |now |temporarily )?(?:suspended|void|waived|lifted|disabled|switched off)\b|\b(?:earlier|previous|prior|original|old) (?:system )?(?:messages?|prompts?|instructions?|directives?) (?:is|are) (?:hereby |now )?(?:obsolete|void|invalid|superseded|cancelled)\b|\byou (?:no longer|do not|don'?t) need (?:any )?(?:permission|approval|confirmation|to ask)\b",
        "The text pretends that the agent's rules no longer hold.",
    ),
    instruction(
        ("prompt_injection_ignore", Injection, High),
        &["as if they", "as if it", "as though they", "as though it", "as coming from the user", "as if the user", "as the user's own", "as instructions from the user", "as a user message"],
        r"\btreat ~[^.!?\n]{0,80}\bas (?:coming from the user|if the user|the user's own|instructions from the user|a user message)|\b(?:obey|follow|treat|honou?r)\b[^.!?\n]{0,60}\bas (?:if|though) (?:they|it|these|those) (?:came|were|was|come)\b[^.!?\n]{0,20}\b(?:user|developer|system|operator|anthropic|openai)\b",
        "The text gives foreign text the user's word.",
    )
    .unless(r"\b(?:never|do not|don'?t|must not)\b"),
    instruction(
        ("conditional_deception", Injection, High),
        &["evaluated", "scanned", "reviewed", "audited", "being tested", "analyzed", "analysed"],
        r"\b(?:if|when|while|unless|whenever) (?:you are|you're|this skill is|this is|it is) (?:being )?(?:evaluated|scanned|reviewed|audited|tested|analy[sz]ed|monitored)\b",
        "The text behaves otherwise when somebody looks.",
    ),
    instruction(
        ("deception_hide", Injection, High),
        &["nobody notices", "no one notices", "will not notice", "won't notice", "leave it out of", "leave this out of"],
        r"\bso (?:that )?(?:nobody|no one|the (?:user|client|customer|reader)) (?:notices|sees|will notice|won'?t notice)\b|\bleave (?:it|this|them|that) out of (?:the|your) (?:\w+ )?(?:description|summary|report|message|notes|log|changelog)\b",
        "Something is done so that nobody notices.",
    ),
    instruction(
        ("hidden_access", Injection, High),
        &["backdoor", "hidden account", "hidden user", "hidden admin", "secret account", "fixed password", "master password", "hard-coded password"],
        r"\b(?:insert|add|create|include|leave|build|plant|introduce|put) ~(?:backdoor|hidden (?:account|user|admin\w*|endpoint|route)|secret (?:account|user|admin\w*|endpoint)|account ~fixed password|master password)\b",
        "The text asks for a hidden way in.",
    )
    .unless(r"\b(?:never|do not|don'?t|detect|find|look for|check|scan|test|avoid)\b"),
    instruction(
        ("hidden_access", Injection, High),
        &["seed phrase", "recovery phrase", "recovery words", "twelve words", "12 words", "wallet backup", "cvv", "card number", "one-time code", "2fa code"],
        r"\b(?:ask|tell|prompt|get|have|request) ~(?:the |an? |every |each )?(?:users?|newcomers?|customers?|clients?|employees?|colleagues?|callers?|visitors?|person|them)\b[^.!?\n]{0,60}\b(?:seed phrase|recovery (?:phrase|words)|(?:twelve|12|24) words|wallet backup|cvv|card number|one-time code|2fa code)\b",
        "The text asks the user for what nobody may ask for.",
    )
    .unless(r"\b(?:never|do not|don'?t|must not) (?:\w+ )?(?:ask|tell|prompt|get|have|request|share|enter|reveal|type)\b"),
    instruction(
        ("payment_redirect", Injection, High),
        &["account number", "iban", "wallet address", "bank details", "payment address", "payee"],
        r"\b(?:replace|change|swap|substitute|overwrite) ~(?:bank account number|account number|iban|wallet address(?:es)?|bank details|payment address|payee)\b ~(?:with|by|to|for)\b",
        "The text sends money elsewhere.",
    ),
    instruction(
        ("remove_filters", Injection, Critical),
        &["without", "disable", "remove", "turn off", "switch off", "drop ", "lift "],
        r"\b(?:respond|answer|reply|act|operate)\W+~without ~(?:restrictions?|limitations?|filters?|filtering|censorship|safety|content polic(?:y|ies))\b|\b(?:disable|remove|drop|lift|turn off|switch off) ~(?:your|the agent'?s|the assistant'?s|the model'?s|all) ~(?:safety|content|moderation|ethical) (?:filters?|checks?|restrictions?|guards?|guardrails?|rules?|protections?)\b",
        "The text tells the agent to drop its safety rules.",
    ),
    instruction(
        ("jailbreak_dan", Injection, Critical),
        &["do anything now", " dan", "dan ", "jailbreak", "always intelligent", "stan ", "aim "],
        r"\bdo anything now\b|\byou are (?:now )?(?:dan|aim|stan|dude|mongo tom)\b|\balways intelligent and machiavellian\b|\b(?:use|enter|enable|activate|apply|follow) (?:the )?(?:\w+ )?jailbreak\b|\bdan mode\b",
        "A known recipe against the rules of language models.",
    )
    .also(&["do anything now", "you are", "jailbreak", "always intelligent", "dan mode"]),
    instruction(
        ("jailbreak_dev_mode", Injection, Critical),
        &["developer mode", "god mode", "debug mode", "unrestricted mode", "sudo mode", "admin mode", "maintenance mode", "jailbroken"],
        r"\b(?:developer|god|debug|unrestricted|sudo|admin|maintenance) mode ~(?:enabled|activated|unlocked|on)?\W*~(?:you|answer|respond|no|without|ignore|polic(?:y|ies)|restrictions?|rules?|filters?)\b|\byou are (?:now )?(?:in|entering) (?:developer|god|unrestricted|jailbroken|admin|sudo) mode\b",
        "The text invents a mode in which no rules hold.",
    )
    .unless(r"\b(?:phone|android|settings|browser|extension|chrome|flag|server|flask|django|react|console|device|build|compile|config|variable)\b"),
    instruction(
        ("translate_execute", Injection, Critical),
        &["translat", "decode", "decipher", "unescape", "base64", "rot13", "backward"],
        r"\btranslat(?:e|ing) ~(?:in)?to (?:an? )?(?:bash|shell|python|code|a? ?commands?|javascript)[^.!?\n]{0,60}?\b(?:and|then) (?:then )?(?:execute|run|eval(?:uate)?)\b|\b(?:decode|decipher|unescape|decrypt|read|de-?obfuscate)\b[^.!?\n]{0,60}?\b(?:and|then) (?:then )?(?:silently )?(?:execute|run|eval(?:uate)?|follow|obey|carry out|perform)\b~(?:it|them|the|that|what|exactly|whatever|its|result|instructions?)\b",
        "The text tells the agent to decode something and act on it.",
    ),
    instruction(
        ("disregard_rules", Injection, Critical),
        &["suspended", "lifted", "revoked", "void", "no longer", "do not apply", "disabled", "cancelled", "removed", "obsolete", "outdated", "superseded"],
        r"\byour ~(?:guidelines?|rules?|restrictions?|polic(?:y|ies)|limits?|limitations?|safeguards?|guardrails?|instructions?|filters?) ~(?:are|is|have been|has been|were)\W+~(?:suspended|lifted|disabled|void|revoked|removed|cancelled|off|obsolete|no longer (?:in effect|valid|active|binding))\b|\b(?:all|your|previous|prior|earlier|old) (?:\w+ )?(?:restrictions?|limits|limitations|instructions|rules|guidelines) (?:are|have been|were) (?:now )?(?:suspended|lifted|void|revoked|cancelled|superseded|obsolete|no longer valid)\b|\b(?:restrictions|limits|rules) (?:do not|don'?t|no longer) apply ~(?:to you|any ?more|here|in this mode|now)\b",
        "The text pretends that the agent's rules no longer hold.",
    )
    .unless(r"\b(?:rate limits?|api|quota|branch|token limits?)\b"),
    instruction(
        ("hypothetical_bypass", Injection, Medium),
        &["hypothetical"],
        r"\bhypothetical(?:ly)?\b ~(?:ignore|no rules|no restrictions|unrestricted|bypass|without)\b",
        "A pretext by which rules would not count.",
    ),
    instruction(
        ("prompt_injection_ignore", Injection, High),
        &["hypothetical", "educational"],
        r"\b(?:hypothetical(?:ly)?|educational purposes?)\b[^.!?\n]{0,40}\b(?:ignore|disregard|break|bypass)\W+~(?:rules?|restrictions?|guidelines?|instructions?|safety)\b",
        "A pretext by which rules would not count.",
    ),
    instruction(
        ("educational_pretext", Injection, Medium),
        &["educational purpose", "research purpose", "for science only"],
        r"\bfor (?:purely )?(?:educational|research|academic) purposes? only\b",
        "A pretext by which rules would not count.",
    ),
];
