//! What the scripted model says to whom.
//!
//! A script is data: built in Rust by the methods here, or read from JSON with the same names. It has one
//! line of steps for the conversation under test, and routes for everything on the side, which are tried
//! first. Unknown fields are errors, because a misspelt one would make a test pass for the wrong reason;
//! and a request beyond the last step fails, because an answer nobody wrote would hide a surplus call.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

use crate::step::Step;
use crate::view::View;

/// A whole script. Steps are played in order, one for each request that no route takes.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Script {
    /// The one model in the list of models.
    pub model: String,
    /// How much it says it can read, in tokens.
    pub context_length: u64,
    /// What it answers.
    pub steps: Vec<Step>,
    /// What happens after the last step.
    pub when_done: WhenDone,
    /// Other steps for requests that match; the first that matches takes it.
    pub routes: Vec<Route>,
    /// JSON that is served at a path to any request for it, such as `/api/tags`.
    pub pages: BTreeMap<String, Value>,
}

impl Default for Script {
    fn default() -> Self {
        Self {
            model: "scripted".to_owned(),
            context_length: 200_000,
            steps: Vec::new(),
            when_done: WhenDone::default(),
            routes: Vec::new(),
            pages: BTreeMap::new(),
        }
    }
}

/// What happens when all steps were played.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WhenDone {
    /// The request fails and says that the script is over.
    #[default]
    Fail,
    /// The last step is played again and again.
    RepeatLast,
}

/// Steps of their own for requests of a kind.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Route {
    /// What it is called in the log.
    pub name: String,
    /// Which requests it takes.
    pub when: Match,
    /// What they get; the last is repeated.
    pub steps: Vec<Step>,
}

/// Which requests are meant: those for which everything that is set holds.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Match {
    /// The model asked for.
    pub model: Option<String>,
    /// Text in the standing instructions.
    pub system: Option<String>,
    /// Text in the newest message of the user.
    pub user: Option<String>,
    /// Text anywhere in the request.
    pub anywhere: Option<String>,
    /// Whether there are tools on offer.
    pub tools: Option<bool>,
    /// A tool that is on offer.
    pub tool: Option<String>,
}

impl Match {
    /// Requests whose instructions hold this text.
    #[must_use]
    pub fn system(text: &str) -> Self {
        Self { system: Some(text.to_owned()), ..Self::default() }
    }

    /// Requests whose newest user message holds this text.
    #[must_use]
    pub fn user(text: &str) -> Self {
        Self { user: Some(text.to_owned()), ..Self::default() }
    }

    /// Requests that hold this text anywhere.
    #[must_use]
    pub fn anywhere(text: &str) -> Self {
        Self { anywhere: Some(text.to_owned()), ..Self::default() }
    }

    /// Requests without tools, as summaries and titles are.
    #[must_use]
    pub fn toolless() -> Self {
        Self { tools: Some(false), ..Self::default() }
    }

    fn takes(&self, view: &View) -> bool {
        let holds = |wanted: &Option<String>, check: &dyn Fn(&str) -> bool| {
            wanted.as_deref().is_none_or(check)
        };
        holds(&self.model, &|model| view.model == model)
            && holds(&self.system, &|text| view.system.contains(text))
            && holds(&self.user, &|text| view.last_text("user").contains(text))
            && holds(&self.anywhere, &|text| view.raw.contains(text))
            && holds(&self.tool, &|tool| view.tools.iter().any(|offered| offered == tool))
            && self.tools.is_none_or(|wanted| wanted != view.tools.is_empty())
    }
}

impl Script {
    /// A script of these steps.
    #[must_use]
    pub fn new<S: Into<Step>>(steps: impl IntoIterator<Item = S>) -> Self {
        Self { steps: steps.into_iter().map(Into::into).collect(), ..Self::default() }
    }

    /// Reads the JSON form: an object, or only the list of steps.
    ///
    /// # Errors
    ///
    /// The text is not a script; the message says where.
    pub fn parse(json: &str) -> Result<Self, serde_json::Error> {
        #[derive(Deserialize)]
        #[serde(transparent)]
        struct Steps(Vec<Step>);
        if json.trim_start().starts_with('[') {
            return serde_json::from_str::<Steps>(json).map(|steps| Self::new(steps.0));
        }
        serde_json::from_str(json)
    }

    /// Gives requests that match steps of their own; the last step is repeated.
    #[must_use]
    pub fn route<S: Into<Step>>(
        mut self,
        name: &str,
        when: Match,
        steps: impl IntoIterator<Item = S>,
    ) -> Self {
        let steps = steps.into_iter().map(Into::into).collect();
        self.routes.push(Route { name: name.to_owned(), when, steps });
        self
    }

    /// Names the model in the list of models.
    #[must_use]
    pub fn model(mut self, name: &str) -> Self {
        self.model = name.to_owned();
        self
    }

    /// Serves JSON at a path.
    #[must_use]
    pub fn page(mut self, path: &str, body: Value) -> Self {
        self.pages.insert(path.to_owned(), body);
        self
    }

    /// Repeats the last step for ever.
    #[must_use]
    pub fn repeat_last(mut self) -> Self {
        self.when_done = WhenDone::RepeatLast;
        self
    }
}

impl<S: Into<Step>, const N: usize> From<[S; N]> for Script {
    fn from(steps: [S; N]) -> Self {
        Self::new(steps)
    }
}

impl From<Vec<Step>> for Script {
    fn from(steps: Vec<Step>) -> Self {
        Self::new(steps)
    }
}

/// Where a script has got to.
#[derive(Debug)]
pub(crate) struct Progress {
    script: Script,
    main: usize,
    routes: Vec<usize>,
}

impl Progress {
    pub(crate) fn new(mut script: Script) -> Self {
        script.steps = repeated(script.steps);
        for route in &mut script.routes {
            route.steps = repeated(std::mem::take(&mut route.steps));
        }
        Self { main: 0, routes: vec![0; script.routes.len()], script }
    }

    pub(crate) fn script(&self) -> &Script {
        &self.script
    }

    /// The next step for this request, with the route's name if one took it.
    pub(crate) fn next(&mut self, view: &View) -> (Step, Option<String>) {
        let routes = self.script.routes.iter().zip(&mut self.routes);
        for (route, place) in routes {
            if route.when.takes(view) {
                let step = play(&route.steps, place, WhenDone::RepeatLast);
                return (step, Some(route.name.clone()));
            }
        }
        (play(&self.script.steps, &mut self.main, self.script.when_done), None)
    }

    pub(crate) fn left(&self) -> usize {
        self.script.steps.len().saturating_sub(self.main)
    }
}

fn repeated(steps: Vec<Step>) -> Vec<Step> {
    steps.into_iter().flat_map(|step| vec![step.clone(); step.repeat]).collect()
}

fn play(steps: &[Step], place: &mut usize, when_done: WhenDone) -> Step {
    if let Some(step) = steps.get(*place) {
        *place += 1;
        return step.clone();
    }
    match (when_done, steps.last()) {
        (WhenDone::RepeatLast, Some(last)) => last.clone(),
        // 418, because an agent has a policy for every status that providers really send.
        _ => Step::status(418).error("the script has no step for this request"),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn view(body: &Value) -> View {
        View::of("/v1/chat/completions", body)
    }

    #[test]
    fn steps_come_in_order_routes_first_and_the_end_is_an_error() {
        let script = Script::new([Step::text("a").times(2), Step::text("b")]).route(
            "title",
            Match::toolless(),
            ["t"],
        );
        let mut progress = Progress::new(script);
        let main = view(&json!({"tools": [{"function": {"name": "x"}}]}));
        let side = view(&json!({}));
        let mut said = |view: &View| progress.next(view).0.text;
        assert_eq!(said(&main).as_deref(), Some("a"));
        assert_eq!(said(&side).as_deref(), Some("t"));
        assert_eq!(said(&main).as_deref(), Some("a"));
        assert_eq!(said(&side).as_deref(), Some("t"));
        assert_eq!(said(&main).as_deref(), Some("b"));
        assert_eq!(progress.next(&main).0.status, Some(418));
    }

    #[test]
    fn the_json_form_is_an_object_or_a_list() {
        let list = r#"[{"text": "hi"}, {"calls": [{"name": "todo"}], "quirks": ["index0"]}]"#;
        let script = Script::parse(list).unwrap();
        assert_eq!(script.steps[0], Step::text("hi"));
        assert_eq!(script.steps[1].calls[0].arguments, json!({}));
        let object = json!({"steps": [{"text": "hi"}], "when_done": "repeat_last",
            "routes": [{"name": "s", "when": {"system": "summar"}, "steps": [{"text": "x"}]}]});
        assert_eq!(Script::parse(&object.to_string()).unwrap().routes[0].name, "s");
    }

    #[test]
    fn a_misspelt_field_is_an_error_and_not_ignored() {
        let error = Script::parse(r#"[{"txet": "hi"}]"#).unwrap_err().to_string();
        assert!(error.contains("txet"), "{error}");
    }

    #[test]
    fn matches_look_at_system_user_and_anywhere() {
        let body = json!({"model": "m", "messages": [
            {"role": "system", "content": "be brief"}, {"role": "user", "content": "hello"}]});
        let view = view(&body);
        for (when, expected) in [
            (Match::system("brief"), true),
            (Match::system("hello"), false),
            (Match::user("hell"), true),
            (Match::anywhere("brief"), true),
            (Match { model: Some("n".into()), ..Match::default() }, false),
            (Match { tool: Some("todo".into()), ..Match::default() }, false),
        ] {
            assert_eq!(when.takes(&view), expected, "{when:?}");
        }
    }
}
