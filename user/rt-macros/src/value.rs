//! `#[value]`: a struct that ports may hold.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::{Error, ItemStruct, Result, parse2};

pub(crate) fn expand(attribute: TokenStream, item: TokenStream) -> TokenStream {
    let read = crate::function::no_arguments("value", &attribute).and_then(|()| read(item.clone()));
    match read {
        Ok(item) => quote! {
            #[repr(C)]
            #[derive(
                ::core::clone::Clone, ::core::marker::Copy,
                ::giornata_rt::zerocopy::FromBytes,
                ::giornata_rt::zerocopy::IntoBytes,
                ::giornata_rt::zerocopy::Immutable,
                ::giornata_rt::zerocopy::KnownLayout,
            )]
            #[zerocopy(crate = "::giornata_rt::zerocopy")]
            #item
        },
        Err(error) => {
            let error = error.to_compile_error();
            quote! { #error #item }
        }
    }
}

fn read(item: TokenStream) -> Result<ItemStruct> {
    let item: ItemStruct = parse2(item.clone()).map_err(|_| {
        Error::new_spanned(&item, "`#[value]` belongs before a struct; an `enum` has invalid patterns: pass its number, as `u8`")
    })?;
    if !item.generics.params.is_empty() {
        return Err(Error::new_spanned(
            &item.generics,
            "a port's value has one layout: name the types",
        ));
    }
    for field in &item.fields {
        if crate::type_name::is_bool(&field.ty) {
            return Err(Error::new_spanned(
                field.to_token_stream(),
                "a `bool` inside a value has invalid patterns: write `u8`",
            ));
        }
    }
    Ok(item)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(source: &str) -> String {
        expand(TokenStream::new(), source.parse().unwrap()).to_string()
    }

    #[test]
    fn a_struct_gets_its_layout_and_derives() {
        let text = text("pub struct Pose { x: f32, y: f32 }");
        assert!(
            text.contains("repr (C)")
                && text.contains("IntoBytes")
                && !text.contains("compile_error")
        );
    }

    #[test]
    fn what_cannot_be_bytes_is_refused_with_a_mend() {
        assert!(text("enum Mode { A }").contains("as `u8`"));
        assert!(text("struct V<T> { x: T }").contains("name the types"));
        assert!(text("struct V { on: bool }").contains("write `u8`"));
    }
}
