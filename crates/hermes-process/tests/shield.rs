//! Whether children can read the secrets of the process that started them.
#![allow(clippy::expect_used, clippy::unwrap_used, reason = "a test fails by panicking")]

const SECRET: &str = "s3cret-of-the-parent";

/// What children of the program with a secret can read when it does `what` about it.
fn readable(what: &str) -> Vec<String> {
    #[expect(
        clippy::disallowed_methods,
        reason = "a program that has a fork server of its own, with an environment and a single thread"
    )]
    let done = std::process::Command::new(env!("CARGO_BIN_EXE_hermes-process-keeps-secrets"))
        .arg(what)
        .env("HERMES_PROCESS_TEST_SECRET", SECRET)
        .output()
        .expect("starts");
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    let lines = String::from_utf8(done.stdout).unwrap();
    let open = lines.lines().filter_map(|line| line.strip_suffix(": open"));
    assert_eq!(lines.lines().count(), 3, "{lines}");
    open.map(str::to_owned).collect()
}

#[test]
fn without_a_shield_our_environment_is_open_but_the_keepers_is_not() {
    assert_eq!(readable("nothing"), ["our environment", "our memory"]);
}

#[test]
fn a_shield_closes_environment_and_memory() {
    assert_eq!(readable("shield"), [""; 0]);
}

/// Also for root, who may read memory all the same.
#[test]
fn a_hidden_variable_is_not_in_the_environment_that_the_kernel_shows() {
    let open = readable("hide");
    assert!(!open.iter().any(|place| place.contains("environment")), "{open:?}");
}

// Kept apart by a confinement, which the portable backend has on macOS only.
#[cfg(not(hermes_portable))]
#[test]
fn a_child_kept_apart_reads_nothing_even_as_root() {
    assert_eq!(readable("apart"), [""; 0]);
}
