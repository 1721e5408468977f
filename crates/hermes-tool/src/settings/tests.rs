use serde_json::{Value, json};

use super::*;

/// What a struct of every sort of field looks like.
#[derive(Debug, PartialEq, Settings)]
#[settings(path = "kitchen", about = "A kitchen", variables = "KITCHEN_", manual)]
struct Kitchen {
    /// How many cooks there are.
    #[setting(default = 2, range = 1..=10, older = "kitchen.chefs")]
    cooks: u32,
    /// How long dough rests, in seconds.
    #[setting(default = Seconds::new(90.0))]
    rest: Seconds,
    /// Which oven is used.
    #[setting(default = Oven::Gas, fallback = "OVEN")]
    oven: Oven,
    /// What is never served.
    never: Vec<String>,
    /// Who is at the door.
    #[setting(variable_only = "GUEST")]
    guest: Option<String>,
    /// The name on the door.
    #[setting(path = "sign", variable = "KITCHEN_SIGN")]
    sign: Option<String>,
    /// Plates.
    plates: Plates,
    /// Whether the door is open.
    #[setting(key = "door.is_open", file_only)]
    open: bool,
}

/// Plates.
#[derive(Debug, PartialEq, Settings)]
#[settings(manual)]
struct Plates {
    /// How many there are.
    #[setting(default = 12)]
    count: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, SettingWords)]
enum Oven {
    Gas,
    #[setting(word = "wood-fired")]
    WoodFired,
    #[setting(also("cold"), bool = false)]
    Off,
}

fn vars(pairs: &[(&str, &str)]) -> Vars {
    pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
}

fn read(config: &Value) -> Kitchen {
    Kitchen::read(config, &Vars::default())
}

#[test]
fn an_empty_configuration_has_the_declared_defaults() {
    let kitchen = Kitchen::default();
    assert_eq!((kitchen.cooks, kitchen.plates.count, kitchen.oven), (2, 12, Oven::Gas));
    assert_eq!(kitchen.rest.duration().as_secs(), 90);
    assert_eq!((kitchen.sign, kitchen.open, kitchen.never), (None, false, vec![]));
}

#[test]
fn what_is_written_counts_in_all_its_spellings() {
    let kitchen = read(&json!({"sign": 7, "kitchen": {
        "cooks": "3", "rest": 1, "oven": "Wood-Fired", "never": "fish", "plates": {"count": 4.0}, "door": {"is_open": "yes"}}}));
    assert_eq!((kitchen.cooks, kitchen.oven, kitchen.plates.count), (3, Oven::WoodFired, 4));
    assert_eq!(
        (kitchen.sign.as_deref(), kitchen.never.as_slice()),
        (Some("7"), ["fish".to_owned()].as_slice())
    );
    assert!(kitchen.open);
    assert_eq!(read(&json!({"kitchen": {"chefs": 7}})).cooks, 7);
    assert_eq!(read(&json!({"kitchen": {"oven": false}})).oven, Oven::Off);
    assert_eq!(read(&json!({"kitchen": {"oven": "cold"}})).oven, Oven::Off);
}

#[test]
fn wrong_values_count_as_absent_and_are_told_without_secrets() {
    let config = json!({"kitchen": {"cooks": 99, "rest": -1, "oven": "steam", "never": {"token": "hush"}, "plates": 3}});
    let (kitchen, problems) = Kitchen::read_with_problems(&config, &Vars::default());
    assert_eq!(kitchen, Kitchen::default());
    let told: Vec<String> = problems.iter().map(ToString::to_string).collect();
    assert_eq!(
        told,
        [
            "kitchen.cooks in config.yaml is 99, but must be a whole number from 1 to 10",
            "kitchen.rest in config.yaml is -1, but must be a number",
            "kitchen.oven in config.yaml is \"steam\", but must be one of gas, wood-fired, off",
            "kitchen.never in config.yaml is a section, but must be a list of texts",
            "kitchen.plates in config.yaml is 3, but must be a section",
        ]
    );
    assert!(Kitchen::read_strictly(&config, &Vars::default()).is_err());
}

#[test]
fn variables_stand_before_or_behind_the_file() {
    let config = json!({"sign": "file", "kitchen": {"cooks": 4}});
    let with = vars(&[
        ("KITCHEN_SIGN", "var"),
        ("KITCHEN_COOKS", "5"),
        ("OVEN", "off"),
        ("KITCHEN_DOOR.IS_OPEN", "1"),
    ]);
    let kitchen = Kitchen::read(&config, &with);
    assert_eq!((kitchen.sign.as_deref(), kitchen.cooks, kitchen.oven), (Some("var"), 4, Oven::Off));
    assert!(!kitchen.open);
    let kitchen = Kitchen::read(
        &json!({}),
        &vars(&[("KITCHEN_COOKS", "5"), ("KITCHEN_NEVER", r#"["a","b"]"#)]),
    );
    assert_eq!((kitchen.cooks, kitchen.never.len()), (5, 2));
    assert_eq!(
        Kitchen::read(&json!({"guest": "x"}), &vars(&[("GUEST", "y")])).guest.as_deref(),
        Some("y")
    );
}

#[test]
fn a_variable_with_a_list_that_is_none_is_told_without_showing_it() {
    let problem = Kitchen::read_strictly(&json!({}), &vars(&[("KITCHEN_NEVER", "hush")]))
        .unwrap_err()
        .to_string();
    assert!(problem.starts_with("the variable KITCHEN_NEVER is not valid JSON"), "{problem}");
    assert!(!problem.contains("hush"), "{problem}");
}

#[test]
fn older_words_are_accepted_and_not_shown() {
    assert!(Oven::KIND.fits(&json!("Cold")) && !Oven::KIND.fits(&json!("steam")));
    assert!(!Oven::KIND.to_string().contains("cold"));
}

/// What many of a kind look like.
#[derive(Debug, PartialEq, Settings)]
#[settings(manual)]
struct Menu {
    /// Dishes by name.
    dishes: std::collections::BTreeMap<String, TextOr<Dish>>,
    /// What is served, in order.
    courses: Entries<Dish>,
    /// Older form of dishes.
    #[setting(hidden)]
    meals: Entries<Dish>,
}

/// A dish.
#[derive(Debug, PartialEq, Settings)]
#[settings(manual, about = "One dish")]
struct Dish {
    /// What it is made of.
    #[setting(older = "of", older = "from")]
    made_of: Option<String>,
    /// What it costs.
    #[setting(default = 10, range = 1..)]
    price: u32,
}

#[test]
fn many_of_a_kind_are_read_one_by_one_and_told_with_their_place() {
    let config = json!({
        "dishes": {"soup of.the day": "leek", "tart": {"from": "plums", "price": 0}, "stone": 7, "none": null, "bad": []},
        "courses": [{"of": "leek", "price": "3"}, "tart", {"price": "dear"}],
    });
    let (menu, problems) = Menu::read_with_problems(&config, &Vars::default());
    assert_eq!(menu.dishes["soup of.the day"], TextOr::Text("leek".into()));
    let dish = |made_of: Option<&str>, price| Dish { made_of: made_of.map(str::to_owned), price };
    assert_eq!(menu.dishes["tart"], TextOr::Parts(dish(Some("plums"), 10)));
    assert_eq!(menu.dishes["stone"], TextOr::Text("7".into()));
    assert_eq!(menu.dishes.len(), 3);
    assert_eq!(menu.courses.0, [dish(Some("leek"), 3), dish(None, 10)]);
    let mut told: Vec<String> = problems.iter().map(ToString::to_string).collect();
    told.sort();
    assert_eq!(
        told,
        [
            "courses[1] in config.yaml is \"tart\", but must be a section",
            "courses[2].price in config.yaml is \"dear\", but must be a whole number of at least 1",
            "dishes.bad in config.yaml is a list, but must be a text, or a section",
            "dishes.tart.price in config.yaml is 0, but must be a whole number of at least 1",
        ]
    );
}

#[test]
fn older_spellings_stand_where_their_struct_stands() {
    let keys = KeyTable::new(Menu::keys());
    let shown = |hidden| -> Vec<&str> {
        let keys = keys.keys().iter().filter(|key| key.hidden == hidden);
        keys.map(|key| key.path.as_str()).filter(|path| !path.starts_with("courses")).collect()
    };
    assert_eq!(shown(false), ["dishes", "dishes.*", "dishes.*.made_of", "dishes.*.price"]);
    assert_eq!(
        shown(true),
        [
            "dishes.*.from",
            "dishes.*.of",
            "meals",
            "meals.*",
            "meals.*.from",
            "meals.*.made_of",
            "meals.*.of",
            "meals.*.price",
        ]
    );
    assert_eq!(keys.find(&["dishes", "x"]).map(|key| key.about), Some("One dish"));
    assert!(keys.find(&["courses", "0", "price"]).is_some());
}

#[test]
fn what_a_reader_of_its_own_takes_is_kept_as_written() {
    let written = RawSetting::<Entries<Dish>>::from_config(&json!([{"anything": 1}])).unwrap();
    assert_eq!(written.0, json!([{"anything": 1}]));
    assert!(!format!("{written:?}").contains("anything"));
    assert_eq!(RawSetting::<Entries<Dish>>::KIND, Kind::List);
}

#[test]
fn the_keys_say_what_the_struct_says() {
    let table = KeyTable::new(Kitchen::keys());
    let shown: Vec<_> = table
        .keys()
        .iter()
        .map(|key| {
            format!(
                "{} | {} | {} | {} | {}",
                key.path,
                key.kind,
                key.default,
                key.about,
                key.variable.as_deref().unwrap_or("")
            )
        })
        .collect();
    assert_eq!(
        shown,
        [
            "kitchen | a section |  | A kitchen | ",
            "kitchen.chefs | a whole number |  | How many cooks there are | ",
            "kitchen.cooks | a whole number | 2 | How many cooks there are | KITCHEN_COOKS",
            "kitchen.door | a section |  |  | ",
            "kitchen.door.is_open | true or false | false | Whether the door is open | ",
            "kitchen.never | a list of texts | [] | What is never served | KITCHEN_NEVER",
            "kitchen.oven | true or false, or one of gas, wood-fired, off | gas | Which oven is used | OVEN",
            "kitchen.plates | a section |  | Plates | ",
            "kitchen.plates.count | a whole number | 12 | How many there are | ",
            "kitchen.rest | a number | 90 | How long dough rests, in seconds | KITCHEN_REST",
            "sign | a text |  | The name on the door | KITCHEN_SIGN",
        ]
    );
    assert_eq!(
        table.find(&["kitchen", "plates", "count"]).map(|key| key.default.as_str()),
        Some("12")
    );
    assert!(table.find(&["kitchen", "nothing"]).is_none());
}
