//! The names under which the builder compares types.

use proc_macro2::TokenStream;
use quote::ToTokens;
use syn::{GenericArgument, PathArguments, PathSegment, Type};

/// The type's name: the last segment of its path, arrays as `[f32;3]`, without
/// spaces. Two types are the same to the builder if name and size are.
pub(crate) fn of(ty: &Type) -> String {
    match ty {
        Type::Path(path) => path.path.segments.last().map(segment).unwrap_or_default(),
        Type::Array(array) => format!(
            "[{};{}]",
            of(&array.elem),
            compact(array.len.to_token_stream())
        ),
        Type::Paren(inner) => of(&inner.elem),
        Type::Group(inner) => of(&inner.elem),
        other => compact(other.to_token_stream()),
    }
}

fn segment(segment: &PathSegment) -> String {
    let PathArguments::AngleBracketed(arguments) = &segment.arguments else {
        return segment.ident.to_string();
    };
    let arguments: Vec<String> = arguments.args.iter().map(argument).collect();
    format!("{}<{}>", segment.ident, arguments.join(","))
}

fn argument(argument: &GenericArgument) -> String {
    match argument {
        GenericArgument::Type(ty) => of(ty),
        other => compact(other.to_token_stream()),
    }
}

fn compact(tokens: TokenStream) -> String {
    tokens.to_string().split_whitespace().collect()
}

/// Whether the type is written `bool`, whose patterns the generated body checks.
pub(crate) fn is_bool(ty: &Type) -> bool {
    matches!(of(ty).as_str(), "bool")
}

#[cfg(test)]
mod tests {
    use super::*;
    use syn::parse_str;

    #[test]
    fn names_are_the_last_segment_and_canonical() {
        for (written, name) in [
            ("f32", "f32"),
            ("crate::model::Pose", "Pose"),
            ("[f32; 3]", "[f32;3]"),
            ("[ [ core::primitive::u8 ; 2 ] ; N ]", "[[u8;2];N]"),
            ("Vector<f64, 3>", "Vector<f64,3>"),
            ("(geometry::Quaternion)", "Quaternion"),
        ] {
            let ty: Type = parse_str(written).unwrap();
            assert_eq!(of(&ty), name, "{written}");
        }
    }
}
