//! What the hub keeps beside the skills, and what it finds out for itself.

use std::os::unix::fs::PermissionsExt as _;
use std::time::{Duration, SystemTime};

use hermes_testkit::{WebReply, WebServer};
use serde_json::json;

use super::doubles::{GitHubDouble, repo, skill};
use super::{Bench, ended, said};
use crate::report::VerbStatus::{Done, Usage};

fn bench(github: &GitHubDouble) -> Bench {
    let addresses = github.addresses();
    let addresses: Vec<(&str, &str)> =
        addresses.iter().map(|(name, address)| (*name, address.as_str())).collect();
    Bench::new(&addresses)
}

/// Makes every kept answer a week old.
fn age(bench: &Bench) {
    let week = SystemTime::now() - Duration::from_secs(7 * 24 * 3600);
    for entry in std::fs::read_dir(bench.path(".hub/index-cache")).unwrap() {
        let file = std::fs::File::options().append(true).open(entry.unwrap().path()).unwrap();
        file.set_modified(week).unwrap();
    }
}

#[tokio::test]
async fn an_old_answer_is_used_when_the_network_fails_and_only_then() {
    let pdf = repo(&[("skills/pdf/SKILL.md", &skill("pdf", "x"))]);
    let github = GitHubDouble::with(&[("acme/tools", pdf)]);
    let bench = bench(&github);
    ended(&bench.run(&["tap", "add", "acme/tools"]).await, Done);
    let search = ["search", "pdf", "--source", "github", "--json"];
    said(&bench.run(&search).await, "acme/tools/skills/pdf");
    github.put("acme/tools", "skills/pdf-two/SKILL.md", &skill("pdf-two", "x"));
    age(&bench);
    said(&bench.run(&search).await, "acme/tools/skills/pdf-two");
    github.repos.lock().unwrap().clear();
    age(&bench);
    let report = bench.run(&search).await;
    ended(&report, Done);
    said(&report, "acme/tools/skills/pdf-two");
}

#[tokio::test]
async fn the_folder_of_the_hub_tells_search_tools_to_stay_out() {
    let github = GitHubDouble::with(&[("acme/tools", repo(&[("a/SKILL.md", &skill("a", "x"))]))]);
    let bench = bench(&github);
    ended(&bench.run(&["install", "acme/tools/a", "--yes"]).await, Done);
    assert_eq!(bench.read(".hub/.ignore"), "*\n");
}

#[tokio::test]
async fn a_skill_that_wants_a_schedule_is_installed_and_nothing_is_scheduled() {
    let text = "---\nname: a\ndescription: d\nmetadata: {hermes: {blueprint: {schedule: daily, prompt: go}}}\n---\nx\n";
    let github = GitHubDouble::with(&[("acme/tools", repo(&[("a/SKILL.md", text)]))]);
    let bench = bench(&github);
    let report = bench.run(&["install", "acme/tools/a", "--yes"]).await;
    ended(&report, Done);
    said(&report, "nothing was scheduled");
    let home = bench.path("..");
    assert!(!home.join("cron").exists());
}

#[tokio::test]
async fn browsing_shows_a_page_of_the_size_that_was_asked_for() {
    let names = ["a", "b", "c", "d", "e"];
    let files: Vec<(String, String)> =
        names.iter().map(|name| (format!("skills/{name}/SKILL.md"), skill(name, "x"))).collect();
    let files: Vec<(&str, &str)> =
        files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let github = GitHubDouble::with(&[("anthropics/skills", repo(&files))]);
    let bench = bench(&github);
    let page = async |number: &str| {
        let words = ["browse", "--source", "github", "--size", "2", "--page", number];
        let report = bench.run(&words).await;
        said(&report, "of 3, 5 skills");
        report.plain()
    };
    assert!(page("1").await.contains("skills/a") && page("2").await.contains("skills/c"));
    let last = page("3").await;
    assert!(last.contains("skills/e") && !last.contains("skills/d"), "{last}");
    assert!(page("9").await.contains("skills/e"), "beyond the last there is the last");
}

#[tokio::test]
async fn the_gh_program_is_asked_for_a_token_after_the_variables() {
    let folder = tempfile::tempdir().unwrap();
    let gh = folder.path().join("gh");
    let text = b"#!/bin/sh\n[ \"$*\" = \"auth token\" ] && echo from-gh\n";
    hermes_store::atomic::write(&gh, text, hermes_store::atomic::WriteOptions::KEEP).unwrap();
    std::fs::set_permissions(&gh, std::fs::Permissions::from_mode(0o755)).unwrap();
    let server = WebServer::start(|_| WebReply::status(404));
    let path = format!("{}:/usr/bin:/bin", folder.path().display());
    for (variable, expected) in [(None, "token from-gh"), (Some("GH_TOKEN"), "token from-variable")]
    {
        let mut bench = Bench::new(&[("github_api", &server.origin())]).var("PATH", &path);
        if let Some(name) = variable {
            bench = bench.var(name, "from-variable");
        }
        ended(&bench.run(&["install", "acme/tools/a", "--yes"]).await, Usage);
        assert!(server.requests().last().unwrap().carries(expected), "{expected}");
    }
}

#[tokio::test]
async fn a_repository_that_groups_its_skills_gives_them_categories() {
    let groups = json!({"groupings": [{"title": "Documents", "skills": ["pdf"]}]}).to_string();
    let files = repo(&[("skills/pdf/SKILL.md", &skill("pdf", "x")), ("skills.sh.json", &groups)]);
    let github = GitHubDouble::with(&[("acme/tools", files)]);
    let bench = bench(&github);
    ended(&bench.run(&["install", "acme/tools/skills/pdf", "--yes"]).await, Done);
    assert!(bench.path("documents/pdf/SKILL.md").exists());
}
