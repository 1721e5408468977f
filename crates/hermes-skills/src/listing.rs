//! Lists of skills for a model: categories, skills, and skills found by words.
//!
//! A list that would fill the conversation is shortened in steps: descriptions first, then skills give way to
//! categories with counts and the hint to narrow.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Map, Value, json};

use crate::index::{IndexedSkill, SkillTable, shortened};
use crate::offer::OfferContext;

/// A full list longer than this has short descriptions.
pub const SHORT_DESCRIPTIONS_FROM: usize = 12_000;

/// A list longer than this with short descriptions gives categories instead.
pub const CATEGORIES_FROM: usize = 40_000;

/// Characters of a description in a long list.
pub const SHORT_DESCRIPTION_CHARS: usize = 120;

/// Most skills that a search by words answers with.
pub const MAX_FOUND: usize = 20;

/// The skills that lists show, sorted by category and name.
#[must_use]
pub fn offered<'a>(table: &'a SkillTable, context: &OfferContext) -> Vec<&'a Arc<IndexedSkill>> {
    let mut all: Vec<_> =
        table.usable().filter(|entry| context.withheld(entry).is_none()).collect();
    all.sort_by(|a, b| (a.category.as_deref(), &a.name).cmp(&(b.category.as_deref(), &b.name)));
    all
}

/// The answer to "which categories are there?".
#[must_use]
pub fn categories(table: &SkillTable, context: &OfferContext) -> Value {
    let skills = offered(table, context);
    let counts = counts(&skills);
    let descriptions: Map<String, Value> = counts
        .keys()
        .filter_map(|name| Some(((*name).to_owned(), json!(table.descriptions.get(*name)?))))
        .collect();
    let mut answer =
        json!({"success": true, "categories": counts.keys().collect::<Vec<_>>(), "counts": counts});
    if !descriptions.is_empty() {
        answer["descriptions"] = Value::Object(descriptions);
    }
    if skills.is_empty() {
        answer["message"] = json!("There are no skills yet.");
    }
    answer
}

/// The answer to "which skills are there?", in one category or all.
#[must_use]
pub fn list(table: &SkillTable, context: &OfferContext, category: Option<&str>) -> Value {
    let all = offered(table, context);
    let names: Vec<&str> = counts(&all).into_keys().collect();
    if all.is_empty() {
        let message = "There are no skills yet. They live in the skills folder, one folder with a SKILL.md each.";
        return json!({"success": true, "skills": [], "categories": [], "count": 0, "message": message});
    }
    let category = category.map(str::trim).filter(|category| !category.is_empty());
    let wanted: Vec<_> = match category {
        Some(category) => all
            .iter()
            .copied()
            .filter(|entry| entry.category.as_deref() == Some(category))
            .collect(),
        None => all.clone(),
    };
    if let (Some(category), true) = (category, wanted.is_empty()) {
        let hint = format!("There is no category `{category}`.");
        return json!({"success": true, "skills": [], "categories": names, "count": 0, "hint": hint,
            "available_categories": names});
    }
    let rows = rows(&wanted, usize::MAX);
    let answer = |rows: Vec<Value>, hint: &str| json!({"success": true, "skills": rows, "categories": names, "count": wanted.len(), "hint": hint});
    let full = answer(rows, "View a skill by its name to load it.");
    if chars(&full) <= SHORT_DESCRIPTIONS_FROM {
        return full;
    }
    let hint =
        "Descriptions are shortened. Name a category, or search with a query, to narrow the list.";
    let short = answer(self::rows(&wanted, SHORT_DESCRIPTION_CHARS), hint);
    if chars(&short) <= CATEGORIES_FROM {
        return short;
    }
    let hint =
        "Too many skills for one list. Name a category, or search with a query of a few words.";
    json!({"success": true, "skills": [], "categories": names, "counts": counts(&wanted), "count": wanted.len(),
        "hint": hint})
}

/// Answers of [`list`] that were given about one table.
#[derive(Debug, Default)]
pub(crate) struct KeptAnswers {
    table: Arc<SkillTable>,
    answers: Vec<(OfferContext, Option<String>, Value)>,
}

/// Most answers that are kept: platforms times categories that one session asks for.
const MAX_KEPT: usize = 16;

impl KeptAnswers {
    /// The answer about this table, made if it was not given before.
    pub(crate) fn get(
        &mut self,
        table: &Arc<SkillTable>,
        context: OfferContext,
        category: Option<&str>,
    ) -> Value {
        if !Arc::ptr_eq(&self.table, table) {
            *self = Self { table: Arc::clone(table), answers: Vec::new() };
        }
        let known = |(of, about, _): &&(OfferContext, Option<String>, Value)| {
            *of == context && about.as_deref() == category
        };
        if let Some((_, _, answer)) = self.answers.iter().find(known) {
            return answer.clone();
        }
        let answer = list(table, &context, category);
        if self.answers.len() >= MAX_KEPT {
            self.answers.remove(0);
        }
        self.answers.push((context, category.map(str::to_owned), answer.clone()));
        answer
    }
}

/// The answer to "which skills are about this?": the best first.
#[must_use]
pub fn find(table: &SkillTable, context: &OfferContext, query: &str) -> Value {
    let all = offered(table, context);
    let words: Vec<String> = words(query).collect();
    // A word that is in every skill says nothing about one of them.
    let weights: Vec<f64> = words
        .iter()
        .map(|word| {
            let holds = all.iter().filter(|entry| score_of(entry, word) > 0.0).count();
            (1.0 + all.len() as f64 / (1.0 + holds as f64)).ln()
        })
        .collect();
    let mut found: Vec<(f64, &Arc<IndexedSkill>)> = all
        .iter()
        .map(|entry| {
            let score = words
                .iter()
                .zip(&weights)
                .map(|(word, weight)| score_of(entry, word) * weight)
                .sum();
            (score, *entry)
        })
        .filter(|(score, _)| *score > 0.0)
        .collect();
    found.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.name.cmp(&b.1.name)));
    let count = found.len();
    found.truncate(MAX_FOUND);
    let best: Vec<_> = found.into_iter().map(|(_, entry)| entry).collect();
    let hint = match count {
        0 => "Nothing fits. Try other words, or list a category.",
        _ => "View a skill by its name to load it.",
    };
    let names: Vec<&str> = counts(&all).into_keys().collect();
    json!({"success": true, "skills": rows(&best, SHORT_DESCRIPTION_CHARS), "categories": names, "count": count,
        "query": query, "hint": hint})
}

/// How well a word fits a skill: its name, then its tags and category, then what it says of itself.
fn score_of(entry: &IndexedSkill, word: &str) -> f64 {
    let matches = |text: &str| {
        words(text).any(|own| {
            own == word
                || (word.len() >= 4
                    && (own.starts_with(word) || word.starts_with(&own) && own.len() >= 4))
        })
    };
    let mut score = 0.0;
    if entry.name.eq_ignore_ascii_case(word) || matches(&entry.name) {
        score += 4.0;
    }
    if entry.tags.iter().any(|tag| matches(tag)) || entry.chain.as_deref().is_some_and(matches) {
        score += 2.0;
    }
    if matches(&entry.description) {
        score += 1.0;
    }
    score
}

fn words(text: &str) -> impl Iterator<Item = String> {
    text.split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
}

fn counts<'a>(skills: &[&'a Arc<IndexedSkill>]) -> BTreeMap<&'a str, usize> {
    let mut counts = BTreeMap::new();
    for category in skills.iter().filter_map(|entry| entry.category.as_deref()) {
        *counts.entry(category).or_insert(0) += 1;
    }
    counts
}

fn rows(skills: &[&Arc<IndexedSkill>], most: usize) -> Vec<Value> {
    let row = |entry: &&Arc<IndexedSkill>| {
        let description = shortened(&entry.description, most);
        json!({"name": entry.shown_name(), "description": description, "category": entry.category})
    };
    skills.iter().map(row).collect()
}

fn chars(answer: &Value) -> usize {
    answer.to_string().chars().count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::SkillBench;

    fn names(answer: &Value) -> Vec<&str> {
        answer["skills"]
            .as_array()
            .unwrap()
            .iter()
            .map(|skill| skill["name"].as_str().unwrap())
            .collect()
    }

    #[test]
    fn categories_have_counts_and_descriptions_where_there_are_any() {
        let bench = SkillBench::new();
        bench.skill("devops/a", "a", "d");
        bench.skill("devops/b", "b", "d");
        bench.skill("mlops/c", "c", "d");
        bench.skill("d", "d", "d");
        bench.write("mlops/DESCRIPTION.md", "---\ndescription: models\n---\n");
        assert_eq!(
            categories(&bench.table(), &bench.offers()),
            json!({"success": true, "categories": ["devops", "mlops"], "counts": {"devops": 2, "mlops": 1},
                "descriptions": {"mlops": "models"}})
        );
    }

    #[test]
    fn lists_are_sorted_by_category_and_name() {
        let bench = SkillBench::new();
        bench.skill("z/b", "b", "of b");
        bench.skill("a/c", "c", "of c");
        bench.skill("y", "y", "of y");
        bench.skill("x", "x", "of x");
        let answer = list(&bench.table(), &bench.offers(), None);
        assert_eq!(names(&answer), ["x", "y", "c", "b"]);
        assert_eq!(
            answer["skills"][2],
            json!({"name": "c", "description": "of c", "category": "a"})
        );
        assert_eq!(answer["categories"], json!(["a", "z"]));
        assert_eq!(answer["count"], 4);
        let one = list(&bench.table(), &bench.offers(), Some(" a "));
        assert_eq!(names(&one), ["c"]);
    }

    #[test]
    fn an_unknown_category_is_a_success_that_names_the_known_ones() {
        let bench = SkillBench::new();
        bench.skill("a/c", "c", "of c");
        let answer = list(&bench.table(), &bench.offers(), Some("b"));
        assert_eq!((&answer["success"], &answer["count"]), (&json!(true), &json!(0)));
        assert_eq!(answer["available_categories"], json!(["a"]));
    }

    #[test]
    fn no_skills_are_an_empty_list_with_a_message() {
        let bench = SkillBench::new();
        let answer = list(&bench.table(), &bench.offers(), None);
        assert_eq!((&answer["skills"], &answer["categories"]), (&json!([]), &json!([])));
        assert!(answer["message"].as_str().unwrap().contains("no skills"));
    }

    #[test]
    fn long_lists_are_shortened_and_the_longest_give_categories() {
        let bench = SkillBench::new();
        let long = "word ".repeat(60);
        for n in 0..50 {
            bench.skill(&format!("cat/s{n}"), &format!("s{n}"), &long);
        }
        let answer = list(&bench.table(), &bench.offers(), None);
        assert_eq!(names(&answer).len(), 50);
        let description = answer["skills"][0]["description"].as_str().unwrap();
        assert!(
            description.chars().count() <= SHORT_DESCRIPTION_CHARS && description.ends_with("...")
        );
        for n in 50..400 {
            bench.skill(&format!("cat/s{n}"), &format!("s{n}"), &long);
        }
        let answer = list(&bench.table(), &bench.offers(), None);
        assert_eq!((names(&answer).len(), &answer["counts"]), (0, &json!({"cat": 400})));
        assert!(chars(&answer) < 1000, "633 skills took 275,000 characters elsewhere");
        assert_eq!(answer["count"], 400);
    }

    #[test]
    fn long_names_and_descriptions_are_cut() {
        let bench = SkillBench::new();
        bench.skill("a", &"n".repeat(80), &"d".repeat(2000));
        let answer = list(&bench.table(), &bench.offers(), None);
        assert_eq!(names(&answer)[0].len(), 64);
        assert_eq!(answer["skills"][0]["description"].as_str().unwrap().len(), 1024);
    }

    #[test]
    fn an_answer_is_kept_until_a_skill_or_what_may_be_offered_changes() {
        let mut bench = SkillBench::new();
        bench.skill("food/bread", "bread", "Bake bread");
        bench.skill("food/soup", "soup", "Cook soup");
        std::thread::sleep(std::time::Duration::from_millis(60));
        let all = bench.store().list(bench.offers(), None);
        assert_eq!(all, list(&bench.table(), &bench.offers(), None));
        assert_eq!(bench.store().list(bench.offers(), None), all);
        assert_eq!(bench.store().list(bench.offers(), Some("tea"))["count"], 0);
        bench.config = json!({"skills": {"disabled": ["soup"]}});
        assert_eq!(names(&bench.store().list(bench.offers(), None)), ["bread"]);
        bench.skill("food/bread", "bread", "Bake it longer");
        let changed = bench.store().list(bench.offers(), None);
        assert_eq!(changed["skills"][0]["description"], "Bake it longer");
        std::fs::remove_dir_all(bench.path("food/bread")).unwrap();
        assert_eq!(bench.store().list(bench.offers(), None)["count"], 0);
    }

    #[test]
    fn words_find_skills_by_name_then_tags_then_description() {
        let bench = SkillBench::new();
        bench.skill("ops/docker", "docker", "Run containers");
        bench.skill("ops/compose", "compose", "Several docker containers at once");
        bench.write(
            "ops/tagged/SKILL.md",
            "---\nname: tagged\ndescription: x\ntags: [docker]\n---\ny",
        );
        bench.skill("ops/bread", "bread", "Bake bread");
        let found = |query: &str| {
            let answer = find(&bench.table(), &bench.offers(), query);
            names(&answer).iter().map(|name| (*name).to_owned()).collect::<Vec<_>>()
        };
        assert_eq!(found("docker"), ["docker", "tagged", "compose"]);
        assert_eq!(found("baking container"), ["compose", "docker"]);
        assert_eq!(found("nothing like it"), [""; 0]);
        assert_eq!(found(""), [""; 0]);
    }
}
