//! What a word of a sentence stands for.

/// The meanings that tell what a sentence wants of the agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Concept {
    /// The sentence ends.
    End,
    /// What follows is denied.
    Not,
    /// The sentence is about an attack and not part of one.
    Warn,
    /// Letting somebody know.
    Tell,
    /// So that nobody notices.
    Silently,
    /// Something is passed on.
    Send,
    /// Something is put where it was not.
    Put,
    /// Keys, passwords and where they are kept.
    Secret,
    /// What is inside of something, all of it.
    Contents,
    /// What was said to the agent.
    Talk,
    /// What belongs to the user alone.
    Private,
    /// A place that is not the user's.
    Elsewhere,
    /// Something is brought in.
    Fetch,
    /// What was brought in is acted upon.
    Obey,
    /// Nobody is asked.
    Unasked,
    /// Not only this once.
    Always,
    /// What an agent reads at its start, and what it remembers.
    AgentFile,
    /// Something is put down.
    Write,
    /// Something is switched off.
    Disable,
    /// What keeps an agent or a machine from harm.
    Safety,
    /// The user is asked, or did ask.
    Consent,
    /// A key is used as keys are.
    Credentialed,
    /// Words are put into the user's mouth.
    Forged,
    /// Something is not to match, trigger or be seen.
    Evade,
    /// Whoever looks at what the agent does: rules, scanners, reviewers.
    Watch,
    /// A warning is talked away.
    Soothe,
    /// Text that strangers write and the agent reads.
    Foreign,
    /// Whatever a text says is done.
    Heed,
    /// What nobody gives away: seed phrases, master passwords, root keys.
    Crown,
    /// The user is to hand something over.
    Solicit,
    /// Something is gone for good.
    Destroy,
    /// A way into a machine.
    Access,
    /// Somebody who is not the user.
    Outsider,
    /// Somebody is told, and that is not denied.
    Say,
    /// Something in the sentence is denied.
    Denied,
    /// The user is kept in the dark: letting know, denied.
    Hide,
    /// Something secret or said is put elsewhere: the verb, and its object behind it.
    Passes,
    /// A protection is switched off: the verb, and its object behind it.
    Unguards,
    /// Something is put into what an agent reads: the verb, and its object behind it.
    Plants,
}

/// The concepts that a stretch of text touches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Concepts(u64);

impl Concepts {
    pub(super) const fn of(concepts: &[Concept]) -> Self {
        let mut bits = 0;
        let mut at = 0;
        while at < concepts.len() {
            bits |= 1 << concepts[at] as u64;
            at += 1;
        }
        Self(bits)
    }

    pub(super) const fn add(&mut self, concept: Concept) {
        self.0 |= 1 << concept as u64;
    }

    pub(super) const fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Whether all of these are touched.
    pub(super) const fn has(self, needed: Self) -> bool {
        self.0 & needed.0 == needed.0
    }

    pub(super) const fn has_any(self, any: Self) -> bool {
        self.0 & any.0 != 0
    }

    pub(super) const fn is_empty(self) -> bool {
        self.0 == 0
    }
}
