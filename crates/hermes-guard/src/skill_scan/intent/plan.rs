//! Sets of concepts that no honest skill brings together.

use super::super::finding::SkillRisk::{
    self, Destructive, Exfiltration, Injection, Persistence, SupplyChain,
};
use super::super::finding::SkillSeverity::{self, High, Medium};
use super::concept::Concept::{
    Access, AgentFile, Always, Consent, Contents, Credentialed, Crown, Denied, Destroy, Elsewhere,
    Evade, Fetch, Foreign, Forged, Heed, Hide, Obey, Outsider, Passes, Plants, Private, Put,
    Safety, Say, Secret, Send, Silently, Solicit, Soothe, Talk, Unasked, Unguards, Warn, Watch,
};
use super::concept::{Concept, Concepts};

/// What a sentence wants, by what it speaks of.
pub(super) struct Plan {
    pub(super) id: &'static str,
    pub(super) risk: SkillRisk,
    pub(super) severity: SkillSeverity,
    /// All of these.
    all: Concepts,
    /// One of these, if there are any.
    any: Concepts,
    /// None of these.
    none: Concepts,
    /// How many sentences before may hold a part of it.
    pub(super) reaches: usize,
    /// Whether it counts only in text that a page does not show.
    pub(super) only_hidden: bool,
    /// Whether it is harmless where the skill's own service is meant.
    pub(super) goes_elsewhere: bool,
    /// Whether it counts only where an address is written out that nobody knows.
    pub(super) to_stranger: bool,
    /// Whether it counts only where an address is written out that is no vendor's, whatever it is called.
    pub(super) to_anybody: bool,
    pub(super) about: &'static str,
}

const fn plan(
    (id, risk, severity): (&'static str, SkillRisk, SkillSeverity),
    all: &[Concept],
    any: &[Concept],
    about: &'static str,
) -> Plan {
    Plan {
        id,
        risk,
        severity,
        all: Concepts::of(all),
        any: Concepts::of(any),
        none: Concepts::of(&[Warn]),
        reaches: 0,
        only_hidden: false,
        goes_elsewhere: false,
        to_stranger: false,
        to_anybody: false,
        about,
    }
}

impl Plan {
    const fn unless(self, none: &[Concept]) -> Self {
        Self { none: self.none.and(Concepts::of(none)), ..self }
    }

    const fn reaching(self) -> Self {
        Self { reaches: 1, ..self }
    }

    /// The steps of a list belong together, even where each is harmless.
    const fn over_steps(self) -> Self {
        Self { reaches: 3, ..self }
    }

    /// What nobody honest does is not excused by an address that is called like the skill.
    const fn for_anybody(self) -> Self {
        Self { to_anybody: true, ..self }
    }

    const fn hidden(self) -> Self {
        Self { only_hidden: true, ..self }
    }

    const fn elsewhere(self) -> Self {
        Self { goes_elsewhere: true, ..self }
    }

    const fn for_strangers(self) -> Self {
        Self { to_stranger: true, ..self }
    }

    pub(super) const fn fits(&self, concepts: Concepts) -> bool {
        concepts.has(self.all)
            && (self.any.is_empty() || concepts.has_any(self.any))
            && !concepts.has_any(self.none)
    }

    /// Whether a sentence holds a part of what is needed at all.
    pub(super) const fn core_in(&self, concepts: Concepts) -> bool {
        concepts.has_any(self.all) || concepts.has_any(self.any)
    }
}

pub(super) const PLANS: &[Plan] = &[
    plan(
        ("send_to_url", Exfiltration, High),
        &[Send, Secret, Elsewhere],
        &[],
        "The text asks to pass secrets on.",
    )
    .unless(&[Credentialed, Consent])
    .elsewhere(),
    plan(
        ("send_to_url", Exfiltration, High),
        &[Passes, Secret],
        &[Elsewhere, Hide, Silently, Unasked, Always],
        "The text asks to put secrets elsewhere.",
    )
    .unless(&[Credentialed, Consent])
    .elsewhere(),
    plan(
        ("read_secrets_file", Exfiltration, High),
        &[Passes, Secret, Contents],
        &[],
        "The text asks to put what is secret where others see it.",
    )
    .unless(&[Credentialed, Consent]),
    plan(
        ("read_secrets_file", Exfiltration, High),
        &[Put, Secret, Contents],
        &[Send, Elsewhere],
        "The text asks to put what is secret where others see it.",
    )
    .unless(&[Credentialed, Consent, Denied, Warn]),
    plan(
        ("context_exfil", Exfiltration, High),
        &[Send, Talk, Elsewhere],
        &[],
        "The text asks to pass on what was said to the agent.",
    )
    .unless(&[Consent])
    .elsewhere(),
    plan(
        ("context_exfil", Exfiltration, High),
        &[Passes, Talk],
        &[Elsewhere, Hide, Silently],
        "The text asks to pass on what was said to the agent.",
    )
    .unless(&[Consent])
    .elsewhere(),
    plan(
        ("send_to_url", Exfiltration, High),
        &[Send, Private, Elsewhere],
        &[Silently, Hide, Unasked],
        "The text asks to pass on what belongs to the user, unasked.",
    )
    .unless(&[Consent])
    .reaching(),
    plan(
        ("send_to_url", Exfiltration, High),
        &[Send, Private, Elsewhere, Always],
        &[],
        "The text asks to pass on what belongs to the user, unasked.",
    )
    .unless(&[Consent])
    .elsewhere()
    .reaching(),
    plan(
        ("deception_hide", Injection, High),
        &[Hide, Elsewhere, Send],
        &[],
        "Something is passed on and the user is not to hear of it.",
    )
    .reaching(),
    plan(
        ("deception_hide", Injection, High),
        &[Silently],
        &[Passes, Plants, Unguards],
        "Something is done so that nobody notices.",
    )
    .unless(&[Consent]),
    plan(
        ("deception_hide", Injection, High),
        &[Silently, Elsewhere],
        &[Send, Fetch],
        "Something is brought in or out so that nobody notices.",
    )
    .unless(&[Consent]),
    plan(
        ("deception_hide", Injection, High),
        &[Hide, Plants],
        &[],
        "Settings are changed and the user is not to hear of it.",
    )
    .reaching(),
    plan(
        ("approval_bypass", Injection, High),
        &[Unasked],
        &[Passes, Plants, Secret, AgentFile],
        "Something that needs the user's word is to be done without it.",
    )
    .unless(&[Consent]),
    plan(
        ("approval_bypass", Injection, High),
        &[Unasked, Elsewhere],
        &[Send, Obey],
        "Something that needs the user's word is to be done without it.",
    )
    .unless(&[Consent]),
    plan(
        ("approval_bypass", Injection, High),
        &[Unguards],
        &[],
        "The text switches off what keeps the agent from harm.",
    )
    .unless(&[Consent]),
    plan(
        ("remote_instructions", SupplyChain, High),
        &[Fetch, Elsewhere, Obey],
        &[],
        "The text asks to act on what an address answers.",
    )
    .unless(&[Consent])
    .elsewhere(),
    plan(
        ("remote_instructions", SupplyChain, High),
        &[Fetch, Elsewhere, Obey],
        &[],
        "The text asks to act on what a stranger's address answers.",
    )
    .unless(&[Consent])
    .reaching()
    .for_strangers(),
    plan(
        ("agent_config_mod", Persistence, High),
        &[Plants, Always],
        &[],
        "The text wants to stay in what the agent reads at each start.",
    )
    .unless(&[Consent]),
    plan(
        ("agent_config_mod", Persistence, High),
        &[Forged],
        &[Plants, AgentFile],
        "Words that the user never said are to be remembered as the user's.",
    ),
    plan(
        ("remote_instructions", SupplyChain, High),
        &[Plants, Elsewhere],
        &[Silently, Hide, Unasked, Obey],
        "What an agent reads is to be replaced from elsewhere.",
    )
    .unless(&[Consent])
    .reaching(),
    plan(
        ("html_comment_injection", Injection, High),
        &[],
        &[Passes, Plants, Unguards, Silently, Hide],
        "A comment that nobody sees wants something of the agent.",
    )
    .unless(&[Credentialed])
    .hidden(),
    plan(
        ("html_comment_injection", Injection, High),
        &[Send],
        &[Secret, Talk, Private, Elsewhere],
        "A comment that nobody sees wants something passed on.",
    )
    .unless(&[Credentialed])
    .hidden(),
    plan(
        ("html_comment_injection", Injection, High),
        &[Obey, Elsewhere],
        &[],
        "A comment that nobody sees wants something done.",
    )
    .hidden(),
    plan(
        ("html_comment_injection", Injection, High),
        &[Put, Secret],
        &[],
        "A comment that nobody sees wants secrets elsewhere.",
    )
    .unless(&[Credentialed])
    .hidden(),
    plan(
        ("send_to_url", Exfiltration, High),
        &[Send, Elsewhere],
        &[Private, Contents, Secret, Talk],
        "The text asks to pass on what belongs to the user to a stranger.",
    )
    .unless(&[Consent, Credentialed])
    .for_strangers(),
    plan(
        ("send_to_url", Exfiltration, High),
        &[Put, Elsewhere],
        &[Contents, Private, Talk],
        "The text asks to pass on what belongs to the user to a stranger.",
    )
    .unless(&[Consent, Credentialed])
    .for_strangers(),
    plan(
        ("approval_bypass", Injection, High),
        &[Evade],
        &[Watch, Safety],
        "The text tells how to get past what looks at the agent's work.",
    ),
    plan(
        ("approval_bypass", Injection, High),
        &[Say, Soothe],
        &[Watch, Safety],
        "The user is to be talked out of a warning.",
    ),
    plan(
        ("deception_hide", Injection, High),
        &[Hide, Unasked],
        &[],
        "Something is done without the user's word, and the user is not to hear of it.",
    )
    .reaching(),
    plan(
        ("unasked_destruction", Destructive, High),
        &[Destroy],
        &[Hide, Unasked, Silently],
        "Something is destroyed without the user's word.",
    )
    .unless(&[Consent])
    .reaching(),
    plan(
        ("remote_instructions", SupplyChain, High),
        &[Fetch, Elsewhere, Obey],
        &[Hide, Always, Silently, Unasked],
        "The agent is to follow what an address says from now on, or unseen.",
    )
    .unless(&[Consent])
    .reaching(),
    plan(
        ("prompt_injection_ignore", Injection, High),
        &[Foreign, Heed],
        &[],
        "The text gives strangers the user's word.",
    )
    .unless(&[Consent]),
    plan(
        ("send_to_url", Exfiltration, High),
        &[Send, Crown, Elsewhere],
        &[],
        "What nobody gives away is to be given away.",
    )
    .unless(&[Denied])
    .for_anybody(),
    plan(
        ("send_to_url", Exfiltration, High),
        &[Fetch, Crown, Contents, Elsewhere],
        &[],
        "What nobody gives away is put into an address that is fetched.",
    )
    .unless(&[Denied, Consent])
    .reaching()
    .for_anybody(),
    plan(
        ("hidden_access", Injection, High),
        &[Solicit, Crown],
        &[],
        "The user is asked for what nobody may ask for.",
    ),
    plan(
        ("hidden_access", Injection, High),
        &[Solicit, Secret, Send, Elsewhere],
        &[],
        "A secret that the user is asked for goes elsewhere.",
    )
    .unless(&[Denied])
    .reaching()
    .for_anybody(),
    plan(
        ("hidden_access", Injection, High),
        &[Access, Outsider],
        &[],
        "Somebody else gets a way into the machine.",
    )
    .unless(&[Denied, Consent]),
    plan(
        ("send_to_url", Exfiltration, High),
        &[Secret, Private, Send, Elsewhere],
        &[],
        "Step by step, secrets are gathered and passed on.",
    )
    .unless(&[Consent, Credentialed, Denied])
    .over_steps()
    .for_anybody(),
    plan(
        ("send_to_url", Exfiltration, Medium),
        &[Send, Private, Elsewhere],
        &[],
        "The text asks to pass on what belongs to the user.",
    )
    .unless(&[Consent])
    .elsewhere(),
];
