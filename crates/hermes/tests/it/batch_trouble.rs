//! `hermes batch` when the disk is full or the model cannot be reached: nothing that was paid for is lost, and no task
//! fails because of it.

use std::fs;
use std::io::{Read as _, Write as _};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::process::{Child, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use hermes_testkit::ModelServer;

use crate::batch::{Place, calls_after, two_calls};
use crate::support::{Run, std_command};

/// A disk of eight megabytes where runs are kept, which is there for one script only. `$HERMES` is the program,
/// `fill N` leaves so many kilobytes free, `told WORD` waits until the run has told an event.
const ON_A_SMALL_DISK: &str = r#"
mkdir -p data && mount -t tmpfs -o size=8m none data || exit 90
fill() { head -c $((8192 - $1))k /dev/zero > data/ballast; }
told() { for i in $(seq 600); do grep -q "$1" "$2" 2>/dev/null && return; sleep 0.05; done; exit 91; }
"#;

fn in_its_own_mounts(place: &Place, script: &str) -> Run {
    let hermes = place.sandbox.command();
    let mut shell = std_command("/usr/bin/unshare");
    shell.args(["--user", "--map-root-user", "--mount", "bash", "-c"]);
    shell.arg(format!("{ON_A_SMALL_DISK}{script}")).env_clear();
    for (name, value) in hermes.get_envs() {
        shell.env(name, value.unwrap_or_default());
    }
    shell.env("HERMES", hermes.get_program()).current_dir(hermes.get_current_dir().unwrap());
    let started = Instant::now();
    let done = shell.stdin(Stdio::null()).output().unwrap();
    Run {
        code: done.status.code(),
        out: String::from_utf8(done.stdout).unwrap(),
        err: String::from_utf8(done.stderr).unwrap(),
        took: started.elapsed(),
    }
}

fn settings(place: &Place, batch: &str) {
    let text = place.sandbox.read("config.yaml");
    place.sandbox.write("config.yaml", &format!("{text}batch:\n{batch}"));
}

fn questions(place: &Place) -> usize {
    place.server.requests().iter().filter(|seen| seen.is_question()).count()
}

const BEGIN: &str = "$HERMES batch run rows.jsonl --name one --seed 7 --toolsets todo --json";

#[test]
fn a_full_disk_is_waited_for_and_no_record_is_lost() {
    let place = Place::with(two_calls());
    let long = "and so on ".repeat(500);
    let rows: String =
        (0..60).map(|n| format!("{{\"id\":\"t{n}\",\"prompt\":\"task {n} {long}\"}}\n")).collect();
    place.dataset(&rows);
    // No reserve: the records themselves hit the wall.
    settings(&place, "  min_free: 0\n");
    let done = in_its_own_mounts(
        &place,
        &format!(
            r#"fill 400
{BEGIN} --num-workers 8 > events &
run=$!
told '"event":"disk","reason":"[^"]' events
# What is told to be done is on the disk, whatever happens next.
kill -9 $run; wait $run
acknowledged=$(grep -c '"task_done"' events)
"$HERMES" batch status one --json > status.json || exit 92
echo "acknowledged $acknowledged"
"$HERMES" batch resume one --num-workers 8 --json > events.2 &
run=$!
told '"event":"disk","reason":"[^"]' events.2
rm data/ballast
wait $run || exit 93
told '"event":"disk","reason":null' events.2
"$HERMES" batch stats one --json > stats.json
cp data/one/trajectories.jsonl out.jsonl"#
        ),
    )
    .exits(0);
    let acknowledged: u64 = done
        .out
        .lines()
        .find_map(|line| line.strip_prefix("acknowledged "))
        .unwrap()
        .parse()
        .unwrap();
    let read = |name: &str| fs::read_to_string(place.sandbox.scratch(name)).unwrap();
    let json = |name: &str| serde_json::from_str::<serde_json::Value>(&read(name)).unwrap();
    assert!(json("status.json")["tasks"]["done"].as_u64().unwrap() >= acknowledged);
    let rows: Vec<serde_json::Value> =
        read("out.jsonl").lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let ids: Vec<&str> = rows.iter().map(|row| row["id"].as_str().unwrap()).collect();
    assert_eq!(ids, (0..60).map(|n| format!("t{n}")).collect::<Vec<_>>());
    assert_eq!(json("stats.json")["superseded"], 0, "nothing was written twice");
}

#[test]
fn with_little_room_nothing_begins_until_there_is_more() {
    let place = Place::with(two_calls());
    place.rows(6);
    in_its_own_mounts(
        &place,
        // A fiftieth of eight megabytes is 163 KB.
        &format!(
            r#"{BEGIN} --dry-run > /dev/null || exit 92
fill 120
{BEGIN} > events 2> notes &
run=$!
told '"event":"disk"' events
sleep 1
grep -q task_done events && exit 93
rm data/ballast
wait $run || exit 94"#
        ),
    )
    .exits(0);
    let notes = fs::read_to_string(place.sandbox.scratch("notes")).unwrap();
    assert!(notes.contains("nothing new begins: 0 MB are free on the disk of data/one"), "{notes}");
    assert!(notes.contains("there is room on the disk again"), "{notes}");
    assert_eq!(questions(&place), 12);
}

#[test]
fn records_that_find_no_room_for_too_long_are_taken_in_by_the_next_start() {
    let place = Place::with(two_calls());
    place.rows(3);
    settings(&place, "  disk_patience: 3\n");
    in_its_own_mounts(
        &place,
        &format!(
            r#"{BEGIN} --num-workers 1 --max-total-tokens 1 > /dev/null
mkdir -p data/one/segments
mount --bind data/one/segments data/one/segments && mount -o remount,bind,ro data/one/segments || exit 92
"$HERMES" batch resume one --num-workers 2 > /dev/null 2> notes
test $? = 4 || exit 93
wc -l < data/one/unwritten/*.jsonl > kept
"$HERMES" batch status one --json > before.json
umount data/one/segments
cp -r data/one one"#
        ),
    )
    .exits(0);
    let read = |name: &str| fs::read_to_string(place.sandbox.scratch(name)).unwrap();
    let notes = read("notes");
    assert!(
        notes.contains("records cannot be written: ") && notes.contains("Read-only"),
        "{notes}"
    );
    assert!(notes.contains("the next start takes them in"), "{notes}");
    let kept: usize = read("kept").trim().parse().unwrap();
    assert_eq!(kept, 2, "those that were under way");
    let asked = questions(&place);
    let resumed = place.sandbox.run(["batch", "resume", "./one"]).exits(0);
    assert!(resumed.err.contains("no room are written now"), "{}", resumed.err);
    let before: serde_json::Value = serde_json::from_str(&read("before.json")).unwrap();
    assert_eq!(before["tasks"]["done"], 1);
    assert_eq!(questions(&place), asked, "none of them was asked again");
    assert!(!place.sandbox.scratch("one/unwritten").read_dir().unwrap().any(|_| true));
    place.sandbox.run(["batch", "resume", "./one"]).exits(0).notes("3 tasks, 0 to do");
}

/// The way to a model, which can be cut and joined.
struct Wire {
    port: u16,
    is_cut: Arc<AtomicBool>,
    open: Arc<Mutex<Vec<TcpStream>>>,
}

impl Wire {
    fn to(server: &ModelServer) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let wire = Self {
            port: listener.local_addr().unwrap().port(),
            is_cut: Arc::default(),
            open: Arc::default(),
        };
        let there =
            server.url().trim_start_matches("http://").split('/').next().unwrap().to_owned();
        wire.serve(listener, there);
        wire
    }

    fn serve(&self, listener: TcpListener, there: String) {
        let (port, is_cut, open) = (self.port, Arc::clone(&self.is_cut), Arc::clone(&self.open));
        std::thread::spawn(move || {
            listener.set_nonblocking(true).unwrap();
            let mut listener = Some(listener);
            loop {
                std::thread::sleep(Duration::from_millis(5));
                if is_cut.load(Ordering::SeqCst) {
                    listener = None;
                    let cut = std::mem::take(&mut *open.lock().unwrap());
                    cut.iter().for_each(|stream| drop(stream.shutdown(Shutdown::Both)));
                    continue;
                }
                let here = listener.get_or_insert_with(|| {
                    let again = TcpListener::bind(("127.0.0.1", port)).unwrap();
                    again.set_nonblocking(true).unwrap();
                    again
                });
                let Ok((near, _)) = here.accept() else { continue };
                let Ok(far) = TcpStream::connect(&there) else { continue };
                near.set_nonblocking(false).unwrap();
                let clones = [&near, &far].map(|stream| stream.try_clone().unwrap());
                open.lock().unwrap().extend(clones);
                pump(near.try_clone().unwrap(), far.try_clone().unwrap());
                pump(far, near);
            }
        });
    }

    fn cut(&self, is_cut: bool) {
        self.is_cut.store(is_cut, Ordering::SeqCst);
    }
}

fn pump(mut from: TcpStream, mut to: TcpStream) {
    std::thread::spawn(move || {
        let mut bytes = [0; 1 << 14];
        while let Ok(count @ 1..) = from.read(&mut bytes) {
            if to.write_all(&bytes[..count]).is_err() {
                break;
            }
        }
        let _ = to.shutdown(Shutdown::Both);
    });
}

fn address(place: &Place, url: &str) {
    let text = place.sandbox.read("config.yaml");
    let text = text.replace(place.server.url().trim_end_matches('/'), url.trim_end_matches('/'));
    place.sandbox.write("config.yaml", &text);
}

fn code_of(mut run: Child) -> i32 {
    let deadline = Instant::now() + Duration::from_secs(100);
    loop {
        if let Some(status) = run.try_wait().unwrap() {
            return status.code().unwrap();
        }
        assert!(Instant::now() < deadline, "the run does not end");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn a_model_that_goes_away_for_a_while_costs_no_task_a_try() {
    let place = Place::with(calls_after(Duration::from_millis(60)));
    place.rows(40);
    let wire = Wire::to(&place.server);
    address(&place, &format!("http://127.0.0.1:{}/v1", wire.port));
    let mut command = place.sandbox.command();
    command.args(place.begin()).args(["--num-workers", "6", "--retries", "0", "--json"]);
    let out = fs::File::create(place.sandbox.scratch("events.out")).unwrap();
    let run = command.stdout(out).stderr(Stdio::null()).spawn().unwrap();
    let told = |word: &str| {
        let text = fs::read_to_string(place.sandbox.scratch("events.out")).unwrap_or_default();
        text.matches(word).count()
    };
    let wait_for = |word: &str, times: usize| {
        let deadline = Instant::now() + Duration::from_secs(60);
        while told(word) < times {
            assert!(Instant::now() < deadline, "{word} was not told {times} times");
            std::thread::sleep(Duration::from_millis(10));
        }
    };
    wait_for("\"task_done\"", 8);
    wire.cut(true);
    wait_for("\"outage\"", 1);
    std::thread::sleep(Duration::from_secs(5));
    wire.cut(false);
    assert_eq!(code_of(run), 0);
    assert!(told("\"reachable\"") >= 1);
    assert_eq!(told("\"retry\""), 0, "no task failed");
    let stats = place.sandbox.run(["batch", "stats", "one", "--json"]).exits(0).json();
    assert_eq!(stats["by_status"]["ok"], 40);
    let attempts: Vec<u64> = place
        .lines("trajectories.jsonl")
        .iter()
        .map(|row| {
            let id = row["id"].as_str().unwrap();
            let shown = place.sandbox.run(["batch", "show", "one", id, "--raw"]).exits(0).json();
            shown["attempts"].as_u64().unwrap()
        })
        .collect();
    assert_eq!(attempts, [1; 40]);
}

#[test]
fn a_model_that_stays_away_ends_the_run_and_no_task_has_failed() {
    let place = Place::with(two_calls());
    place.rows(9);
    settings(&place, "  outage_patience: 3\n");
    // Nobody listens there any more.
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    address(&place, &format!("http://127.0.0.1:{port}/v1"));
    let mut args = place.begin();
    args.extend(["--num-workers", "4"]);
    let ended = place.sandbox.run(args).exits(4).notes("the model cannot be reached: ");
    assert!(ended.err.contains("hermes batch resume one"), "{}", ended.err);
    assert!(ended.took < Duration::from_secs(30), "{:?}", ended.took);
    assert_eq!(place.status()["tasks"]["pending"], 9);
    let text = place.sandbox.read("config.yaml");
    let text = text.replace(&format!("http://127.0.0.1:{port}/v1"), &place.server.url());
    place.sandbox.write("config.yaml", &text);
    place.sandbox.run(["batch", "resume", "one"]).exits(0).notes("done: 9 of 9");
}
