//! `process! { tasks: [...], drivers: [...], threads: [...], filters: [...] }`.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{Error, Ident, Path, Result, Token, bracketed, parse2};

/// One `key: [paths]`.
struct List {
    key: Ident,
    paths: Punctuated<Path, Token![,]>,
}

struct Lists(Punctuated<List, Token![,]>);

impl Parse for List {
    fn parse(input: ParseStream<'_>) -> Result<List> {
        let key: Ident = input.parse()?;
        if !["tasks", "drivers", "threads", "filters"]
            .iter()
            .any(|known| key == known)
        {
            return Err(Error::new(
                key.span(),
                format!(
                    "`{key}` is no list of a process: write `tasks`, `drivers`, `threads` or `filters`"
                ),
            ));
        }
        input.parse::<Token![:]>()?;
        let content;
        bracketed!(content in input);
        let paths = content.parse_terminated(Path::parse_mod_style, Token![,])?;
        Ok(List { key, paths })
    }
}

impl Parse for Lists {
    fn parse(input: ParseStream<'_>) -> Result<Lists> {
        input.parse_terminated(List::parse, Token![,]).map(Lists)
    }
}

pub(crate) fn expand(input: TokenStream) -> TokenStream {
    parse2::<Lists>(input)
        .and_then(check)
        .map_or_else(|error| error.to_compile_error(), |lists| generate(&lists))
}

/// No list twice, and no name twice: the builder finds functions by name.
fn check(lists: Lists) -> Result<Lists> {
    let mut names: Vec<&Ident> = Vec::new();
    for (index, list) in lists.0.iter().enumerate() {
        if lists
            .0
            .iter()
            .take(index)
            .any(|earlier| earlier.key == list.key)
        {
            return Err(Error::new(
                list.key.span(),
                format!("`{}` is listed twice: join the lists", list.key),
            ));
        }
        for name in list
            .paths
            .iter()
            .filter_map(|path| path.segments.last())
            .map(|segment| &segment.ident)
        {
            if names.contains(&name) {
                let text = format!(
                    "the process has two functions named `{name}`: rename one, the timing program knows them by name"
                );
                return Err(Error::new(name.span(), text));
            }
            names.push(name);
        }
    }
    Ok(lists)
}

fn generate(lists: &Lists) -> TokenStream {
    let functions: Vec<TokenStream> = lists
        .0
        .iter()
        .flat_map(|list| list.paths.iter().map(|path| entry(&list.key, path)))
        .collect();
    let count = functions.len();
    quote! {
        /// The functions that this process provides.
        pub fn process() -> &'static ::giornata_rt::process::ProcessTable {
            &GIORNATA_PROCESS
        }

        #[cfg_attr(target_os = "none", unsafe(no_mangle))]
        static GIORNATA_PROCESS: ::giornata_rt::process::ProcessTable = {
            const FUNCTIONS: [::giornata_rt::process::Function; #count] = [#(#functions),*];
            ::giornata_rt::process::ProcessTable {
                magic: ::giornata_rt::process::TABLE_MAGIC,
                functions: &FUNCTIONS,
            }
        };
    }
}

fn entry(key: &Ident, path: &Path) -> TokenStream {
    let span = path.span();
    let provided = match key.to_string().as_str() {
        "tasks" => quote_spanned! { span => TaskFunction },
        "drivers" => quote_spanned! { span => DriverFunction },
        "filters" => quote_spanned! { span => FilterFunction },
        _ => quote_spanned! { span => ThreadFunction },
    };
    quote_spanned! { span => <#path as ::giornata_rt::process::#provided>::FUNCTION }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(source: &str) -> String {
        expand(source.parse().unwrap()).to_string()
    }

    #[test]
    fn functions_are_listed_in_order_under_their_kinds() {
        let text = text("tasks: [a, m::b], drivers: [c,], threads: []");
        let at = |what: &str| text.find(what).unwrap();
        assert!(at("TaskFunction") < at("m :: b") && at("m :: b") < at("DriverFunction"));
        assert!(text.contains("Function ; 3usize") && !text.contains("ThreadFunction"));
    }

    #[test]
    fn an_empty_process_is_one() {
        assert!(text("").contains("Function ; 0usize"));
    }

    #[test]
    fn unknown_lists_and_doubles_are_refused() {
        assert!(text("task: [a]").contains("write `tasks`, `drivers`, `threads` or `filters`"));
        assert!(text("tasks: [a], tasks: [b]").contains("join the lists"));
        assert!(text("tasks: [a], drivers: [m::a]").contains("two functions named `a`"));
    }
}
