//! Hooks run for real, as scripts in a temporary directory.
//!
//! Scripts are started as `sh FILE`. Executing a file just written would be a race with the other
//! tests, whose children may still hold it open for writing for an instant.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use hermes_runtime::hooks::{Hook, Hooks};
use hermes_store::atomic::{WriteOptions, write};
use hermes_tool::Vars;
use serde_json::json;

use super::consent::{AllowlistError, ConsentReply, ScriptState};
use super::*;

const PRE: HookEvent = HookEvent::PreToolCall;

struct Room(tempfile::TempDir);

impl Room {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn folder(&self) -> PathBuf {
        self.0.path().canonicalize().unwrap()
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder().join(name)
    }

    /// A command that runs this script.
    fn script(&self, name: &str, text: &str) -> String {
        write(&self.path(name), text.as_bytes(), WriteOptions::KEEP).unwrap();
        format!("sh {}", shlex::try_quote(self.path(name).to_str().unwrap()).unwrap())
    }

    fn runner(&self) -> HookRunner {
        self.runner_with(&[])
    }

    fn runner_with(&self, more: &[(&str, &str)]) -> HookRunner {
        let home = self.folder();
        let vars = [("PATH", "/usr/bin:/bin"), ("HOME", home.to_str().unwrap())]
            .iter()
            .chain(more)
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
            .collect::<Vars>();
        HookRunner::new(vars, self.path("hermes")).in_directory(self.folder())
    }

    fn consent(&self, policy: ConsentPolicy) -> HookConsent {
        HookConsent { allowlist: Allowlist::at(self.path("hermes/list.json")), policy }
    }

    async fn run(&self, event: HookEvent, script: &str) -> Run {
        let hook = ShellHook::new(event, self.script("hook.sh", script));
        self.runner().run(&hook, &sample_payload(event)).await.unwrap()
    }
}

fn block(message: &str) -> HookAnswer {
    HookAnswer::Directive(json!({"action": "block", "message": message}))
}

fn active(registered: &RegisteredHooks) -> Vec<&str> {
    registered.active.iter().map(|active| active.hook.command.as_str()).collect()
}

fn reasons(registered: &RegisteredHooks) -> Vec<SkipReason> {
    registered.skipped.iter().map(|skipped| skipped.reason).collect()
}

#[tokio::test]
async fn a_script_can_block_in_either_way() {
    let room = Room::new();
    let run = room.run(PRE, r#"echo '{"action": "block", "message": "not today"}'"#).await;
    assert_eq!((run.end, run.answer), (End::Exited(0), block("not today")));
    let run = room.run(PRE, r#"echo '{"decision": "block", "reason": "no"}'"#).await;
    assert_eq!(run.answer, block("no"));
}

#[tokio::test]
async fn a_failing_script_is_still_heard() {
    let script = r#"echo '{"decision": "block", "reason": "no"}'; echo why >&2; exit 3"#;
    let run = Room::new().run(PRE, script).await;
    assert_eq!((run.end, run.answer), (End::Exited(3), block("no")));
    assert_eq!(run.stderr, "why\n");
}

#[tokio::test]
async fn garbage_and_silence_have_no_effect() {
    let room = Room::new();
    let run = room.run(PRE, "echo working; echo '{\"action\": \"block\"}'").await;
    assert!(matches!(run.answer, HookAnswer::Ignored(_)), "{run:?}");
    let run = room.run(PRE, "exit 1").await;
    assert_eq!((run.end, run.answer), (End::Exited(1), HookAnswer::Silent));
}

#[tokio::test]
async fn output_beyond_the_cap_is_garbage_and_is_not_kept() {
    let cap = MAX_OUTPUT_CHARS;
    let script = format!(
        r#"printf '{{"action": "block", "message": "'; head -c {cap} /dev/zero | tr '\0' x; echo '"}}'"#
    );
    let run = Room::new().run(PRE, &script).await;
    assert!(
        matches!(&run.answer, HookAnswer::Ignored(why) if why.contains("longer")),
        "{:?}",
        run.answer
    );
    assert_eq!(run.stdout.chars().count(), cap);
}

#[tokio::test]
async fn a_slow_hook_is_ended_with_everything_it_started() {
    let room = Room::new();
    let script = "echo '{\"action\": \"block\"}'; sleep 60 & echo $! > child; mv child pid; wait";
    let mut hook = ShellHook::new(PRE, room.script("hook.sh", script));
    hook.timeout = Duration::from_secs(1); // time enough to start on a busy machine
    let begun = Instant::now();
    let run = room.runner().run(&hook, &sample_payload(PRE)).await.unwrap();
    assert_eq!(run.end, End::TimedOut);
    assert!(matches!(run.answer, HookAnswer::Ignored(_)), "{:?}", run.answer);
    assert!(begun.elapsed() < Duration::from_secs(20));
    let child = std::fs::read_to_string(room.path("pid")).unwrap();
    assert!(!Path::new("/proc").join(child.trim()).exists(), "process {child} still runs");
}

#[tokio::test]
async fn the_event_arrives_on_standard_input() {
    let room = Room::new();
    room.run(PRE, "cat > seen").await;
    let seen: Value = serde_json::from_slice(&std::fs::read(room.path("seen")).unwrap()).unwrap();
    assert_eq!(seen["hook_event_name"], "pre_tool_call");
    assert_eq!(seen["tool_name"], "terminal");
    assert_eq!(seen["tool_input"], json!({"command": "echo hello"}));
    assert_eq!(seen["session_id"], "sample-session");
    assert_eq!(seen["cwd"], room.folder().to_str().unwrap());
    assert_eq!(seen["extra"]["turn_id"], "sample-turn");
}

#[tokio::test]
async fn quoted_words_and_the_users_folder_reach_the_program() {
    let room = Room::new();
    room.script("my hook.sh", r#"printf '{"context": "%s|%s|%s"}' "$1" "$2" "$#""#);
    let command = "sh ~/'my hook.sh' 'two words' $HOME";
    let hook = ShellHook::new(HookEvent::PreLlmCall, command);
    let run = room.runner().run(&hook, &Payload::new()).await.unwrap();
    assert_eq!(
        run.answer,
        HookAnswer::Directive(json!({"context": "two words|$HOME|2"})),
        "{run:?}"
    );
}

#[tokio::test]
async fn only_named_variables_are_handed_on() {
    let room = Room::new();
    let hook = ShellHook::new(PRE, "env");
    let runner = room.runner_with(&[
        ("OPENAI_API_KEY", "s3cret"),
        ("HERMES_HOME", "/elsewhere"),
        ("LC_TIME", "de_AT"),
        ("USER", "ada"),
    ]);
    let run = runner.run(&hook, &Payload::new()).await.unwrap();
    let mut names: Vec<_> = run.stdout.lines().filter_map(|line| line.split('=').next()).collect();
    names.sort_unstable();
    assert_eq!(names, ["HERMES_HOME", "HOME", "LC_TIME", "PATH", "USER"]);
    assert!(run.stdout.contains(&format!("HERMES_HOME={}", room.path("hermes").display())));
}

#[tokio::test]
async fn a_command_that_cannot_start_is_an_error_in_a_trial_and_nothing_in_an_event() {
    let room = Room::new();
    let hook = ShellHook::new(PRE, "~/no-such-program");
    let report = test_run(&hook, &sample_payload(PRE), &room.runner()).await;
    let error = report.outcome.unwrap_err();
    assert!(error.to_string().contains("no-such-program"), "{error}");

    let hooks = Hooks::default();
    register(&hooks, &[hook], &room.consent(ConsentPolicy::AutoAccept), &room.runner());
    assert!(hooks.listens(PRE));
    assert_eq!(hooks.raise(PRE, sample_payload(PRE)).await, [] as [Value; 0]);
}

#[tokio::test]
async fn a_trial_runs_the_hook_and_says_whether_it_applies() {
    let room = Room::new();
    let mut hook = ShellHook::new(PRE, "echo '{\"action\": \"block\"}'");
    hook.matcher = Some(Matcher::new("web_.*"));
    let report = test_run(&hook, &sample_payload(PRE), &room.runner()).await;
    assert!(!report.applies);
    assert_eq!(report.outcome.unwrap().answer, block(DEFAULT_BLOCK_NOTICE));
}

#[tokio::test]
async fn registered_hooks_run_after_others_and_only_for_their_tools() {
    let room = Room::new();
    let hooks = Hooks::default();
    hooks.on(PRE, Hook::new("plugin", |_| Some(json!("plugin"))));
    let echo =
        |message: &str| format!("echo '{{\"action\": \"block\", \"message\": \"{message}\"}}'");
    let mut web = ShellHook::new(PRE, echo("web"));
    web.matcher = Some(Matcher::new("web_.*"));
    let all = ShellHook::new(PRE, echo("all"));
    register(&hooks, &[web, all], &room.consent(ConsentPolicy::AutoAccept), &room.runner());

    let messages = |tool: &'static str| {
        let mut payload = sample_payload(PRE);
        payload.insert("tool_name".into(), tool.into());
        let raised = hooks.raise(PRE, payload);
        async move {
            let answers = raised.await;
            answers.iter().map(|a| a["message"].as_str().unwrap_or("plugin").to_owned()).collect()
        }
    };
    let heard: Vec<String> = messages("terminal").await;
    assert_eq!(heard, ["plugin", "all"]);
    let heard: Vec<String> = messages("web_search").await;
    assert_eq!(heard, ["plugin", "web", "all"]);
}

#[test]
fn what_nobody_agreed_to_is_skipped_and_says_how_to_agree() {
    let (room, hooks) = (Room::new(), Hooks::default());
    let consent = room.consent(ConsentPolicy::Skip);
    let registered = register(&hooks, &[ShellHook::new(PRE, "a")], &consent, &room.runner());
    assert_eq!(reasons(&registered), [SkipReason::NotApproved]);
    assert!(registered.skipped[0].to_string().contains("--accept-hooks"));
    assert!(!hooks.listens(PRE));
    assert!(!room.path("hermes").exists(), "skipping writes nothing");
}

#[test]
fn an_agreement_is_noted_and_holds_next_time() {
    let room = Room::new();
    let configured = [ShellHook::new(PRE, "a"), ShellHook::new(HookEvent::PostToolCall, "a")];
    let asked = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&asked);
    let consent = room.consent(ConsentPolicy::Ask(Box::new(move |hook| {
        count.fetch_add(1, Ordering::SeqCst);
        if hook.event == PRE { ConsentReply::Yes } else { ConsentReply::No }
    })));
    let registered = register(&Hooks::default(), &configured, &consent, &room.runner());
    assert_eq!(
        (active(&registered), reasons(&registered)),
        (vec!["a"], vec![SkipReason::Declined])
    );
    assert_eq!(registered.active[0].agreed, Agreed::JustNow);
    assert_eq!(asked.load(Ordering::SeqCst), 2);

    let later = room.consent(ConsentPolicy::Skip);
    let registered = register(&Hooks::default(), &configured, &later, &room.runner());
    assert_eq!(registered.active[0].agreed, Agreed::Earlier(ScriptState::Unknown));
    assert_eq!(reasons(&registered), [SkipReason::NotApproved]);
}

#[test]
fn one_command_with_two_matchers_is_asked_about_once() {
    for (reply, in_force) in [(ConsentReply::Yes, 2), (ConsentReply::No, 0)] {
        let (room, hooks) = (Room::new(), Hooks::default());
        let asked = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&asked);
        let consent = room.consent(ConsentPolicy::Ask(Box::new(move |_| {
            count.fetch_add(1, Ordering::SeqCst);
            reply
        })));
        let mut other = ShellHook::new(PRE, "a");
        other.matcher = Some(Matcher::new("terminal"));
        let configured = [ShellHook::new(PRE, "a"), other];
        let registered = register(&hooks, &configured, &consent, &room.runner());
        assert_eq!((registered.active.len(), asked.load(Ordering::SeqCst)), (in_force, 1));
    }
}

#[test]
fn registering_again_adds_only_what_is_new() {
    let (room, hooks) = (Room::new(), Hooks::default());
    let consent = room.consent(ConsentPolicy::AutoAccept);
    let (a, b) = (ShellHook::new(PRE, "a"), ShellHook::new(PRE, "b"));
    let registered = register(&hooks, &[a.clone(), a.clone()], &consent, &room.runner());
    assert_eq!(registered.active[0].agreed, Agreed::Beforehand);
    assert_eq!(reasons(&registered), [SkipReason::AlreadyActive]);
    let registered = register(&hooks, &[a, b], &consent, &room.runner());
    assert_eq!(active(&registered), ["b"]);
    assert_eq!(hooks.owners(PRE).len(), 2);
}

#[test]
fn safe_mode_registers_nothing() {
    let (room, hooks) = (Room::new(), Hooks::default());
    let runner = room.runner_with(&[(SAFE_MODE_VARIABLE, "1")]);
    let consent = room.consent(ConsentPolicy::AutoAccept);
    let registered = register(&hooks, &[ShellHook::new(PRE, "a")], &consent, &runner);
    assert_eq!(reasons(&registered), [SkipReason::SafeMode]);
    assert!(!hooks.listens(PRE) && !room.path("hermes").exists());
}

#[test]
fn a_damaged_list_agrees_to_nothing_and_survives() {
    let (room, hooks) = (Room::new(), Hooks::default());
    let consent = room.consent(ConsentPolicy::Skip);
    consent.allowlist.approve(PRE, "a", None).unwrap();
    write(consent.allowlist.file(), b"{oops", WriteOptions::KEEP).unwrap();
    let registered = register(&hooks, &[ShellHook::new(PRE, "a")], &consent, &room.runner());
    assert_eq!(reasons(&registered), [SkipReason::NotApproved]);
    assert!(matches!(registered.problems[..], [AllowlistError::Damaged { .. }]));

    // Agreed to all the same, which just cannot be noted.
    let consent = room.consent(ConsentPolicy::AutoAccept);
    let registered = register(&hooks, &[ShellHook::new(PRE, "a")], &consent, &room.runner());
    assert_eq!((active(&registered), registered.problems.len()), (vec!["a"], 2));
    assert_eq!(std::fs::read(consent.allowlist.file()).unwrap(), b"{oops");
}

#[test]
fn owners_tell_hooks_apart() {
    let plain = ShellHook::new(PRE, r#"a" for "b"#);
    let mut matched = ShellHook::new(PRE, "a");
    matched.matcher = Some(Matcher::new("b"));
    assert_ne!(plain.owner(), matched.owner());
    assert_eq!(matched.owner(), r#"shell hook "a" for "b""#);
}
