//! What the pages show and change.

use hermes_testkit::Step;

use super::{Dash, HOSTILE, write_deep};

const PAGES: [&str; 18] = [
    "/",
    "/chat",
    "/sessions",
    "/sessions?q=word",
    "/approvals",
    "/cron",
    "/channels",
    "/tools",
    "/tools?tab=skills",
    "/tools?tab=mcp",
    "/tools?tab=plugins",
    "/models",
    "/memory",
    "/usage",
    "/logs",
    "/config",
    "/config?section=terminal",
    "/config/raw",
];

#[test]
fn every_page_is_there_whole_in_an_empty_home() {
    let dash = Dash::start([Step::text("never")]);
    for page in PAGES {
        let answer = dash.get(page);
        assert_eq!(answer.status, 200, "{page}: {answer:?}");
        assert!(answer.body.contains("</html>"), "{page}");
        assert!(!answer.body.contains("could not be put together"), "{page}: {}", answer.body);
        assert!(answer.body.contains("<h1"), "{page}");
    }
    assert_eq!(dash.get("/nothing").status, 404);
    assert!(dash.model.questions().is_empty(), "looking asks no model");
}

/// What is shown of a hostile text: never a tag of its own.
#[track_caller]
fn is_text(page: &str, body: &str) {
    assert!(body.contains("&lt;script&gt;alert(1)"), "{page} shows it: {body}");
    for tag in ["<script>alert", "<img src=x", "<svg onload"] {
        assert!(!body.contains(tag), "{page}: {tag}");
    }
}

#[test]
fn hostile_texts_of_titles_notes_jobs_and_logs_stay_texts() {
    let dash = Dash::start([Step::text("never")]);
    write_deep(&dash.sandbox, "logs/x.log", &format!("ERROR {HOSTILE}\n"));
    dash.sandbox.write("SOUL.md", HOSTILE);
    write_deep(&dash.sandbox, "memories/MEMORY.md", HOSTILE);
    write_deep(
        &dash.sandbox,
        "skills/bad/SKILL.md",
        &format!("---\nname: bad\ndescription: '{}'\n---\ntext\n", HOSTILE.replace('\'', "''")),
    );
    let done =
        dash.submit("/cron", &[("schedule", "every 2h"), ("prompt", HOSTILE), ("name", HOSTILE)]);
    assert_eq!(done.status, 303, "{done:?}");
    for page in ["/logs?file=x.log", "/memory", "/cron", "/tools?tab=skills"] {
        is_text(page, &dash.get(page).body);
    }
    // What was asked for comes back in the field it was asked in.
    let asked = "/sessions?q=%3C%2Fscript%3E%3Cscript%3Ealert(1)%3C%2Fscript%3E";
    is_text(asked, &dash.get(asked).body);
    let problem = dash.submit("/config", &[("path", HOSTILE), ("value", "1")]);
    assert_eq!(problem.status, 400);
    is_text("a refusal", &problem.body);
    let raw = dash.submit("/config/raw", &[("text", &format!("a: [\n{HOSTILE}"))]);
    assert_eq!(raw.status, 400);
    is_text("a broken file", &raw.body);
}

#[test]
fn a_key_goes_in_and_never_out() {
    let dash = Dash::start([Step::text("never")]);
    let key = "sk-or-v1-abcdefghijklmnopqrstuvwxyz-WXYZ";
    let page = dash.does("/keys", &[("name", "OPENROUTER_API_KEY"), ("value", key)]);
    assert!(page.contains("OPENROUTER_API_KEY is stored"), "{page}");
    assert!(dash.sandbox.read(".env").contains(key));
    assert_eq!(dash.sandbox.mode(".env") & 0o777, 0o600);
    for page in PAGES {
        assert!(!dash.get(page).body.contains(&key[..24]), "{page}");
    }
    assert!(dash.get("/models").body.contains("ends with WXYZ"));
    let log = dash.sandbox.read("logs/dashboard-audit.log");
    assert!(log.contains("OPENROUTER_API_KEY") && !log.contains(&key[..16]), "{log}");
    dash.does("/keys", &[("name", "OPENROUTER_API_KEY"), ("act", "unset")]);
    assert!(!dash.sandbox.read(".env").contains(key));
    let refused = dash.submit("/keys", &[("name", "PATH"), ("value", "/tmp")]);
    assert_eq!(refused.status, 400, "only names of keys");
}

#[test]
fn settings_are_judged_kept_with_comments_and_taken_back() {
    let dash = Dash::with([Step::text("never")], "# mine\nagent:\n  max_turns: 20 # enough\n");
    let before = dash.sandbox.read("config.yaml");
    dash.does("/config", &[("path", "agent.max_turns"), ("value", "30")]);
    let after = dash.sandbox.read("config.yaml");
    assert!(after.contains("# mine") && after.contains("max_turns: 30 # enough"), "{after}");
    let wrong = dash.submit("/config", &[("path", "agent.max_turns"), ("value", "many")]);
    assert_eq!(wrong.status, 400);
    assert!(wrong.body.contains("whole number"), "{}", wrong.body);
    dash.does("/config/undo", &[]);
    assert_eq!(dash.sandbox.read("config.yaml"), before);
    let broken = dash.submit("/config/raw", &[("text", "agent:\n  max_turns: [\n")]);
    assert_eq!(broken.status, 400);
    assert!(broken.body.contains("max_turns: ["), "what was typed is not lost");
    assert_eq!(dash.sandbox.read("config.yaml"), before);
}

#[test]
fn secrets_in_the_settings_file_are_not_shown_either() {
    let dash = Dash::with(
        [Step::text("never")],
        "mcp_servers:\n  x:\n    command: true\n    api_key: hunter2hunter2\n",
    );
    for page in ["/config/raw", "/config", "/config?q=api_key"] {
        assert!(!dash.get(page).body.contains("hunter2"), "{page}");
    }
}

#[test]
fn jobs_are_made_paused_and_made_due() {
    let dash = Dash::start([Step::text("never")]);
    let page = dash.does("/cron", &[("schedule", "every 2h"), ("prompt", "look at the mail")]);
    assert!(page.contains("Created look at the mail"), "{page}");
    let id = page.split("/cron/").nth(1).unwrap().split(['"', '/']).next().unwrap().to_owned();
    assert!(dash.does(&format!("/cron/{id}/pause"), &[]).contains("paused"));
    assert!(dash.sandbox.read("cron/jobs.json").contains("\"paused\""));
    dash.does(&format!("/cron/{id}/resume"), &[]);
    assert!(dash.does(&format!("/cron/{id}/run"), &[]).contains("nobody runs jobs"));
    let refused = dash.submit("/cron", &[("schedule", "whenever"), ("prompt", "x")]);
    assert_eq!(refused.status, 400);
    dash.does(&format!("/cron/{id}/remove"), &[]);
    assert_eq!(dash.get(&format!("/cron/{id}")).status, 404);
}

#[test]
fn notes_are_changed_by_the_ways_of_the_agent() {
    let dash = Dash::start([Step::text("never")]);
    dash.does("/memory/note", &[("target", "user"), ("new", "lives in Ulm")]);
    dash.does(
        "/memory/note",
        &[("target", "user"), ("old", "lives in Ulm"), ("new", "lives in Bonn")],
    );
    assert!(dash.sandbox.read("memories/USER.md").contains("Bonn"));
    dash.does("/memory/note", &[("target", "user"), ("old", "lives in Bonn"), ("act", "remove")]);
    assert!(!dash.sandbox.read("memories/USER.md").contains("Bonn"));
    dash.sandbox.write("SOUL.md", "one\ntwo\n");
    let preview = dash.submit("/memory/preview", &[("soul", "one\r\nthree\r\n")]);
    assert_eq!(preview.status, 200);
    assert!(preview.body.contains("class=\"removed\"") && preview.body.contains("class=\"added\""));
    assert_eq!(dash.sandbox.read("SOUL.md"), "one\ntwo\n", "looking changes nothing");
    dash.does("/memory/soul", &[("soul", "one\r\nthree\r\n")]);
    assert_eq!(dash.sandbox.read("SOUL.md"), "one\nthree\n");
}

#[test]
fn a_log_is_chosen_by_name_and_no_path() {
    let dash = Dash::start([Step::text("never")]);
    write_deep(&dash.sandbox, "logs/agent.log", "INFO all is well\nERROR it broke\n");
    let page = dash.get("/logs?file=agent.log&level=error").body;
    assert!(page.contains("it broke") && !page.contains("all is well"), "{page}");
    for path in ["../config.yaml", "/etc/passwd", "..%2F.env"] {
        assert_eq!(dash.get(&format!("/logs?file={path}")).status, 404, "{path}");
    }
}
