use super::*;
use hermes_tool::ToolOutput;
use proptest::prelude::*;

fn tool(name: &str, description: &str, arguments: &[&str]) -> Value {
    let properties: Args =
        arguments.iter().map(|name| ((*name).to_owned(), json!({"type": "string"}))).collect();
    json!({"type": "function", "function": {
        "name": name, "description": description,
        "parameters": {"type": "object", "properties": properties},
    }})
}

fn source(name: &str) -> Source {
    Source { kind: SourceKind::Mcp, name: name.split("__").nth(1).unwrap_or_default().to_owned() }
}

fn catalog() -> Catalog {
    Catalog::new(
        &[
            tool("mcp__github__create_issue", "Open a new issue.", &["title", "body"]),
            tool("mcp__github__list_issues", "List the issues of a repository.", &["repo"]),
            tool("mcp__weather__forecast", "Tell the weather of tomorrow.", &["city"]),
        ],
        &source,
    )
}

fn args(value: Value) -> Args {
    match value {
        Value::Object(args) => args,
        other => panic!("{other} is not an object"),
    }
}

fn found(query: &str) -> Vec<String> {
    let config = SearchConfig::default();
    let answer = catalog().search(&args(json!({"query": query})), &config).unwrap();
    let matches = answer["matches"].as_array().unwrap();
    matches.iter().map(|found| found["name"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn finds_by_name_description_and_argument() {
    assert_eq!(found("create issue")[0], "mcp__github__create_issue");
    assert_eq!(found("tomorrow"), ["mcp__weather__forecast"]);
    assert_eq!(found("CITY"), ["mcp__weather__forecast"]);
    assert_eq!(found("github").len(), 2);
}

#[test]
fn falls_back_to_parts_of_names() {
    assert_eq!(found("fore"), ["mcp__weather__forecast"]);
    assert_eq!(found("GitHub__List"), found("github list"), "words come first");
    assert_eq!(found("nowhere"), [""; 0]);
    assert_eq!(found("__"), [""; 0], "no word, no match, although names contain it");
}

#[test]
fn a_match_has_its_source_and_a_short_description() {
    let long = tool("mcp__x__y", &"é".repeat(900), &[]);
    let catalog = Catalog::new(&[long], &source);
    let config = SearchConfig::default();
    let answer = catalog.search(&args(json!({"query": " y "})), &config).unwrap();
    assert_eq!(
        answer,
        json!({"query": "y", "total_available": 1, "matches": [{
            "name": "mcp__x__y", "source": "mcp", "source_name": "x",
            "description": "é".repeat(400),
        }]})
    );
}

#[test]
fn a_blank_query_is_an_error() {
    let config = SearchConfig::default();
    for odd in [json!({}), json!({"query": "  "}), json!({"query": 3})] {
        assert!(catalog().search(&args(odd), &config).is_err());
    }
}

#[test]
fn describes_the_whole_tool_or_says_where_to_look() {
    let catalog = catalog();
    let answer = catalog.describe(&args(json!({"name": " mcp__weather__forecast "}))).unwrap();
    assert_eq!(answer["description"], "Tell the weather of tomorrow.");
    assert_eq!(answer["parameters"]["properties"]["city"]["type"], "string");
    let error = catalog.describe(&args(json!({"name": "read_file"}))).unwrap_err();
    assert!(error.contains("'read_file'") && error.contains("tool_search"));
}

#[test]
fn only_tools_of_the_scope_can_be_called() {
    let catalog = catalog();
    let call = json!({"name": "mcp__weather__forecast", "arguments": {"city": "Ulm"}});
    let (name, arguments) = catalog.resolve_call(args(call)).unwrap();
    assert_eq!((name.as_str(), &arguments["city"]), ("mcp__weather__forecast", &json!("Ulm")));
    assert!(catalog.resolve_call(args(json!({"name": "mcp__other__x"}))).is_err());
    assert!(catalog.resolve_call(args(json!({"name": "tool_call"}))).is_err());
}

#[test]
fn the_catalog_of_a_scope_leaves_out_core_pinned_and_bridges() {
    let config = SearchConfig { pinned: ["pinned".to_owned()].into(), ..SearchConfig::default() };
    let scope = ["core", "pinned", "tool_search", "x_search"].map(|name| tool(name, "", &[]));
    let catalog = Catalog::of_scope(&scope, &|name| name == "core", &config, &source);
    let names: Vec<&str> = catalog.entries().iter().map(|entry| entry.name.as_str()).collect();
    assert_eq!(names, ["x_search"]);
}

#[test]
fn sources_follow_from_the_origin() {
    let of = |origin: Origin| {
        let tool = Tool::builder("t", "set").origin(origin);
        let source = Source::of(&tool.handler(|_, _| Ok(ToolOutput::text("{}"))));
        (source.kind.to_string(), source.name)
    };
    assert_eq!(of(Origin::Mcp("github".into())), ("mcp".into(), "github".into()));
    assert_eq!(of(Origin::Plugin("notes".into())), ("plugin".into(), "notes".into()));
    assert_eq!(of(Origin::Linked), ("other".into(), "set".into()));
}

proptest! {
    #[test]
    fn any_search_gives_at_most_the_limit_and_only_known_tools_once(
        tools in prop::collection::vec(("[a-z_]{0,8}", "\\PC{0,30}", "[a-z]{0,4}"), 0..12),
        query in prop_oneof!["\\PC{0,20}", "[a-z ]{0,12}"],
        limit in prop_oneof![any::<i64>().prop_map(Value::from), "\\PC{0,5}".prop_map(Value::from)],
    ) {
        let definitions: Vec<Value> = tools
            .iter()
            .enumerate()
            .map(|(index, (name, text, argument))| tool(&format!("{name}{index}"), text, &[argument]))
            .collect();
        let catalog = Catalog::new(&definitions, &source);
        let config = SearchConfig::default();
        let answer = catalog.search(&args(json!({"query": query, "limit": limit})), &config);
        prop_assert_eq!(answer.is_err(), query.trim().is_empty());
        if let Ok(answer) = answer {
            let mut names: Vec<&str> = answer["matches"]
                .as_array()
                .unwrap()
                .iter()
                .map(|found| found["name"].as_str().unwrap())
                .collect();
            prop_assert!(names.len() <= config.limit(Some(&limit)));
            prop_assert!(names.iter().all(|name| catalog.get(name).is_some()));
            names.sort_unstable();
            names.dedup();
            prop_assert_eq!(names.len(), answer["matches"].as_array().unwrap().len());
        }
    }
}
