//! `#[operation]` and `operations!`.

use proc_macro2::TokenStream;
use quote::quote;
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::{Ident, ItemFn, LitInt, LitStr, Path, Token, parenthesized};

use crate::function;

/// Declarations of an operation.
pub(crate) struct Declared {
    kind: Ident,
    access: LitStr,
    /// Initialisers of the declared fields of `Attributes`.
    attributes: Vec<TokenStream>,
    find_faults: Option<Path>,
}

impl Parse for Declared {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let kind: Ident = input.parse()?;
        if kind != "query" && kind != "mutation" {
            return Err(syn::Error::new(kind.span(), "an operation is a `query` or a `mutation`"));
        }
        let (mut access, mut attributes, mut find_faults) = (None, Vec::new(), None);
        while !input.is_empty() {
            input.parse::<Token![,]>()?;
            if input.is_empty() {
                break;
            }
            let name: Ident = input.parse()?;
            if name == "access" {
                input.parse::<Token![=]>()?;
                access = Some(input.parse()?);
            } else if name == "find_faults" {
                input.parse::<Token![=]>()?;
                find_faults = Some(input.parse()?);
            } else {
                attributes.push(attribute(&name, input)?);
            }
        }
        let missing = || syn::Error::new(kind.span(), "`access` is missing; access is denied by default");
        Ok(Self { access: access.ok_or_else(missing)?, kind, attributes, find_faults })
    }
}

/// Reads one declaration and returns the initialiser of its field.
fn attribute(name: &Ident, input: ParseStream<'_>) -> syn::Result<TokenStream> {
    match name.to_string().as_str() {
        "batched" | "may_lag" | "answers_file" | "hidden_from_partner" => Ok(quote!(#name: true)),
        "audit_partner" | "audit_hashed" | "partner_reads" => {
            input.parse::<Token![=]>()?;
            let argument: LitStr = input.parse()?;
            Ok(quote!(#name: Some(#argument)))
        }
        "audit_target" => {
            let given;
            parenthesized!(given in input);
            let kind: Ident = given.parse()?;
            given.parse::<Token![,]>()?;
            let argument: LitStr = given.parse()?;
            Ok(quote!(audit_target: Some((::labs_core::audit_target::AuditTargetKind::#kind, #argument))))
        }
        "reusable" => {
            let given;
            parenthesized!(given in input);
            let topic: LitStr = given.parse()?;
            given.parse::<Token![,]>()?;
            let seconds: LitInt = given.parse()?;
            Ok(quote!(reusable: Some((#topic, #seconds))))
        }
        _ => Err(syn::Error::new(name.span(), "unknown declaration of an operation")),
    }
}

/// Names of operations.
pub(crate) struct Names(Punctuated<Ident, Token![,]>);

impl Parse for Names {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        Punctuated::parse_terminated(input).map(Self)
    }
}

/// Returns the list of these operations.
pub(crate) fn list(Names(names): &Names) -> TokenStream {
    let constants = names.iter().map(function::constant);
    quote!(&[#(#constants),*])
}

/// Returns the function and the constant that describes it.
pub(crate) fn expand(declared: &Declared, item: &ItemFn) -> syn::Result<TokenStream> {
    let Declared { kind, access, attributes, find_faults } = declared;
    let arguments = function::arguments(item, 1)?;
    let (name, vis) = (&item.sig.ident, &item.vis);
    let text = name.to_string();
    let constant = function::constant(name);
    let description = function::description(&item.attrs);
    let is_mutation = kind == "mutation";
    let output = function::output(item)?;
    let members = arguments.iter().map(function::member);
    let taken = arguments.iter().map(function::take);
    let bound = if arguments.is_empty() { quote!(_) } else { quote!(mut arguments) };
    let find_faults = faults_of(find_faults.as_ref());
    let kept = function::without_argument_docs(item);
    let summary = format!("Description of [`{text}`].");
    Ok(quote! {
        #kept

        #[doc = #summary]
        #vis const #constant: ::labs_core::operation::Operation = {
            fn run(
                cx: &::labs_core::context::RequestContext,
                #bound: ::labs_core::operation::Arguments,
            ) -> ::labs_core::operation::Running<'_> {
                ::std::boxed::Box::pin(async move {
                    let answer = #name(cx, #(#taken),*).await?;
                    ::labs_core::operation::write(&answer)
                })
            }
            ::labs_core::operation::Operation {
                name: #text,
                description: #description,
                is_mutation: #is_mutation,
                access: #access,
                attributes: ::labs_core::operation::Attributes {
                    #(#attributes,)*
                    ..::labs_core::operation::Attributes::NONE
                },
                arguments: &[#(#members),*],
                output: <#output as ::labs_core::describe::Described>::reference,
                find_faults: #find_faults,
                run,
            }
        };
    })
}

/// Returns the value of `Operation::find_faults`.
fn faults_of(function: Option<&Path>) -> TokenStream {
    let Some(function) = function else { return quote!(::core::option::Option::None) };
    quote! {{
        // Not a name that the given path could mean.
        fn boxed_find_faults<'a>(
            services: &'a ::labs_core::services::Services,
            db: &'a ::labs_core::db::Db,
            body: &'a ::labs_core::operation::RejectedBody,
        ) -> ::labs_core::operation::FindingFaults<'a> {
            ::std::boxed::Box::pin(#function(services, db, body))
        }
        ::core::option::Option::Some(boxed_find_faults as ::labs_core::operation::FindFaults)
    }}
}
