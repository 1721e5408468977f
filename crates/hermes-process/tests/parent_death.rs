//! A process that dies by `kill -9` takes its whole tree with it.
#![allow(clippy::expect_used, clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Stdio};
use std::time::Duration;

use common::{eventually, is_alive, kill_9, look_up};

/// A tree of all kinds: a child, a grandchild, one in a session of its own, and a daemon that was
/// orphaned on purpose. Each prints its id.
#[cfg(all(target_os = "linux", not(hermes_portable)))]
const TREE: &str = "echo $$
    sleep 600 & echo $!
    setsid sh -c 'echo $$; exec sleep 600' &
    (setsid sh -c 'echo $$; exec sleep 600 >/dev/null 2>&1 </dev/null' &)
    wait; sleep 600";

/// The same as far as it is found without a subreaper: the orphan stays in the session.
#[cfg(any(not(target_os = "linux"), hermes_portable))]
const TREE: &str = "echo $$
    sleep 600 & echo $!
    setsid sh -c 'echo $$; exec sleep 600' &
    (sh -c 'echo $$; exec sleep 600 >/dev/null 2>&1 </dev/null' &)
    wait; sleep 600";

/// The doomed parent and the first `count` process ids that its tree prints.
fn doomed(how: &str, script: &str, count: usize) -> (Parent, Vec<u32>) {
    #[expect(
        clippy::disallowed_methods,
        reason = "a supervisor around the parent would clean up after it and hide what is tested"
    )]
    let command = std::process::Command::new(env!("CARGO_BIN_EXE_hermes-process-doomed-parent"))
        .args([how, script])
        .stdout(Stdio::piped())
        .spawn();
    let mut parent = Parent(command.expect("the doomed parent starts"));
    let stdout = BufReader::new(parent.0.stdout.take().expect("piped"));
    let lines = stdout.lines().take(count);
    let tree: Vec<u32> = lines.map(|line| line.unwrap().parse().unwrap()).collect();
    assert_eq!(tree.len(), count, "the tree is complete");
    assert!(tree.iter().all(|pid| is_alive(*pid)), "{tree:?}");
    (parent, tree)
}

struct Parent(Child);

/// `kill -9`, also when a test fails.
impl Drop for Parent {
    fn drop(&mut self) {
        self.0.kill().expect("SIGKILL");
        self.0.wait().expect("reaped");
    }
}

#[test]
fn the_whole_tree_dies_with_its_killed_parent() {
    let (parent, tree) = doomed("dies", TREE, 4);
    drop(parent);
    assert!(eventually(|| !tree.iter().any(|pid| is_alive(*pid))), "{tree:?}");
}

#[test]
fn the_whole_tree_on_a_terminal_dies_with_its_killed_parent() {
    // Deaf to the hang-up of the terminal, which alone would end the rest.
    let tree = format!("trap '' HUP\n{TREE}");
    let (parent, tree) = doomed("terminal", &tree, 4);
    drop(parent);
    assert!(eventually(|| !tree.iter().any(|pid| is_alive(*pid))), "{tree:?}");
}

#[test]
fn what_a_finished_command_left_behind_dies_with_the_killed_parent() {
    // One in a session of its own would have to be seen while its parent lives, where there is no subreaper.
    let setsid = if cfg!(all(target_os = "linux", not(hermes_portable))) { "setsid " } else { "" };
    let script = format!("{setsid}sh -c 'echo $$; exec sleep 600 >/dev/null 2>&1' &");
    let (parent, tree) = doomed("leaves", &script, 1);
    drop(parent);
    assert!(eventually(|| !is_alive(tree[0])));
}

#[test]
fn a_program_may_survive_its_killed_parent() {
    let (parent, tree) = doomed("survives", "echo $$; exec sleep 600", 1);
    let (_, supervisor) = look_up(tree[0]).unwrap();
    drop(parent);
    assert!(eventually(|| !is_alive(supervisor)), "the supervisor steps aside");
    std::thread::sleep(Duration::from_millis(20));
    assert!(is_alive(tree[0]));
    kill_9(tree[0]);
}

/// The second line of defence: if someone kills the supervisor, the program is not left alone.
#[test]
fn a_program_dies_with_its_killed_supervisor() {
    let (parent, tree) = doomed("dies", "echo $$; exec sleep 600", 1);
    let (_, supervisor) = look_up(tree[0]).unwrap();
    assert_ne!(supervisor, parent.0.id());
    kill_9(supervisor);
    assert!(eventually(|| !is_alive(tree[0])));
}
