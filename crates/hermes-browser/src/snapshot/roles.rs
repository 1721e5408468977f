//! Roles: what the browser calls them, and what we do.

/// What becomes of a node by its role.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Word<'a> {
    /// It is shown under this name.
    Shown(&'a str),
    /// It goes; what is in it moves up.
    Dissolved,
    /// It goes with everything in it.
    Dropped,
    /// It is text.
    Text,
}

/// What becomes of a role of the browser's.
pub(super) fn word(role: &str) -> Word<'_> {
    match role {
        "StaticText" | "text" => Word::Text,
        "InlineTextBox" | "LineBreak" | "ListMarker" | "lineBreak" => Word::Dropped,
        "image" | "SvgRoot" | "graphics-document" => Word::Shown("img"),
        "DisclosureTriangle" | "DisclosureTriangleGrouped" => Word::Shown("button"),
        "Date" | "DateTime" | "InputTime" | "ColorWell" => Word::Shown("textbox"),
        "ComboBoxSelect" | "ComboBoxMenuButton" | "ComboBoxGrouping" | "PopUpButton" => {
            Word::Shown("combobox")
        }
        "TextField" => Word::Shown("textbox"),
        "ToggleButton" => Word::Shown("button"),
        "DescriptionListTerm" => Word::Shown("term"),
        "DescriptionListDetail" => Word::Shown("definition"),
        "DescriptionList" => Word::Shown("list"),
        "Details" => Word::Shown("group"),
        "Figcaption" => Word::Shown("caption"),
        "Iframe" => Word::Shown("Iframe"),
        "Video" => Word::Shown("video"),
        "Audio" => Word::Shown("audio"),
        "Canvas" => Word::Shown("img"),
        "gridCell" => Word::Shown("gridcell"),
        "" | "generic" | "none" | "presentation" | "RootWebArea" => Word::Dissolved,
        // Names of the browser's own, which no page knows, begin with a capital letter.
        other if other.starts_with(|first: char| first.is_ascii_uppercase()) => Word::Dissolved,
        other => Word::Shown(other),
    }
}

/// Always has a reference.
pub(super) fn is_control(role: &str) -> bool {
    matches!(
        role,
        "button"
            | "link"
            | "textbox"
            | "checkbox"
            | "radio"
            | "combobox"
            | "listbox"
            | "menuitem"
            | "menuitemcheckbox"
            | "menuitemradio"
            | "option"
            | "searchbox"
            | "slider"
            | "spinbutton"
            | "switch"
            | "tab"
            | "treeitem"
            | "Iframe"
    )
}

/// Has a reference if it has a name.
pub(super) fn is_landmark(role: &str) -> bool {
    matches!(
        role,
        "heading"
            | "cell"
            | "gridcell"
            | "columnheader"
            | "rowheader"
            | "listitem"
            | "article"
            | "region"
            | "main"
            | "navigation"
    )
}

/// Is filled in: texts near it may say what with, or what was wrong.
pub(super) fn is_field(role: &str) -> bool {
    matches!(
        role,
        "textbox"
            | "checkbox"
            | "radio"
            | "combobox"
            | "listbox"
            | "searchbox"
            | "slider"
            | "spinbutton"
            | "switch"
    )
}

/// Its name is the text in it, which need not be shown twice.
pub(super) fn is_named_by_content(role: &str) -> bool {
    matches!(
        role,
        "button"
            | "link"
            | "heading"
            | "cell"
            | "gridcell"
            | "columnheader"
            | "rowheader"
            | "option"
            | "menuitem"
            | "menuitemcheckbox"
            | "menuitemradio"
            | "tab"
            | "treeitem"
            | "checkbox"
            | "radio"
            | "switch"
            | "tooltip"
            | "row"
    )
}

/// Shows a value beside its name.
pub(super) fn has_value(role: &str) -> bool {
    matches!(
        role,
        "textbox"
            | "searchbox"
            | "combobox"
            | "spinbutton"
            | "slider"
            | "progressbar"
            | "meter"
            | "scrollbar"
    )
}

/// Can be checked.
pub(super) fn is_checkable(role: &str) -> bool {
    matches!(role, "checkbox" | "radio" | "switch" | "menuitemcheckbox" | "menuitemradio")
}

/// What is written in it matters, even without anything to use.
pub(super) fn is_message(role: &str) -> bool {
    matches!(
        role,
        "alert"
            | "status"
            | "alertdialog"
            | "dialog"
            | "cell"
            | "gridcell"
            | "columnheader"
            | "rowheader"
            | "caption"
            | "legend"
            | "term"
            | "definition"
            | "tooltip"
            | "log"
            | "timer"
            | "note"
    )
}

/// Means nothing without a name or content.
pub(super) fn is_mere_group(role: &str) -> bool {
    matches!(
        role,
        "group"
            | "section"
            | "strong"
            | "emphasis"
            | "code"
            | "superscript"
            | "subscript"
            | "insertion"
            | "deletion"
            | "mark"
            | "time"
    )
}
