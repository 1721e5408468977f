//! Serves a script to anything that talks to models, and prints the requests.
//!
//! ```text
//! hermes-scripted-model script.json [PORT]
//! ```
//!
//! The first line on standard output is `listening URL`; after it comes each request as a line of JSON,
//! keys masked. It runs until it is killed.

use std::io::Write;
use std::process::ExitCode;

use hermes_testkit::{ModelServer, Script};

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let served = match (arguments.next(), arguments.next().map(|port| port.parse())) {
        (Some(file), None) => serve(&file, 0),
        (Some(file), Some(Ok(port))) => serve(&file, port),
        _ => Err("usage: hermes-scripted-model SCRIPT.json [PORT]".into()),
    };
    match served {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(std::io::stderr(), "{error}");
            ExitCode::FAILURE
        }
    }
}

fn serve(file: &str, port: u16) -> Result<(), Box<dyn std::error::Error>> {
    let text = std::fs::read_to_string(file).map_err(|error| format!("{file}: {error}"))?;
    let script = Script::parse(&text).map_err(|error| format!("{file}: {error}"))?;
    let server = ModelServer::listen(script, port)?;
    let mut out = std::io::stdout();
    writeln!(out, "listening {}", server.url())?;
    let mut printed = 0;
    loop {
        let log = server.wait_forever(printed + 1);
        for seen in &log[printed..] {
            writeln!(out, "{}", seen.to_json())?;
        }
        out.flush()?;
        printed = log.len();
    }
}
