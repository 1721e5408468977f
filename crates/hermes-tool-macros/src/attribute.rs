//! What may stand inside `#[tool(…)]`.

use darling::ast::NestedMeta;
use darling::{Error, FromMeta, Result};
use syn::{Expr, Ident, Lit, Meta, Path};

/// The attribute as written.
#[derive(FromMeta)]
pub(crate) struct ToolAttribute {
    pub(crate) toolset: String,
    #[darling(default)]
    pub(crate) effects: Option<EffectList>,
    #[darling(default)]
    pub(crate) name: Option<String>,
    #[darling(default, with = any_expression)]
    pub(crate) description: Option<Expr>,
    #[darling(default)]
    pub(crate) emoji: Option<String>,
    #[darling(default)]
    pub(crate) check: Option<Path>,
    #[darling(default)]
    pub(crate) requires_env: NameList,
    #[darling(default)]
    pub(crate) dynamic_schema: Option<Path>,
    #[darling(default, with = any_expression)]
    pub(crate) max_result_chars: Option<Expr>,
    #[darling(default)]
    pub(crate) aliases: NameList,
    #[darling(default)]
    pub(crate) failure: Option<Path>,
    #[darling(default)]
    pub(crate) free_of_budget: bool,
    #[darling(default)]
    pub(crate) upkeep: bool,
    #[darling(default)]
    pub(crate) never_spilled: bool,
    #[darling(default)]
    pub(crate) deadline: Option<u64>,
    #[darling(default, with = any_expression)]
    pub(crate) display: Option<Expr>,
    #[darling(default)]
    pub(crate) summary: Option<Path>,
    #[darling(default)]
    pub(crate) newest_result_kept: bool,
    #[darling(default, with = any_expression)]
    pub(crate) guidance: Option<Expr>,
    #[darling(default)]
    pub(crate) output: Option<OutputWord>,
    #[darling(default)]
    pub(crate) subagents: Option<SubagentWord>,
    #[darling(default)]
    pub(crate) manual: bool,
}

/// Takes `key = <expression>` as it stands: `include_str!(…)`, `100_000`, `unlimited`.
pub(crate) fn any_expression(meta: &Meta) -> Result<Option<Expr>> {
    match meta {
        Meta::NameValue(pair) => Ok(Some(pair.value.clone())),
        _ => Err(Error::custom("expected `= value`").with_span(meta)),
    }
}

/// `effects(reads(path), network)`: the words and the arguments they are bound to.
pub(crate) struct EffectList {
    /// Variants of `hermes_tool::Effect`.
    pub(crate) variants: Vec<Ident>,
    /// Arguments that hold paths, each once.
    pub(crate) paths: Vec<String>,
}

pub(crate) const EFFECT_WORDS: &str =
    "effects are: none, reads, writes, runs, network, interactive, agent_state";

impl FromMeta for EffectList {
    fn from_list(items: &[NestedMeta]) -> Result<Self> {
        let mut list = Self { variants: Vec::new(), paths: Vec::new() };
        if items.is_empty() {
            return Err(Error::custom(format!(
                "write `effects(none)` for a pure function; {EFFECT_WORDS}"
            )));
        }
        for item in items {
            list.add(item, items.len())?;
        }
        Ok(list)
    }
}

impl EffectList {
    fn add(&mut self, item: &NestedMeta, count: usize) -> Result<()> {
        let NestedMeta::Meta(meta) = item else {
            return Err(Error::custom(EFFECT_WORDS).with_span(item));
        };
        let word = meta.path().get_ident().map(Ident::to_string).unwrap_or_default();
        let variant = match word.as_str() {
            "none" if count == 1 => return Ok(()),
            "none" => {
                return Err(Error::custom("`none` stands alone").with_span(item));
            }
            "reads" => "Reads",
            "writes" => "Writes",
            "runs" => "Runs",
            "network" => "Network",
            "interactive" => "Interactive",
            "agent_state" => "AgentState",
            _ => {
                return Err(
                    Error::custom(format!("unknown effect; {EFFECT_WORDS}")).with_span(item)
                );
            }
        };
        match meta {
            Meta::Path(_) => {}
            Meta::List(bound) if matches!(variant, "Reads" | "Writes") => {
                let arguments = bound.parse_args_with(
                    syn::punctuated::Punctuated::<Ident, syn::Token![,]>::parse_terminated,
                )?;
                for argument in arguments {
                    let argument = argument.to_string();
                    if !self.paths.contains(&argument) {
                        self.paths.push(argument);
                    }
                }
            }
            _ => {
                return Err(Error::custom("only `reads(…)` and `writes(…)` name path arguments")
                    .with_span(item));
            }
        }
        self.variants.push(Ident::new(variant, proc_macro2::Span::call_site()));
        Ok(())
    }
}

/// `requires_env("A", "B")`, `aliases("search")`.
#[derive(Default)]
pub(crate) struct NameList(pub(crate) Vec<String>);

impl FromMeta for NameList {
    fn from_list(items: &[NestedMeta]) -> Result<Self> {
        items
            .iter()
            .map(|item| match item {
                NestedMeta::Lit(Lit::Str(text)) => Ok(text.value()),
                _ => Err(Error::custom("expected names in quotes").with_span(item)),
            })
            .collect::<Result<_>>()
            .map(Self)
    }
}

/// `output = untrusted`.
#[derive(Clone, Copy)]
pub(crate) enum OutputWord {
    Untrusted,
    Trusted,
}

impl FromMeta for OutputWord {
    fn from_expr(expression: &Expr) -> Result<Self> {
        match word(expression).as_deref() {
            Some("untrusted") => Ok(Self::Untrusted),
            Some("trusted") => Ok(Self::Trusted),
            _ => Err(Error::custom("expected `untrusted` or `trusted`").with_span(expression)),
        }
    }
}

/// `subagents = withheld`.
#[derive(Clone, Copy)]
pub(crate) enum SubagentWord {
    Withheld,
    Delegates,
}

impl FromMeta for SubagentWord {
    fn from_expr(expression: &Expr) -> Result<Self> {
        match word(expression).as_deref() {
            Some("withheld") => Ok(Self::Withheld),
            Some("delegates") => Ok(Self::Delegates),
            _ => Err(Error::custom("expected `withheld` or `delegates`").with_span(expression)),
        }
    }
}

fn word(expression: &Expr) -> Option<String> {
    match expression {
        Expr::Path(path) => path.path.get_ident().map(Ident::to_string),
        _ => None,
    }
}
