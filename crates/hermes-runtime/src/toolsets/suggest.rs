//! "Did you mean …?" for names that people type.

/// The candidate closest to `name`, if one is close enough to be a likely slip of the fingers.
///
/// Letter case and the difference between `-` and `_` count for nothing; otherwise about one
/// letter in three may differ. The first of equally close candidates wins.
pub(crate) fn closest<'a>(
    name: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    let wanted = fold(name);
    let allowed = (wanted.chars().count() / 3).max(1);
    let mut best: Option<(usize, &str)> = None;
    for candidate in candidates {
        let distance = strsim::damerau_levenshtein(&wanted, &fold(candidate));
        if distance <= allowed && best.is_none_or(|(least, _)| distance < least) {
            best = Some((distance, candidate));
        }
    }
    best.map(|(_, candidate)| candidate)
}

fn fold(name: &str) -> String {
    name.to_lowercase().replace('-', "_")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_near_name_and_not_the_far_one() {
        let names = ["browser", "terminal", "web"];
        assert_eq!(closest("termnial", names), Some("terminal"));
        assert_eq!(closest("WEB", names), Some("web"));
        assert_eq!(closest("kitchen", names), None);
        assert_eq!(closest("image-gen", ["image_gen"]), Some("image_gen"));
    }

    #[test]
    fn first_of_equally_near_names_wins() {
        assert_eq!(closest("cat", ["bat", "hat"]), Some("bat"));
    }
}
