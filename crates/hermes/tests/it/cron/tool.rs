//! Jobs that a model makes.

use hermes_testkit::{ModelServer, Step};
use serde_json::json;

use super::{created, id, model_settings};
use crate::support::{Sandbox, column};

#[test]
fn a_model_schedules_under_old_and_new_names() {
    let server = ModelServer::start([
        Step::call(
            "schedule_cronjob",
            json!({"prompt": "look at the mail", "schedule": "every 2h", "name": "mail"}),
        ),
        Step::call(
            "cronjob",
            json!({"action": "create", "prompt": "water", "schedule": "@daily", "deliver": "nosuch:1"}),
        ),
        Step::call("cronjob", json!({"action": "list"})),
        Step::text("Done."),
    ]);
    // What a surface sets where somebody can answer.
    let sandbox = Sandbox::with_config(&model_settings(&server)).var("HERMES_EXEC_ASK", "1");
    sandbox.run(["-z", "remind me"]).exits(0).says("Done.");
    let jobs = sandbox.run(["cron", "list", "--json"]).exits(0).json();
    assert_eq!(column(&jobs, "name"), ["mail"], "the other one has nowhere to go");
    let last = server.questions().last().unwrap().body.to_string();
    assert!(last.contains("nosuch:1") && last.contains("\\\"count\\\":1"), "{last}");
}

#[test]
fn a_job_schedules_nothing_unless_the_user_lets_jobs() {
    for (setting, expected) in [("", vec![]), ("cron:\n  jobs_may_schedule: true\n", vec!["more"])]
    {
        let make =
            json!({"action": "create", "prompt": "x", "schedule": "every 2h", "name": "more"});
        let server = ModelServer::start([Step::call("cronjob", make), Step::text("Done.")]);
        let sandbox = Sandbox::with_config(&format!("{}{setting}", model_settings(&server)));
        let job = created(&sandbox, &["1h", "make more jobs", "--name", "first"]);
        sandbox.run(["cron", "run", id(&job)]).exits(0);
        let jobs = sandbox.run(["cron", "list", "--json"]).json();
        let others: Vec<&str> =
            column(&jobs, "name").into_iter().filter(|name| *name != "first").collect();
        assert_eq!(others, expected, "{setting}");
    }
}
