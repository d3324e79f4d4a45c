//! Derives of types: objects, input objects, enumerations and unions.

use proc_macro2::TokenStream;
use quote::quote;
use syn::punctuated::Punctuated;
use syn::{
    Attribute, Data, DataEnum, DeriveInput, Expr, ExprLit, Field, Fields, FieldsNamed, Lit, LitStr, Meta, Token,
    parse_quote,
};

use crate::function::description;

/// Declarations of serde on a field, a value or a type.
#[derive(Default)]
struct Serde {
    rename: Option<String>,
    rename_all: Option<String>,
    is_flattened: bool,
    is_skipped: bool,
}

impl Serde {
    fn read(attributes: &[Attribute]) -> syn::Result<Self> {
        let mut read = Self::default();
        for attribute in attributes.iter().filter(|attribute| attribute.path().is_ident("serde")) {
            for meta in attribute.parse_args_with(Punctuated::<Meta, Token![,]>::parse_terminated)? {
                match &meta {
                    Meta::Path(path) if path.is_ident("flatten") => read.is_flattened = true,
                    Meta::Path(path) if path.is_ident("skip") => read.is_skipped = true,
                    Meta::NameValue(named) if named.path.is_ident("rename") => read.rename = text_of(&named.value),
                    Meta::NameValue(named) if named.path.is_ident("rename_all") => {
                        read.rename_all = text_of(&named.value);
                    }
                    _ => {}
                }
            }
        }
        Ok(read)
    }
}

fn text_of(value: &Expr) -> Option<String> {
    match value {
        Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => Some(text.value()),
        _ => None,
    }
}

/// Returns the description of an output type.
pub(crate) fn expand_output(item: &DeriveInput) -> syn::Result<TokenStream> {
    match &item.data {
        Data::Struct(data) => match &data.fields {
            Fields::Named(fields) => object(item, fields, &quote!(Output)),
            _ => Err(syn::Error::new_spanned(&item.ident, "an object must have named fields")),
        },
        Data::Enum(data) => union(item, data),
        Data::Union(_) => Err(syn::Error::new_spanned(&item.ident, "describe a struct or an enumeration of structs")),
    }
}

/// Returns the description of an input object.
pub(crate) fn expand_input(item: &DeriveInput) -> syn::Result<TokenStream> {
    match &item.data {
        Data::Struct(data) => match &data.fields {
            Fields::Named(fields) => object(item, fields, &quote!(Input)),
            _ => Err(syn::Error::new_spanned(&item.ident, "an input object must have named fields")),
        },
        _ => Err(syn::Error::new_spanned(&item.ident, "an input object is a struct")),
    }
}

fn object(item: &DeriveInput, fields: &FieldsNamed, kind: &TokenStream) -> syn::Result<TokenStream> {
    let (ident, description) = (&item.ident, description(&item.attrs));
    let declared = Declared::read(&item.attrs)?;
    let name = declared.name.map_or_else(|| ident.to_string(), |name| name.value());
    let members = fields.named.iter().filter_map(|field| member(field).transpose()).collect::<syn::Result<Vec<_>>>()?;
    let mut generics = item.generics.clone();
    for parameter in generics.type_params_mut() {
        parameter.bounds.push(parse_quote!(::labs_core::describe::Described));
    }
    let (generic, arguments, bounds) = generics.split_for_impl();
    let parameter = item.generics.type_params().next().map(|parameter| &parameter.ident);
    let parameter =
        parameter.map_or_else(|| quote!(None), |ty| quote!(Some(<#ty as ::labs_core::describe::Described>::reference)));
    let next_cursor = declared.is_paged.then(|| {
        quote! {
            fn next_cursor(&self) -> Option<&str> {
                self.page.next_cursor.as_deref().filter(|_| self.page.has_more)
            }
        }
    });
    Ok(quote! {
        #[automatically_derived]
        impl #generic ::labs_core::describe::Described for #ident #arguments #bounds {
            fn reference(types: &mut ::labs_core::describe::Types) -> ::labs_core::describe::TypeRef {
                types.object(&::labs_core::describe::Object {
                    name: #name,
                    description: #description,
                    kind: ::labs_core::describe::ObjectKind::#kind,
                    parameter: #parameter,
                    members: <Self as ::labs_core::describe::DescribedObject>::MEMBERS,
                })
            }
            #next_cursor
        }

        #[automatically_derived]
        impl #generic ::labs_core::describe::DescribedObject for #ident #arguments #bounds {
            const NAME: &'static str = #name;
            const MEMBERS: &'static [::labs_core::describe::Member] = &[#(#members),*];
        }
    })
}

/// Returns the description of a field; `None` if serde skips it.
fn member(field: &Field) -> syn::Result<Option<TokenStream>> {
    let serde = Serde::read(&field.attrs)?;
    let (ty, description) = (&field.ty, description(&field.attrs));
    if serde.is_skipped {
        return Ok(None);
    }
    if serde.is_flattened {
        return Ok(Some(quote!(::labs_core::describe::Member::Flattened {
            of: <#ty as ::labs_core::describe::DescribedObject>::NAME,
            members: <#ty as ::labs_core::describe::DescribedObject>::MEMBERS,
        })));
    }
    let ident = field.ident.as_ref().map(ToString::to_string).unwrap_or_default();
    let name = serde.rename.unwrap_or_else(|| ident.trim_start_matches("r#").to_owned());
    Ok(Some(quote!(::labs_core::describe::Member::Field {
        name: #name,
        description: #description,
        ty: <#ty as ::labs_core::describe::Described>::reference,
    })))
}

/// Declarations of `#[describe]` on a type.
#[derive(Default)]
struct Declared {
    /// Name in the schema, if it is not that of the Rust type.
    name: Option<LitStr>,
    is_paged: bool,
}

impl Declared {
    fn read(attributes: &[Attribute]) -> syn::Result<Self> {
        let mut read = Self::default();
        for attribute in attributes.iter().filter(|attribute| attribute.path().is_ident("describe")) {
            attribute.parse_nested_meta(|meta| {
                if meta.path.is_ident("paged") {
                    read.is_paged = true;
                } else if meta.path.is_ident("name") {
                    read.name = Some(meta.value()?.parse()?);
                } else {
                    return Err(meta.error("expected `paged` or `name = \"…\"`"));
                }
                Ok(())
            })?;
        }
        Ok(read)
    }
}

fn union(item: &DeriveInput, data: &DataEnum) -> syn::Result<TokenStream> {
    let (ident, description) = (&item.ident, description(&item.attrs));
    let name = ident.to_string();
    let mut members = Vec::new();
    for variant in &data.variants {
        let Fields::Unnamed(fields) = &variant.fields else {
            return Err(syn::Error::new_spanned(variant, "a variant of a union has one object"));
        };
        let ty = fields.unnamed.first().map(|field| &field.ty);
        members.push(quote!(<#ty as ::labs_core::describe::Described>::reference));
    }
    Ok(quote! {
        #[automatically_derived]
        impl ::labs_core::describe::Described for #ident {
            fn reference(types: &mut ::labs_core::describe::Types) -> ::labs_core::describe::TypeRef {
                types.union(#name, #description, &[#(#members),*])
            }
        }
    })
}

/// Returns the description of an enumeration without fields.
pub(crate) fn expand_enum(item: &DeriveInput) -> syn::Result<TokenStream> {
    let Data::Enum(data) = &item.data else {
        return Err(syn::Error::new_spanned(&item.ident, "describe an enumeration"));
    };
    let (ident, of_enum) = (&item.ident, description(&item.attrs));
    let name = ident.to_string();
    let case = Serde::read(&item.attrs)?.rename_all;
    let mut words = Vec::new();
    for variant in &data.variants {
        let of_value = description(&variant.attrs);
        let renamed = Serde::read(&variant.attrs)?.rename;
        let word = match (renamed, case.as_deref()) {
            (Some(word), _) => word,
            (None, Some("SCREAMING_SNAKE_CASE")) => to_screaming(&variant.ident.to_string()),
            _ => return Err(syn::Error::new_spanned(variant, "declare the name of the value by serde")),
        };
        words.push(quote!((#word, #of_value)));
    }
    Ok(quote! {
        #[automatically_derived]
        impl ::labs_core::describe::Described for #ident {
            fn reference(types: &mut ::labs_core::describe::Types) -> ::labs_core::describe::TypeRef {
                types.enumeration(#name, #of_enum, &[#(#words),*])
            }
        }
    })
}

/// Converts `NotSoGood` to `NOT_SO_GOOD`.
fn to_screaming(name: &str) -> String {
    let mut word = String::new();
    for letter in name.chars() {
        if letter.is_uppercase() && !word.is_empty() {
            word.push('_');
        }
        word.extend(letter.to_uppercase());
    }
    word
}
