//! Whole-program tests: the `hermes` binary as people and scripts use it.
//!
//! Each test starts the real program in a [`support::Sandbox`]: a throw-away `HERMES_HOME`, a
//! throw-away `HOME` and an environment with nothing else in it. What is looked at is what a user
//! sees (exit code, stdout, stderr) and what lies on disk afterwards; never the program's insides.
//!
//! There is one test binary with a module a command, because every further binary would link the
//! whole program again.
//!
//! What never happens here: no network, nothing outside the sandbox is read or written (but for
//! `adding_a_tool`, which builds a copy of the workspace below cargo's target folder), and no test
//! depends on another.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod acp;
mod adding_a_tool;
mod agent;
mod api;
mod approvals;
mod basics;
mod batch;
mod batch_changes;
mod batch_cluster;
mod batch_compress;
mod batch_places;
mod batch_sums;
mod batch_trainers;
mod batch_trouble;
mod batch_workers;
mod broken_config;
mod browser;
mod checkpoints;
mod code;
mod completion;
mod config;
mod cron;
mod dashboard;
mod doctor;
mod doors;
mod file_crash;
mod file_walls;
mod gate_state;
mod gateway;
mod home;
mod homes;
mod hooks;
mod install;
mod local;
mod logs;
mod mcp_client;
mod mcp_serve;
mod media;
mod memory;
mod migrate;
mod model_keys;
mod own_rules;
mod plugins;
mod program;
mod rl;
mod secrets;
mod serve;
mod sessions;
mod skills;
mod skills_hub;
mod support;
mod tools_call;
mod tools_call_bad_input;
mod tools_list;
mod tools_schema;
mod tools_toggle;
mod toolsets;
mod verbs;
mod web;
mod wire;
