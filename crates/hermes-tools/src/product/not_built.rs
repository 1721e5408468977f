//! Commands of the Python program that this one does not have yet.

/// Each with what it does. A row goes when its command comes; one that stays by mistake does no harm, since only names
/// that are no command are looked up here.
pub const NOT_BUILT: &[(&str, &str)] = &[
    ("claw", "moving in from OpenClaw"),
    ("computer-use", "driving a desktop"),
    ("console", "a console of its own commands only"),
    ("debug", "sending logs away; `hermes dump` prints a report to attach"),
    ("desktop", "a desktop program; `hermes dashboard` opens in a browser"),
    ("egress", "a firewall that puts keys into requests of sandboxes"),
    ("gui", "a desktop program; `hermes dashboard` opens in a browser"),
    ("import-agent", "moving in from other agents"),
    ("journey", "what was learnt over time"),
    ("kanban", "a board of tasks"),
    ("lsp", "language servers"),
    ("moa", "mixtures of models; in a chat /moa asks one"),
    ("peer", "talking with agents on other machines"),
    ("pets", "animals in the terminal"),
    ("portal", "a subscription's status"),
    ("project", "workspaces of several folders"),
    ("proxy", "a proxy that adds a login to requests"),
    ("secrets", "keys from a password manager"),
    ("security", "an audit of dependencies"),
    ("skin", "skins; `hermes config set display.theme` chooses shades"),
    ("slack", "the manifest of a Slack app"),
    ("whatsapp", "setting up WhatsApp"),
    ("whatsapp-cloud", "setting up WhatsApp's cloud"),
];
