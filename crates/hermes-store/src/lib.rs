//! State that Hermes keeps on disk: where it lives, how it is read, how it is changed.
//!
//! Everything belonging to one user (or one profile) sits in one folder, the *home*, chosen by
//! `HERMES_HOME` or `~/.hermes`. This crate knows the names in that folder ([`home`]) and the two
//! files a person edits by hand: the settings in `config.yaml` ([`config`] reads, [`config_edit`]
//! changes, [`config_keys`] knows what the keys mean) and the secrets in `.env` ([`dotenv`]).
//! What waits for a person's word is in [`pending`]; what was said is in the session database, which
//! has a crate of its own, `hermes-sessions`.
//! Underneath are tools that other state files use as well: [`atomic`] replaces a file in one step,
//! [`lock`] keeps two processes from doing so at the same time, [`clock`] gives times their stored form.
//!
//! ```
//! use hermes_store::{config::Config, config_edit, home::Home, key_path::KeyPath};
//! # let folder = tempfile::tempdir()?;
//! # let place = folder.path().to_string_lossy().into_owned();
//! let home = Home::locate(|name| (name == "HERMES_HOME").then(|| place.clone()))?;
//!
//! let backend = KeyPath::parse("terminal.backend")?;
//! config_edit::set(&home.config_file(), &backend, config_edit::parse_cli_value("docker"))?;
//!
//! let config = Config::load(&home.config_file(), |_| None)?;
//! assert_eq!(config.text("terminal.backend").as_deref(), Some("docker"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! What holds everywhere in here:
//!
//! * **Reading never writes.** A missing file is an empty one; no folder, default or lock appears
//!   because somebody asked for a setting. Folders come into being with the first write, for their
//!   owner alone (mode 0700).
//! * **A file is replaced whole or not at all.** After a crash at any moment the old or the new
//!   content is there, never a part of either.
//! * **A file that cannot be understood is not touched.** The error names file, line and column;
//!   the caller decides whether to go on with defaults.
//! * **The user's layout is theirs.** Edits keep comments, order, quoting and line endings of
//!   everything they are not about, and every edited text is parsed again and compared with the
//!   value meant before it reaches the disk.
//! * **Secrets are not shown.** Debug output and error messages carry names, never values.
//! * **The environment is handed in.** Variables are looked up through a function of the caller,
//!   so tests and embedding programs decide what is visible.

pub mod atomic;
pub mod clock;
pub mod config;
pub mod config_edit;
pub mod config_keys;
pub mod dotenv;
pub mod home;
pub mod key_path;
pub mod lock;
pub mod pending;
mod unknown_name;
mod yaml;

pub use unknown_name::UnknownName;
