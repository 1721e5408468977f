//! The index of skills in the system prompt.
//!
//! A line a skill while there are few; above [`MAX_LISTED_SKILLS`] only categories, and skills are found by words.
//! The same skills give the same bytes.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::index::{IndexedSkill, SkillTable, shortened};
use crate::offer::{OfferContext, SessionTools};

/// Most characters of a description in the index.
pub const MAX_LINE_CHARS: usize = 60;

/// With more skills than this, the index gives categories only.
pub const MAX_LISTED_SKILLS: usize = 60;

/// Most categories listed.
const MAX_CATEGORIES: usize = 60;

/// The category of skills that have none.
const NO_CATEGORY: &str = "general";

const GUIDANCE: &str = "When one is even partly about what is asked, load it with skill_view(name) first and follow \
    it; if it proves wrong, patch it with skill_manage.";

/// The block for a session's prompt; nothing when there are no skills for it.
#[must_use]
pub fn block(table: &SkillTable, context: &OfferContext, session: &SessionTools) -> Option<String> {
    let mut skills: Vec<&Arc<IndexedSkill>> = table
        .usable()
        .filter(|entry| context.withheld_from_prompt(entry, session).is_none())
        .collect();
    if skills.is_empty() {
        return None;
    }
    skills.sort_by(|a, b| a.name.cmp(&b.name));
    let mut by_category: BTreeMap<&str, Vec<&Arc<IndexedSkill>>> = BTreeMap::new();
    for entry in &skills {
        by_category.entry(entry.chain.as_deref().unwrap_or(NO_CATEGORY)).or_default().push(entry);
    }
    let lines = match skills.len() {
        0..=MAX_LISTED_SKILLS => {
            by_category.iter().flat_map(|(name, skills)| listed(table, name, skills)).collect()
        }
        _ => counted(table, &by_category),
    };
    let narrowing = match skills.len() {
        0..=MAX_LISTED_SKILLS => String::new(),
        count => format!(
            "\nThere are {count} skills, too many to list here: find those about a task with skills_list(query=\"a few \
             words\"), or list a category."
        ),
    };
    Some(format!(
        "## Skills\n{GUIDANCE}{narrowing}\n<available_skills>\n{}\n</available_skills>",
        lines.join("\n")
    ))
}

fn listed(table: &SkillTable, category: &str, skills: &[&Arc<IndexedSkill>]) -> Vec<String> {
    let heading = match table.descriptions.get(category) {
        Some(about) => format!("{}: {}", plain(category), shortened(&plain(about), MAX_LINE_CHARS)),
        None => format!("{}:", plain(category)),
    };
    let line = |entry: &&Arc<IndexedSkill>| {
        let about = shortened(&plain(&entry.description), MAX_LINE_CHARS);
        format!("- {}: {about}", plain(&entry.shown_name()))
    };
    std::iter::once(heading).chain(skills.iter().map(line)).collect()
}

fn counted(
    table: &SkillTable,
    by_category: &BTreeMap<&str, Vec<&Arc<IndexedSkill>>>,
) -> Vec<String> {
    let line = |(category, skills): (&&str, &Vec<&Arc<IndexedSkill>>)| {
        let about =
            table.descriptions.get(*category).map(|about| shortened(&plain(about), MAX_LINE_CHARS));
        let about = about.map(|about| format!(": {about}")).unwrap_or_default();
        format!("{} ({}){about}", plain(category), skills.len())
    };
    let mut lines: Vec<String> = by_category.iter().take(MAX_CATEGORIES).map(line).collect();
    if by_category.len() > MAX_CATEGORIES {
        lines.push(format!("… {} more categories", by_category.len() - MAX_CATEGORIES));
    }
    lines
}

/// One line that cannot end the block it stands in.
fn plain(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ").replace(['<', '>'], "")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::SkillBench;

    fn index(bench: &SkillBench) -> Option<String> {
        block(&bench.table(), &bench.offers(), &SessionTools::default())
    }

    #[test]
    fn skills_stand_below_their_categories() {
        let bench = SkillBench::new();
        bench.skill("ops/deep/b", "b", "of b");
        bench.skill("ops/c", "c", "of c");
        bench.skill("a", "a", "of a");
        bench.write("ops/DESCRIPTION.md", "---\ndescription: running things\n---\n");
        let block = index(&bench).unwrap();
        let lines = "<available_skills>\ngeneral:\n- a: of a\nops: running things\n- c: of c\nops/deep:\n- b: of b\n\
                     </available_skills>";
        assert!(block.ends_with(lines), "{block}");
        assert!(block.contains("skill_view(name)") && block.contains("patch"));
    }

    #[test]
    fn no_skills_no_block() {
        assert_eq!(index(&SkillBench::new()), None);
    }

    #[test]
    fn a_line_has_at_most_sixty_characters_and_stays_a_line() {
        let bench = SkillBench::new();
        bench.skill("a", "a", &format!("'</available_skills> {}'", "word ".repeat(40)));
        let block = index(&bench).unwrap();
        let line = block.lines().find(|line| line.starts_with("- a: ")).unwrap();
        let about = line.strip_prefix("- a: ").unwrap();
        assert!(about.chars().count() <= 60 && about.ends_with("..."), "{about}");
        assert_eq!(block.matches("</available_skills>").count(), 1);
    }

    #[test]
    fn above_sixty_skills_only_categories_are_listed() {
        let bench = SkillBench::new();
        for n in 0..61 {
            bench.skill(&format!("cat{}/s{n}", n % 3), &format!("s{n}"), "d");
        }
        let block = index(&bench).unwrap();
        assert!(block.contains("cat0 (21)") && block.contains("skills_list(query="), "{block}");
        assert!(!block.contains("- s0"), "{block}");
    }

    #[test]
    fn the_same_skills_give_the_same_bytes() {
        let bench = SkillBench::new();
        for n in 0..20 {
            bench.skill(&format!("c{}/s{n}", n % 4), &format!("s{n}"), "d");
        }
        let first = index(&bench);
        bench.library.touch();
        assert_eq!(index(&bench), first);
    }

    #[test]
    fn what_a_session_cannot_use_is_left_out_of_its_prompt() {
        let bench = SkillBench::new();
        bench.write(
            "a/SKILL.md",
            "---\nname: a\ndescription: d\nmetadata: {hermes: {requires_toolsets: [web]}}\n---\nx",
        );
        assert_eq!(index(&bench), None);
        let session =
            SessionTools { toolsets: ["web".to_owned()].into(), ..SessionTools::default() };
        assert!(block(&bench.table(), &bench.offers(), &session).is_some());
    }
}
