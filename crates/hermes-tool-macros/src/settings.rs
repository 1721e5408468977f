//! `#[derive(Settings)]`: from a struct to its keys and their reading.
//!
//! Two methods come out, which go through the fields in the same order: one describes each field as a key, one reads it.
//! The struct also becomes a `SettingValue`, so that it can be the field of another struct, where it is a section.

use darling::{FromDeriveInput, FromField, ast, util};
use proc_macro2::TokenStream;
use quote::quote;
use syn::{Attribute, DeriveInput, Expr, ExprLit, Ident, Lit, Result, Type};

use crate::attribute::any_expression;
use crate::expand::doc_text;

/// `#[settings(…)]` on the struct.
#[derive(FromDeriveInput)]
#[darling(attributes(settings), supports(struct_named))]
struct Container {
    ident: Ident,
    data: ast::Data<util::Ignored, Field>,
    #[darling(default)]
    path: Option<String>,
    #[darling(default)]
    about: Option<String>,
    #[darling(default)]
    open: bool,
    #[darling(default)]
    variables: Option<String>,
    #[darling(default)]
    manual: bool,
}

/// `#[setting(…)]` on a field.
#[derive(FromField)]
#[darling(attributes(setting), forward_attrs(doc))]
struct Field {
    ident: Option<Ident>,
    ty: Type,
    attrs: Vec<Attribute>,
    #[darling(default, with = any_expression)]
    default: Option<Expr>,
    #[darling(default)]
    key: Option<String>,
    #[darling(default)]
    path: Option<String>,
    #[darling(default, with = any_expression)]
    range: Option<Expr>,
    #[darling(default)]
    variable: Option<String>,
    #[darling(default)]
    variable_only: Option<String>,
    #[darling(default)]
    fallback: Option<String>,
    #[darling(default)]
    file_only: bool,
    #[darling(multiple)]
    older: Vec<String>,
    #[darling(default)]
    hidden: bool,
}

pub(crate) fn expand(input: &DeriveInput) -> Result<TokenStream> {
    let container = Container::from_derive_input(input)?;
    let ident = &container.ident;
    let fields =
        container.data.as_ref().take_struct().map(|fields| fields.fields).unwrap_or_default();
    let mut keys = Vec::new();
    let mut reads = Vec::new();
    for field in fields {
        let (key, read) = field.expand(&container)?;
        keys.push(key);
        reads.push(read);
    }
    let section = container.path.as_deref().map(|path| {
        let about = container.about.as_deref().unwrap_or_default();
        let kind = container.kind();
        quote! {
            keys.push(::hermes_tool::settings::KeyInfo {
                path: #path.to_owned(), kind: #kind, default: ::std::string::String::new(),
                about: #about, variable: None, hidden: false,
            });
        }
    });
    let kind = container.kind();
    let entry_about = container
        .about
        .as_deref()
        .filter(|_| container.manual)
        .map(|about| quote!(const ABOUT: &'static str = #about;));
    let submit = (!container.manual).then(|| {
        quote! {
            ::hermes_tool::__private::inventory::submit! {
                ::hermes_tool::settings::DeclaredSettings {
                    module: ::core::module_path!(),
                    keys: <#ident as ::hermes_tool::settings::Settings>::keys,
                    problems: |config, vars| {
                        <#ident as ::hermes_tool::settings::Settings>::read_with_problems(config, vars).1
                    },
                }
            }
        }
    });
    Ok(quote! {
        impl ::hermes_tool::settings::Settings for #ident {
            fn keys_below(base: &str) -> ::std::vec::Vec<::hermes_tool::settings::KeyInfo> {
                let mut keys = ::std::vec::Vec::new();
                #section
                #(#keys)*
                keys
            }

            fn read_below(base: &str, source: &mut ::hermes_tool::settings::SettingsSource<'_>) -> Self {
                Self { #(#reads),* }
            }
        }

        impl ::core::default::Default for #ident {
            /// As with an empty configuration and no variables.
            fn default() -> Self {
                <Self as ::hermes_tool::settings::Settings>::read(
                    &::hermes_tool::__private::serde_json::Value::Null,
                    &::hermes_tool::Vars::default(),
                )
            }
        }

        impl ::hermes_tool::settings::SettingValue for #ident {
            const KIND: ::hermes_tool::settings::Kind = #kind;
            #entry_about

            fn from_config(
                value: &::hermes_tool::__private::serde_json::Value,
            ) -> ::core::option::Option<Self> {
                <Self as ::hermes_tool::settings::SettingValue>::from_written(value, &mut ::std::vec::Vec::new())
            }

            fn from_written(
                value: &::hermes_tool::__private::serde_json::Value,
                problems: &mut ::std::vec::Vec<::hermes_tool::settings::SettingProblem>,
            ) -> ::core::option::Option<Self> {
                if !value.is_object() {
                    return ::core::option::Option::None;
                }
                let vars = ::hermes_tool::Vars::default();
                let (read, wrong) =
                    <Self as ::hermes_tool::settings::Settings>::read_with_problems(value, &vars);
                problems.extend(wrong);
                ::core::option::Option::Some(read)
            }

            fn to_config(&self) -> ::std::string::String {
                ::std::string::String::new()
            }

            fn keys_below(path: &str) -> ::std::vec::Vec<::hermes_tool::settings::KeyInfo> {
                <Self as ::hermes_tool::settings::Settings>::keys_below(path)
            }

            fn read_field(
                spec: &::hermes_tool::settings::FieldSpec<'_>,
                source: &mut ::hermes_tool::settings::SettingsSource<'_>,
                _default: Self,
            ) -> Self {
                <Self as ::hermes_tool::settings::Settings>::read_below(&spec.path, source)
            }
        }

        #submit
    })
}

impl Container {
    fn kind(&self) -> TokenStream {
        if self.open {
            quote!(::hermes_tool::settings::Kind::Map)
        } else {
            quote!(::hermes_tool::settings::Kind::Section)
        }
    }
}

impl Field {
    fn expand(&self, container: &Container) -> Result<(TokenStream, TokenStream)> {
        let (Some(ident), ty) = (&self.ident, &self.ty) else {
            return Err(syn::Error::new_spanned(
                &self.ty,
                "settings are structs with named fields",
            ));
        };
        let about = doc_text(&self.attrs);
        // The first paragraph; what follows is for readers of the code.
        let about = about.split("\n\n").next().unwrap_or_default().replace('\n', " ");
        let about = about.split_whitespace().collect::<Vec<_>>().join(" ");
        let about = about.trim_end_matches('.');
        if about.is_empty() {
            let message =
                "say what the setting is for in a doc comment: it is the line in the reference";
            return Err(syn::Error::new_spanned(ident, message));
        }
        if let Some(variable) = &self.variable_only {
            return Ok((TokenStream::new(), self.read_variable(variable)));
        }
        let name = ident.to_string();
        let key = self.key.as_deref().unwrap_or(&name);
        let path = match (&self.path, &container.path) {
            (Some(path), _) => quote!(#path.to_owned()),
            (None, Some(section)) => {
                let path = format!("{section}.{key}");
                quote!(#path.to_owned())
            }
            (None, None) => quote!(::hermes_tool::settings::join(base, #key)),
        };
        let default = self.default();
        let fallback = match (&self.fallback, &container.variables, self.file_only) {
            (_, _, true) | (None, None, _) => None,
            (Some(name), ..) => Some(name.clone()),
            (None, Some(prefix), _) => Some(format!("{prefix}{}", key.to_uppercase())),
        };
        let fallback = if self.variable.is_some() { None } else { fallback };
        let variable = option(self.variable.as_ref().map(|name| quote!(#name)));
        let shown = option(
            self.variable.as_ref().or(fallback.as_ref()).map(|name| quote!(#name.to_owned())),
        );
        let fallback = option(fallback.as_ref().map(|name| quote!(#name.to_owned())));
        // Where the struct stands is known only to the one it is a field of.
        let older = self.older.iter().map(|path| match &container.path {
            Some(_) => quote!(#path.to_owned()),
            None => quote!(::hermes_tool::settings::join(base, #path)),
        });
        let older: Vec<TokenStream> = older.collect();
        let hidden = self.hidden.then(|| quote!(.map(::hermes_tool::settings::KeyInfo::hidden)));
        let key = quote! {
            keys.extend(
                ::core::iter::once(
                    ::hermes_tool::settings::KeyInfo::of_field::<#ty>(#path, &#default, #about, #shown),
                )
                .chain(<#ty as ::hermes_tool::settings::SettingValue>::keys_below(&#path))
                #hidden
            );
            #({
                let path: ::std::string::String = #older;
                let below = <#ty as ::hermes_tool::settings::SettingValue>::keys_below(&path);
                let older = ::hermes_tool::settings::KeyInfo {
                    path,
                    kind: <#ty as ::hermes_tool::settings::SettingValue>::KIND,
                    default: ::std::string::String::new(),
                    about: #about,
                    variable: ::core::option::Option::None,
                    hidden: true,
                };
                keys.extend(
                    ::core::iter::once(older)
                        .chain(below.into_iter().map(::hermes_tool::settings::KeyInfo::hidden)),
                );
            })*
        };
        let spec = quote! {
            ::hermes_tool::settings::FieldSpec {
                path: #path, older: ::std::vec![#(#older),*], variable: #variable, fallback: #fallback,
            }
        };
        Ok((key, self.read(&spec)))
    }

    fn default(&self) -> TokenStream {
        let ty = &self.ty;
        match &self.default {
            Some(text @ Expr::Lit(ExprLit { lit: Lit::Str(_), .. })) => {
                quote!(<#ty as ::core::convert::From<&str>>::from(#text))
            }
            Some(default) => quote!({
                let default: #ty = #default;
                default
            }),
            None => quote!(<#ty as ::core::default::Default>::default()),
        }
    }

    fn read(&self, spec: &TokenStream) -> TokenStream {
        let (ident, ty, default) = (&self.ident, &self.ty, self.default());
        match &self.range {
            None => quote! {
                #ident: <#ty as ::hermes_tool::settings::SettingValue>::read_field(&#spec, source, #default)
            },
            Some(range) => {
                quote! { #ident: source.field_in::<#ty, _>(&#spec, #default, &(#range)) }
            }
        }
    }

    /// Reads a field that is no key.
    fn read_variable(&self, name: &str) -> TokenStream {
        self.read(&quote! {
            ::hermes_tool::settings::FieldSpec {
                variable: ::core::option::Option::Some(#name), ..::core::default::Default::default()
            }
        })
    }
}

fn option(value: Option<TokenStream>) -> TokenStream {
    match value {
        Some(value) => quote!(::core::option::Option::Some(#value)),
        None => quote!(::core::option::Option::None),
    }
}
