//! Commands of the Python program that this one does not have yet.

/// Each with what it does. A row goes when its command comes; one that stays by mistake does no harm, since only names
/// that are no command are looked up here.
pub const NOT_BUILT: &[(&str, &str)] = &[
    ("kanban", "a board of tasks"),
    ("moa", "mixtures of models; in a chat /moa asks one"),
    ("whatsapp", "setting up WhatsApp"),
];
