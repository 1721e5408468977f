//! Nothing is left to reap. In a binary of its own, to have all children to itself.

mod common;

use std::time::Duration;

use common::{children_of, eventually, kill_9, name_of, sh};
use hermes_process::{Command, End, Leftovers, Lifetime, PtySize, Stdin, prepare};

#[tokio::test]
async fn no_process_is_left_however_a_command_ends() {
    prepare().unwrap();
    let ours = children_of(std::process::id());
    let &[fork_server] = ours.as_slice() else { panic!("one fork server, not {ours:?}") };
    // Below the fork server nothing but the supervisor that waits for the next command.
    let clean = || {
        matches!(children_of(fork_server).as_slice(), [standby] if children_of(*standby).is_empty() && name_of(*standby) == "hermes-standby")
            && children_of(std::process::id()) == [fork_server]
    };

    sh("exit 1").run().await.unwrap();
    assert!(eventually(clean), "after an end of its own");

    sh("(sleep 600 &) ; sleep 600").deadline(Duration::from_millis(50)).run().await.unwrap();
    assert!(eventually(clean), "after a deadline");

    sh("sleep 600 & exit 0").run().await.unwrap();
    assert!(eventually(clean), "after leftovers were killed");

    Command::new("/no/such/program").run().await.unwrap_err();
    assert!(eventually(clean), "after a program that could not start");

    sh("exit 0").leftovers(Leftovers::Keep).run().await.unwrap();
    assert!(eventually(clean), "after leftovers were to be kept and there were none");

    drop(sh("sleep 600").spawn().unwrap());
    assert!(eventually(clean), "after the handle was dropped");

    drop(sh("sleep 0.05").lifetime(Lifetime::Survives).spawn().unwrap());
    assert!(eventually(clean), "after it was let go");

    sh("exit 3").pty(PtySize::default()).run().await.unwrap();
    assert!(eventually(clean), "after a program on a terminal");

    drop(sh("sleep 600").pty(PtySize::default()).spawn().unwrap());
    assert!(eventually(clean), "after a program on a terminal was dropped");

    kill_9(children_of(fork_server)[0]);
    assert!(eventually(clean), "after the standby supervisor was killed");

    // A killed fork server is replaced, and takes nobody with it.
    let mut running = sh("read line; exit 5").stdin(Stdin::Piped).spawn().unwrap();
    kill_9(fork_server);
    // The first is still taken by the standby supervisor, the second needs another fork server.
    for _ in 0..2 {
        assert_eq!(sh("exit 4").run().await.unwrap().end, End::Exited(4));
    }
    drop(running.take_stdin());
    assert_eq!(End::from(running.wait().await.unwrap()), End::Exited(5));
    let ours = children_of(std::process::id());
    assert!(ours.len() == 1 && ours[0] != fork_server, "{ours:?}");
}
