//! Skills: documents of know-how that an agent loads when it needs them, and writes when it has learnt something.
//!
//! A skill is a folder with a `SKILL.md` in it: a block of YAML that says what the skill is for and when it may be
//! offered, then instructions in Markdown. Files beside it (references, templates, scripts, assets) are loaded only
//! when asked for. All skills of a home live below `skills/` ([`layout`]), whoever wrote them: shipped with the
//! program, installed from elsewhere, made by the agent, written by the user.
//!
//! [`document`] reads and checks `SKILL.md`; [`name`] says what a skill may be called.
//!
//! What holds everywhere in here:
//!
//! * **Loading never fails on a bad document.** It serves what can be served and says what is wrong; only writing is
//!   strict.
//! * **The disk is the truth.** Caches are compared with the files they are about, each time.
//! * **Old or new.** A file is replaced whole or not at all, and so is a folder.
//! * **Nothing is deleted that is not strictly inside the skills folder**, and nothing through a link.

pub mod document;
pub mod layout;
pub mod name;
pub mod scan;
