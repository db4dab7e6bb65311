//! Writes the code that an attribute adds: the descriptor, and the body that
//! the kernel starts.
//!
//! The block's order: inputs, then outputs, as declared; a returned value last.
//! The descriptor lists the parameters in this order, and states after them.

use proc_macro2::TokenStream;
use quote::{format_ident, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Attribute, Ident, Type};

use crate::function::{Answer, Function, Kind, Role};
use crate::type_name;

/// A parameter with its place.
struct Placed<'a> {
    /// The local that holds it in the body.
    local: Ident,
    role: &'a Role,
    ty: &'a Type,
    /// Position in the block; none for states.
    position: Option<usize>,
}

/// The function as written, and its descriptor under the same name in the
/// namespace of types, so that `use` brings both.
pub(crate) fn generate(function: &Function) -> TokenStream {
    let (item, name, vis) = (&function.item, function.name(), &function.item.vis);
    let cfgs: Vec<&Attribute> = item
        .attrs
        .iter()
        .filter(|attribute| attribute.path().is_ident("cfg"))
        .collect();
    let (kind, provided) = kind_names(function.kind);
    let text = name.to_string();
    let (parameters, body) = match function.kind {
        Kind::Thread => (quote! {}, thread_body(function)),
        Kind::Filter => {
            let placed = place(function);
            (
                descriptors(function, &placed),
                filter_body(function, &placed),
            )
        }
        _ => {
            let placed = place(function);
            (descriptors(function, &placed), job_body(function, &placed))
        }
    };
    quote! {
        // the timing program says how many ports a function has
        #[allow(clippy::too_many_arguments)]
        #item

        #(#cfgs)*
        #[doc(hidden)]
        #[allow(non_camel_case_types)]
        #vis enum #name {}

        #(#cfgs)*
        impl ::giornata_rt::process::#provided for #name {
            const FUNCTION: ::giornata_rt::process::Function = {
                #body
                ::giornata_rt::process::Function {
                    kind: ::giornata_rt::process::FunctionKind::#kind,
                    name: #text,
                    body: body,
                    parameters: &[#parameters],
                }
            };
        }
    }
}

fn kind_names(kind: Kind) -> (Ident, Ident) {
    let name = match kind {
        Kind::Task => "Task",
        Kind::Driver => "Driver",
        Kind::Thread => "Thread",
        Kind::Filter => "Filter",
    };
    (format_ident!("{name}"), format_ident!("{name}Function"))
}

/// Gives every parameter its position: inputs first.
fn place(function: &Function) -> Vec<Placed<'_>> {
    let is_input = |role: &Role| matches!(role, Role::Input);
    let inputs = function
        .parameters
        .iter()
        .filter(|parameter| is_input(&parameter.role))
        .count();
    let (mut next_input, mut next_output) = (0..inputs, inputs..);
    let position = |role: &Role| match role {
        Role::Input => next_input.next(),
        Role::Output => next_output.next(),
        Role::State(_) => None,
    };
    let positions: Vec<_> = function
        .parameters
        .iter()
        .map(|parameter| &parameter.role)
        .map(position)
        .collect();
    let placed = |(index, (parameter, position))| {
        let parameter: &crate::function::Parameter = parameter;
        Placed {
            local: format_ident!("parameter_{index}"),
            role: &parameter.role,
            ty: &parameter.ty,
            position,
        }
    };
    function
        .parameters
        .iter()
        .zip(positions)
        .enumerate()
        .map(placed)
        .collect()
}

/// The types in the block, in order.
fn block_types<'a>(function: &'a Function, placed: &'a [Placed<'a>]) -> Vec<&'a Type> {
    let mut in_block: Vec<&Placed<'_>> = placed
        .iter()
        .filter(|parameter| parameter.position.is_some())
        .collect();
    in_block.sort_by_key(|parameter| parameter.position);
    let answer = match &function.answer {
        Answer::Output(ty) => Some(&**ty),
        _ => None,
    };
    in_block
        .into_iter()
        .map(|parameter| parameter.ty)
        .chain(answer)
        .collect()
}

fn descriptors(function: &Function, placed: &[Placed<'_>]) -> TokenStream {
    let inputs = placed
        .iter()
        .filter(|parameter| matches!(parameter.role, Role::Input))
        .count();
    let in_block = block_types(function, placed).into_iter().enumerate();
    let in_block =
        in_block.map(|(position, ty)| (if position < inputs { "Input" } else { "Output" }, ty));
    let states = placed
        .iter()
        .filter(|parameter| parameter.position.is_none())
        .map(|parameter| ("State", parameter.ty));
    let each = in_block.chain(states).map(|(direction, ty)| {
        let (direction, text) = (format_ident!("{direction}"), type_name::of(ty));
        quote! {
            ::giornata_rt::process::Parameter {
                direction: ::giornata_rt::process::Direction::#direction,
                size: ::core::mem::size_of::<#ty>(),
                type_name: #text,
            }
        }
    });
    quote! { #(#each),* }
}

fn thread_body(function: &Function) -> TokenStream {
    let name = function.name();
    if function.item.sig.inputs.is_empty() {
        return quote! {
            #[allow(unreachable_code)]
            extern "C" fn body(_control: *mut u8) -> usize {
                ::giornata_rt::block::run(|| {
                    #name();
                    0
                })
            }
        };
    }
    quote! {
        #[allow(unreachable_code)]
        extern "C" fn body(control: *mut u8) -> usize {
            ::giornata_rt::block::run(|| {
                // SAFETY: the kernel starts a thread with its control page.
                if let Some(control) = unsafe { ::giornata_rt::Control::new(control) } {
                    #name(control);
                }
                0
            })
        }
    }
}

/// The body of a filter's function gets one view of tokens for each port.
fn filter_body(function: &Function, placed: &[Placed<'_>]) -> TokenStream {
    let name = function.name();
    let loads = placed.iter().map(|parameter| {
        let Placed {
            local,
            role,
            ty,
            position,
        } = parameter;
        let position = position.unwrap_or_default();
        match role {
            Role::State(_) => load(parameter),
            Role::Input => quote_spanned! { ty.span() =>
                let #local = unsafe { ports.tokens::<#ty>(#position) };
            },
            Role::Output => quote_spanned! { ty.span() =>
                let mut #local = unsafe { ports.room::<#ty>(#position) };
            },
        }
    });
    let arguments = placed.iter().map(|parameter| {
        let local = &parameter.local;
        match parameter.role {
            Role::Input => quote! { &#local },
            Role::State(_) | Role::Output => quote! { &mut #local },
        }
    });
    quote! {
        #[allow(clippy::unit_arg, clippy::let_unit_value)]
        extern "C" fn body(ports: *mut u8) -> usize {
            ::giornata_rt::block::run(|| {
                // SAFETY: the runtime calls a filter's function with its ports.
                let ports = unsafe { ::giornata_rt::stream::Ports::new(ports) };
                let _ = &ports;
                #(#loads)*
                #name(#(#arguments),*);
                0
            })
        }
    }
}

fn job_body(function: &Function, placed: &[Placed<'_>]) -> TokenStream {
    let name = function.name();
    let types = block_types(function, placed);
    let count = types.len();
    let loads = placed.iter().map(load);
    let arguments = placed.iter().map(argument);
    let stores = placed
        .iter()
        .filter(|parameter| matches!(parameter.role, Role::Output))
        .map(|parameter| {
            let local = &parameter.local;
            store(
                parameter.ty,
                parameter.position.unwrap_or_default(),
                &quote! { #local },
            )
        });
    let (bind, answer) = match &function.answer {
        Answer::Nothing => (quote! {}, quote! { 0 }),
        Answer::Word => (quote! { let answer: usize = }, quote! { answer }),
        Answer::Output(ty) if type_name::is_bool(ty) => {
            let store = store(ty, count - 1, &quote! { answer });
            (
                quote! { let answer: bool = },
                quote! { #store answer as usize },
            )
        }
        Answer::Output(ty) => {
            let store = store(ty, count - 1, &quote! { answer });
            (quote! { let answer: #ty = }, quote! { #store 0 })
        }
    };
    let (sizes, block) = match count {
        0 => (quote! {}, quote! { let _ = block; }),
        _ => (
            quote! { const SIZES: [usize; #count] = [#(::core::mem::size_of::<#types>()),*]; },
            // SAFETY: the kernel starts a body with its block.
            quote! { let block = unsafe { ::giornata_rt::block::Block::new(block) }; },
        ),
    };
    quote! {
        #[allow(clippy::unit_arg, clippy::let_unit_value)]
        extern "C" fn body(block: *mut u8) -> usize {
            #sizes
            ::giornata_rt::block::run(|| {
                #block
                #(#loads)*
                #bind #name(#(#arguments),*);
                #(#stores)*
                #answer
            })
        }
    }
}

fn offset(position: usize) -> TokenStream {
    quote! { const { ::giornata_rt::block::offset(&SIZES, #position) } }
}

/// The statement that makes a parameter's local. Errors about its type point at it.
fn load(parameter: &Placed<'_>) -> TokenStream {
    let Placed {
        local,
        role,
        ty,
        position,
    } = parameter;
    let offset = offset(position.unwrap_or_default());
    let span = ty.span();
    match role {
        Role::State(init) => {
            let state = format_ident!("STATE_OF_{local}");
            quote_spanned! { span =>
                #[allow(non_upper_case_globals)]
                static #state: ::giornata_rt::State<#ty> = ::giornata_rt::State::new();
                let mut #local: ::giornata_rt::block::Lent<#ty> = unsafe { #state.lend(#init) };
            }
        }
        Role::Input if type_name::is_bool(ty) => {
            quote! { let #local = unsafe { block.flag(#offset) }; }
        }
        Role::Output if type_name::is_bool(ty) => {
            quote! { let mut #local = unsafe { block.flag(#offset) }; }
        }
        Role::Input => {
            quote_spanned! { span => let #local = unsafe { block.input::<#ty>(#offset) }; }
        }
        Role::Output => {
            quote_spanned! { span => let mut #local: #ty = *unsafe { block.input::<#ty>(#offset) }; }
        }
    }
}

fn argument(parameter: &Placed<'_>) -> TokenStream {
    let local = &parameter.local;
    match parameter.role {
        Role::Input if type_name::is_bool(parameter.ty) => quote! { &#local },
        Role::Input => quote! { #local },
        Role::State(_) | Role::Output => quote! { &mut #local },
    }
}

fn store(ty: &Type, position: usize, value: &TokenStream) -> TokenStream {
    let offset = offset(position);
    match type_name::is_bool(ty) {
        true => quote! { unsafe { block.set_flag(#offset, #value) }; },
        false => quote_spanned! { ty.span() => unsafe { block.set::<#ty>(#offset, #value) }; },
    }
}
