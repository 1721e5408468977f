//! `hermes batch` on clusters that lose a node: two virtual nodes of Slurm, two of Ray. `./test --cluster` starts what
//! these need (`scripts/test-parts/slurm`, `scripts/test-parts/ray`) and runs them.

use std::fs;
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use hermes_testkit::part;

use crate::batch::{Place, calls_after};
use crate::batch_workers::{kill, processes};
use crate::support::std_command;

/// Longest time of anything here: a lost node is noticed after half a minute, and its work waits two more.
const PATIENCE: Duration = Duration::from_secs(420);

fn wait_for(what: &str, mut is_so: impl FnMut() -> bool) {
    let deadline = Instant::now() + PATIENCE;
    while !is_so() {
        assert!(Instant::now() < deadline, "{what} did not come to be");
        std::thread::sleep(Duration::from_millis(100));
    }
}

fn done(place: &Place) -> u64 {
    if !place.folder().join("run.json").exists() {
        return 0;
    }
    place.status()["tasks"]["done"].as_u64().unwrap()
}

/// Every task has one record, and the files say so.
fn assert_whole(place: &Place, rows: usize) {
    place.sandbox.run(["batch", "merge", "one"]).exits(0);
    let found = place.lines("trajectories.jsonl");
    let ids: Vec<&str> = found.iter().map(|row| row["id"].as_str().unwrap()).collect();
    let expected: Vec<String> = (0..rows).map(|n| format!("t{n}")).collect();
    assert_eq!(ids, expected, "every task once, in order");
}

/// No file of the run and no word that engines keep has the key in it.
fn assert_no_key(folder: &Path, key: &str) {
    for entry in fs::read_dir(folder).unwrap().flatten() {
        if entry.path().is_dir() {
            assert_no_key(&entry.path(), key);
        } else {
            let text = fs::read(entry.path()).unwrap_or_default();
            assert!(!String::from_utf8_lossy(&text).contains(key), "{}", entry.path().display());
        }
    }
}

fn ended(run: &mut Child) -> i32 {
    let mut code = None;
    wait_for("the end of the run", || {
        code = run.try_wait().unwrap();
        code.is_some()
    });
    code.unwrap().code().unwrap_or(-1)
}

fn slurm_place() -> Place {
    let mut place = Place::with(calls_after(Duration::from_millis(120)));
    place.sandbox = place.sandbox.var("SLURM_CONF", part("HERMES_TEST_SLURM_CONF"));
    place
}

/// The processes of this place that run on a node of Slurm.
fn on_node(place: &Place, node: &str) -> Vec<i32> {
    let is_there = |pid: &i32| {
        let variables = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
        let wanted = format!("SLURMD_NODENAME={node}");
        String::from_utf8_lossy(&variables).split('\0').any(|variable| variable == wanted)
    };
    processes(place, &["batch worker"]).into_iter().filter(is_there).collect()
}

fn parent(pid: i32) -> Option<i32> {
    let text = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    text.lines().find_map(|line| line.strip_prefix("PPid:"))?.trim().parse().ok()
}

#[test]
fn slurm_loses_a_node_and_no_record() {
    let place = slurm_place();
    place.rows(240);
    let mut command = place.sandbox.command();
    command.args(place.begin()).args(["--on", "slurm", "--shards", "6", "--num-workers", "2"]);
    command.args(["--memory", "256m"]);
    let mut run = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    wait_for("a part on the second node", || !on_node(&place, "n2").is_empty());
    wait_for("a sixth of the records", || done(&place) >= 40);
    // Losing a node is losing its daemon, the step daemons and what they started.
    let home = part("HERMES_TEST_SLURM_HOME");
    let daemon: i32 =
        fs::read_to_string(format!("{home}/slurmd-n2.pid")).unwrap().trim().parse().unwrap();
    kill(daemon);
    let workers = on_node(&place, "n2");
    assert!(!workers.is_empty(), "nothing ran on the node when it was lost");
    workers.iter().filter_map(|pid| parent(*pid)).filter(|pid| *pid > 1).for_each(kill);
    workers.into_iter().for_each(kill);
    let code = ended(&mut run);
    let back = std_command(concat!(env!("CARGO_MANIFEST_DIR"), "/../../scripts/test-parts/slurm"))
        .arg("start")
        .status()
        .unwrap();
    assert!(back.success(), "the node comes back");
    assert_eq!(code, 0);
    assert_whole(&place, 240);
}

#[test]
fn a_slurm_array_goes_on_without_its_coordinator_and_drains_when_its_time_is_up() {
    let place = slurm_place();
    place.rows(80);
    place.sandbox.write(".env", "OPENAI_API_KEY=sk-secret-of-the-home\n");
    let mut command = place.sandbox.command();
    command.args(place.begin()).args(["--on", "slurm", "--shards", "2", "--num-workers", "2"]);
    command.args(["--memory", "256m", "--json"]);
    let out = place.sandbox.scratch("events.out");
    let mut run =
        command.stdout(fs::File::create(&out).unwrap()).stderr(Stdio::null()).spawn().unwrap();
    let mut array = String::new();
    wait_for("the number of the array", || {
        let text = fs::read_to_string(&out).unwrap_or_default();
        let event = text.lines().find(|line| line.contains("\"submitted\""));
        let event = event.and_then(|line| serde_json::from_str::<serde_json::Value>(line).ok());
        array = event.map(|event| event["array"].as_str().unwrap().to_owned()).unwrap_or_default();
        !array.is_empty()
    });
    run.kill().unwrap();
    run.wait().unwrap();
    wait_for("records without a coordinator", || done(&place) >= 6);
    assert_eq!(place.status()["running"], true);
    let conf = part("HERMES_TEST_SLURM_CONF");
    let slurm = |program: &str, args: &[&str]| -> String {
        let ran = std_command(program).args(args).env("SLURM_CONF", &conf).output().unwrap();
        String::from_utf8_lossy(&ran.stdout).into_owned()
    };
    let about = slurm("scontrol", &["show", "job", "-dd", &array]);
    assert!(about.contains("hermes-one") && !about.contains("sk-secret"), "{about}");
    // What Slurm does before the time of a job is up.
    slurm("scancel", &["--batch", "--signal=TERM", &array]);
    wait_for("the end of the array", || {
        slurm("squeue", &["--noheader", "--jobs", &array]).trim().is_empty()
    });
    let before = done(&place);
    assert!(before < 80, "it was stopped before its end");
    assert_eq!(place.status()["running"], false);
    let again = ["batch", "resume", "one", "--on", "slurm", "--shards", "2", "--num-workers", "8"];
    let mut command = place.sandbox.command();
    let mut run = command.args(again).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    assert_eq!(ended(&mut run), 0);
    assert_whole(&place, 80);
    assert_no_key(&place.folder(), "sk-secret-of-the-home");
}

/// A Ray cluster of two nodes, each in a process group of its own.
struct RayCluster {
    address: String,
    nodes: Vec<Child>,
    folder: tempfile::TempDir,
}

impl RayCluster {
    fn start() -> Self {
        let folder = tempfile::Builder::new().prefix("hray").tempdir_in("/tmp").unwrap();
        let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let address = format!("127.0.0.1:{port}");
        let mut cluster = Self { address: address.clone(), nodes: Vec::new(), folder };
        let store = cluster.folder.path().display().to_string();
        cluster.node(&[
            "--head",
            "--include-dashboard=false",
            &format!("--port={port}"),
            &format!("--temp-dir={store}"),
        ]);
        wait_for("the head of the cluster", || cluster.living() == 1);
        cluster.node(&[&format!("--address={address}")]);
        wait_for("the second node", || cluster.living() == 2);
        cluster
    }

    fn node(&mut self, args: &[&str]) {
        use std::os::unix::process::CommandExt as _;
        let ray = Path::new(&part("HERMES_TEST_RAY_PYTHON")).with_file_name("ray");
        let mut command = std_command(ray);
        command.args(["start", "--block", "--num-cpus=2"]);
        command.args([
            "--disable-usage-stats",
            "--node-ip-address=127.0.0.1",
            "--object-store-memory=100000000",
        ]);
        command.args(args).process_group(0).stdout(Stdio::null()).stderr(Stdio::null());
        self.nodes.push(command.spawn().unwrap());
    }

    fn living(&self) -> usize {
        let ask = "import ray, sys; ray.init(address=sys.argv[1], log_to_driver=False, logging_level='ERROR'); \
                   print(sum(node['Alive'] for node in ray.nodes()))";
        let mut command = std_command(part("HERMES_TEST_RAY_PYTHON"));
        let ran = command.args(["-c", ask, &self.address]).stderr(Stdio::null()).output().unwrap();
        String::from_utf8_lossy(&ran.stdout).trim().parse().unwrap_or(0)
    }

    /// Kills a node with everything of its group.
    fn lose(&mut self, node: usize) {
        let group = format!("-{}", self.nodes[node].id());
        let _ = std_command("kill").args(["-9", "--", &group]).stderr(Stdio::null()).status();
        let _ = self.nodes[node].wait();
    }
}

impl Drop for RayCluster {
    fn drop(&mut self) {
        (0..self.nodes.len()).rev().for_each(|node| self.lose(node));
    }
}

fn on_ray(cluster: &RayCluster) -> Vec<String> {
    let words =
        ["--on", "ray", "--num-workers", "4", "--cpus", "1", "--ray-address", &cluster.address];
    let mut words: Vec<String> = words.map(str::to_owned).to_vec();
    words.extend(["--python".to_owned(), part("HERMES_TEST_RAY_PYTHON")]);
    words.extend(["--remote-binary".to_owned(), env!("CARGO_BIN_EXE_hermes").to_owned()]);
    words
}

#[test]
fn ray_loses_a_node_then_its_coordinator_and_no_record() {
    let mut cluster = RayCluster::start();
    let mut place = Place::with(calls_after(Duration::from_millis(100)));
    place.sandbox = place.sandbox.var("HERMES_TEST_KEY", "sk-secret-for-ray");
    place.rows(200);
    let mut command = place.sandbox.command();
    command.args(place.begin()).args(on_ray(&cluster)).args(["--api-key-env", "HERMES_TEST_KEY"]);
    let out = place.sandbox.scratch("events.out");
    command.arg("--json").stdout(fs::File::create(&out).unwrap()).stderr(Stdio::null());
    let mut run = command.spawn().unwrap();
    wait_for("a quarter of the records", || done(&place) >= 50);
    cluster.lose(1);
    let told = || fs::read_to_string(&out).unwrap_or_default();
    wait_for("that workers are lost", || told().contains("\"worker_lost\""));
    wait_for("more records", || done(&place) >= 110);
    run.kill().unwrap();
    run.wait().unwrap();
    let resume: Vec<String> = ["batch", "resume", "one"].map(str::to_owned).to_vec();
    let mut command = place.sandbox.command();
    command.args(resume).args(on_ray(&cluster)).args(["--api-key-env", "HERMES_TEST_KEY"]);
    let mut run = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    assert_eq!(ended(&mut run), 0);
    assert_whole(&place, 200);
    assert_no_key(&place.folder(), "sk-secret-for-ray");
    assert!(place.server.questions().iter().all(|seen| seen.carries("sk-secret-for-ray")));
}

#[test]
fn a_python_without_ray_is_told_in_one_line() {
    let place = Place::with(calls_after(Duration::ZERO));
    place.rows(3);
    let mut args = place.begin();
    args.extend(["--on", "ray", "--python", "/usr/bin/python3"]);
    place.sandbox.run(args).exits(4).notes("cannot import ray");
    let gone = ["batch", "resume", "one", "--on", "ray", "--python", "/no/python"];
    place.sandbox.run(gone).exits(4).notes("/no/python cannot be started");
}
