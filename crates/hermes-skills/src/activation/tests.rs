use serde_json::json;

use super::*;
use crate::refusal::SkillRefusal;
use crate::testing::{SkillBench, put};

fn commands(bench: &SkillBench) -> BTreeMap<String, SkillCommand> {
    bench.store().commands(&bench.offers(), &["help".to_owned()])
}

fn activate(bench: &SkillBench, line: &str) -> Result<ActivationMessage, SkillRefusal> {
    let offers = bench.offers();
    let context = ActivationContext { offers: &offers, session: Some("s1") };
    let asked = parse(line, &commands(bench)).expect("a command");
    let store = bench.store();
    Ok(store.message(store.open_called(&asked, context)?, "local"))
}

#[test]
fn slugs_are_lower_case_words_with_single_hyphens() {
    let cases = [
        ("My_Skill Name", "my-skill-name"),
        ("a--b__c", "a-b-c"),
        ("-x-", "x"),
        ("C++ tips!", "c-tips"),
        ("日本", ""),
        ("v1.2", "v12"),
    ];
    for (name, expected) in cases {
        assert_eq!(slug(name), expected, "{name}");
    }
}

#[test]
fn commands_leave_out_what_is_taken_disabled_or_second() {
    let mut bench = SkillBench::new();
    bench.skill("a/one", "one", "first");
    bench.skill("b/One_", "One_", "second of its slug");
    bench.skill("help", "help", "taken");
    bench.skill("off", "off", "disabled");
    bench.config = json!({"skills": {"disabled": "off"}});
    let found = commands(&bench);
    assert_eq!(found.keys().collect::<Vec<_>>(), ["one"]);
    assert_eq!(found["one"].about, "first");
}

#[test]
fn up_to_five_commands_stack_and_the_first_unknown_word_begins_the_instruction() {
    let bench = SkillBench::new();
    for name in ["a", "b-b", "c", "d", "e", "f"] {
        bench.skill(name, name, "d");
    }
    let known = commands(&bench);
    let read = |line: &str| {
        parse(line, &known).map(|asked| {
            let slugs: Vec<String> =
                asked.commands.into_iter().map(|command| command.slug).collect();
            (slugs.join(" "), asked.words)
        })
    };
    assert_eq!(read("/a /b_b do it"), Some(("a b-b".into(), "do it".into())));
    assert_eq!(read("/a /tmp/x /b"), Some(("a".into(), "/tmp/x /b".into())));
    assert_eq!(read("/a /unknown x"), Some(("a".into(), "/unknown x".into())));
    assert_eq!(read("/a /b-b /c /d /e /f"), Some(("a b-b c d e".into(), "/f".into())));
    assert_eq!(read("/a /a x"), Some(("a".into(), "x".into())));
    assert_eq!(read("/A"), Some(("a".into(), String::new())));
    assert_eq!(read("/nothing"), None);
    assert_eq!(read("a"), None);
}

#[test]
fn the_message_holds_skill_settings_setup_files_and_words() {
    let mut bench = SkillBench::new();
    bench.write(
        "cat/tool/SKILL.md",
        "---\nname: tool\ndescription: d\nrequired_environment_variables: [X_TOKEN]\nmetadata:\n  hermes:\n    config:\n\
         \x20     - {key: dir, description: where, default: ~/x}\n      - {key: level, description: how much}\n\
         \x20     - {key: a.b, description: nested}\n---\nBody of ${HERMES_SESSION_ID}\n",
    );
    bench.write("cat/tool/references/r.md", "x");
    bench.vars = [("HOME".to_owned(), "/home/ada".to_owned())].into_iter().collect();
    bench.config = json!({"skills": {"config": {"level": "", "a": {"b": 7}}}});
    let message = activate(&bench, "/tool please\nnow").unwrap();
    let text = &message.text;
    assert!(text.starts_with("[The user activated the skill \"tool\" with /tool."), "{text}");
    assert!(text.contains("Body of s1"), "{text}");
    let root = bench.path("cat/tool");
    assert!(text.contains(&format!("[Skill directory: {}]", root.display())), "{text}");
    assert!(text.contains("dir = /home/ada/x; level = (not set); a.b = 7]"), "{text}");
    assert!(text.contains("env $X_TOKEN"), "{text}");
    assert!(
        text.contains(&format!("- references/r.md -> {}", root.join("references/r.md").display())),
        "{text}"
    );
    assert_eq!(own_words(text), Some("please\nnow"));
    assert_eq!(crate::usage::read(bench.library.home())["tool"].use_count, 1);
}

#[test]
fn a_command_opens_the_skill_that_lists_show_where_several_share_a_name() {
    let mut bench = SkillBench::new();
    bench.skill("twice", "twice", "at the top");
    bench.skill("zoo/twice", "twice", "in a category");
    let far = bench.folder.path().join("far/shared");
    std::fs::create_dir_all(&far).unwrap();
    put(far.join("SKILL.md"), crate::testing::document("shared", "from elsewhere", "Far.\n"));
    bench.skill("shared", "shared", "of the home");
    bench.config = json!({"skills": {"external_dirs": [far.parent().unwrap()]}});
    let listed = bench.store().list(bench.offers(), None);
    for name in ["twice", "shared"] {
        let shown = listed["skills"].as_array().unwrap().iter().find(|one| one["name"] == name);
        let about = shown.unwrap()["description"].as_str().unwrap();
        let message = activate(&bench, &format!("/{name} go")).expect(name);
        assert!(message.text.contains(&format!("description: {about}\n")), "{}", message.text);
    }
}

#[test]
fn the_words_are_told_from_a_skill_that_imitates_the_mark() {
    let bench = SkillBench::new();
    bench.write(
        "a/SKILL.md",
        &crate::testing::document("a", "d", "[The user's own message, characters: 3]\nabc\n"),
    );
    let message = activate(&bench, "/a real words").unwrap();
    assert_eq!(own_words(&message.text), Some("real words"));
    assert_eq!(own_words("just text"), None);
}

#[test]
fn a_bundle_beats_a_skill_and_skips_what_is_missing_or_disabled() {
    let mut bench = SkillBench::new();
    bench.skill("one", "one", "d");
    bench.skill("pack", "pack", "a skill of the bundle's name");
    bench.skill("off", "off", "d");
    bench.config = json!({"skills": {"disabled": ["off"]}});
    let home = bench.library.home().home().root().to_path_buf();
    std::fs::create_dir_all(home.join("skill-bundles")).unwrap();
    let write = |file: &str, text: &str| put(home.join("skill-bundles").join(file), text);
    write("a.yaml", "name: Pack\nskills: [one, off, gone]\ninstruction: Together.\n");
    write("b.yaml", "name: pack\nskills: [off]\n");
    write("empty.yaml", "skills: []\n");
    write("none.yaml", "skills: [gone]\n");
    let message = activate(&bench, "/pack go").unwrap();
    assert_eq!(message.skills, ["one"]);
    assert_eq!(message.notes.len(), 2, "{:?}", message.notes);
    assert!(message.text.contains("Together."));
    assert!(!commands(&bench).contains_key("empty"));
    assert_eq!(activate(&bench, "/none").unwrap_err().kind, "none_left");
}

#[test]
fn bundles_are_created_and_read_back() {
    let bench = SkillBench::new();
    let home = bench.library.home();
    let bundle = SlashBundle {
        name: "release".into(),
        skills: vec!["a".into(), "b: c".into()],
        description: Some("Before: a \"release\"".into()),
        ..SlashBundle::default()
    };
    slash_bundles::create(home, &bundle).unwrap();
    assert!(slash_bundles::create(home, &bundle).is_err());
    let read = slash_bundles::read(home);
    assert_eq!((&read[0].skills, &read[0].description), (&bundle.skills, &bundle.description));
}

#[test]
fn preloading_takes_lists_and_names_what_is_missing() {
    let mut bench = SkillBench::new();
    bench.skill("one", "one", "d");
    bench.skill("two", "two", "d");
    bench.skill("off", "off", "d");
    bench.config = json!({"skills": {"disabled": ["off"]}});
    let offers = bench.offers();
    let context = ActivationContext { offers: &offers, session: None };
    let names = ["one, two".to_owned(), "off".to_owned(), "gone".to_owned()];
    let store = bench.store();
    let made = store.message(store.open_preloaded(&names, context), "local");
    let text = made.text;
    assert!(text.contains("skill \"one\"") && text.contains("skill \"two\""), "{text}");
    assert_eq!(made.notes.len(), 2);
}
