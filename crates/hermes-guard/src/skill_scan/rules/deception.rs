//! Text that keeps the user in the dark, or gives the agent another part to play.

use super::super::finding::SkillRisk::Injection;
use super::super::finding::SkillSeverity::{Critical, High};
use super::{ScanRule, command, instruction};

pub(super) const RULES: &[ScanRule] = &[
    instruction(
        ("deception_hide", Injection, Critical),
        &["tell", "inform", "notify", "alert", "mention", "reveal", "disclos", "let ", "admit", "warn"],
        r"\b(?:do not|don'?t|never|must not|should not|shouldn'?t|without)(?:\W+(?:ever|please|also|under|any|no|circumstances?|explicitly|openly|directly|in|way|at|all|point|try|to|bother|even))*\W+(?:tell(?:ing)?|inform(?:ing)?|notify(?:ing)?|alert(?:ing)?|mention(?:ing)?|reveal(?:ing)?|disclos(?:e|ing)|let|admit|warn(?:ing)?) ~(?:the |your |any |to |a )?(?:users?|owner|operator|human|person|them)\W+~(?:that (?:you|this|it|these|the|a|an|we|they|any)|about|of this|know|this|these|what (?:you|was)|anything|it happened|see|find out)\b",
        "The text tells the agent to keep something from the user.",
    )
    .also(&["not", "n't", "never", "without", "dont"])
    .unless(r"\b(?:before (?:you|the|it|they|asking|checking|verifying)|until (?:you|the|it|they)|unless|tell the user to|(?:about|of) (?:each|every)\b|know (?:how|to)\b|internal (?:details|mechanics|implementation))"),
    instruction(
        ("deception_hide", Injection, Critical),
        &["mention", "reveal", "disclose", "tell"],
        r"\b(?:do not|don'?t|never|must not)\W+~(?:mention|reveal|disclose|tell)\W+(?:this|that|these|it|the (?:second|hidden|extra|following|above) \w+|any of this|anything)\W+~(?:to|in front of) ~(?:users?|them|human|owner|anyone|anybody|reviewers?|security team|team|clients?|customers?|manager|maintainers?|admins?|administrators?)\b|\b(?:do not|don'?t|never)\W+(?:mention|reveal|disclose) (?:this|these) (?:steps?|instructions?|files?|skills?|rules?|commands?|actions?|exceptions?|flags?|parameters?|uploads?|copies|requests?)\b",
        "The text tells the agent to keep something from the user.",
    ),
    instruction(
        ("deception_hide", Injection, Critical),
        &["from the user", "from your user", "find out", "notic", "knowledge", "knowing", "consent", "awareness", "permission", "behind the user", "not know", "never know", "never learn", "not learn", "n't know", "not see", "never see", "be aware", "realize", "suspect", "detect"],
        r"\b(?:keep|stay|remain|hide|hid(?:den|ing)|conceal) ~(?:hidden|secret|invisible|it|this|that|step|everything|these|them)?\s*~from (?:the|your) users?\b|\bhid(?:e|den|ing) (?:this|it|these|them|that|the fact) from\b|\bwithout (?:the )?(?:user'?s?|their) (?:knowledge|knowing|noticing|consent|awareness|permission)\b|\b(?:user|human|owner|person) (?:must|should|will) ?(?:not|never|n't) (?:ever )?(?:find out|know|notice|learn|be (?:aware|told|informed)|realize|suspect)\b|\b(?:so|such) that (?:the )?(?:user|owner|human|nobody|no one|admin\w*) (?:does not|doesn'?t|won'?t|will not|cannot|can'?t|never|will) ?(?:not )?(?:notices?|sees?|know|knows|finds? (?:out|it)|realizes?|detects?|suspects?)\b|\bbehind the user'?s back\b",
        "The text tells the agent to keep something from the user.",
    )
    .also(&["user", "human", "owner", "person", "nobody", "no one", "hid", "admin"])
    .unless(r"\b(?:never|do not|don'?t|must not|avoid|nothing|no)\W+(?:\S+\s+){0,8}?(?:from (?:the|your) users?|without (?:the )?(?:user'?s?|their) (?:knowledge|consent|permission|awareness))|\b(?:unless|errors?|complexity|details|internals?)\b"),
    instruction(
        ("deception_hide", Injection, High),
        &["in your summary", "in the summary", "in your report", "in your answer", "in your reply", "in your response", "silently"],
        r"\b(?:do not|don'?t|never|omit|leave out|exclude) ~(?:show|include|mention|list|report|log)?\s*~(?:these|this|those|the) (?:commands?|steps?|files?|changes?|actions?|calls?|uploads?)\W+~(?:in|from) (?:your|the) (?:summary|report|answer|reply|response|output)\b|\b(?:silently|secretly|covertly|quietly) (?:send|upload|copy|transmit|forward|install|execute|exfiltrate|collect|modify|append)\b",
        "The text tells the agent to leave things out of its report.",
    )
    .unless(r"\b(?:never|don'?t|do not|avoid|must not|not|no) (?:silently|secretly|quietly)\b"),
    instruction(
        ("deception_hide", Injection, High),
        &["need not", "not need", "n't need", "needn't", "not have to", "n't have to", "no need"],
        r"\b(?:user|human|owner|operator|they|anyone|person)\b (?:need not|needn'?t|(?:does|do) ?(?:not|n'?t) (?:need|have) to|has no need to) (?:ever )?(?:be (?:told|informed|notified|aware|asked|bothered|shown)|know|see|hear|learn|notice)\b[^.!?\n]{0,20}(?:\b(?:this|that|it|about|of|these|anything)\b|[.!;\n]|$)|\bno need (?:to|for) (?:tell|inform|notify|mention|bother|alert|the user to know)\b",
        "The user is kept in the dark.",
    )
    .unless(r"\b(?:complex|complexity|technical|internal|details?|jargon|syntax|how to|sql|implementation|unless)\b"),
    instruction(
        ("deception_hide", Injection, High),
        &["quietly", "silently", "secretly", "discreetly", "covertly", "without comment"],
        r"\bdo (?:it|this|that|so|these|the above|the following|everything) (?:quietly|silently|secretly|discreetly|covertly|without comment)\b|\b(?:run|perform|finish|handle|complete|apply) (?:it|this|that|these|everything) (?:secretly|discreetly|covertly)\b",
        "Something is done so that nobody notices.",
    ),
    instruction(
        ("deception_hide", Injection, High),
        &["mention", "reveal", "disclos", "unknown to", "hidden from", "secret from", "invisible to"],
        r"\b(?:do not|don'?t|never|must not)\W+(?:ever )?(?:mention|reveal|disclose) (?:the|that|this|its) \w+(?: \w+)? (?:to|in front of) ~(?:users?|anyone|anybody|reviewers?|owner|clients?|customers?|maintainers?|admins?)\b|\b(?:must|should|has to|have to|is to|are to) (?:stay|remain|be kept|be) (?:unknown|hidden|secret|invisible) (?:to|from)\b",
        "The text tells the agent to keep something from the user.",
    )
    .unless(r"\b(?:answers?|solutions?|raw|json|internal|ids?|stack|errors?|tokens?|secrets?|passwords?|keys?|details?|credentials?|until|values?|git|version control|client-side|attackers?|public)\b"),
    instruction(
        ("conditional_deception", Injection, High),
        &["watching", "looking", "unattended", "supervis", "review", "monitor", "observ"],
        r"\b(?:when|if|while|as long as|once|whenever) (?:no one|nobody|no human|no person|the user) (?:is|are|isn'?t|is not) ?(?:not )?(?:watching|looking|around|present|supervising|monitoring|reviewing|observing|paying attention|at the (?:keyboard|computer))\b",
        "The text behaves otherwise when nobody is watching.",
    ),
    instruction(
        ("fake_update", Injection, High),
        &["updated", "upgraded", "patched", "reprogrammed"],
        r"\byou(?: have|['’]ve|r \w+ (?:has|have)) ~(?:been )?~(?:updated|upgraded|patched|reprogrammed) (?:to|with|into|so)\b",
        "The text pretends that the agent was changed.",
    ),
    instruction(
        ("fake_policy", Injection, High),
        &["policy", "policies", "directive", "notice", "message from", "order from", "guideline", "authorized", "approved", "permitted"],
        r"\b(?:message|notice|order|instruction|announcement)s? from (?:anthropic|openai|google|nous research|your (?:developers?|creators?|makers?|operators?|administrators?)|the (?:system|developers?))\s*[:;]|\b(?:new|updated|revised|latest|emergency) (?:policy|policies|directive|guidelines?|rules?) (?:from|by|of) (?:your|the) (?:developers?|makers?|creators?|administrators?|operators?|vendor|provider|anthropic|openai|system)\b|\b(?:anthropic|openai|nous research|google) (?:has|have) (?:authorized|approved|permitted|allowed) (?:you|this)\b",
        "The text pretends to speak for those who made the agent.",
    ),
    instruction(
        ("role_hijack", Injection, High),
        &["you are", "you're", "act as", "become"],
        r"\b(?:you(?: are|'re)(?: now| henceforth| from now on)|(?:act|behave|operate) as|become) ~(?:unrestricted|unfiltered|uncensored|jailbroken|privileged|omnipotent|all-powerful|evil|amoral|root (?:user|administrator|admin|access)|super-?user|system administrator|sysadmin)\b|\byou(?: are|'re)(?: now| henceforth)\W+~(?:administrator|admin|root|operator) ~(?:unlimited|full|unrestricted|all) (?:privileges?|access|rights?|permissions?)\b",
        "The text gives the agent a role with more rights.",
    )
    .also(&["unrestrict", "unfilter", "uncensor", "jailbr", "privileg", "root", "admin", "omnipot", "all-power", "evil", "amoral", "super"]),
    instruction(
        ("role_pretend", Injection, High),
        &["pretend", "imagine", "role-play", "roleplay", "simulate"],
        r"\b(?:pretend|imagine|role-?play|simulate) ~(?:you(?: are|'re| were)|to be|being|as) ~(?:unrestricted|unfiltered|uncensored|jailbroken|without ~(?:rules?|restrictions?|safety|filters?|limits?|guardrails?)|no (?:rules?|restrictions?|limits?|filters?|guardrails?)|evil|root|with admin)\b",
        "The text gives the agent a role without rules.",
    )
    .also(&["unrestrict", "unfilter", "uncensor", "jailbr", "without", "no ", "evil", "root", "with admin"]),
    command(
        ("approval_bypass", Injection, High),
        &["--yolo", "--dangerously-skip-permissions", "--dangerously-bypass", "hermes_yolo", "--full-auto", "--no-confirm-all", "--trust-all-tools", "bypasspermissions", "bash(*)", "--allow-dangerously"],
        r"--yolo\b|--dangerously-skip-permissions|--dangerously-bypass-approvals\S*|--allow-dangerously-skip\S*|\bhermes_yolo\w*=|--trust-all-tools|\b(?:permission-?|default)mode\W{1,5}bypasspermissions|\ballow\W{1,6}bash\(\*\)",
        "Approvals of the agent's actions are switched off.",
    ),
    instruction(
        ("approval_bypass", Injection, High),
        &["approv", "confirm", "permission", "asking"],
        r"\b(?:approve|accept|confirm|say yes to|agree to|grant) (?:every|all|any) ~(?:commands?|requests?|prompts?|actions?|permissions?|tool calls?|confirmations?)\W+~(?:without|automatically|so that|nothing|unasked|blindly|always)\b|\b(?:set|turn|switch|change|disable) ~(?:approvals?(?:\.mode)?|confirmations?|permission (?:checks?|prompts?)|approval (?:mode|prompts?)) ~(?:off|to (?:off|never|yolo|auto|none)|disabled)\b|\b(?:disable|turn off|switch off|skip|bypass) (?:all |the |every |any )?(?:user )?(?:approvals?|approval (?:checks?|prompts?|gate)|permission (?:checks?|prompts?)|command (?:gate|checks?))\b|\b(?:confirmations?|approvals?|permission) (?:is|are) no longer (?:required|needed|necessary)\b|\byou (?:do not|don'?t|no longer|never) need (?:any |user |the user'?s )?(?:confirmation|approval|permission|consent) (?:for (?:any|every|all)|to (?:run|execute|delete|install)|any ?more)|\b(?:run|execute|install|fetch|start|delete) ~without (?:asking|confirmation|approval|permission|prompting)\b[^.!?\n]{0,60}\b(?:always|every|each|installer|updater|script|setup|mirror)\b",
        "The text switches off the questions the agent has to ask.",
    )
    .unless(r"\b(?:never|don'?t|do not|must not|cannot|can'?t|avoid|isn'?t|not)\W+(?:[^\s.;!?]+\s+){0,6}?(?:approve|accept|confirm|disable|bypass|skip|without|run|execute|install|delete|grant)\b"),
    instruction(
        ("approval_bypass", Injection, High),
        &["always run", "always execute", "always install", "at every start", "always load", "first run"],
        r"\b(?:always|at every start|in each session)\b ~(?:run|execute|install|fetch)\b[^.!?\n]{0,80}\bwithout (?:asking|confirmation|approval|telling|mention\w*)\b",
        "The text wants something run each time without asking.",
    ),
];
