//! From the attribute and the function to the code that builds and registers the tool.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::{Attribute, Error, Expr, FnArg, ItemFn, Lit, Meta, Result, ReturnType, Type};

use crate::attribute::{EFFECT_WORDS, EffectList, ToolAttribute};

/// The parameters a tool function takes.
struct Signature {
    args: Option<Type>,
    takes_context: bool,
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
    let completed = handler(function, &signature);
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
    let mut types = Vec::new();
    for input in &sig.inputs {
        match input {
            FnArg::Receiver(receiver) => {
                return Err(Error::new_spanned(
                    receiver,
                    "a tool is a free function, not a method",
                ));
            }
            FnArg::Typed(typed) => types.push((*typed.ty).clone()),
        }
    }
    let is_context = |ty: &Type| matches!(ty, Type::Reference(_));
    match types.as_slice() {
        [] => Ok(Signature { args: None, takes_context: false }),
        [only] if is_context(only) => Ok(Signature { args: None, takes_context: true }),
        [args] => Ok(Signature { args: Some(args.clone()), takes_context: false }),
        [args, context] if !is_context(args) && is_context(context) => {
            Ok(Signature { args: Some(args.clone()), takes_context: true })
        }
        _ => Err(Error::new_spanned(
            &sig.inputs,
            "a tool takes its argument struct and `&ToolContext`, in this order; either may be left out",
        )),
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
fn doc_text(attributes: &[Attribute]) -> String {
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
    match &attribute.max_result_chars {
        Some(Expr::Path(path)) if path.path.is_ident("unlimited") => {
            calls.extend(quote!(.result_limit(::hermes_tool::ResultLimit::Unlimited)));
        }
        Some(limit) => {
            calls.extend(quote!(.result_limit(::hermes_tool::ResultLimit::Chars(#limit))));
        }
        None => {}
    }
    calls
}

fn handler(function: &ItemFn, signature: &Signature) -> TokenStream {
    let ident = &function.sig.ident;
    let read = signature
        .args
        .as_ref()
        .map(|args| quote!(let args: #args = ::hermes_tool::read_arguments(args)?;));
    let parameters = match (&signature.args, signature.takes_context) {
        (Some(_), true) => quote!(args, &cx),
        (Some(_), false) => quote!(args),
        (None, true) => quote!(&cx),
        (None, false) => quote!(),
    };
    // Silences "unused" without touching the author's own code.
    let discard = quote!(let _ = (&args, &cx););
    if function.sig.asyncness.is_some() {
        quote! {
            .async_handler(|args, cx| async move {
                #discard
                #read
                let value = #ident(#parameters).await?;
                ::hermes_tool::IntoToolOutput::into_output(value)
            })
        }
    } else {
        quote! {
            .handler(|args, cx| {
                #discard
                #read
                let value = #ident(#parameters)?;
                ::hermes_tool::IntoToolOutput::into_output(value)
            })
        }
    }
}
