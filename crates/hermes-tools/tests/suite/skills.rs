//! What a skill needs where commands run.

use std::fs::{File, create_dir_all};
use std::io::Write as _;

use serde_json::json;

use crate::backends::{Rig, TestBackend};

pub(crate) async fn the_credential_files_of_a_skill_are_where_its_commands_run(rig: &Rig) {
    let put = |path: &str, text: &str| {
        let file = rig.home.join(path);
        create_dir_all(file.parent().unwrap()).unwrap();
        File::create(file).unwrap().write_all(text.as_bytes()).unwrap();
    };
    // A name of this test's own: places on one machine may share a home.
    let token = format!("mail-{}-{:?}/token.json", std::process::id(), rig.place);
    let files = format!("[{token}, .env, ../escape, missing.json]");
    let skill = format!(
        "---\nname: mail\ndescription: d\nrequired_credential_files: {files}\n---\nRead mail.\n"
    );
    put("skills/mail/SKILL.md", &skill);
    put(&token, "hush");
    put(".env", "MASTER_KEY=never");
    let base = match rig.place {
        TestBackend::Local => rig.home.display().to_string(),
        _ => "~/.hermes".to_owned(),
    };
    let seen = format!("cat {base}/{token} 2>/dev/null || echo none");
    if rig.place != TestBackend::Local {
        assert_eq!(rig.output(&seen).await, "none");
    }
    let view = rig.call("skill_view", json!({"name": "mail"})).await;
    assert_eq!(view["missing_credential_files"], json!(["missing.json"]), "{view}");
    assert_eq!(rig.output(&seen).await, "hush");
    if rig.place != TestBackend::Local {
        assert_eq!(rig.output(&format!("stat -c %a {base}/{token}")).await, "600");
        assert_eq!(rig.output(&format!("ls {base}/.env 2>/dev/null; echo")).await.trim(), "");
        rig.environments.forget("conversation");
        assert_eq!(rig.output(&seen).await, "none", "a conversation's files go with it");
    }
}
