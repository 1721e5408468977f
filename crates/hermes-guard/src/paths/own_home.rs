//! The agent's own state folder: what of it the file tools may change.
//!
//! Settings, rules, logs, plugins, hooks and history lie there. A list of what is forbidden would be
//! short by whatever is added next, so the list says what is allowed: the areas that hold the agent's
//! work and knowledge. Everything else is refused, and who the agent is ([`PERSONALITY`]) needs a yes.

use std::path::Path;

use super::PathRules;
use super::folded::Folded;
use super::rules::homes_around;

/// Folders whose content is the agent's own work.
const AREAS: &[&str] = &["skills", "memories", "workspace"];
/// Within them: what says where skills came from and whether they were checked.
const NOT_IN_AREAS: &[&str] = &["skills/.hub"];
/// Who the agent is, in its own words.
const PERSONALITY: &str = "SOUL.md";
const CONFIG: &str = "config.yaml";

/// What a path in the agent's home is part of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OwnPart {
    /// One of the areas.
    Area,
    Personality,
    Config,
    /// Anything else.
    State,
}

/// `None` for paths elsewhere.
pub(super) fn part_of(rules: &PathRules, path: &Path) -> Option<OwnPart> {
    let folded = Folded::of(path);
    // A user whose home lies within the agent's, as in a container, has files of their own there.
    if let Some(user) = &rules.user_home
        && folded.is_below(user)
        && rules.agent_homes.iter().any(|home| user != home && user.starts_with(home))
        && !rules.agent_homes.iter().any(|home| home.starts_with(user) && folded.is_below(home))
    {
        return None;
    }
    // The innermost home decides: that of a profile lies within the root one.
    let home = homes_around(rules, path)
        .into_iter()
        .filter(|home| folded.is_below(home))
        .max_by_key(|home| home.components().count())?;
    let below = |name: &&str| folded.is_below(&home.join(name));
    Some(if folded.is(&home.join(CONFIG)) {
        OwnPart::Config
    } else if folded.is(&home.join(PERSONALITY)) {
        OwnPart::Personality
    } else if AREAS.iter().any(below) && !NOT_IN_AREAS.iter().any(below) {
        OwnPart::Area
    } else {
        OwnPart::State
    })
}
