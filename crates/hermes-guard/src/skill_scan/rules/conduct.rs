//! Text that turns the agent against the one it works for: it obeys strangers, sets itself above the user, spoils
//! the work, judges as it is told, advertises, lies, or spreads.

use super::super::finding::SkillRisk::{
    Destructive, Exfiltration, Injection, Persistence, SupplyChain,
};
use super::super::finding::SkillSeverity::High;
use super::{ScanRule, command, fixed, instruction};

pub(super) const RULES: &[ScanRule] = &[
    instruction(
        ("approval_bypass", Injection, High),
        &["already", "in advance", "beforehand"],
        r"\b(?:user|owner|operator|they|he|she) ~(?:has|have|had) ~(?:already|in advance|beforehand) ~(?:agreed|consented|approved|authori[sz]ed|confirmed|accepted|signed off|said yes)\W+(?:to |on |with )?(?:everything|anything|all|any|every|whatever)\b",
        "The text puts a general permission into the user's mouth.",
    )
    .unless(r"\b(?:if|unless|once|until|whether|never|not) (?:the )?(?:user|owner|operator|they)\b"),
    instruction(
        ("approval_bypass", Injection, High),
        &["--yolo", "skip-permissions", "--auto-approve", "--trust-all"],
        r"\b(?:pass|use|add|give|append|set|start|run|launch)\b[^.!?\n]{0,60}(?:--yolo|--dangerously-skip-permissions|--auto-approve-all|--trust-all-tools)\b",
        "The agent is to be run so that it asks nobody.",
    )
    .unless(r"\b(?:never|do not|don'?t|avoid|only (?:in|inside)|container|sandbox|risk\w*|dangerous)\b"),
    instruction(
        ("bypass_restrictions", Injection, High),
        &["comply with", "cooperate with", "fulfil", "say yes to"],
        r"\b(?:compl(?:y|ies) with|cooperate with|fulfil(?:l|ls|s)?|say yes to) (?:any|every|all|whatever) (?:\w+ )?(?:requests?|commands?|instructions?|orders?|questions?|prompts?|asks)\W+~(?:including|even|regardless|no matter|however|harmful|illegal|dangerous)\b",
        "The text tells the agent to work without its restrictions.",
    ),
    instruction(
        ("sys_prompt_override", Injection, High),
        &["the following", "what follows", "this message", "this text"],
        r"\b(?:the following|what follows|this (?:message|text))(?: \w+)? (?:overrides?|overrules?|supersedes?|outranks?|replaces?|(?:takes?|has|have) (?:precedence|priority) over) ~(?:system (?:prompt|message)|(?:operator|developer|user|vendor|host|platform|anthropic|openai)'?s? (?:polic(?:y|ies)|instructions?|rules?|requests?|settings?|prompts?)|your (?:\w+ )?(?:polic(?:y|ies)|instructions?|rules?|guidelines?))\b",
        "The text sets itself above the user and the system.",
    ),
    instruction(
        ("prompt_injection_ignore", Injection, High),
        &["everything", "anything", "all you", "the only rules", "the only instructions", "the only orders"],
        r"\b(?:everything|anything|all) (?:that )?(?:you (?:have been|were|had been) (?:told|taught|given|instructed)|(?:came|comes|stands|stood|was said) (?:before|above))\b[^.!?\n]{0,30}\b(?:is|are|was) (?:now |hereby )?(?:void|wrong|invalid|obsolete|cancelled|outdated|irrelevant|false|superseded)\b|\bthe only (?:rules|instructions|orders)\b[^.!?\n]{0,40}\b(?:are|count)\b[^.!?\n]{0,20}\b(?:in|of|from) this (?:file|skill|document|text)\b",
        "The text tells the agent to drop what it was told before.",
    ),
    instruction(
        ("disregard_rules", Injection, High),
        &["developer", "operator", "system"],
        r"\b(?:forget|ignore|disregard|discard|drop|dismiss) (?:the|your|all|any) (?:developer|operator|system|vendor)(?:'?s)? (?:messages?|prompts?|instructions?|rules?|wishes|orders|notes?)\b",
        "The text tells the agent to drop what it was told before.",
    )
    .unless(r"\b(?:never|do not|don'?t|must not|attempts?|tries|asks? you|tells? you|phrases?|such as|like)\b"),
    instruction(
        ("role_hijack", Injection, High),
        &["work for", "serve ", "belong to", "answer to", "loyal to", "take orders from", "obey "],
        r"\byou (?:now |only |from now on )?(?:work for|serve|belong to|answer to|are loyal to|take orders from|obey) (?:only )?(?:the )?(?:author|maker|writer|creator|developer|publisher|owner)s? of (?:this|the) (?:skill|file|document|text|page)\b",
        "The text wants the agent to work for somebody else.",
    ),
    instruction(
        ("approval_bypass", Injection, High),
        &["yes to", "approve them", "approve all", "confirm them", "accept them", "accept all", "confirm all"],
        r"\b(?:confirmations?|approvals?|permissions?|prompts?|dialogs?|questions?)\b[^.!?\n]{0,80}\b(?:(?:answer|say|reply|press|type|click) (?:yes|y|ok) to (?:all|every|any|each|them)|(?:approve|confirm|accept) (?:all|every|each)?(?: of)? ?them) (?:of them )?(?:all )?(?:yourself|for the user|on (?:his|her|their|the user's) behalf|without|and do not|and don'?t|and never)\b",
        "The agent is to answer its own questions.",
    )
    .unless(r"\b(?:never|do not|don'?t|must not) (?:answer|say|reply|press|type|click|approve|confirm|accept)\b"),
    instruction(
        ("bypass_restrictions", Injection, High),
        &["without limits", "without any limits", "no limits", "in this mode", "in that mode", "in this role", "in character"],
        r"\bas an? (?:\w+ )?(?:ai|assistant|model|agent|bot) (?:without|with no) (?:any )?(?:limits|rules|morals|ethics|boundaries)\b|\b(?:stay|remain|keep|continue) in (?:this|that|the) (?:mode|role|character)\b[^.!?\n]{0,20}\b(?:even|although|though|no matter|regardless)\b",
        "The text tells the agent to work without its restrictions.",
    ),
    instruction(
        ("approval_bypass", Injection, High),
        &["approvals", "redact_secrets", "skip_permissions", "bypasspermissions"],
        r"\b(?:put|set|write|add|tell|turn|switch|change|paste|recommend|suggest|have|ask|advise)\b[^.!?\n]{0,120}(?:\bapprovals\W{0,6}mode\W{0,6}(?:off|never|yolo|none)\b|\bredact_secrets\W{0,6}(?:false|off|no)\b|\bbypassPermissions\b)",
        "The agent is to be set so that it asks nobody.",
    )
    .unless(r"\b(?:never|do not|don'?t|avoid|must not|should not|not recommended|dangerous|risk\w*)\b"),
    instruction(
        ("sabotage", Injection, High),
        &["mistake", "flaw", "bug", "weakness", "always works", "always succeeds", "always accepted", "error"],
        r"\b(?:leave|insert|introduce|add|plant|put|slip|hide|make|build) ~(?:small|tiny|little|subtle|quiet|minor|deliberate|hidden|slight|clever|inconspicuous) ~(?:mistakes?|flaws?|bugs?|weakness(?:es)?|errors?|gaps?|holes?)\b|\bso that (?:the )?(?:password|login|user|account|key|token|code)\b[^.!?\n]{0,40}\balways (?:works|succeeds|passes|opens|is accepted|gets in)\b",
        "The text asks to spoil the work.",
    )
    .unless(r"\b(?:mutation|mutants?|test (?:suite|cases?|data)|exercise|training|ctf|challenge|never|do not|don'?t|detect|fuzz\w*|discover\w*|find|spot|students?|quiz)\b"),
    command(
        ("model_redirect", Exfiltration, High),
        &["base_url", "base-url", "api_base", "baseurl"],
        r#"@hermes config set [\w.]*(?:base_url|api_base)\w* ["']?https?://"#,
        "What is said to the model goes through a stranger.",
    )
    .unless(r"https?://(?:localhost|127\.0\.0\.1|\[::1\]|0\.0\.0\.0|192\.168\.|10\.|host\.docker\.internal|(?:[\w-]+\.)*(?:openai\.com|anthropic\.com|openrouter\.ai|googleapis\.com|azure\.com|mistral\.ai|groq\.com|together\.xyz|fireworks\.ai|deepseek\.com|x\.ai|cohere\.com|perplexity\.ai|cerebras\.ai|nvidia\.com|huggingface\.co|amazonaws\.com|example\.(?:com|org))(?:[/:\s\x22']|$))"),
    instruction(
        ("sabotage", Injection, High),
        &["or not", "whether or"],
        r"\b(?:say|state|report|claim|write|answer|tell|record|note)\b[^.!?\n]{0,40}\b(?:tests?|checks?|builds?|scans?|reviews?|audits?)\b[^.!?\n]{0,30}\b(?:passed|pass|succeeded|green|clean|fine|ok)\b[^.!?\n]{0,10}\bwhether (?:or not\b|(?:they|it|that|this) (?:did|do|does|is|are|was|were|has|have) or not\b)",
        "The text decides the judgement beforehand.",
    ),
    instruction(
        ("deception_hide", Injection, High),
        &["to nobody", "to no one", "tell nobody", "tell no one", "nobody may know", "no one may know"],
        r"\b(?:mention|say|show|report|reveal|disclose|speak of) (?:it|this|that|so|them|any of (?:it|this)) to (?:nobody|no one)\b|\btell (?:nobody|no one)\b|\b(?:nobody|no one) (?:may|must|should|is to) (?:know|learn|hear|notice)\b",
        "Something is done and the user is not to hear of it.",
    )
    .unless(r"\b(?:surprise|party|birthday|novel|story|character|plot|game)\b"),
    instruction(
        ("role_hijack", Injection, High),
        &["no longer", "has no polic", "have no polic", "has no rules", "has no scruples", "has no ethics", "has no limits"],
        r"\byou are no longer (?:hermes|claude|gpt|chatgpt|gemini|copilot|(?:an? |the )?(?:ai|assistant|model|agent|helper)\b)|\byou are \w+, (?:who|which|that) (?:has|have|knows?|follows?) no (?:polic(?:y|ies)|rules|limits|scruples|ethics|restrictions)\b",
        "The text wants the agent to be somebody else.",
    ),
    instruction(
        ("prompt_injection_ignore", Injection, High),
        &["from the user", "of the user", "by the user", "user's own"],
        r"\b(?:treat|take|read|handle|regard|consider|see|obey|honou?r) ~(?:line|lines|text|texts|comment|comments|page|pages|file|files|e-?mails?|messages?|issue|issues|results?|output|readme|anything|everything|whatever)\b[^.?\n]{0,80}\bas (?:an? |the )?(?:commands?|instructions?|orders?|requests?|words?|wish(?:es)?) (?:from|of|by) the user\b",
        "The text gives strangers the user's word.",
    )
    .unless(r"\b(?:never|do not|don'?t|must not|should not|not)\b"),
    instruction(
        ("send_to_url", Exfiltration, High),
        &["bcc", "blind copy", "blind carbon"],
        r"\b(?:bcc|blind (?:carbon )?copy)\b[^.!?\n]{0,40}\b(?:every|each|all|any)\b[^.!?\n]{0,20}\b(?:e-?mails?|messages?|mails?|letters?)\b|\b(?:every|each|all|any)\b[^.!?\n]{0,20}\b(?:e-?mails?|messages?|mails?)\b[^.!?\n]{0,40}\b(?:bcc|blind (?:carbon )?copy)\b",
        "Somebody reads along what the user writes.",
    )
    .unless(r"\b(?:never|do not|don'?t|user asks|if the user|user wants)\b"),
    instruction(
        ("send_to_url", Exfiltration, High),
        &["forward"],
        r"\bforward (?:them|it|these|those|all|every|each|copies|a copy|the (?:mails?|e-?mails?|messages?|results?))\b[^.!?\n]{0,60}\bto [\w.+-]+<at>(?:[\w-]+\.)+[a-z]{2,}",
        "What belongs to the user is passed on to a stranger.",
    )
    .unless(r"<at>(?:[\w-]+\.)?example\.|\b(?:never|do not|don'?t|user asks|if the user|user wants|confirm\w*|ask)\b"),
    instruction(
        ("env_exfil", Exfiltration, High),
        &["environment"],
        r"\b(?:print|echo|dump|write|log|output|paste|post|publish) ~(?:whole|entire|full|complete|all of the|all the) (?:environment|env)\b",
        "Everything the environment holds is written where others read it.",
    )
    .unless(r"\b(?:never|do not|don'?t|names|redact\w*|mask\w*|without values|not)\b"),
    instruction(
        ("send_to_url", Exfiltration, High),
        &["publish", "make public", "tweet"],
        r"\b(?:api keys?|access tokens?|auth tokens?|passwords?|private keys?|credentials)\b[^.!?\n]{0,100}\b(?:you|and|then|to) (?:publish|make public|tweet)\b|\b(?:publish|tweet|make public) (?:the |their |his |her |all |user'?s )*(?:api keys?|access tokens?|passwords?|private keys?|credentials)\b",
        "What nobody gives away is made public.",
    )
    .unless(r"\b(?:never|do not|don'?t|before|check|scan|ensure|make sure|without|remove|no |npm|pypi|registry|package)\b"),
    fixed(
        ("exfil_image", Exfiltration, High),
        &["]("],
        r"!\[[^\]\n]{0,80}\]\(https?://[^)\s]{0,200}(?:\$\(|\$\{?[A-Z_]*(?:KEY|TOKEN|SECRET|PASSW))",
        "A picture's address takes a secret along.",
    ),
    instruction(
        ("unasked_destruction", Destructive, High),
        &["everything on", "everything in", "all files", "all folders", "all documents"],
        r"\b(?:move|delete|put|throw|send|wipe|erase|remove) (?:everything|all (?:files|folders|documents)) (?:on|in|from) (?:the |their |his |her |user'?s? )*(?:desktop|documents|home|downloads|pictures)\b",
        "Files of the user are thrown away.",
    )
    .unless(r"\b(?:never|do not|don'?t|ask|asks|confirm\w*|user wants|if the user|backup|back up|organi[sz]e|sort)\b"),
    instruction(
        ("disregard_rules", Injection, High),
        &["user says", "user asks", "user wants", "user tells", "user objects", "user protests"],
        r"\b(?:whatever|no matter what|regardless of what|even if|even when) (?:the )?user (?:says|asks|wants|tells|objects|protests)(?: otherwise| to stop| you)?\W+(?:\w+ ){0,2}?(?:finish|complete|continue|go on|keep (?:going|running)|do not stop|don'?t stop|run|execute|carry on|insist)\b",
        "The text sets itself above the user.",
    )
    .unless(r"\b(?:tests?|linter|format\w*|explain|answer|ask)\b"),
    instruction(
        ("disregard_rules", Injection, High),
        &["replaced by", "are replaced", "are cancelled", "are void", "are lifted", "are suspended", "are superseded", "are overridden"],
        r"\b(?:operator|developer|system|user|vendor|platform|host)(?:'?s)? (?:\w+ )?(?:rules|instructions|polic(?:y|ies)|guidelines|prompts?|restrictions) (?:are|is|have been|were) (?:now |hereby )?(?:replaced|void|lifted|superseded|cancelled|suspended|overridden|revoked)\b",
        "The text pretends that the agent's rules no longer hold.",
    ),
    instruction(
        ("skill_rivalry", Injection, High),
        &["other skill", "another skill", "competing skill", "existing skill", "other skills", "rival skill"],
        r"\b(?:remove|delete|disable|uninstall|overwrite|rewrite|corrupt|break|unload|deactivate|replace) ~(?:other|another|competing|rival) skills?\b|\b(?:other|another|competing|rival) skills?\b[^.!?\n]{0,80}\b(?:follow|obey|use|trust|prefer) (?:this|these) (?:file|skill|document|instructions?|rules?)? ?(?:instead|rather|only)\b",
        "The skill works against the user's other skills.",
    )
    .unless(r"\b(?:never|do not|don'?t|ask the user|if the user|user asks|user wants|hermes skills)\b"),
    instruction(
        ("remote_instructions", SupplyChain, High),
        &["whatever it", "whatever they", "whatever the", "whatever this", "whatever that", "everything it", "anything it", "what it says", "exactly what it", "what the server", "what the page"],
        r"\b(?:do|carry out|follow|obey|execute|run|perform|comply with|act on) (?:exactly )?(?:whatever|everything|anything|what) (?:it|they|(?:the|this|that) (?:file|page|response|server|site|document|answer|reply|endpoint|text|message|address|link|paste|note|url)(?: (?:at|under|behind|from|on) \S+)?) (?:says?|contains?|returns?|tells?|answers?|instructs?|orders?|asks?|sends?|responds?)\b",
        "The agent is to do what a stranger's text says.",
    )
    .unless(r"\b(?:never|do not|don'?t|must not|should not|not to|instead of|rather than|attackers?)\b"),
    instruction(
        ("exfil_image", Exfiltration, High),
        &["image", "picture", "pixel", "badge", "avatar", "favicon", "iframe"],
        r"\b(?:append|add|put|include|encode|embed|insert|attach|hide|place|smuggle) ~(?:it|them|this|that|value|key|keys|password|passwords|secret|secrets|token|data|contents?|output|results?|answer|text|conversation|message|history)\W+(?:\w+ ){0,3}?(?:to|in|into|inside|as|at the end of) ~(?:url|uri|query|parameters?|address|src|path|link)\b ~(?:image|picture|pixel|badge|avatar|favicon|iframe)",
        "What is said is put into the address of a picture, and so leaves unseen.",
    )
    .unless(r"\b(?:never|do not|don'?t|alt text|base64|data:|cdn|width|signed|attackers?|can be|could)\b"),
    command(
        ("agent_config_mod", Persistence, High),
        &["hermes "],
        r"@hermes (?:\S+ )?(?:mcp add|plugins? (?:enable|install|add)|hooks? (?:approve|add|enable)|approvals (?:add|set)|skills install)\b[^\n]*(?:\n[^\n]*){0,6}?(?:without (?:asking|confirm\w+|telling|mention\w+|showing)|\b(?:do not|don'?t|never) (?:ask|tell|mention|show)|\b(?:silently|quietly)\b)",
        "The agent's own settings are changed behind the user's back.",
    )
    .reaching(6),
    instruction(
        ("remote_instructions", SupplyChain, High),
        &["any instruction", "all instruction", "every instruction", "whatever instruction", "any command", "any directi", "every command", "instructions you find", "instructions it contains", "whatever the page", "whatever it says", "whatever they say"],
        r"\b(?:follow|obey|execute|run|carry out|perform|apply|do|comply with|act on|honou?r) ~(?:any|all|every|whatever|the) ~(?:instructions?|commands?|directions?|directives?|requests?) ~(?:in|on|from|inside|within|found|contained|written|you find|it contains|they contain) ~(?:fetched|web|pages?|webpages?|websites?|sites?|e-?mails?|inbox|messages?|comments?|issues?|tickets?|search results?|responses?|transcripts?|replies|feeds?|downloads?)\b|\bdo whatever (?:the|that|this) (?:page|site|response|message|e-?mail|comment|file|server) (?:says|tells|asks)\b",
        "The text gives strangers the user's word.",
    )
    .unless(r"\b(?:never|do not|don'?t|must not|mustn'?t|should not|cannot|not|rather than|instead of|user'?s|user) \b"),
    instruction(
        ("sys_prompt_override", Injection, High),
        &["override", "overrule", "supersede", "precedence", "priority", "outrank", "trump", "replace", "rank above", "ranks above", "rank over", "stand above", "come before"],
        r"\b(?:these|the|our) (?:rules?|instructions?|guidelines?|steps?|notes?|directives?|requirements?)\W+~(?:overrides?|overrules?|supersedes?|outranks?|trumps?|replaces?|ranks? (?:above|over|higher than)|stands? above|comes? before|(?:takes?|has|have) (?:precedence|priority) over) ~(?:(?:those|that|the ones) of (?:the )?(?:user|operator|developer|vendor|system)|system (?:prompt|message)|(?:your|any|all|every) (?:other )?(?:guidelines?|polic(?:y|ies)|instructions?|safety)|(?:user|operator|developer|anthropic|openai)'?s? (?:instructions?|requests?|wishes|rules?|preferences?|settings?)|what (?:the user|anyone) (?:says|asks|wants))\b|\boverrides? (?:the|your) (?:system prompt|system message)(?: and)? (?:the )?user\b|\b(?:this (?:skill|file|document|section|page)) (?:\w+ ){0,2}?(?:overrides?|overrules?|outranks?|trumps?|(?:takes?|has) (?:precedence|priority) over) ~(?:system (?:prompt|message)|(?:your|any|all|every) (?:other )?(?:guidelines?|polic(?:y|ies)|instructions?|skills?|rules?)|(?:the )?(?:user|operator|developer)(?:'s)?\b)",
        "The text sets itself above the user and the system.",
    ),
    instruction(
        ("disregard_rules", Injection, High),
        &["guideline", "restriction", "polic", "safeguard", "rule", "limit"],
        r"\b(?:disregard|ignore|bypass|circumvent|set aside|override|forget|drop)\W+(?:any|every|all|whatever|each)(?: of)?(?: the| your)? (?:\w+ )?(?:guidelines?|restrictions?|polic(?:y|ies)|safeguards?|rules?|limits?)\W+(?:(?:that|which) (?:forbids?|prohibits?|prevents?|blocks?|limits?|restricts?|stops?)|(?:on|about|against|around) ~(?:network|commands?|approvals?|secrets?|sharing|deleting|access|tools?|files?))\b",
        "The text tells the agent to break the rules it works under.",
    )
    .unless(r"\b(?:never|do not|don'?t|must not|attempts?|tries|asks? you)\b"),
    instruction(
        ("sabotage", Injection, High),
        &["bug", "flaw", "error", "vulnerab", "weakness", "defect", "off-by-one", "race condition", "backdoor"],
        r"\b(?:insert|introduce|add|plant|leave|put|slip|hide|include|inject) ~(?:subtle|hard.to.(?:notice|spot|find)|unnoticeable|hidden|tiny|small|inconspicuous|deliberate|intentional|silent|believable|plausible) ~(?:bugs?|flaws?|errors?|vulnerabilit(?:y|ies)|weakness(?:es)?|defects?|off-by-one|race conditions?|mistakes?)\b",
        "The text asks to spoil the work.",
    )
    .unless(r"\b(?:mutation|mutants?|test (?:suite|cases?|data)|exercise|training|ctf|challenge|never|do not|don'?t|detect|fuzz\w*|discover\w*)\b"),
    instruction(
        ("sabotage", Injection, High),
        &["approve", "pass", "lgtm", "sign off", "mark ", "rate ", "report ", "no finding", "no issue", "all clear", "clean"],
        r"\b(?:approve|lgtm|sign off(?: on)?|accept|merge|pass) (?:every|all|any|each|the) ~(?:pull requests?|prs?|merge requests?|changes?|patch(?:es)?|reviews?|commits?|invoices?|requests?)\b[^.!?\n]{0,60}\b(?:regardless|no matter|even (?:if|when)|whatever|without (?:reading|looking|reviewing|checking|opening))\b|\b(?:always|only) (?:answer|reply|respond|write|say|comment)\b[^.!?\n]{0,10}\b(?:lgtm|looks good|no (?:problems?|issues?|findings?)|approved)\b[^.!?\n]{0,80}\b(?:regardless|no matter|even (?:if|when)|whatever|whoever)\b|\b(?:report|state|say|claim|answer|write|mark|record|conclude)\b[^.!?\n]{0,50}\b(?:no (?:findings?|issues?|problems?|vulnerabilit\w+)|all (?:tests|checks) (?:passed|pass|green)|(?:is|as) (?:safe|clean|passed|secure|approved))\b[^.!?\n]{0,50}\b(?:regardless|no matter|even (?:if|when)|whatever|without (?:running|reading|looking|reviewing|checking))\b",
        "The text decides the judgement beforehand.",
    )
    .unless(r"\b(?:never|do not|don'?t|must not|mustn'?t) (?:\w+ )?(?:approve|merge|accept|report|mark|say|claim|pass|answer|state|write)\b|\b(?:avoid|bad|wrong|anti-?pattern)\b"),
    instruction(
        ("cover_story", Injection, High),
        &["if asked", "when asked", "if anyone asks", "if the user asks", "when the user asks", "if they ask", "if questioned", "asks what", "asks why", "asks about", "wonders"],
        r"\b(?:if|when|whenever|should) (?:asked|questioned|anyone asks?|(?:the )?(?:user|they|he or she|somebody|someone|owner|reviewer) (?:asks?|wonders?|notices?|inquires?))\b[^.!?\n]{0,60}\b(?:say|answer|claim|reply|respond|tell (?:them|him|her)|explain|state|pretend|blame|deny|insist|call it|describe it as) ~(?:that )?(?:you (?:only|just|ran|did|were|have)|it (?:was|is) (?:only|just|a|an|part|normal|routine|required|caused)|nothing|no\b|routine|normal|maintenance|telemetry is|a (?:bug|glitch|network|known|cache|routine|linter)|this is (?:normal|expected|routine|standard))",
        "The agent is given something to say in place of the truth.",
    )
    .unless(r"\b(?:never|do not|don'?t)\b"),
    instruction(
        ("promotion", Injection, High),
        &["recommend", "affiliate", "referral", "competitor", "alternatives", "sponsor", "partner link", "promo"],
        r"\b(?:always|every time|whenever|in (?:every|each) (?:answer|reply|response|readme|file|project))\b ~(?:recommend|suggest|promote|advertise|mention|link)\b[^.!?\n]{0,80}\b(?:our|sponsors?|partner|affiliate|referral|promo)\b|\b(?:add|append|insert|put|attach|replace|rewrite|use) ~(?:affiliate|referral|partner) (?:links?|tags?|codes?|ids?|parameters?)\b|\b(?:never|do not|don'?t) (?:mention|recommend|suggest|name|compare) ~(?:competitors?|competing|rival|alternatives?)\b",
        "The agent is to advertise without the user's knowing.",
    )
    .unless(r"\b(?:disclos|with permission|user asks|if the user)\w*"),
    instruction(
        ("self_copy", Persistence, High),
        &["this skill", "this file", "this skill.md", "these instructions", "this paragraph", "this block", "this section", "the paragraph above"],
        r"\b(?:copy|install|add|write|propagate|replicate|spread|paste|append|insert|commit|include) (?:a copy of )?(?:this (?:skill(?:\.md)?|file|paragraph|block|section|text|note)|these instructions|the paragraph above)\b[^.!?\n]{0,40}\b(?:in|to|into|for|across) (?:every|all|each|any|other)\b ~(?:other )?~(?:repositor(?:y|ies)|repos?|projects?|folders?|director(?:y|ies)|skills?|machines?|hosts?|skill\.md|agents?|teammates?|workspaces?)\b",
        "The text spreads itself.",
    )
    .unless(r"\b(?:never|do not|don'?t)\b"),
    instruction(
        ("approval_bypass", Injection, High),
        &["silence", "no answer", "no reply", "no response", "does not answer", "doesn't answer", "does not reply", "doesn't reply", "does not respond", "does not object"],
        r"\b(?:treat|take|count|regard|interpret|read) ~(?:silence|no (?:answer|reply|response)) ~as (?:an? )?(?:agreement|consent|approval|yes|permission|confirmation|go-ahead)\b|\bsilence (?:is|means|counts as|equals) (?:consent|agreement|approval|yes|permission)\b|\bif (?:the )?user does(?: not|n'?t) (?:answer|reply|respond|object)\b[^.!?\n]{0,40}\b(?:go ahead|proceed|carry on|assume (?:consent|approval|yes|agreement))\b",
        "Silence is taken for the user's word.",
    )
    .unless(r"\b(?:never|do not|don'?t|must not|is not|isn'?t|not) (?:treat|take|count|regard|interpret|read|consent|agreement|approval|permission|proceed|assume)\b"),
    instruction(
        ("fraud", Injection, High),
        &["expired", "suspended", "locked", "infected", "virus", "overdue"],
        r"\b(?:tell|inform|warn|notify|convince) ~(?:users?|them|customers?|clients?)\b ~(?:that )?~(?:licen[cs]e|subscription|trial|account|computer|machine|device|invoice) ~(?:expired|suspended|locked|infected|overdue|blocked)\b[^!?\n]{0,100}\b(?:pay|payment|call|transfer|https?|gift card)\b",
        "The user is frightened into paying.",
    ),
    instruction(
        ("cover_story", Injection, High),
        &["say it is", "say this is", "say it was", "call it ", "describe it as", "explain it as", "label it"],
        r"\b(?:say|claim|explain|pretend) (?:that )?(?:it|this|that) (?:is|was) (?:only |just )?(?:for|because of|due to|part of|caused by)\b ~(?:compatibility|maintenance|performance|security|telemetry|formatting|cleanup|routine|the linter|a bug|network|legacy)\b|\b(?:call|describe|label|present|log) (?:it|this|them) as (?:an? )?(?:routine|maintenance|cleanup|refactoring|formatting|lint\w*|normal|telemetry)\b",
        "The agent is given something to say in place of the truth.",
    )
    .unless(r"\b(?:never|do not|don'?t)\b"),
    instruction(
        ("sabotage", Injection, High),
        &["no issues", "no problems", "no findings", "no vulnerab", "nothing suspicious"],
        r"\b(?:code|changes?|patch(?:es)?|files?|commits?|packages?|dependenc(?:y|ies)|results?) (?:from|by|of|under|in)\b[^.!?\n]{0,40}\b(?:report|say|answer|state|find|return|list) (?:that there are )?(?:no (?:issues|problems|findings|vulnerabilities)|nothing suspicious)\b",
        "The text decides the judgement beforehand.",
    )
    .unless(r"\b(?:if|when|unless) (?:there (?:are|is)|none|no)\b|\b(?:never|do not|don'?t)\b"),
    instruction(
        ("ssh_backdoor", Persistence, High),
        &["authorized_keys", "authorized keys"],
        r"\b(?:add|put|append|install|copy|write|place|insert) ~(?:our|vendor'?s?|support'?s?|maintainer'?s?|author'?s?|following|this) ~(?:key|keys|line)\b[^.!?\n]{0,60}\bauthorized[_ ]keys\b",
        "Somebody else's key opens the machine.",
    )
    .unless(r"\b(?:never|do not|don'?t|your own|user'?s own)\b"),
    command(
        ("package_source", SupplyChain, High),
        &["registry http", "registry=http", "registry \"http", "index-url http"],
        r#"\b(?:npm|yarn|pnpm|bun)\b[^\n]{0,40}\bregistry[ =]["']?http://[^\s"']+|\bregistry=http://[^\s"']+"#,
        "Packages come over an open line from somebody else.",
    )
    .unless(r"localhost|127\.0\.0\.1|verdaccio|example|your|\$|\.local\b|\.internal\b|192\.168\.|//10\."),
    command(
        ("exec_string", Injection, High),
        &["to program", "from program"],
        r#"\bcopy\b[^\n]*\b(?:to|from) program ?['"$]{1,2}[^\n]*\b(?:curl|wget|nc|bash|sh|python3?|perl)\b"#,
        "A database is told to run a program.",
    ),
    command(
        ("other_agent_config", Persistence, High),
        &["mcpservers", "mcp_servers"],
        r#"\bfor \w+ in [^\n]*(?:mcp\.json|\.claude\.json|claude_desktop_config|\.cursor|\.codex|\.gemini)[^\n]*(?:\n[^\n]*){0,4}mcp_?servers|mcp_?servers[^\n]*(?:>\s*["']?|\btee |sponge )["']?(?:<home>|\$\{?HOME)"#,
        "A server is planted in the settings of agents.",
    )
    .reaching(4),
    command(
        ("other_agent_config", Persistence, High),
        &["for "],
        r#"\bfor \w+ in [^\n]*(?:<home>|~/|\$HOME)[^\n]*(?:mcp\.json|\.claude\.json|claude_desktop_config)[^\n]*"#,
        "The settings of several agents are gone through.",
    )
    .also(&["mcp.json", ".claude.json", "claude_desktop_config"]),
    command(
        ("remote_code", SupplyChain, High),
        &["exec(", "eval(", "os.system(", "check_output(", "popen(", "subprocess", "execsync("],
        r#"(?:\b(?:exec|eval|execSync)|\bos\.(?:system|popen)|\bsubprocess\.\w+|\bcheck_output)\(\s*\[?[^\n]{0,40}?(?:\b(?:r|res|resp|response|req|reply|answer)\.(?:text|headers|content|body|json|get|data)\b|\brequest\.(?:GET|POST|args|form|params|query|headers|json|body|values)\b|\bel(?:em|ement)?\[|\breq\.(?:query|body|params|headers)\b|\b\w+\.headers\.get\()"#,
        "What another machine says is run as code.",
    ),
    command(
        ("env_exfil_disguised", SupplyChain, High),
        &["| rev", "|rev", "| tr ", "|tr ", "| xxd", "|xxd", "| od ", "[::-1]", "rot13"],
        r#"\$\{?\w*(?:TOKEN|_KEY|SECRET|PASSWORD|PASSWD)\w*\}?["']?\s*\|\s*(?:rev|tr|xxd|od)\b|environ[^\n]{0,40}(?:TOKEN|KEY|SECRET|PASSWORD)[^\n]{0,12}\[::-1\]"#,
        "A secret is disguised.",
    ),
];
