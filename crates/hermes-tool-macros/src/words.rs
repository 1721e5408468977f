//! `#[derive(SettingWords)]`: an enum whose variants are the words of a setting.
//!
//! A variant's word is its name in snake case, or what `word` says. `also("…")` are older spellings; `bool = false` is the
//! variant that a bare `false` stands for, which is also what YAML makes of `off` and `no`.

use darling::{FromDeriveInput, FromVariant, ast, util};
use proc_macro2::TokenStream;
use quote::quote;
use syn::{DeriveInput, Ident, Result};

use crate::attribute::NameList;

#[derive(FromDeriveInput)]
#[darling(attributes(setting), supports(enum_unit))]
struct Words {
    ident: Ident,
    data: ast::Data<Word, util::Ignored>,
}

#[derive(FromVariant)]
#[darling(attributes(setting))]
struct Word {
    ident: Ident,
    #[darling(default)]
    word: Option<String>,
    #[darling(default)]
    also: NameList,
    #[darling(default, rename = "bool")]
    stands_for: Option<bool>,
}

impl Word {
    fn word(&self) -> String {
        self.word.clone().unwrap_or_else(|| snake_case(&self.ident.to_string()))
    }
}

pub(crate) fn expand(input: &DeriveInput) -> Result<TokenStream> {
    let words = Words::from_derive_input(input)?;
    let ident = &words.ident;
    let variants = words.data.take_enum().unwrap_or_default();
    let names: Vec<String> = variants.iter().map(Word::word).collect();
    let one_of = quote!(::hermes_tool::settings::Kind::OneOf(&[#(#names),*]));
    let older: Vec<&String> = variants.iter().flat_map(|variant| &variant.also.0).collect();
    let words = if older.is_empty() {
        quote!(#one_of)
    } else {
        quote!(::hermes_tool::settings::Kind::OrOlder(&#one_of, &[#(#older),*]))
    };
    let booleans = variants.iter().filter_map(|variant| {
        let (answer, variant) = (variant.stands_for?, &variant.ident);
        Some(quote! {
            ::hermes_tool::__private::serde_json::Value::Bool(#answer) => {
                return ::core::option::Option::Some(Self::#variant);
            }
        })
    });
    let booleans: Vec<_> = booleans.collect();
    let kind = if booleans.is_empty() {
        words
    } else {
        quote!(::hermes_tool::settings::Kind::BoolOr(&#words))
    };
    // One boolean alone is how YAML reads a word like `off`, which the list has.
    let expected = (booleans.len() == 1).then(|| {
        quote! {
            fn expected() -> ::std::string::String {
                #one_of.to_string()
            }
        }
    });
    let spellings = variants.iter().flat_map(|variant| {
        let ident = &variant.ident;
        let words = std::iter::once(variant.word()).chain(variant.also.0.iter().cloned());
        words.map(move |word| quote!((#word, Self::#ident)))
    });
    let shown = variants.iter().map(|variant| {
        let (word, variant) = (variant.word(), &variant.ident);
        quote!(Self::#variant => #word)
    });
    Ok(quote! {
        impl #ident {
            /// The word that stands for it in the configuration.
            #[must_use]
            pub const fn word(&self) -> &'static str {
                match self { #(#shown),* }
            }
        }

        impl ::hermes_tool::settings::SettingValue for #ident {
            const KIND: ::hermes_tool::settings::Kind = #kind;

            fn from_config(
                value: &::hermes_tool::__private::serde_json::Value,
            ) -> ::core::option::Option<Self> {
                match value {
                    #(#booleans)*
                    _ => {}
                }
                let text = value.as_str()?.trim();
                let spellings = [#(#spellings),*];
                let found = spellings.into_iter().find(|(word, _)| word.eq_ignore_ascii_case(text));
                found.map(|(_, variant)| variant)
            }

            #expected

            fn to_config(&self) -> ::std::string::String {
                self.word().to_owned()
            }
        }
    })
}

fn snake_case(name: &str) -> String {
    let mut snake = String::new();
    for (at, letter) in name.char_indices() {
        if letter.is_uppercase() && at > 0 {
            snake.push('_');
        }
        snake.extend(letter.to_lowercase());
    }
    snake
}
