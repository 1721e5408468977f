//! What a toolset may be called.

use super::means_everything;

/// A name that no toolset can have.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "a toolset cannot be called `{name}`: `all` and `*` mean every toolset, and a name has text"
)]
pub struct ReservedName {
    /// The refused name.
    pub name: String,
}

pub(super) fn check_name(name: &str) -> Result<(), ReservedName> {
    if name.trim().is_empty() || means_everything(name) {
        return Err(ReservedName { name: name.to_owned() });
    }
    Ok(())
}
