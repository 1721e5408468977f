//! A program that starts an environment, says so, and waits to be killed.
//!
//! The first argument is the kind of backend, the second a folder for its files. What it says is a
//! line that comes from a command in the environment: the name of the instance, where there is one.
//! It is also what tests of clouds have in place of `hermes`.

#![allow(clippy::expect_used, clippy::print_stdout, reason = "a test fails by panicking")]

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use hermes_exec::{
    Apptainer, Backend, BackendKind, ClientInput, Cloud, ShellCall, ShellKind, Ssh, Variables,
};

#[path = "../parts/backends.rs"]
mod backends;

fn main() -> ExitCode {
    if let Some(ended) = hermes_exec::sandbox_helper() {
        return ended;
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.expect("a runtime").block_on(hold());
    ExitCode::SUCCESS
}

async fn hold() {
    let mut args = std::env::args().skip(1);
    let kind = args.next().expect("a kind");
    let folder = PathBuf::from(args.next().expect("a folder"));
    let place: Box<dyn Backend> = match kind.as_str() {
        "ssh" => {
            let process = backends::vars(&[("TMPDIR", &folder.to_string_lossy())]);
            Box::new(Ssh::new(backends::ssh_options(), &process).expect("a client"))
        }
        "apptainer" => {
            let options = backends::apptainer_options(&folder);
            Box::new(Apptainer::new(options, &backends::vars(&[])).expect("a client"))
        }
        "daytona" | "vercel_sandbox" | "modal" => {
            let kind = match kind.as_str() {
                "daytona" => BackendKind::Daytona,
                "modal" => BackendKind::Modal,
                _ => BackendKind::Vercel,
            };
            let options = backends::cloud_options(kind, &folder, false);
            Box::new(Cloud::new(options, &backends::vars(&[])).expect("keys"))
        }
        other => panic!("no place of the kind {other}"),
    };
    place.before_execute().await.expect("a place");
    let call = ShellCall {
        script: "echo \"held ${APPTAINER_INSTANCE-}\"",
        shell: ShellKind::Plain,
        variables: Variables::Inherited,
        granted: &[],
        input: ClientInput::None,
        tag: "test".to_owned(),
    };
    let done = place.client(&call).run().await.expect("a run");
    println!("{}", done.stdout.text().trim());
    tokio::time::sleep(Duration::from_secs(60)).await;
}
