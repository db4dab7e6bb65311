//! Reads the function under an attribute: what kind, which parameters.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote};
use syn::spanned::Spanned;
use syn::{
    Attribute, Error, Expr, FnArg, Ident, ItemFn, Pat, PatType, Result, ReturnType, Type, parse2,
};

use crate::{body, type_name};

/// The attribute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Task,
    Driver,
    Thread,
    Filter,
}

impl Kind {
    pub(crate) fn attribute(self) -> &'static str {
        match self {
            Kind::Task => "task",
            Kind::Driver => "driver",
            Kind::Thread => "thread",
            Kind::Filter => "filter",
        }
    }
}

/// What a parameter of a task or driver is.
pub(crate) enum Role {
    Input,
    Output,
    /// Made by this expression, called without arguments.
    State(Expr),
}

/// A parameter, without its reference.
pub(crate) struct Parameter {
    pub(crate) role: Role,
    pub(crate) ty: Type,
}

/// What comes back from the function.
pub(crate) enum Answer {
    Nothing,
    /// A `usize`: the value of the upcall.
    Word,
    /// One more output.
    Output(Box<Type>),
}

/// A function that has been read without errors.
pub(crate) struct Function {
    pub(crate) kind: Kind,
    pub(crate) item: ItemFn,
    pub(crate) parameters: Vec<Parameter>,
    pub(crate) answer: Answer,
}

/// The function with what the attribute adds; errors as `compile_error!`
/// beside the function as it was, so that its uses bring no errors of their own.
pub(crate) fn expand(kind: Kind, attribute: TokenStream, item: TokenStream) -> TokenStream {
    let read = no_arguments(kind.attribute(), &attribute).and_then(|()| read(kind, item.clone()));
    match read {
        Ok(function) => body::generate(&function),
        Err(error) => {
            let error = error.to_compile_error();
            let item = parse2(item.clone()).map_or(item, |f: ItemFn| {
                without_state_attributes(f).to_token_stream()
            });
            quote! { #error #item }
        }
    }
}

/// Refuses `#[name(...)]`.
pub(crate) fn no_arguments(name: &str, attribute: &TokenStream) -> Result<()> {
    if attribute.is_empty() {
        return Ok(());
    }
    let text = format!(
        "`#[{name}]` takes no arguments: rates, budgets and priorities belong into the system file"
    );
    Err(Error::new_spanned(attribute, text))
}

pub(crate) fn read(kind: Kind, item: TokenStream) -> Result<Function> {
    let span = item.span();
    let item: ItemFn = parse2(item).map_err(|_| {
        Error::new(
            span,
            format!(
                "`#[{0}]` belongs before a function: `#[{0}] fn name(...) {{ ... }}`",
                kind.attribute()
            ),
        )
    })?;
    let mut errors = Errors::default();
    errors.keep(plain(kind, &item));
    let parameters = match kind {
        Kind::Thread => errors.keep(thread_parameters(&item)).map(|()| Vec::new()),
        _ => Some(
            item.sig
                .inputs
                .iter()
                .filter_map(|input| errors.keep(parameter(kind, input)))
                .collect(),
        ),
    };
    let answer = errors.keep(answer(kind, &item.sig.output));
    errors.end()?;
    let (Some(parameters), Some(answer)) = (parameters, answer) else {
        return Err(Error::new(Span::call_site(), "the function cannot be read"));
    };
    Ok(Function {
        kind,
        item: without_state_attributes(item),
        parameters,
        answer,
    })
}

/// All errors of a function at once.
#[derive(Default)]
struct Errors(Option<Error>);

impl Errors {
    fn keep<T>(&mut self, result: Result<T>) -> Option<T> {
        match result {
            Ok(value) => return Some(value),
            Err(error) => match &mut self.0 {
                Some(all) => all.combine(error),
                none => *none = Some(error),
            },
        }
        None
    }

    fn end(self) -> Result<()> {
        self.0.map_or(Ok(()), Err)
    }
}

/// The kernel starts a plain function: nothing generic, nothing `async`.
fn plain(kind: Kind, item: &ItemFn) -> Result<()> {
    let (sig, name) = (&item.sig, kind.attribute());
    let refuse = |at: &dyn ToTokens, what: &str, mend: &str| {
        Err(Error::new_spanned(
            at,
            format!("a {name} cannot be {what}: {mend}"),
        ))
    };
    if let Some(at) = &sig.asyncness {
        return refuse(
            at,
            "`async`",
            "it runs to its end by itself; remove `async`",
        );
    }
    if let Some(at) = &sig.unsafety {
        return refuse(
            at,
            "`unsafe`",
            "the kernel starts it, nobody checks a contract; put the unsafe part into a block",
        );
    }
    if let Some(at) = &sig.abi {
        return refuse(
            at,
            "`extern`",
            "the attribute makes the function that the kernel calls; remove `extern`",
        );
    }
    if !sig.generics.params.is_empty() {
        return refuse(
            &sig.generics,
            "generic",
            "its block is laid out when compiling; name the types and leave lifetimes out",
        );
    }
    if let Some(at) = &sig.generics.where_clause {
        return refuse(at, "generic", "remove the `where` clause");
    }
    Ok(())
}

fn thread_parameters(item: &ItemFn) -> Result<()> {
    let mut inputs = item.sig.inputs.iter();
    if let Some(FnArg::Typed(first)) = inputs.next()
        && type_name::of(&first.ty) != "Control"
    {
        let text = "a thread takes nothing, or its control page: write `control: Control`; ports are read and written through `giornata_rt::port`";
        return Err(Error::new_spanned(first, text));
    }
    match inputs.next() {
        Some(second) => Err(Error::new_spanned(
            second,
            "a thread takes at most its control page: remove this parameter",
        )),
        None => Ok(()),
    }
}

fn parameter(kind: Kind, input: &FnArg) -> Result<Parameter> {
    let typed = match input {
        FnArg::Typed(typed) => typed,
        FnArg::Receiver(receiver) => {
            let text = format!(
                "a {} is a free function: take the value as `#[state(init)] name: &mut T` instead of `self`",
                kind.attribute()
            );
            return Err(Error::new_spanned(receiver, text));
        }
    };
    let name = pattern_name(&typed.pat);
    let Type::Reference(reference) = &*typed.ty else {
        let ty = typed.ty.to_token_stream();
        let text = format!(
            "`{name}` is passed by value: an input is `{name}: &{ty}`, an output `{name}: &mut {ty}`"
        );
        return Err(Error::new_spanned(&typed.ty, text));
    };
    if let Some(lifetime) = &reference.lifetime {
        let text = format!("`{name}` lives as long as the job: remove the lifetime `{lifetime}`");
        return Err(Error::new_spanned(lifetime, text));
    }
    let role = role(typed, &name, reference.mutability.is_some())?;
    let ty = match (kind, &role) {
        (Kind::Filter, Role::Input) => token(&name, &reference.elem, "Tokens", "&")?,
        (Kind::Filter, Role::Output) => token(&name, &reference.elem, "Room", "&mut ")?,
        _ => sized(&name, &reference.elem)?,
    };
    Ok(Parameter { role, ty })
}

/// The type of the tokens behind a parameter of a filter.
fn token(name: &str, ty: &Type, view: &str, reference: &str) -> Result<Type> {
    if let Type::Path(path) = ty
        && let Some(last) = path.path.segments.last()
        && last.ident == view
        && let syn::PathArguments::AngleBracketed(arguments) = &last.arguments
        && let Some(syn::GenericArgument::Type(token)) = arguments.args.first()
        && arguments.args.len() == 1
    {
        return sized(name, token);
    }
    let text = format!(
        "the tokens of an input are `&Tokens<T>`, the room of an output is `&mut Room<T>`: \
         write `{name}: {reference}{view}<...>` with the type of a token"
    );
    Err(Error::new_spanned(ty, text))
}

fn role(typed: &PatType, name: &str, mutable: bool) -> Result<Role> {
    match (state_attribute(&typed.attrs)?, mutable) {
        (Some(init), true) => Ok(Role::State(init)),
        (Some(init), false) => Err(Error::new_spanned(
            init,
            format!("the state `{name}` could never change: write `&mut`, or use a `const`"),
        )),
        (None, true) => Ok(Role::Output),
        (None, false) => Ok(Role::Input),
    }
}

/// A port's value has a size that is known when compiling.
fn sized(name: &str, ty: &Type) -> Result<Type> {
    match ty {
        Type::Slice(slice) => {
            let element = slice.elem.to_token_stream();
            Err(Error::new_spanned(
                ty,
                format!("`{name}` has no fixed size: write `[{element}; N]`"),
            ))
        }
        Type::TraitObject(_) | Type::ImplTrait(_) | Type::Infer(_) => Err(Error::new_spanned(
            ty,
            format!("`{name}` needs a type of fixed size: name the type"),
        )),
        Type::Path(path) if path.path.is_ident("str") => Err(Error::new_spanned(
            ty,
            format!("`{name}` has no fixed size: write `[u8; N]`"),
        )),
        Type::Reference(_) | Type::Ptr(_) => Err(Error::new_spanned(
            ty,
            format!(
                "`{name}` is an address, which means nothing in another process: pass the value"
            ),
        )),
        other => Ok(other.clone()),
    }
}

fn answer(kind: Kind, output: &ReturnType) -> Result<Answer> {
    let ReturnType::Type(_, ty) = output else {
        return Ok(Answer::Nothing);
    };
    match (&**ty, kind) {
        (Type::Tuple(tuple), _) if tuple.elems.is_empty() => Ok(Answer::Nothing),
        (Type::Never(_), Kind::Thread) => Ok(Answer::Nothing),
        (ty, Kind::Task) => Err(Error::new_spanned(
            ty,
            "a task returns nothing: its results are its outputs; add a parameter `result: &mut T`",
        )),
        (ty, Kind::Filter) => Err(Error::new_spanned(
            ty,
            "a filter returns nothing: its results are the tokens that it puts into its outputs",
        )),
        (ty, Kind::Thread) => Err(Error::new_spanned(
            ty,
            "nobody waits for what a thread returns: write it to a port or the log",
        )),
        (Type::Never(_), Kind::Driver) => Err(Error::new_spanned(
            ty,
            "a driver returns within its budget: remove `-> !`",
        )),
        (Type::Path(path), Kind::Driver) if path.path.is_ident("usize") => Ok(Answer::Word),
        (ty, Kind::Driver) => {
            sized("the value returned", ty).map(|ty| Answer::Output(Box::new(ty)))
        }
    }
}

/// The initialiser of `#[state(init)]`.
fn state_attribute(attributes: &[Attribute]) -> Result<Option<Expr>> {
    let mut states = attributes
        .iter()
        .filter(|attribute| attribute.path().is_ident("state"));
    let Some(first) = states.next() else {
        return Ok(None);
    };
    if let Some(second) = states.next() {
        return Err(Error::new_spanned(
            second,
            "the state has its initialiser already: remove one `#[state]`",
        ));
    }
    let init = first.parse_args::<Expr>().map_err(|_| {
        Error::new_spanned(first, "name the function that makes the state: `#[state(Type::new)]` or `#[state(Default::default)]`")
    })?;
    Ok(Some(init))
}

fn pattern_name(pattern: &Pat) -> String {
    match pattern {
        Pat::Ident(ident) => ident.ident.to_string(),
        other => other.to_token_stream().to_string(),
    }
}

fn without_state_attributes(mut item: ItemFn) -> ItemFn {
    for input in &mut item.sig.inputs {
        if let FnArg::Typed(typed) = input {
            typed
                .attrs
                .retain(|attribute| !attribute.path().is_ident("state"));
        }
    }
    item
}

impl Function {
    /// The function's name.
    pub(crate) fn name(&self) -> &Ident {
        &self.item.sig.ident
    }
}

#[cfg(test)]
#[path = "function_tests.rs"]
mod tests;
