//! From the attribute and the function to the code that builds and registers the tool.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};
use syn::{
    Attribute, Error, Expr, FnArg, GenericArgument, ItemFn, Lit, Meta, PathArguments, Result,
    ReturnType, Type,
};

use crate::attribute::{EFFECT_WORDS, EffectList, OutputWord, SubagentWord, ToolAttribute};

/// The parameters a tool function takes: its arguments first, then the others in any order.
struct Signature {
    args: Option<Type>,
    others: Vec<Parameter>,
}

/// A parameter that does not come from the model.
#[expect(
    clippy::large_enum_variant,
    reason = "a handful of them live for the time of one expansion"
)]
enum Parameter {
    Context,
    /// The type inside `State<…>`.
    State(Type),
}

impl Signature {
    fn states(&self) -> impl Iterator<Item = &Type> {
        self.others.iter().filter_map(|parameter| match parameter {
            Parameter::State(ty) => Some(ty),
            Parameter::Context => None,
        })
    }

    fn takes_context(&self) -> bool {
        self.others.iter().any(|parameter| matches!(parameter, Parameter::Context))
    }
}

pub(crate) fn expand(attribute: &ToolAttribute, function: &ItemFn) -> Result<TokenStream> {
    let signature = read_signature(function)?;
    let description = description(attribute, function)?;
    let ident = &function.sig.ident;
    let visibility = &function.vis;
    let name = attribute.name.clone().unwrap_or_else(|| ident.to_string());
    check_name(&name, function)?;
    let toolset = &attribute.toolset;
    let make = format_ident!("{ident}_tool");
    let make_doc = format!("Builds the `{name}` tool, for tests or registration by hand.");
    let effects = attribute.effects.as_ref().ok_or_else(|| {
        let message = format!("say what the tool does: `effects(…)`; {EFFECT_WORDS}");
        Error::new_spanned(ident, message)
    })?;
    let settings = settings(attribute, effects, &signature);
    let completed = handler(function, &signature, &name);
    let submit = (!attribute.manual).then(|| {
        quote! {
            ::hermes_tool::__private::inventory::submit! {
                ::hermes_tool::LinkedTool::new(::core::module_path!(), #make)
            }
        }
    });

    Ok(quote! {
        // Taking the arguments by value is the contract, whatever the body does with them.
        #[allow(clippy::needless_pass_by_value)]
        #function

        #[doc = #make_doc]
        #[must_use]
        #visibility fn #make() -> ::hermes_tool::Tool {
            ::hermes_tool::Tool::builder(#name, #toolset)
                .description(#description)
                #settings
                #completed
        }

        #submit
    })
}

fn read_signature(function: &ItemFn) -> Result<Signature> {
    let sig = &function.sig;
    if !sig.generics.params.is_empty() {
        return Err(Error::new_spanned(&sig.generics, "a tool function cannot be generic"));
    }
    if matches!(sig.output, ReturnType::Default) {
        return Err(Error::new_spanned(
            sig,
            "a tool returns `Result<T, ToolError>`, where T serialises or is a ToolOutput",
        ));
    }
    let mut signature = Signature { args: None, others: Vec::new() };
    for input in &sig.inputs {
        let typed = match input {
            FnArg::Receiver(receiver) => {
                return Err(Error::new_spanned(
                    receiver,
                    "a tool is a free function, not a method",
                ));
            }
            FnArg::Typed(typed) => typed,
        };
        match parameter(&typed.ty) {
            Some(Parameter::Context) if signature.takes_context() => {
                return Err(misplaced(sig));
            }
            Some(other) => signature.others.push(other),
            None if signature.args.is_none() && signature.others.is_empty() => {
                signature.args = Some((*typed.ty).clone());
            }
            None => return Err(misplaced(sig)),
        }
    }
    Ok(signature)
}

fn misplaced(sig: &syn::Signature) -> Error {
    Error::new_spanned(
        &sig.inputs,
        "a tool takes its argument struct, then any `State<T>` and `&ToolContext`; each may be left out",
    )
}

/// What a parameter is, told by its type as written; `None` for the arguments.
fn parameter(ty: &Type) -> Option<Parameter> {
    match ty {
        Type::Reference(_) => Some(Parameter::Context),
        Type::Path(path) => {
            let last = path.path.segments.last().filter(|segment| segment.ident == "State")?;
            let PathArguments::AngleBracketed(inside) = &last.arguments else { return None };
            inside.args.iter().find_map(|argument| match argument {
                GenericArgument::Type(ty) => Some(Parameter::State(ty.clone())),
                _ => None,
            })
        }
        _ => None,
    }
}

fn check_name(name: &str, function: &ItemFn) -> Result<()> {
    let fits = name.len() <= 64
        && !name.is_empty()
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-');
    if fits {
        return Ok(());
    }
    Err(Error::new_spanned(
        &function.sig.ident,
        "providers accept tool names of 1 to 64 letters, digits, `_` and `-`",
    ))
}

fn description(attribute: &ToolAttribute, function: &ItemFn) -> Result<TokenStream> {
    if let Some(expression) = &attribute.description {
        return Ok(quote!(#expression));
    }
    let text = doc_text(&function.attrs);
    if text.is_empty() {
        return Err(Error::new_spanned(
            &function.sig.ident,
            "a tool needs a doc comment or `description = …`: it is what the model reads",
        ));
    }
    Ok(quote!(::hermes_tool::__private::paragraphs(#text)))
}

/// The doc comment as written.
pub(crate) fn doc_text(attributes: &[Attribute]) -> String {
    let lines = attributes.iter().filter_map(|attribute| match &attribute.meta {
        Meta::NameValue(pair) if pair.path.is_ident("doc") => match &pair.value {
            Expr::Lit(literal) => match &literal.lit {
                Lit::Str(text) => Some(text.value()),
                _ => None,
            },
            _ => None,
        },
        _ => None,
    });
    lines.collect::<Vec<_>>().join("\n").trim().to_owned()
}

fn settings(attribute: &ToolAttribute, effects: &EffectList, signature: &Signature) -> TokenStream {
    let mut calls = TokenStream::new();
    let EffectList { variants: effects, paths } = effects;
    let bound = (!paths.is_empty()).then(|| quote!(.at(&[#(#paths),*])));
    calls.extend(quote! {
        .effects(::hermes_tool::Effects::NONE #(.with(::hermes_tool::Effect::#effects))* #bound)
    });
    if let Some(args) = &signature.args {
        calls.extend(quote!(.parameters_with(::hermes_tool::parameters_of::<#args>)));
    }
    if let Some(emoji) = &attribute.emoji {
        calls.extend(quote!(.emoji(#emoji)));
    }
    if let Some(check) = &attribute.check {
        calls.extend(quote!(.check(::hermes_tool::Check::new(#check))));
    }
    for name in &attribute.requires_env.0 {
        calls.extend(quote!(.requires_env(#name)));
    }
    if let Some(adapt) = &attribute.dynamic_schema {
        calls.extend(quote!(.dynamic_schema(#adapt)));
    }
    for state in signature.states() {
        calls.extend(quote!(.needs::<#state>()));
    }
    match &attribute.max_result_chars {
        Some(Expr::Path(path)) if path.path.is_ident("unlimited") => {
            calls.extend(quote!(.result_limit(::hermes_tool::ResultLimit::Unlimited)));
        }
        Some(limit) => {
            calls.extend(quote!(.result_limit(::hermes_tool::ResultLimit::Chars(#limit))));
        }
        None => {}
    }
    calls.extend(policy(attribute));
    calls
}

/// The declarations that differ from the defaults, or nothing.
fn policy(attribute: &ToolAttribute) -> TokenStream {
    let mut fields = Vec::new();
    let aliases = &attribute.aliases.0;
    if !aliases.is_empty() {
        fields.push(quote!(aliases: &[#(#aliases),*]));
    }
    match &attribute.failure {
        Some(path) if path.is_ident("exit_code") => {
            fields.push(quote!(failure: ::hermes_tool::FailureRule::ExitCode));
        }
        Some(judge) => fields.push(quote!(failure: ::hermes_tool::FailureRule::Custom(#judge))),
        None => {}
    }
    if attribute.free_of_budget {
        fields.push(quote!(budget: ::hermes_tool::BudgetRule::Free));
    }
    if attribute.upkeep {
        fields.push(quote!(upkeep: ::hermes_tool::UpkeepRule::Upkeep));
    }
    if attribute.never_spilled {
        fields.push(quote!(spill: ::hermes_tool::SpillRule::Never));
    }
    if let Some(seconds) = attribute.deadline {
        let deadline = quote!(::core::time::Duration::from_secs(#seconds));
        fields.push(quote!(deadline: ::core::option::Option::Some(#deadline)));
    }
    if let Some(display) = &attribute.display {
        fields.push(quote!(display: #display));
    }
    if let Some(summary) = &attribute.summary {
        fields.push(quote!(summary: ::core::option::Option::Some(#summary)));
    }
    if attribute.newest_result_kept {
        fields.push(quote!(history: ::hermes_tool::HistoryRule::NewestKept));
    }
    if let Some(guidance) = &attribute.guidance {
        fields.push(quote!(guidance: ::core::option::Option::Some(#guidance)));
    }
    match attribute.output {
        Some(OutputWord::Untrusted) => {
            fields.push(quote!(output: ::hermes_tool::OutputRule::Untrusted));
        }
        Some(OutputWord::Trusted) => {
            fields.push(quote!(output: ::hermes_tool::OutputRule::Trusted));
        }
        None => {}
    }
    match attribute.subagents {
        Some(SubagentWord::Withheld) => {
            fields.push(quote!(subagents: ::hermes_tool::SubagentRule::Withheld));
        }
        Some(SubagentWord::Delegates) => {
            fields.push(quote!(subagents: ::hermes_tool::SubagentRule::Delegates));
        }
        None => {}
    }
    if fields.is_empty() {
        return TokenStream::new();
    }
    quote! {
        .policy(::hermes_tool::ToolPolicy {
            #(#fields,)*
            ..::core::default::Default::default()
        })
    }
}

fn handler(function: &ItemFn, signature: &Signature, name: &str) -> TokenStream {
    let ident = &function.sig.ident;
    let states: Vec<(Ident, &Type)> = signature
        .states()
        .enumerate()
        .map(|(index, ty)| (format_ident!("state_{index}"), ty))
        .collect();
    // Before the arguments: without what the tool works on, nobody cares how they are written.
    let found = states.iter().map(|(variable, ty)| {
        quote! {
            let #variable = ::hermes_tool::State::<#ty>::of(&cx)
                .ok_or_else(|| ::hermes_tool::ToolError::needs_agent(#name))?;
        }
    });
    let read = signature
        .args
        .as_ref()
        .map(|args| quote!(let args: #args = ::hermes_tool::read_arguments(args)?;));
    let mut variables = states.iter().map(|(variable, _)| variable);
    let mut parameters = Vec::new();
    if signature.args.is_some() {
        parameters.push(quote!(args));
    }
    for parameter in &signature.others {
        match parameter {
            Parameter::Context => parameters.push(quote!(&cx)),
            Parameter::State(_) => parameters.extend(variables.next().map(|state| quote!(#state))),
        }
    }
    let prepare = quote! {
        // Silences "unused" without touching the author's own code.
        let _ = (&args, &cx);
        #(#found)*
        #read
    };
    if function.sig.asyncness.is_some() {
        quote! {
            .async_handler(|args, cx| async move {
                #prepare
                let value = #ident(#(#parameters),*).await?;
                ::hermes_tool::IntoToolOutput::into_output(value)
            })
        }
    } else {
        quote! {
            .handler(|args, cx| {
                #prepare
                let value = #ident(#(#parameters),*)?;
                ::hermes_tool::IntoToolOutput::into_output(value)
            })
        }
    }
}
