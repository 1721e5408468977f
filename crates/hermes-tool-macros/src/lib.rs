//! The `#[tool]` attribute and the derives for settings. Use them through `hermes_tool`, which documents them.
//!
//! `#[tool]` leaves the function as it is and adds two things beside it: `<name>_tool()`, which
//! builds the `hermes_tool::Tool`, and an entry in the linker's list of tools. `attribute` says what
//! may be written inside the parentheses, `expand` what comes out. Misuse is a compile error at the
//! place of the mistake that says what to write instead; nothing is guessed.

use darling::FromMeta;
use darling::ast::NestedMeta;
use proc_macro::TokenStream;
use syn::{DeriveInput, ItemFn, parse_macro_input};

mod attribute;
mod expand;
mod settings;
mod words;

/// Declares a function to be a tool. See the documentation of `hermes_tool`.
#[proc_macro_attribute]
pub fn tool(attribute: TokenStream, item: TokenStream) -> TokenStream {
    let function = parse_macro_input!(item as ItemFn);
    let attribute = NestedMeta::parse_meta_list(attribute.into())
        .map_err(darling::Error::from)
        .and_then(|items| attribute::ToolAttribute::from_list(&items));
    let expanded = match attribute {
        Ok(attribute) => {
            expand::expand(&attribute, &function).unwrap_or_else(|error| {
                // The function stays, so that the one mistake is the one message.
                let error = error.to_compile_error();
                quote::quote!(#function #error)
            })
        }
        Err(error) => {
            let error = error.write_errors();
            quote::quote!(#function #error)
        }
    };
    expanded.into()
}

/// Makes the fields of a struct keys of the configuration. See `hermes_tool::settings`.
#[proc_macro_derive(Settings, attributes(settings, setting))]
pub fn derive_settings(item: TokenStream) -> TokenStream {
    let input = parse_macro_input!(item as DeriveInput);
    settings::expand(&input).unwrap_or_else(|error| error.to_compile_error()).into()
}

/// Makes the variants of an enum the words of a setting. See `hermes_tool::settings`.
#[proc_macro_derive(SettingWords, attributes(setting))]
pub fn derive_setting_words(item: TokenStream) -> TokenStream {
    let input = parse_macro_input!(item as DeriveInput);
    words::expand(&input).unwrap_or_else(|error| error.to_compile_error()).into()
}
