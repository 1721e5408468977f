use super::*;
use crate::put;
use serde_json::json;
use tempfile::TempDir;

struct Scene {
    folder: TempDir,
}

impl Scene {
    fn new() -> Self {
        Self { folder: TempDir::new().unwrap() }
    }

    fn plugin(&self, place: &str, manifest: &str) -> &Self {
        let folder = self.folder.path().join(place);
        std::fs::create_dir_all(&folder).unwrap();
        put(&folder.join("plugin.yaml"), manifest);
        put(&folder.join("__init__.py"), "");
        self
    }

    fn look(&self, vars: &[(&str, &str)]) -> Discovery {
        let vars: Vars =
            vars.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        let home = Home::at(self.folder.path().join("home"));
        PluginFolders::usual(&home, &vars, Some(&self.folder.path().join("project"))).look()
    }

    fn path(&self, name: &str) -> String {
        self.folder.path().join(name).display().to_string()
    }
}

fn keys(discovery: &Discovery) -> Vec<&str> {
    discovery.found.iter().map(|plugin| plugin.key.as_str()).collect()
}

#[test]
fn keys_come_from_the_manifest_or_from_category_and_folder_and_nothing_deeper_counts() {
    let scene = Scene::new();
    scene
        .plugin("home/plugins/one", "name: first\n")
        .plugin("home/plugins/web/two", "name: second\n")
        .plugin("home/plugins/web/deep/three", "name: third\n")
        .plugin("home/plugins/.hidden", "name: hidden\n");
    assert_eq!(keys(&scene.look(&[])), ["first", "web/two"]);
}

#[test]
fn later_places_win_and_a_project_takes_part_only_when_asked() {
    let scene = Scene::new();
    scene
        .plugin("bundled/a", "name: a\n")
        .plugin("bundled/memory/m", "name: m\n")
        .plugin("home/plugins/a", "name: a\nversion: 2\n")
        .plugin("project/.hermes/plugins/a", "name: a\nversion: 3\n");
    let bundled = scene.path("bundled");
    let bundled = (BUNDLED_VARIABLE, bundled.as_str());
    let found = scene.look(&[bundled]);
    assert_eq!(keys(&found), ["a"]);
    assert_eq!(found.found[0].source, PluginSource::User);
    let found = scene.look(&[bundled, (PROJECT_VARIABLE, "1")]);
    assert_eq!(found.found[0].manifest.version, "3");
}

#[test]
fn a_manifest_that_cannot_be_read_is_told_and_hides_nobody() {
    let scene = Scene::new();
    scene.plugin("home/plugins/bad", "name: [\n").plugin("home/plugins/good", "name: good\n");
    let found = scene.look(&[]);
    assert_eq!(keys(&found), ["good"]);
    assert_eq!(found.problems.len(), 1);
    assert!(found.problems[0].place.ends_with("bad"));
}

#[test]
fn a_plugin_is_loaded_when_somebody_said_so_and_nobody_said_no() {
    let choose = |kind: PluginKind, source: PluginSource, settings: serde_json::Value| {
        let manifest = Manifest { name: "p".into(), kind, ..Manifest::default() };
        let runs = Runs::Python;
        let found =
            FoundPlugin { key: "web/p".into(), source, folder: PathBuf::new(), manifest, runs };
        found.choice(&PluginSettings::read(&json!({"plugins": settings})))
    };
    let (user, bundled) = (PluginSource::User, PluginSource::Bundled);
    assert_eq!(choose(PluginKind::Standalone, user, json!({})), LoadChoice::NotEnabled);
    assert_eq!(choose(PluginKind::Standalone, user, json!({"enabled": ["p"]})), LoadChoice::Load);
    assert_eq!(
        choose(PluginKind::Standalone, user, json!({"enabled": ["web/p"]})),
        LoadChoice::Load
    );
    let both = json!({"enabled": ["p"], "disabled": ["web/p"]});
    assert_eq!(choose(PluginKind::Standalone, user, both), LoadChoice::Disabled);
    assert_eq!(choose(PluginKind::Backend, bundled, json!({})), LoadChoice::Load);
    assert_eq!(
        choose(PluginKind::Backend, bundled, json!({"disabled": ["p"]})),
        LoadChoice::Disabled
    );
    assert_eq!(choose(PluginKind::Backend, user, json!({})), LoadChoice::NotEnabled);
    assert_eq!(choose(PluginKind::Platform, bundled, json!({})), LoadChoice::Recorded);
    assert_eq!(choose(PluginKind::Platform, user, json!({"enabled": ["p"]})), LoadChoice::Load);
    assert_eq!(
        choose(PluginKind::Exclusive, user, json!({"enabled": ["p"]})),
        LoadChoice::Recorded
    );
    assert_eq!(choose(PluginKind::ModelProvider, bundled, json!({})), LoadChoice::Recorded);
}
