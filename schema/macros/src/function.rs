//! The parts of a function that operations and edges share.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Attribute, Expr, ExprLit, FnArg, Ident, ItemFn, Lit, Meta, Pat, PathArguments, ReturnType, Type};

/// Argument of a function.
pub(crate) struct Argument {
    /// Name, without a leading underscore.
    pub(crate) name: String,
    pub(crate) ty: Type,
    /// The doc comment.
    pub(crate) description: String,
}

/// Returns the text of a doc comment: each line trimmed.
pub(crate) fn description(attributes: &[Attribute]) -> String {
    let lines = attributes.iter().filter_map(|attribute| match &attribute.meta {
        Meta::NameValue(named) if named.path.is_ident("doc") => match &named.value {
            Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => Some(text.value().trim().to_owned()),
            _ => None,
        },
        _ => None,
    });
    lines.collect::<Vec<_>>().join("\n").trim().to_owned()
}

/// Returns the arguments after the first `skipped`.
pub(crate) fn arguments(function: &ItemFn, skipped: usize) -> syn::Result<Vec<Argument>> {
    function.sig.inputs.iter().skip(skipped).map(argument).collect()
}

fn argument(input: &FnArg) -> syn::Result<Argument> {
    if let FnArg::Typed(typed) = input
        && let Pat::Ident(named) = typed.pat.as_ref()
    {
        let name = named.ident.to_string().trim_start_matches('_').to_owned();
        return Ok(Argument { name, ty: typed.ty.as_ref().clone(), description: description(&typed.attrs) });
    }
    Err(syn::Error::new_spanned(input, "an argument must have a name"))
}

/// Returns the expression that takes an argument from the request.
pub(crate) fn take(Argument { name, .. }: &Argument) -> TokenStream {
    quote!(arguments.take(#name)?)
}

/// Returns the constant that describes an argument.
pub(crate) fn member(Argument { name, ty, description }: &Argument) -> TokenStream {
    quote!(::labs_core::describe::Member::Field {
        name: #name,
        description: #description,
        ty: <#ty as ::labs_core::describe::Described>::reference,
    })
}

/// Returns the type of a successful result.
pub(crate) fn output(function: &ItemFn) -> syn::Result<&Type> {
    if let ReturnType::Type(_, ty) = &function.sig.output
        && let Type::Path(path) = ty.as_ref()
        && let Some(last) = path.path.segments.last()
        && let PathArguments::AngleBracketed(arguments) = &last.arguments
        && let Some(syn::GenericArgument::Type(output)) = arguments.args.first()
    {
        return Ok(output);
    }
    Err(syn::Error::new_spanned(&function.sig, "the function must return a Result"))
}

/// Returns the function without the doc comments of its arguments, which Rust does not allow.
pub(crate) fn without_argument_docs(function: &ItemFn) -> ItemFn {
    let mut function = function.clone();
    for input in &mut function.sig.inputs {
        if let FnArg::Typed(typed) = input {
            typed.attrs.retain(|attribute| !attribute.path().is_ident("doc"));
        }
    }
    function
}

/// Returns the name of the constant of an operation.
pub(crate) fn constant(name: &Ident) -> Ident {
    Ident::new(&name.to_string().to_uppercase(), name.span())
}
