//! Everything of a home in a browser.
//!
//! `hermes dashboard` serves pages that are made here, on the server: chat, sessions, approvals, jobs, channels, tools,
//! models and keys, memory, settings, logs, usage. One script of some hundred lines makes the chat live and saves clicks
//! elsewhere; except for the chat every page works without it. Script, styles and templates are part of the program.
//!
//! ```text
//! request ─► AccessCheck (hermes-serve: host, origin, size)
//!              front        who is it? A one-time link or a password makes a login, a cookie shows it; what changes
//!                           something needs the login's form token, too
//!              pages        one module a page: reads what the other crates keep, changes it by their means
//!              chat         rooms: a session's turn at work as blocks of a page, for any number of tabs
//!              view         templates that turn every text into text, never into markup
//! ```
//!
//! A turn belongs to its room, not to the tab that began it: tabs come and go, read the blocks they have not seen and agree
//! with each other. What asks a person on the way waits in the list of open questions, under an id of its own.
//!
//! # What never happens here
//!
//! A text of a model, a tool, a file or a session becomes markup. A key leaves the program once it is stored. A page other
//! than the login is shown to whoever is not logged in, or anything changes by a request that another site made. A command of
//! ours opens a dashboard (`hermes/src/own_rules.rs`), because whoever has its link agrees to commands. Other machines get
//! in without a password.

mod app;
mod assets;
mod audit;
mod chart;
mod chat;
mod form;
mod front;
mod logins;
mod pages;
mod password;
mod problem;
mod routes;
mod running;
mod settings;
mod turns;
mod verb;
mod view;
mod visitor;

pub use verb::{DashboardArgs, DashboardOutput, run};
