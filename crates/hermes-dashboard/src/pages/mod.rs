//! One module a page.

pub(crate) mod approvals;
pub(crate) mod channels;
pub(crate) mod chat;
pub(crate) mod config;
pub(crate) mod cron;
pub(crate) mod login;
pub(crate) mod logs;
pub(crate) mod memory;
pub(crate) mod models;
pub(crate) mod overview;
pub(crate) mod sessions;
pub(crate) mod status;
pub(crate) mod tools;
pub(crate) mod usage;
