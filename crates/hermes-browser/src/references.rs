//! References: short names for elements, which stay the same while their document lives.

use std::collections::HashMap;

/// Which element a reference means.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct ElementKey {
    /// The session that knows the node.
    pub(crate) session: String,
    /// The node's number there.
    pub(crate) node: i64,
}

/// What is kept of an element beside its key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ElementInfo {
    pub(crate) key: ElementKey,
    /// The frame it stands in, for scripts that are run on it.
    pub(crate) frame: String,
    pub(crate) role: String,
    pub(crate) name: String,
}

/// The references of one document and of the frames in it.
#[derive(Default)]
pub(crate) struct References {
    numbers: HashMap<ElementKey, u32>,
    elements: Vec<ElementInfo>,
}

impl References {
    /// The number of an element: the one it has, or the next.
    pub(crate) fn number(&mut self, info: ElementInfo) -> u32 {
        if let Some(number) = self.numbers.get(&info.key) {
            let number = *number;
            self.elements[number as usize - 1] = info;
            return number;
        }
        let number = u32::try_from(self.elements.len() + 1).unwrap_or(u32::MAX);
        self.numbers.insert(info.key.clone(), number);
        self.elements.push(info);
        number
    }

    /// The element that a reference means, written with or without `@`.
    pub(crate) fn find(&self, reference: &str) -> Option<&ElementInfo> {
        let text = reference.trim();
        let text = text.strip_prefix('@').unwrap_or(text);
        let text = text.strip_prefix("ref=").unwrap_or(text);
        let number: usize = text.strip_prefix(['e', 'E'])?.parse().ok()?;
        self.elements.get(number.checked_sub(1)?)
    }

    /// All elements with their numbers.
    pub(crate) fn all(&self) -> impl Iterator<Item = (u32, &ElementInfo)> {
        (1..).zip(&self.elements)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn element(node: i64) -> ElementInfo {
        let key = ElementKey { session: "s".to_owned(), node };
        ElementInfo { key, frame: "f".to_owned(), role: "button".to_owned(), name: String::new() }
    }

    #[test]
    fn an_element_keeps_its_number_and_new_ones_get_the_next() {
        let mut references = References::default();
        assert_eq!(references.number(element(70)), 1);
        assert_eq!(references.number(element(30)), 2);
        assert_eq!(references.number(element(70)), 1);
        assert_eq!(references.number(element(50)), 3);
        for spelling in ["e2", "@e2", " @e2 ", "ref=e2", "E2"] {
            assert_eq!(references.find(spelling).unwrap().key.node, 30, "{spelling}");
        }
        for nonsense in ["e0", "e4", "2", "", "@", "e-1", "e99999999999999999999", "x2"] {
            assert!(references.find(nonsense).is_none(), "{nonsense}");
        }
    }
}
