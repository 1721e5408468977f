//! What tests of an agent need instead of the world: a model that says what it is told to say, a web server that
//! does, and a home that is thrown away.
//!
//! # The scripted model
//!
//! [`ModelServer`] is a real HTTP server on a free port of the loopback. It speaks both wires that
//! Hermes speaks: any path that ends in `/chat/completions`, and any that ends in `/messages`, as a
//! stream of server-sent events or as one JSON body, whichever the request asks for. `GET …/models`
//! lists its one model. What it answers is a [`Script`]: a list of [`Step`]s, one for each request.
//!
//! ```
//! use hermes_testkit::{ModelServer, Step};
//! use serde_json::json;
//!
//! let server = ModelServer::start([
//!     Step::call("read_file", json!({"path": "notes.txt"})),
//!     Step::text("The notes say hello."),
//! ]);
//! assert!(server.url().starts_with("http://127.0.0.1:"));
//! assert_eq!(server.requests().len(), 0);
//! ```
//!
//! A step can also fail with a status, break off, stall, hold until [`ModelServer::release`], send bytes
//! of the test's choice, or write its stream the way some provider does ([`Quirk`]). Calls on the side
//! (titles, summaries, subagents) come in no fixed order, so they get [`Route`]s: steps of their own for
//! requests that match.
//!
//! The server keeps every request as a [`Seen`], keys masked. [`ScriptedConversation`] checks them together:
//! roles legal, every tool call answered once, tools unchanged, nothing said before ever rewritten. These
//! are the promises that providers' validators and caches hold an agent to, and a test should end with
//! [`ScriptedConversation::assert_sound`].
//!
//! By hand, and from other languages: `hermes-scripted-model script.json` serves a script in its JSON
//! form and prints the requests.
//!
//! [`WebServer`] stands for every other server: a function says what each request is answered with.
//! [`demo_site`] is one for browsers, with pages of every kind.
//!
//! [`TelegramDouble`] is the Bot API of Telegram, in memory, with faults on demand; [`DiscordDouble`] and its neighbours are
//! other platforms. `hermes-chat-double PLATFORM` serves one for programs in other languages.
//!
//! # How it is made
//!
//! Threads and blocking sockets of the standard library, no runtime: a test of any kind, async or not,
//! can start a server, and a broken-off stream breaks off exactly where the script says, because nothing
//! buffers in between. A server ends when it is dropped. It listens on the loopback only.
//!
//! # What never happens here
//!
//! Nothing depends on another crate of the workspace, so that every crate can use it in its tests.
//! Nothing is random: the same script gives the same bytes. A request that the script does not foresee
//! gets an error that says so, never an invented answer.

mod addresses;
mod board;
mod clouds;
mod conversation;
mod discord;
mod home;
mod http;
mod parts;
mod script;
mod seen;
mod server;
mod site;
mod slack;
mod socket;
mod step;
mod telegram;
mod view;
mod web;
mod wire;

pub use addresses::{AMBIGUOUS_ADDRESSES, METADATA_ADDRESSES, PRIVATE_ADDRESSES};
pub use board::{Board, BoardMessage};
pub use clouds::{CloudDouble, DoubledCloud};
pub use conversation::ScriptedConversation;
pub use discord::DiscordDouble;
pub use home::TempHome;
pub use parts::part;
pub use script::{Match, Route, Script, WhenDone};
pub use seen::{Seen, SeenOutcome};
pub use server::ModelServer;
pub use site::{SHOP_PASSWORD, demo_site};
pub use slack::SlackDouble;
pub use socket::SocketPeer;
pub use step::{Call, Quirk, ScriptedUsage, Step};
pub use telegram::{ChatMessage, TelegramDouble, TelegramFault};
pub use view::{ModelWire, Turn, View};
pub use web::{WebReply, WebServer};
