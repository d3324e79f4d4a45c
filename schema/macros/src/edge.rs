//! `#[edge]`.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::parse::{Parse, ParseStream};
use syn::{Expr, Ident, ItemFn, Token};

use crate::function;

/// Declarations of an edge: the object, the field, and the root fields that read the same.
pub(crate) struct Declared {
    object: Ident,
    field: Ident,
    reads: Expr,
}

impl Parse for Declared {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let object = input.parse()?;
        input.parse::<Token![,]>()?;
        let field = input.parse()?;
        input.parse::<Token![,]>()?;
        let reads: Ident = input.parse()?;
        if reads != "reads" {
            return Err(syn::Error::new(reads.span(), "expected `reads = …`"));
        }
        input.parse::<Token![=]>()?;
        Ok(Self { object, field, reads: input.parse()? })
    }
}

/// Returns the function and the function that describes it.
pub(crate) fn expand(declared: &Declared, item: &ItemFn) -> syn::Result<TokenStream> {
    let Declared { object, field, reads } = declared;
    let arguments = function::arguments(item, 2)?;
    let name = &item.sig.ident;
    let describe = format_ident!("describe_{name}");
    let field = field.to_string();
    let description = function::description(&item.attrs);
    let output = function::output(item)?;
    let members = arguments.iter().map(function::member);
    let taken = arguments.iter().map(function::take);
    let bound = if arguments.is_empty() { quote!(_) } else { quote!(mut arguments) };
    let kept = function::without_argument_docs(item);
    let summary = format!("Describes the edge of [`{name}`].");
    Ok(quote! {
        #kept

        #[doc = #summary]
        pub(super) fn #describe() -> ::labs_core::operation::Edge {
            fn run<'a>(
                cx: &'a ::labs_core::context::RequestContext,
                parent: ::labs_core::operation::Parent<'a>,
                #bound: ::labs_core::operation::Arguments,
            ) -> ::labs_core::operation::Following<'a> {
                ::std::boxed::Box::pin(async move {
                    let answer = #name(cx, &parent, #(#taken),*).await?;
                    ::labs_core::operation::to_json(&answer)
                })
            }
            ::labs_core::operation::Edge {
                object: <#object as ::labs_core::describe::DescribedObject>::NAME,
                field: #field,
                description: #description,
                reads: #reads,
                arguments: &[#(#members),*],
                output: <#output as ::labs_core::describe::Described>::reference,
                run,
            }
        }
    })
}
