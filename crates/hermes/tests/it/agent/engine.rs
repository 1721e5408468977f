//! The built-in engine as a process: it dies in the middle of an answer, does not start, takes its time.
//!
//! In the engine's place stands a script that tells where a scripted model answers, so that all of this is tried in every
//! build; what the engine itself does is for builds with the feature `local`.

use std::path::Path;
use std::time::{Duration, Instant};

use hermes_testkit::{ModelServer, Seen, Step};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use crate::support::{Sandbox, write};

/// A program whose engine is this script. `$n` is which start it is, from 1; `$here` is where it may write.
fn sandbox(script: &str) -> Sandbox {
    let sandbox = Sandbox::new();
    let here = sandbox.scratch("engine-files");
    std::fs::create_dir(&here).unwrap();
    let engine = sandbox.script(
        "engine",
        &format!(
            "here={}\necho $$ >> $here/starts\nn=$(($(wc -l < $here/starts)))\n{script}",
            here.display()
        ),
    );
    sandbox.write(
        "config.yaml",
        &format!(
            "model: {{ provider: hermes-local, default: smollm2 }}\nlocal: {{ engine: {engine} }}\n\
             auxiliary: {{ title_generation: {{ enabled: false }} }}\n"
        ),
    );
    sandbox
}

/// What a script says once it serves.
fn tells(server: &ModelServer) -> String {
    let url = server.url();
    format!(r#"echo '{{"base_url":"{url}","key":"engine-key","model":"smollm2","window":8192}}'"#)
}

fn starts(sandbox: &Sandbox) -> Vec<i32> {
    let listed =
        std::fs::read_to_string(sandbox.scratch("engine-files/starts")).unwrap_or_default();
    listed.lines().map(|line| line.parse().unwrap()).collect()
}

fn until(what: &str, is_so: impl Fn() -> bool) {
    let started = Instant::now();
    while !is_so() {
        assert!(started.elapsed() < Duration::from_secs(40), "{what} never came");
        std::thread::sleep(Duration::from_millis(10));
    }
}

fn is_gone(process: i32) -> bool {
    !Path::new(&format!("/proc/{process}/exe")).exists()
}

#[test]
fn an_engine_that_dies_in_mid_answer_is_told_of_and_started_again() {
    let answers = [
        Step::text("A long story about a quick brown").chunk(4).hold_after(3).drop_after(4),
        Step::text(" fox."),
    ];
    let server = ModelServer::start(answers);
    let sandbox = sandbox(&format!(
        "{}\n[ $n = 1 ] || exec sleep 60\nuntil [ -e $here/die ]; do sleep 0.02; done\n\
         echo 'error: out of memory' >&2\nkill -9 $$",
        tells(&server)
    ));
    std::thread::scope(|scope| {
        let asked = scope.spawn(|| sandbox.run(["-z", "tell"]));
        server.wait_until(|seen| seen.iter().any(Seen::is_question));
        write(&sandbox.scratch("engine-files/die"), b"");
        until("its end", || starts(&sandbox).first().is_some_and(|first| is_gone(*first)));
        server.release();
        let run = asked.join().unwrap().exits(0).says("A long story").says(" fox.");
        run.notes("the engine of smollm2 ended (signal: 9 (SIGKILL)): out of memory");
    });
    let begun = starts(&sandbox);
    assert_eq!(begun.len(), 2, "one more, and no third");
    assert!(server.questions().iter().all(|question| question.carries("engine-key")));
    until("the end of the second", || is_gone(begun[1]));
}

#[test]
fn an_engine_that_does_not_start_says_why_and_is_not_tried_for_ever() {
    let sandbox = sandbox("echo 'error: the file is no model' >&2\nexit 1");
    let run = sandbox.run(["-z", "hello"]).exits(1);
    run.notes("start the engine: the file is no model");
    assert_eq!(starts(&sandbox).len(), 1);
}

/// Ctrl-C did nothing until the model was loaded.
#[test]
fn waiting_for_an_engine_can_be_interrupted() {
    let sandbox = sandbox("exec sleep 60");
    let mut command = sandbox.command();
    let child = command.args(["-z", "hello"]).stderr(std::process::Stdio::piped()).spawn().unwrap();
    until("the engine", || !starts(&sandbox).is_empty());
    let begun = Instant::now();
    kill(Pid::from_raw(i32::try_from(child.id()).unwrap()), Signal::SIGINT).unwrap();
    let ended = child.wait_with_output().unwrap();
    assert_eq!(ended.status.code(), Some(130), "{ended:?}");
    assert!(begun.elapsed() < Duration::from_secs(20), "{:?}", begun.elapsed());
    until("the engine's end", || is_gone(starts(&sandbox)[0]));
}
