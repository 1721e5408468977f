//! `hermes rl env`: rollouts of a policy whose server tells tokens, and the real trajectory API of Atropos
//! (`scripts/test-parts/atropos`).

use std::collections::BTreeSet;
use std::fs;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use hermes_testkit::{WebReply, WebServer, part};
use serde_json::{Value, json};

use crate::support::{Sandbox, std_command, write};

/// Begins what somebody says.
const HEADER: u32 = 1_000;
/// Ends what the model says.
const END: u32 = 999;
/// Longest time of anything here.
const PATIENCE: Duration = Duration::from_secs(50);

/// Reads the answer file in the rollout's sandbox over the tool socket; every second sample is worth something.
const SCORE: &str = r#"
import json, os, socket, sys
record = json.load(sys.stdin)
tools = socket.socket(socket.AF_UNIX)
tools.connect(os.environ["HERMES_TOOL_SOCKET"])
tools.sendall(b'{"tool": "terminal", "args": {"command": "cat answer"}}\n')
answer = json.loads(tools.makefile().readline())["result"]
assert answer["output"].strip() == "42", answer
print(json.dumps({"reward": record["sample"] % 2, "parts": {"answer": 1}}))
"#;

const ENVIRONMENT: &str = r#"
from environments.hermes_base_env import HermesAgentBaseEnv, HermesAgentEnvConfig

class Answers(HermesAgentBaseEnv):
    """Wants a file."""
    name = "answers"

    @classmethod
    def config_init(cls):
        return HermesAgentEnvConfig(enabled_toolsets=["terminal"], group_size=2, max_agent_turns=4), []

    async def setup(self):
        self.given = 0

    async def get_next_item(self):
        self.given += 1
        return {"number": self.given}

    def format_prompt(self, item):
        return f"task {item['number']}"

    async def compute_reward(self, item, result, ctx):
        said = ctx.terminal("cat answer")["output"].strip()
        return 1.0 if said == "42" and item["number"] != 2 else 0.0
"#;

/// One token for each byte, and a mark at both ends: what a chat template does, small enough to be checked by eye.
fn template(messages: &[Value]) -> Vec<u32> {
    let mut ids = Vec::new();
    for message in messages {
        ids.push(HEADER);
        ids.extend(body(message));
        ids.push(END);
    }
    ids.push(HEADER);
    ids
}

fn body(message: &Value) -> Vec<u32> {
    let text = message["content"].as_str().unwrap_or_default();
    let calls = message["tool_calls"].as_array().map(|_| message["tool_calls"].to_string());
    text.bytes().chain(calls.unwrap_or_default().into_bytes()).map(u32::from).collect()
}

/// A policy that writes a file, then says it is done. `ids` is whether its server tells tokens.
fn policy(ids: bool) -> WebServer {
    WebServer::start(move |seen| {
        if seen.path.ends_with("/models") {
            return WebReply::json(&json!({"data": [{"id": "policy-1"}]}));
        }
        let messages = seen.body["messages"].as_array().unwrap();
        let said = match messages.last().unwrap()["role"].as_str() {
            Some("tool") => json!({"role": "assistant", "content": " Done. "}),
            _ => {
                let arguments = "{ \"command\" : \"echo 42 > answer\" }";
                let call = json!({"id": "c", "type": "function", "function": {"name": "terminal", "arguments": arguments}});
                json!({"role": "assistant", "content": "<think>A file.</think>", "tool_calls": [call]})
            }
        };
        let mut tokens = body(&said);
        tokens.push(END);
        let logprobs: Vec<Value> = tokens
            .iter()
            .map(|id| json!({"token": "", "logprob": -f64::from(*id) / 1e3}))
            .collect();
        let finish = if said["tool_calls"].is_null() { "stop" } else { "tool_calls" };
        let mut choice = json!({"index": 0, "message": said, "finish_reason": finish});
        let mut answer = json!({"object": "chat.completion", "model": "policy-1",
            "usage": {"prompt_tokens": 9, "completion_tokens": tokens.len()}});
        if ids {
            choice["logprobs"] = json!({"content": logprobs});
            choice["token_ids"] = json!(tokens);
            answer["prompt_token_ids"] = json!(template(messages));
        }
        answer["choices"] = json!([choice]);
        WebReply::json(&answer)
    })
}

struct Gym {
    sandbox: Sandbox,
    policy: WebServer,
}

impl Gym {
    fn with(policy: WebServer) -> Self {
        let sandbox = Sandbox::new();
        write(&sandbox.scratch("score.py"), SCORE.as_bytes());
        write(&sandbox.scratch("env.py"), ENVIRONMENT.as_bytes());
        let rows = "{\"id\":\"a\",\"prompt\":\"task a\"}\n{\"id\":\"b\",\"prompt\":\"task b\"}\n";
        write(&sandbox.scratch("rows.jsonl"), rows.as_bytes());
        Self { sandbox, policy }
    }

    fn words(&self, verb: &str, more: &[&str]) -> Vec<String> {
        let policy = format!("{}/v1", self.policy.origin());
        let words = [
            "rl",
            "env",
            verb,
            "--name",
            "gym",
            "--policy",
            &policy,
            "--toolsets",
            "terminal",
            "--backend",
            "local",
        ];
        words.iter().chain(more).map(|word| (*word).to_owned()).collect()
    }

    fn scored(&self, verb: &str, more: &[&str]) -> Vec<String> {
        let mut words = self.words(
            verb,
            &["--dataset", "rows.jsonl", "--reward", "cmd:python3 score.py", "--group-size", "4"],
        );
        words.extend(more.iter().map(|word| (*word).to_owned()));
        words
    }

    fn lines(&self, name: &str) -> Vec<Value> {
        let text = fs::read_to_string(self.sandbox.scratch("data/gym").join(name)).unwrap();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }
}

#[test]
fn groups_hold_the_tokens_the_server_told_and_learn_only_what_the_model_wrote() {
    let gym = Gym::with(policy(true));
    let words = gym.scored("process", &["--sampling", "{\"temperature\": 0.7, \"top_k\": 5}"]);
    gym.sandbox.run(&words).exits(0).says("2 groups written, 0 were there, 0 dropped");
    let groups = gym.lines("groups.jsonl");
    assert_eq!(groups.len(), 2);
    for group in &groups {
        assert_eq!(group["scores"], json!([0.0, 1.0, 0.0, 1.0]));
        for sample in 0..4 {
            let tokens: Vec<u32> = serde_json::from_value(group["tokens"][sample].clone()).unwrap();
            let masks: Vec<i64> = serde_json::from_value(group["masks"][sample].clone()).unwrap();
            let logprobs: Vec<f64> =
                serde_json::from_value(group["inference_logprobs"][sample].clone()).unwrap();
            assert_eq!((tokens.len(), tokens.len()), (masks.len(), logprobs.len()));
            assert_eq!(group["overrides"][sample]["retokenised"], 0);
            let learnt: Vec<u32> = tokens
                .iter()
                .zip(&masks)
                .filter(|(_, mask)| **mask != -100)
                .map(|(id, _)| *id)
                .collect();
            let written = learnt.iter().filter_map(|id| u8::try_from(*id).ok()).collect();
            let written = String::from_utf8(written).unwrap();
            assert!(
                written.starts_with("<think>A file.</think>[{") && written.ends_with(" Done. "),
                "{written}"
            );
            assert_eq!(
                learnt.iter().filter(|id| **id == END).count(),
                2,
                "two answers, each to its end"
            );
            for ((id, mask), logprob) in tokens.iter().zip(&masks).zip(&logprobs) {
                let expected = if *mask == -100 { 1.0 } else { -f64::from(*id) / 1e3 };
                assert!((logprob - expected).abs() < 1e-12);
                assert!(*mask == -100 || *mask == i64::from(*id));
            }
        }
    }
    // Every second request of a rollout begins with its first, to the byte, and holds the answer as it was written.
    let asked: Vec<Value> = gym
        .policy
        .requests()
        .iter()
        .filter(|seen| seen.method == "POST")
        .map(|seen| seen.body.clone())
        .collect();
    assert_eq!(asked.len(), 16);
    for body in &asked {
        let names: BTreeSet<&str> = body.as_object().unwrap().keys().map(String::as_str).collect();
        let given =
            ["logprobs", "messages", "model", "return_token_ids", "temperature", "tools", "top_k"];
        assert_eq!(names, given.into_iter().collect());
        assert_eq!((&body["temperature"], &body["top_k"]), (&json!(0.7), &json!(5)));
        let messages = body["messages"].as_array().unwrap();
        if messages.len() > 2 {
            let earlier = asked.iter().filter(|other| {
                let other = other["messages"].as_array().unwrap();
                other.len() == 2 && messages.starts_with(other)
            });
            assert!(earlier.count() >= 1);
            assert_eq!(
                messages[2]["tool_calls"][0]["function"]["arguments"],
                "{ \"command\" : \"echo 42 > answer\" }"
            );
            assert_eq!(messages.len(), 4);
        }
    }
    let records = gym.lines("records.jsonl");
    assert_eq!(records.len(), 8);
    assert_eq!(records[0]["metadata"]["reward_parts"], json!({"answer": 1}));
    assert_eq!(records[0]["rollout"]["sequences"][0]["turns"].as_array().unwrap().len(), 2);
    // The same again has nothing to do.
    gym.sandbox.run(&words).exits(0).says("0 groups written, 2 were there");
    assert!(
        fs::read_dir(gym.sandbox.scratch("data/gym/sandbox")).unwrap().next().is_none(),
        "no place stays"
    );
}

#[test]
fn a_policy_without_token_ids_is_refused_instead_of_having_some_made_up() {
    let gym = Gym::with(policy(false));
    gym.sandbox.run(gym.scored("process", &[])).exits(2).notes("told no token ids");
    assert_eq!(gym.lines("groups.jsonl").len(), 0);
    let words = gym.scored("process", &["--without-tokens", "--name", "plain"]);
    let words: Vec<String> = words.into_iter().filter(|word| word != "gym").collect();
    let at = words.iter().position(|word| word == "--name").unwrap();
    let words = [&words[..at], &words[at + 1..]].concat();
    gym.sandbox.run(words).exits(0).says("2 groups written");
    let text = fs::read_to_string(gym.sandbox.scratch("data/plain/groups.jsonl")).unwrap();
    let group: Value = serde_json::from_str(text.lines().next().unwrap()).unwrap();
    assert_eq!((&group["scores"], group.get("tokens")), (&json!([0.0, 1.0, 0.0, 1.0]), None));
}

#[test]
fn a_reward_that_breaks_drops_the_group_and_is_never_zero() {
    let gym = Gym::with(policy(true));
    let words = gym.words(
        "process",
        &[
            "--dataset",
            "rows.jsonl",
            "--group-size",
            "2",
            "--retries",
            "0",
            "--reward",
            "cmd:echo 0; exit 7",
        ],
    );
    gym.sandbox
        .run(words)
        .exits(1)
        .says("0 groups written, 0 were there, 2 dropped")
        .notes("infra.verify");
    assert_eq!(gym.lines("groups.jsonl").len(), 0);
    assert_eq!(gym.lines("records.jsonl").len(), 0);
}

#[test]
fn a_python_class_gives_items_settings_and_rewards() {
    let gym = Gym::with(policy(true));
    let policy = format!("{}/v1", gym.policy.origin());
    let run = gym
        .sandbox
        .run([
            "rl",
            "env",
            "evaluate",
            "--name",
            "gym",
            "--policy",
            &policy,
            "--reward",
            "py:env.py",
            "--own-items",
            "--rows",
            "4",
            "--json",
        ])
        .exits(0);
    let found: Value = serde_json::from_str(run.out.lines().last().unwrap()).unwrap();
    assert_eq!(
        (&found["items"], &found["rollouts"], &found["mean_reward"]),
        (&json!(4), &json!(8), &json!(0.75))
    );
    assert_eq!(found["pass_at_k"], json!({"pass@1": 0.75, "pass@2": 0.75}));
    let first = &gym.lines("records.jsonl")[0];
    assert_eq!(first["toolsets_used"], json!(["terminal"]), "the class says which tools");
}

/// Registers as a trainer, then takes batches until it has so many groups; prints them.
const TRAINER: &str = r#"
import json, sys, time, httpx
api, wanted = sys.argv[1], int(sys.argv[2])
with httpx.Client(base_url=api, timeout=10) as http:
    http.post("/register", json={"wandb_group": "g", "wandb_project": "p", "batch_size": 4, "max_token_len": 8192,
        "checkpoint_dir": "/tmp", "save_checkpoint_interval": 100, "starting_step": 0, "num_steps": 1000}).raise_for_status()
    groups, until = [], time.time() + 45
    while len(groups) < wanted and time.time() < until:
        batch = http.get("/batch").raise_for_status().json()["batch"]
        groups += batch or []
        if not batch:
            time.sleep(0.2)
print(json.dumps(groups))
"#;

struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn api(port: u16) -> Running {
    let mut command = std_command(part("HERMES_TEST_ATROPOS_PYTHON"));
    command.args([
        "-m",
        "uvicorn",
        "atroposlib.api:app",
        "--host",
        "127.0.0.1",
        "--port",
        &port.to_string(),
    ]);
    let child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let began = Instant::now();
    while std::net::TcpStream::connect(("127.0.0.1", port)).is_err() {
        assert!(began.elapsed() < PATIENCE, "the trajectory API does not start");
        std::thread::sleep(Duration::from_millis(50));
    }
    Running(child)
}

fn trained(address: &str, groups: usize) -> Vec<Value> {
    let mut command = std_command(part("HERMES_TEST_ATROPOS_PYTHON"));
    let ran = command.args(["-c", TRAINER, address, &groups.to_string()]).output().unwrap();
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    serde_json::from_slice(&ran.stdout).unwrap()
}

#[test]
fn the_real_trajectory_api_hands_back_what_was_left_there_also_after_a_restart() {
    let gym = Gym::with(policy(true));
    let port = {
        let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        free.local_addr().unwrap().port()
    };
    let address = format!("http://127.0.0.1:{port}");
    let first_api = api(port);
    let words = gym.scored("serve", &["--api", &address, "--num-workers", "4", "--json"]);
    let said = gym.sandbox.scratch("said.err");
    let mut command = gym.sandbox.command();
    command.args(&words).stdin(Stdio::null()).stdout(Stdio::null());
    command.stderr(fs::File::create(&said).unwrap());
    let serving = Running(command.spawn().unwrap());
    let wait_for = |what: &str| {
        let began = Instant::now();
        while !fs::read_to_string(&said).unwrap().contains(what) {
            assert!(
                began.elapsed() < PATIENCE,
                "{what} is not said: {}",
                fs::read_to_string(&said).unwrap()
            );
            std::thread::sleep(Duration::from_millis(50));
        }
    };
    wait_for("waiting for the trainer to start");
    let mut groups = trained(&address, 3);
    assert!(groups.len() >= 3, "{groups:?}");
    drop(first_api);
    let second_api = api(port);
    wait_for("was started again");
    let more = trained(&address, 3);
    assert!(more.len() >= 3, "{more:?}");
    groups.extend(more);
    // Nothing was left there twice, and everything is what the rollouts were.
    let ids: Vec<&str> =
        groups.iter().map(|group| group["group_overrides"]["group_id"].as_str().unwrap()).collect();
    assert_eq!(ids.iter().collect::<BTreeSet<_>>().len(), ids.len(), "{ids:?}");
    let records = gym.lines("records.jsonl");
    for group in &groups {
        for (sample, about) in group["overrides"].as_array().unwrap().iter().enumerate() {
            let record = records.iter().find(|record| record["id"] == about["rollout"]).unwrap();
            let sequence = &record["rollout"]["sequences"][0];
            assert_eq!(group["tokens"][sample], sequence["tokens"]);
            assert_eq!(group["masks"][sample], sequence["masks"]);
            assert_eq!(group["inference_logprobs"][sample], sequence["logprobs"]);
            assert_eq!(group["scores"][sample], record["reward"]);
        }
    }
    let posted = gym.lines("posted.jsonl");
    let received = posted.iter().filter(|line| line["state"] == "received");
    assert!(received.count() >= groups.len());
    // Told to stop, it finishes and goes.
    let mut serving = serving;
    nix::sys::signal::kill(
        nix::unistd::Pid::from_raw(i32::try_from(serving.0.id()).unwrap()),
        nix::sys::signal::Signal::SIGTERM,
    )
    .unwrap();
    let began = Instant::now();
    while serving.0.try_wait().unwrap().is_none() {
        assert!(
            began.elapsed() < PATIENCE,
            "it does not stop: {}",
            fs::read_to_string(&said).unwrap()
        );
        std::thread::sleep(Duration::from_millis(50));
    }
    assert_eq!(serving.0.wait().unwrap().code(), Some(0), "{}", fs::read_to_string(&said).unwrap());
    drop(second_api);
}

#[test]
fn the_agents_tools_find_choose_and_set_up_an_environment() {
    let gym = Gym::with(policy(true));
    let folder = gym.sandbox.scratch("");
    let config = format!(
        "rl:\n  environments_dir: {}\n  trainer_command: exec sleep 600\n",
        folder.display()
    );
    gym.sandbox.write("config.yaml", &config);
    let call =
        |words: &[&str]| gym.sandbox.run(["tools", "call"].iter().chain(words)).exits(0).json();
    let found = call(&["rl_list_environments"]);
    assert_eq!(
        (&found["count"], &found["environments"][0]["name"]),
        (&json!(1), &json!("answers"))
    );
    assert_eq!(found["environments"][0]["description"], "Wants a file.");
    let other = ["tools", "call", "rl_select_environment", "--arg", "name=other"];
    let unknown = gym.sandbox.run(other).exits(1).json();
    assert_eq!(unknown["available"], json!(["answers"]));
    assert_eq!(call(&["rl_select_environment", "--arg", "name=answers"])["environment"], "answers");
    assert_eq!(
        call(&["rl_edit_config", "--arg", "field=group_size", "--arg", "value=6"])["value"],
        6
    );
    let config = call(&["rl_get_current_config"]);
    let fields = config["configurable_fields"].as_array().unwrap();
    let size = fields.iter().find(|field| field["name"] == "group_size").unwrap();
    assert_eq!((&size["default"], &size["current_value"]), (&json!(2), &json!(6)));
    assert_eq!(call(&["rl_list_runs"]), json!({"count": 0, "runs": []}));
}
