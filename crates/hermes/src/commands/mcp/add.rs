//! `hermes mcp add`.
//!
//! What is saved is what was said, as a person would write it. Before that the entry is read by the same reader,
//! and checked by the same rules, as when the server starts: one that would be refused then is not saved now.

use hermes_mcp::client::settings::{TransportSettings, read_servers};
use hermes_mcp::safety::suspicious_entry;
use hermes_store::config_edit::Edit;
use serde_json::{Map, Value, json};

use super::args::{Add, Auth, Transport};
use super::entries::{self, SECTION};
use crate::exit::{Exit, UsageError};
use crate::host::Host;
use crate::ui::Ui;

pub(super) fn run(args: &Add, host: &Host, ui: &mut Ui) -> anyhow::Result<Exit> {
    host.require_sound_config()?;
    check_name(&args.name)?;
    if !args.replace && entries::all(host).iter().any(|entry| *entry.name == args.name) {
        return Err(UsageError::new(format!(
            "there is an MCP server `{}` already\n  --replace puts this one in its place",
            args.name
        ))
        .into());
    }
    let entry = entry(args)?;
    // What would not start is not saved: the same reader and the same rules as at the start.
    let read = read_servers(&json!({SECTION: {&args.name: &entry}}), host.vars());
    for found in read {
        for problem in &found.problems {
            ui.warn(problem)?;
        }
        let settings = found.settings.map_err(|problem| UsageError::new(problem.to_string()))?;
        if let TransportSettings::Stdio(stdio) = &settings.transport
            && let Some(why) = suspicious_entry(&stdio.command, &stdio.args)
        {
            ui.note(format_args!("not added: {why}"))?;
            return Ok(Exit::Blocked);
        }
    }
    if let Some((name, _)) = literal_secret(&entry) {
        ui.warn(format_args!(
            "the value of {name} is now in config.yaml; to keep it in .env instead, write \
             '${{{}}}' and set that variable",
            name.to_uppercase().replace('-', "_")
        ))?;
    }
    entries::edit(host, &[Edit::Set(entries::path(&args.name, &[])?, entry)], ui)?;
    ui.line(format_args!("added {}", args.name))?;
    let next = match args.auth {
        Some(Auth::Oauth) => "login",
        None => "test",
    };
    ui.note(format_args!("(next: hermes mcp {next} {})", args.name))?;
    Ok(Exit::Done)
}

fn check_name(name: &str) -> Result<(), UsageError> {
    if name.trim().is_empty() || name.trim() != name || name.chars().any(char::is_control) {
        return Err(UsageError::new(format!("{name:?} is no name for a server")));
    }
    Ok(())
}

/// The entry, as a person would write it: only what was said.
fn entry(args: &Add) -> Result<Value, UsageError> {
    let mut entry = Map::new();
    match (&args.url, args.command.split_first()) {
        (Some(url), None) => {
            entry.insert("url".to_owned(), url.as_str().into());
            if args.transport == Some(Transport::Sse) {
                entry.insert("transport".to_owned(), "sse".into());
            }
            let headers = pairs("--header", &args.headers)?;
            if !headers.is_empty() {
                entry.insert("headers".to_owned(), headers.into());
            }
            if args.auth == Some(Auth::Oauth) {
                entry.insert("auth".to_owned(), "oauth".into());
            }
        }
        (None, Some((command, rest))) => {
            entry.insert("command".to_owned(), command.as_str().into());
            if !rest.is_empty() {
                entry.insert("args".to_owned(), rest.to_vec().into());
            }
            let env = pairs("--env", &args.env)?;
            if !env.is_empty() {
                entry.insert("env".to_owned(), env.into());
            }
        }
        _ => {
            return Err(UsageError::new(format!(
                "what is the server `{0}`? A program: hermes mcp add {0} -- COMMAND ARGS\n  \
                 or an address: hermes mcp add {0} --url URL",
                args.name
            )));
        }
    }
    if let Some(timeout) = args.timeout {
        entry.insert("timeout".to_owned(), timeout.into());
    }
    if args.parallel {
        entry.insert("supports_parallel_tool_calls".to_owned(), true.into());
    }
    for (key, names) in [("include", &args.include), ("exclude", &args.exclude)] {
        if !names.is_empty() {
            entry.insert("tools".to_owned(), json!({key: names}));
        }
    }
    Ok(Value::Object(entry))
}

fn pairs(flag: &str, given: &[String]) -> Result<Map<String, Value>, UsageError> {
    given
        .iter()
        .map(|pair| match pair.split_once('=') {
            Some((name, value)) if !name.trim().is_empty() => {
                Ok((name.trim().to_owned(), Value::from(value)))
            }
            _ => Err(UsageError::new(format!("{flag} {pair:?} is not NAME=VALUE"))),
        })
        .collect()
}

/// A header or variable that is named like a secret and written out.
fn literal_secret(entry: &Value) -> Option<(String, String)> {
    let maps = ["env", "headers"].into_iter().filter_map(|key| entry[key].as_object());
    maps.flatten()
        .filter_map(|(name, value)| Some((name.clone(), value.as_str()?.to_owned())))
        .find(|(name, value)| {
            let is_secret = name.eq_ignore_ascii_case("authorization")
                || hermes_guard::redact::is_credential_name(name);
            is_secret && !value.contains("${")
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        add: Add,
    }

    fn made(words: &[&str]) -> Result<Value, UsageError> {
        entry(&Line::try_parse_from([&["add"], words].concat()).unwrap().add)
    }

    #[test]
    fn a_program_keeps_every_word_after_the_dashes() {
        let entry = made(&["fs", "--env", "A=b=c", "--", "npx", "-y", "server", "--root", "/x"]);
        let expected = json!({"command": "npx", "args": ["-y", "server", "--root", "/x"],
            "env": {"A": "b=c"}});
        assert_eq!(entry.unwrap(), expected);
    }

    #[test]
    fn an_address_says_only_what_was_said() {
        assert_eq!(
            made(&["x", "--url", "https://a.b/mcp"]).unwrap(),
            json!({"url": "https://a.b/mcp"})
        );
        let full = made(&[
            "x",
            "--url",
            "https://a.b/sse",
            "--transport",
            "sse",
            "--header",
            "Authorization=Bearer ${T}",
            "--auth",
            "oauth",
            "--exclude",
            "a,b",
            "--parallel",
        ]);
        assert_eq!(
            full.unwrap(),
            json!({"url": "https://a.b/sse", "transport": "sse",
                "headers": {"Authorization": "Bearer ${T}"}, "auth": "oauth",
                "supports_parallel_tool_calls": true, "tools": {"exclude": ["a", "b"]}})
        );
    }

    #[test]
    fn neither_program_nor_address_and_broken_pairs_are_refused() {
        assert!(made(&["x"]).is_err());
        assert!(made(&["x", "--env", "novalue", "--", "c"]).is_err());
        assert!(Line::try_parse_from(["add", "x", "--url", "u", "--", "c"]).is_err());
        for name in ["", " x", "a\nb"] {
            assert!(check_name(name).is_err(), "{name:?}");
        }
    }

    #[test]
    fn a_secret_that_is_written_out_is_noticed() {
        let found = |entry: Value| literal_secret(&entry).map(|(name, _)| name);
        assert_eq!(found(json!({"env": {"API_KEY": "abc"}})).as_deref(), Some("API_KEY"));
        assert_eq!(found(json!({"headers": {"Authorization": "Bearer ${T}"}})), None);
        assert_eq!(found(json!({"env": {"DEBUG": "1"}})), None);
    }
}
