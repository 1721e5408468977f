//! Skills: documents of know-how that an agent loads when it needs them, and writes when it has learnt something.
//!
//! A skill is a folder with a `SKILL.md` in it: a block of YAML that says what the skill is for and when it may be
//! offered, then instructions in Markdown. Files beside it (references, templates, scripts, assets) are loaded only
//! when asked for. All skills of a home live below `skills/` ([`layout`]), whoever wrote them: shipped with the
//! program, installed from elsewhere, made by the agent, written by the user.
//!
//! [`document`] reads and checks `SKILL.md`; [`name`] says what a skill may be called. [`index`] knows which skills there
//! are, [`offer`] which of them are shown where. A [`SkillLibrary`] is all of a home's skills.
//!
//! Models see them in three steps, each when it is needed: a line each in the system prompt ([`prompt`]) or a list
//! ([`listing`]), the document ([`lookup`], [`view`], [`setup`], [`preprocess`]), single files ([`support`]). People
//! call them by name ([`activation`]). Both change them through [`manage`]. [`bundled`] keeps those we ship current,
//! [`curator`] puts away what nobody uses, [`conformance`] helps authors.
//! [`hub`] brings in other people's; [`plugin_skills`] are those that plugins have in their own folders. [`verbs`] is all of this as words of a command line or of a chat.
//!
//! What holds everywhere in here:
//!
//! * **Loading never fails on a bad document.** It serves what can be served and says what is wrong; only writing is
//!   strict.
//! * **The disk is the truth.** Caches are compared with the files they are about, each time.
//! * **Old or new.** A file is replaced whole or not at all, and so is a folder.
//! * **Nothing is deleted that is not strictly inside the skills folder**, and nothing through a link.

pub mod activation;
pub mod archive;
pub mod bundled;
pub mod conformance;
pub mod curator;
pub mod document;
mod folders;
pub mod hub;
pub mod index;
pub mod layout;
mod library;
pub mod listing;
pub mod lookup;
pub mod manage;
pub mod name;
pub mod offer;
pub mod plugin_skills;
pub mod preprocess;
pub mod prompt;
pub mod provenance;
mod refusal;
pub mod report;
pub mod roots;
pub mod scan;
pub mod settings;
pub mod setup;
pub mod support;
#[cfg(test)]
mod testing;
pub mod usage;
pub mod verbs;
pub mod view;
pub mod viewed;

pub use library::{SkillLibrary, SkillStore};
pub use refusal::SkillRefusal;
