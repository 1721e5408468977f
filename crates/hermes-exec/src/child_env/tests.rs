use std::path::Path;

use hermes_tool::settings::SettingValue as _;
use serde_json::json;

use super::*;

fn vars(pairs: &[(&str, &str)]) -> Vars {
    pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
}

fn map(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
    vars(pairs).iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect()
}

fn value<'a>(variables: &'a BTreeMap<String, String>, name: &str) -> Option<&'a str> {
    variables.get(name).map(String::as_str)
}

fn none() -> BTreeSet<String> {
    BTreeSet::new()
}

#[test]
fn keys_of_ours_are_left_out_and_the_rest_is_inherited() {
    let process = vars(&[
        ("OPENAI_API_KEY", "sk"),
        ("GH_TOKEN", "gh"),
        ("AUXILIARY_VISION_API_KEY", "aux"),
        ("VIRTUAL_ENV", "/venv"),
        ("CONDA_PREFIX", "/conda"),
        ("_HERMES_FORCE_OPENAI_API_KEY", "forced"),
        ("AWS_ACCESS_KEY_ID", "aws"),
        ("CLAUDE_CODE_OAUTH_TOKEN", "claude"),
        ("NOTION_TOKEN", "notion"),
        ("EDITOR", "vi"),
    ]);
    let given = variables(&process, &EnvRules::default());
    let names: Vec<_> = given.keys().map(String::as_str).collect();
    assert_eq!(
        names,
        ["AWS_ACCESS_KEY_ID", "CLAUDE_CODE_OAUTH_TOKEN", "EDITOR", "NOTION_TOKEN", "PATH"]
    );
}

#[test]
fn the_backend_adds_variables_but_no_keys() {
    let rules = EnvRules {
        backend: map(&[
            ("EDITOR", "nano"),
            ("LANG", "C"),
            ("GITHUB_TOKEN", "x"),
            ("VIRTUAL_ENV", "/v"),
        ]),
        ..EnvRules::default()
    };
    let given = variables(&vars(&[("EDITOR", "vi")]), &rules);
    assert_eq!(value(&given, "EDITOR"), Some("nano"));
    assert_eq!(value(&given, "LANG"), Some("C"));
    assert_eq!((value(&given, "GITHUB_TOKEN"), value(&given, "VIRTUAL_ENV")), (None, None));
}

#[test]
fn the_backend_can_force_a_key_but_no_dynamic_secret() {
    let rules = EnvRules {
        backend: map(&[
            ("_HERMES_FORCE_GITHUB_TOKEN", "forced"),
            ("_HERMES_FORCE_VIRTUAL_ENV", "/venv"),
            ("_HERMES_FORCE_AUXILIARY_VISION_API_KEY", "never"),
            ("_HERMES_FORCE_", "nameless"),
        ]),
        ..EnvRules::default()
    };
    let given = variables(&vars(&[("GITHUB_TOKEN", "own")]), &rules);
    assert_eq!(value(&given, "GITHUB_TOKEN"), Some("forced"));
    assert_eq!(value(&given, "VIRTUAL_ENV"), Some("/venv"));
    assert_eq!(value(&given, "AUXILIARY_VISION_API_KEY"), None);
    assert!(given.keys().all(|name| !name.is_empty() && !name.starts_with(FORCE_PREFIX)));
}

#[test]
fn keys_of_the_users_own_providers_are_left_out_too() {
    let also_withheld = BTreeSet::from(["WORK_LLM_KEY".to_owned()]);
    let rules = EnvRules { also_withheld, ..EnvRules::default() };
    assert_eq!(value(&variables(&vars(&[("WORK_LLM_KEY", "k")]), &rules), "WORK_LLM_KEY"), None);
}

#[test]
fn a_helper_that_talks_to_providers_gets_their_keys_and_no_accounts() {
    let process = vars(&[
        ("OPENAI_API_KEY", "sk"),
        ("WORK_LLM_KEY", "k"),
        ("TELEGRAM_BOT_TOKEN", "bot"),
        ("GITHUB_TOKEN", "gh"),
        ("MODAL_TOKEN_SECRET", "modal"),
        ("AUXILIARY_VISION_API_KEY", "aux"),
    ]);
    let rules = EnvRules {
        credentials: Credentials::Inherited,
        also_withheld: BTreeSet::from(["WORK_LLM_KEY".to_owned()]),
        ..EnvRules::default()
    };
    let given = variables(&process, &rules);
    let names: Vec<_> = given.keys().map(String::as_str).collect();
    assert_eq!(names, ["OPENAI_API_KEY", "PATH", "WORK_LLM_KEY"]);
}

#[test]
fn asking_by_name_gets_no_key() {
    let asked = ["MY_TOOL_TOKEN", " PADDED ", "OPENAI_API_KEY", "WORK_LLM_KEY", ""];
    let also = BTreeSet::from(["WORK_LLM_KEY".to_owned()]);
    let passthrough = Passthrough::new(asked, &also);
    assert_eq!(passthrough.names().collect::<Vec<_>>(), ["MY_TOOL_TOKEN", "PADDED"]);
    assert!(passthrough.allows("PADDED") && !passthrough.allows("OPENAI_API_KEY"));
    assert_eq!(Passthrough::refused(asked, &also), ["OPENAI_API_KEY", "WORK_LLM_KEY"]);

    let secrets = ["auxiliary_vision_api_key", "SLACK_BOT_TOKEN"];
    assert_eq!(Passthrough::new(secrets, &none()), Passthrough::default());
}

#[test]
fn asking_by_name_keeps_the_mark_of_a_python_environment() {
    let rules =
        EnvRules { passthrough: Passthrough::new(["VIRTUAL_ENV"], &none()), ..EnvRules::default() };
    let given = variables(&vars(&[("VIRTUAL_ENV", "/v"), ("CONDA_PREFIX", "/c")]), &rules);
    assert_eq!((value(&given, "VIRTUAL_ENV"), value(&given, "CONDA_PREFIX")), (Some("/v"), None));
}

#[test]
fn a_container_gets_what_the_user_lists_even_a_key() {
    let process = vars(&[
        ("GITHUB_TOKEN", "gh"),
        ("AUXILIARY_VISION_API_KEY", "aux"),
        ("MY_TOKEN", "mine"),
        ("OTHER", "x"),
    ]);
    let explicit = ["GITHUB_TOKEN", "AUXILIARY_VISION_API_KEY", "UNSET"].map(str::to_owned);
    let passthrough = Passthrough::new(["MY_TOKEN", "GH_TOKEN"], &none());
    let given = forwarded(&process, &explicit, &passthrough);
    assert_eq!(given, map(&[("GITHUB_TOKEN", "gh"), ("MY_TOKEN", "mine")]));
}

#[test]
fn the_search_path_is_put_in_order() {
    let rules =
        EnvRules { own_directory: Some(PathBuf::from("/opt/hermes")), ..EnvRules::default() };
    let given = variables(&vars(&[("PATH", "/a::/a")]), &rules);
    let path = value(&given, "PATH").unwrap();
    assert!(path.starts_with("/opt/hermes:/a:/opt/homebrew/bin:"), "{path}");
    assert!(path.ends_with(":/bin"), "{path}");
}

#[test]
fn the_home_follows_the_mode() {
    let profile = || Some(PathBuf::from("/state/home"));
    let process = vars(&[("HOME", "/home/me")]);
    let home_of = |mode, host, profile_home| {
        let home = HomeRules { mode, host, profile_home, account_home: None };
        let given = variables(&process, &EnvRules { home, ..EnvRules::default() });
        assert_eq!(value(&given, "HERMES_REAL_HOME"), Some("/home/me"));
        value(&given, "HOME").unwrap().to_owned()
    };
    use HomeMode::{Auto, Profile, Real};
    use HostKind::{Container, Host};
    for (mode, surroundings, there, home) in [
        (Auto, Host, true, "/home/me"),
        (Auto, Container, true, "/state/home"),
        (Auto, Container, false, "/home/me"),
        (Real, Host, true, "/home/me"),
        (Real, Container, true, "/home/me"),
        (Profile, Host, true, "/state/home"),
        (Profile, Container, true, "/state/home"),
        (Profile, Host, false, "/home/me"),
    ] {
        let profile_home = if there { profile() } else { None };
        assert_eq!(home_of(mode, surroundings, profile_home), home, "{mode:?} {surroundings:?}");
    }
}

#[test]
fn inside_another_hermes_the_real_home_is_the_outer_ones() {
    let process = vars(&[("HOME", "/state/home"), ("HERMES_REAL_HOME", "/home/me")]);
    let given = variables(&process, &EnvRules::default());
    assert_eq!(value(&given, "HOME"), Some("/home/me"));
    assert_eq!(value(&given, "HERMES_REAL_HOME"), Some("/home/me"));
}

#[test]
fn without_a_home_the_account_tells_it() {
    let home = HomeRules { account_home: Some(PathBuf::from("/root")), ..HomeRules::default() };
    let given = variables(&vars(&[("HOME", " ")]), &EnvRules { home, ..EnvRules::default() });
    assert_eq!(
        (value(&given, "HOME"), value(&given, "HERMES_REAL_HOME")),
        (Some("/root"), Some("/root"))
    );
    assert_eq!(value(&variables(&Vars::default(), &EnvRules::default()), "HOME"), None);
}

#[test]
fn modes_of_the_home_have_other_names() {
    let named = |name: &str| HomeMode::from_config(&json!(name));
    assert_eq!(named(" Isolated "), Some(HomeMode::Profile));
    assert_eq!(named("host"), Some(HomeMode::Real));
    assert_eq!(named("somewhere"), None);
}

#[test]
fn without_sessions_what_was_inherited_stays() {
    let process = vars(&[("HERMES_SESSION_ID", "outer"), ("HERMES_CRON_AUTO_DELIVER_CHAT", "c")]);
    let given = variables(&process, &EnvRules::default());
    assert_eq!(value(&given, "HERMES_SESSION_ID"), Some("outer"));
    assert_eq!(value(&given, "HERMES_CRON_AUTO_DELIVER_CHAT"), Some("c"));
}

#[test]
fn a_session_sees_its_own_variables_and_no_other_sessions() {
    let mut process: Vec<(&str, &str)> =
        SESSION_VARIABLES.iter().map(|name| (*name, "another's")).collect();
    process.push(("HERMES_CRON_AUTO_DELIVER_CHAT_ID", "another's"));
    let bound = map(&[
        ("HERMES_SESSION_ID", "mine"),
        ("HERMES_CRON_AUTO_DELIVER_PLATFORM", "slack"),
        ("OPENAI_API_KEY", "not a session variable"),
    ]);
    let rules = EnvRules {
        backend: map(&[
            ("HERMES_SESSION_KEY", "stale"),
            ("_HERMES_FORCE_HERMES_SESSION_ID", "stale"),
        ]),
        session: SessionContext::InUse(bound),
        ..EnvRules::default()
    };
    let given = variables(&vars(&process), &rules);
    let expected = map(&[
        ("HERMES_SESSION_ID", "mine"),
        ("HERMES_CRON_AUTO_DELIVER_PLATFORM", "slack"),
        ("PATH", value(&given, "PATH").unwrap()),
    ]);
    assert_eq!(given, expected);
}

#[test]
fn a_container_is_known_by_what_its_engine_left_in_it() {
    let nothing = |_: &Path| false;
    let plain = vars(&[("PATH", "/bin"), ("container", " ")]);
    assert_eq!(HostKind::of(&plain, nothing), HostKind::Host);
    let docker = |file: &Path| file == Path::new("/.dockerenv");
    assert_eq!(HostKind::of(&plain, docker), HostKind::Container);
    for name in ["container", "KUBERNETES_SERVICE_HOST", "APPTAINER_CONTAINER"] {
        let inside = vars(&[(name, "x")]);
        assert_eq!(HostKind::of(&inside, nothing), HostKind::Container, "{name}");
    }
}
