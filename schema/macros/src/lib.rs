//! Macros that describe operations, edges and types as constants.
//!
//! They generate data and calls of `labs_core::describe` and `labs_core::operation`, and no logic. A type is described
//! with its serde names, so GraphQL and JSON have the same names.

mod edge;
mod function;
mod operation;
mod types;

use proc_macro::TokenStream;
use syn::{DeriveInput, ItemFn, parse_macro_input};

/// Declares an operation. The function becomes a root field of the schema under its own name; its doc comment is the
/// description.
///
/// ```text
/// /// Get an app.
/// #[operation(query, access = "marketplace.apps")]
/// async fn marketplace_apps_get(cx: &RequestContext, app_uuid: Uuid) -> Result<App, Fault> { … }
/// ```
///
/// The first argument is the request's context, each further argument one of the field's arguments. The macro defines
/// the constant `MARKETPLACE_APPS_GET`, which [`operations!`] lists. The declarations after `access` are those of
/// `labs_core::operation::Attributes`: `audit_target(User, "user_uuid")`, `audit_partner = "partner_uuid"`,
/// `audit_hashed = "q"`, `partner_reads = "reason"`, `reusable("storefront", 600)`, `batched`, `may_lag`,
/// `answers_file`, `hidden_from_partner`. `find_faults = find_faults` names the function of
/// `labs_core::operation::Operation::find_faults`.
#[proc_macro_attribute]
pub fn operation(declared: TokenStream, item: TokenStream) -> TokenStream {
    let declared = parse_macro_input!(declared as operation::Declared);
    let function = parse_macro_input!(item as ItemFn);
    operation::expand(&declared, &function).unwrap_or_else(|error| error.to_compile_error()).into()
}

/// Lists operations by the names of their functions: `operations![marketplace_apps_list, marketplace_apps_get]`.
#[proc_macro]
pub fn operations(names: TokenStream) -> TokenStream {
    let names = parse_macro_input!(names as operation::Names);
    operation::list(&names).into()
}

/// Declares an edge: a field of an object that reads another object. Only a staff member's own query follows it.
///
/// ```text
/// /// Partner who owns the app.
/// #[edge(AdminApp, partner, reads = PARTNER.reads())]
/// async fn app_partner(cx: &RequestContext, app: &Parent<'_>) -> Result<Option<AdminPartner>, Fault> { … }
/// ```
///
/// The macro defines the function `describe_app_partner`, which returns the edge.
#[proc_macro_attribute]
pub fn edge(declared: TokenStream, item: TokenStream) -> TokenStream {
    let declared = parse_macro_input!(declared as edge::Declared);
    let function = parse_macro_input!(item as ItemFn);
    edge::expand(&declared, &function).unwrap_or_else(|error| error.to_compile_error()).into()
}

/// Describes a struct as an object that operations return, or an enumeration of such structs as a union.
///
/// On the type, `#[describe(paged)]` marks an answer with the end of a page in its field `page`, and
/// `#[describe(name = "…")]` gives it another name in the schema.
#[proc_macro_derive(OutputType, attributes(describe))]
pub fn output_type(item: TokenStream) -> TokenStream {
    let item = parse_macro_input!(item as DeriveInput);
    types::expand_output(&item).unwrap_or_else(|error| error.to_compile_error()).into()
}

/// Describes a struct as an input object. `#[describe(name = "…")]` gives it another name in the schema.
#[proc_macro_derive(InputType, attributes(describe))]
pub fn input_type(item: TokenStream) -> TokenStream {
    let item = parse_macro_input!(item as DeriveInput);
    types::expand_input(&item).unwrap_or_else(|error| error.to_compile_error()).into()
}

/// Describes an enumeration without fields. Its values have their serde names.
#[proc_macro_derive(EnumType)]
pub fn enum_type(item: TokenStream) -> TokenStream {
    let item = parse_macro_input!(item as DeriveInput);
    types::expand_enum(&item).unwrap_or_else(|error| error.to_compile_error()).into()
}
