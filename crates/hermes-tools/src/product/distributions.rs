//! The distributions that ship with the program, as data.

use hermes_runtime::distributions::{Distribution, Distributions, Share};

struct Row {
    name: &'static str,
    description: &'static str,
    shares: &'static [(&'static str, f64)],
}

const fn row(
    name: &'static str,
    description: &'static str,
    shares: &'static [(&'static str, f64)],
) -> Row {
    Row { name, description, shares }
}

const ROWS: [Row; 17] = [
    row(
        "default",
        "All the common toolsets, always",
        &[
            ("web", 100.0),
            ("vision", 100.0),
            ("image_gen", 100.0),
            ("terminal", 100.0),
            ("file", 100.0),
            ("browser", 100.0),
        ],
    ),
    row(
        "image_gen",
        "Mostly pictures, with some web and commands",
        &[("image_gen", 90.0), ("vision", 90.0), ("web", 55.0), ("terminal", 45.0)],
    ),
    row(
        "research",
        "Finding things out on the web",
        &[("web", 90.0), ("browser", 70.0), ("vision", 50.0), ("terminal", 10.0)],
    ),
    row(
        "science",
        "Literature, data and computation",
        &[
            ("web", 94.0),
            ("terminal", 94.0),
            ("file", 94.0),
            ("vision", 65.0),
            ("browser", 50.0),
            ("image_gen", 15.0),
        ],
    ),
    row(
        "development",
        "Writing software",
        &[("terminal", 80.0), ("file", 80.0), ("web", 30.0), ("vision", 10.0)],
    ),
    row(
        "safe",
        "Nothing that touches the machine",
        &[("web", 80.0), ("browser", 70.0), ("vision", 60.0), ("image_gen", 60.0)],
    ),
    row(
        "balanced",
        "A coin toss for each common toolset",
        &[
            ("web", 50.0),
            ("vision", 50.0),
            ("image_gen", 50.0),
            ("terminal", 50.0),
            ("file", 50.0),
            ("browser", 50.0),
        ],
    ),
    row("minimal", "The web and nothing else", &[("web", 100.0)]),
    row("browser_only", "The browser and nothing else", &[("browser", 100.0)]),
    row("terminal_only", "Commands and files", &[("terminal", 100.0), ("file", 100.0)]),
    row(
        "terminal_web",
        "Commands, files and the web",
        &[("terminal", 100.0), ("file", 100.0), ("web", 100.0)],
    ),
    row(
        "creative",
        "Making and looking at pictures",
        &[("image_gen", 90.0), ("vision", 90.0), ("web", 30.0)],
    ),
    row(
        "reasoning",
        "Thinking things through with sources and notes",
        &[("web", 90.0), ("file", 60.0), ("terminal", 20.0)],
    ),
    row(
        "browser_use",
        "Always a browser, often with the web and sight",
        &[("browser", 100.0), ("web", 80.0), ("vision", 70.0)],
    ),
    row(
        "browser_tasks",
        "Chores done in a browser",
        &[("browser", 97.0), ("vision", 12.0), ("terminal", 15.0)],
    ),
    row(
        "terminal_tasks",
        "Chores done with commands, with nearly everything at hand",
        &[
            ("terminal", 97.0),
            ("file", 97.0),
            ("web", 97.0),
            ("browser", 75.0),
            ("vision", 50.0),
            ("image_gen", 10.0),
        ],
    ),
    row(
        "mixed_tasks",
        "Chores in the browser and the terminal alike",
        &[
            ("browser", 92.0),
            ("terminal", 92.0),
            ("file", 92.0),
            ("web", 35.0),
            ("vision", 15.0),
            ("image_gen", 15.0),
        ],
    ),
];

/// The distributions that ship with the program.
#[must_use]
pub fn distributions() -> Distributions {
    let share =
        |(toolset, percent): &(&str, f64)| Share { toolset: (*toolset).into(), percent: *percent };
    let distribution = |row: &Row| Distribution {
        name: row.name.into(),
        description: row.description.into(),
        shares: row.shares.iter().map(share).collect(),
    };
    Distributions::new(ROWS.iter().map(distribution).collect())
}
