//! Descriptions of types, from which the GraphQL schema is built.
//!
//! A type describes itself once, with the names and types that serde uses (derives `OutputType`, `InputType` and
//! `EnumType`). A description is constant data, so a described type adds no code to requests.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

pub use async_graphql::dynamic::TypeRef;
pub use async_graphql::{Json, MaybeUndefined};
use serde::Serialize;
use serde_json::Value;
use uuid::Uuid;

pub use labs_macros::{EnumType, InputType, OutputType};

use crate::context::CreatedId;

/// Type with a description.
pub trait Described {
    /// Returns the reference to this type, and adds the type and all types that it uses.
    fn reference(types: &mut Types) -> TypeRef;

    /// Returns the cursor of the next page if the value is a page of a list and is not the last one.
    fn next_cursor(&self) -> Option<&str> {
        None
    }

    /// Returns the identifier of the created object if the value is the answer of an operation that created one.
    fn created(&self) -> Option<&CreatedId> {
        None
    }
}

/// Described type with fields.
pub trait DescribedObject {
    /// Name of the type.
    const NAME: &'static str;
    /// Its fields.
    const MEMBERS: &'static [Member];
}

/// Field of an object, or argument of an operation.
#[derive(Clone, Copy)]
pub enum Member {
    /// One field.
    Field {
        /// Name in GraphQL and JSON.
        name: &'static str,
        /// Its doc comment.
        description: &'static str,
        /// Type of the value.
        ty: fn(&mut Types) -> TypeRef,
    },
    /// The fields of another object, in its place.
    Flattened {
        /// Name of the other object.
        of: &'static str,
        /// Its fields.
        members: &'static [Member],
    },
}

/// Whether an object is an input or an output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ObjectKind {
    /// Input object.
    Input,
    /// Object.
    Output,
}

/// Object as its type describes it.
pub struct Object {
    /// Name of the type. The name of a list of `T` contains the name of `T`: `List` is `TList`, `CountedList` is
    /// `CountedTList`.
    pub name: &'static str,
    /// Its doc comment.
    pub description: &'static str,
    /// Whether it is an input or an output.
    pub kind: ObjectKind,
    /// Type parameter.
    pub parameter: Option<fn(&mut Types) -> TypeRef>,
    /// Fields.
    pub members: &'static [Member],
}

/// Named type.
pub(crate) struct NamedType {
    pub(crate) description: String,
    pub(crate) kind: TypeKind,
}

/// Content of a named type.
pub(crate) enum TypeKind {
    /// Object or input object.
    Object {
        kind: ObjectKind,
        fields: Vec<DescribedField>,
        /// Objects whose fields it contains.
        includes: Vec<&'static str>,
    },
    /// Enumeration: each value with its description.
    Enum(&'static [(&'static str, &'static str)]),
    /// Union of these objects.
    Union(Vec<String>),
    /// Custom scalar, with the check of its input and the address of its specification.
    Scalar { accepts: fn(&async_graphql::Value) -> bool, specified_by: Option<&'static str> },
}

/// Field with its type.
#[derive(PartialEq)]
pub(crate) struct DescribedField {
    pub(crate) name: &'static str,
    pub(crate) description: &'static str,
    pub(crate) ty: TypeRef,
}

impl NamedType {
    /// Whether both are descriptions of the same type.
    fn is_same(&self, other: &Self) -> bool {
        let is_same = match (&self.kind, &other.kind) {
            (TypeKind::Object { kind, fields, .. }, TypeKind::Object { kind: of, fields: others, .. }) => {
                kind == of && fields == others
            }
            (TypeKind::Enum(values), TypeKind::Enum(others)) => values == others,
            (TypeKind::Union(objects), TypeKind::Union(others)) => objects == others,
            (TypeKind::Scalar { .. }, TypeKind::Scalar { .. }) => true,
            _ => false,
        };
        is_same && self.description == other.description
    }
}

/// Described types by name.
#[derive(Default)]
pub struct Types {
    pub(crate) named: BTreeMap<String, NamedType>,
    /// Names with several descriptions.
    pub(crate) conflicts: Vec<String>,
}

impl Types {
    /// Adds an object and returns the reference to it.
    pub fn object(&mut self, object: &Object) -> TypeRef {
        let name = match object.parameter {
            None => object.name.to_owned(),
            Some(parameter) => {
                let of = parameter(self);
                format!("{}{}List", object.name.trim_end_matches("List"), of.type_name())
            }
        };
        let is_being_described = matches!(
            self.named.get(&name),
            Some(NamedType { kind: TypeKind::Object { fields, .. }, .. }) if fields.is_empty()
        );
        if !is_being_described {
            let empty = TypeKind::Object { kind: object.kind, fields: Vec::new(), includes: Vec::new() };
            let before = self.named.insert(name.clone(), NamedType { description: String::new(), kind: empty });
            let mut includes = Vec::new();
            let fields = self.fields(object.members, &mut includes);
            let kind = TypeKind::Object { kind: object.kind, fields, includes };
            self.replace(&name, NamedType { description: object.description.to_owned(), kind }, before);
        }
        TypeRef::named_nn(name)
    }

    /// Returns the fields of an object, with the fields of flattened objects in their places.
    pub(crate) fn fields(
        &mut self,
        members: &'static [Member],
        includes: &mut Vec<&'static str>,
    ) -> Vec<DescribedField> {
        let mut fields = Vec::new();
        for member in members {
            match *member {
                Member::Field { name, description, ty } => {
                    fields.push(DescribedField { name, description, ty: ty(self) });
                }
                Member::Flattened { of, members } => {
                    includes.push(of);
                    fields.extend(self.fields(members, includes));
                }
            }
        }
        fields
    }

    /// Adds an enumeration and returns the reference to it.
    pub fn enumeration(
        &mut self,
        name: &'static str,
        description: &str,
        values: &'static [(&'static str, &'static str)],
    ) -> TypeRef {
        self.add(name, description, TypeKind::Enum(values))
    }

    /// Adds a union of these objects and returns the reference to it.
    pub fn union(&mut self, name: &str, description: &str, of: &[fn(&mut Self) -> TypeRef]) -> TypeRef {
        let of = of.iter().map(|object| object(self).type_name().to_owned()).collect();
        self.add(name, description, TypeKind::Union(of))
    }

    /// Adds a custom scalar and returns the reference to it.
    pub fn scalar(
        &mut self,
        name: &str,
        description: &str,
        specified_by: Option<&'static str>,
        accepts: fn(&async_graphql::Value) -> bool,
    ) -> TypeRef {
        if !self.named.contains_key(name) {
            self.add(name, description, TypeKind::Scalar { accepts, specified_by });
        }
        TypeRef::named_nn(name)
    }

    fn add(&mut self, name: &str, description: &str, kind: TypeKind) -> TypeRef {
        let before = self.named.remove(name);
        self.replace(name, NamedType { description: description.to_owned(), kind }, before);
        TypeRef::named_nn(name)
    }

    /// Stores a type. Two types with one name are a conflict.
    fn replace(&mut self, name: &str, ty: NamedType, before: Option<NamedType>) {
        if before.is_some_and(|before| !before.is_same(&ty)) {
            self.conflicts.push(format!("two types have the name `{name}`"));
        }
        self.named.insert(name.to_owned(), ty);
    }
}

/// Returns the reference without its mark that the value is never null.
pub(crate) fn nullable(ty: TypeRef) -> TypeRef {
    match ty {
        TypeRef::NonNull(inner) => *inner,
        ty => ty,
    }
}

fn is_text(value: &async_graphql::Value) -> bool {
    matches!(value, async_graphql::Value::String(_))
}

macro_rules! describe_built_in {
    ($($ty:ty => $name:expr),+ $(,)?) => {
        $(impl Described for $ty {
            fn reference(_: &mut Types) -> TypeRef {
                TypeRef::named_nn($name)
            }
        })+
    };
}

describe_built_in! {
    String => TypeRef::STRING,
    &str => TypeRef::STRING,
    bool => TypeRef::BOOLEAN,
    i16 => TypeRef::INT,
    i32 => TypeRef::INT,
    i64 => TypeRef::INT,
    u32 => TypeRef::INT,
    u64 => TypeRef::INT,
    usize => TypeRef::INT,
    f64 => TypeRef::FLOAT,
}

impl Described for Uuid {
    fn reference(types: &mut Types) -> TypeRef {
        let specification = "https://www.rfc-editor.org/rfc/rfc9562";
        types.scalar(
            "UUID",
            "A UUID (RFC 9562).",
            Some(specification),
            |value| matches!(value, async_graphql::Value::String(text) if Self::parse_str(text).is_ok()),
        )
    }
}

impl Described for Value {
    fn reference(types: &mut Types) -> TypeRef {
        types.scalar("JSON", "Any JSON value.", None, |_| true)
    }
}

impl<T> Described for Json<T> {
    fn reference(types: &mut Types) -> TypeRef {
        Value::reference(types)
    }
}

impl Described for crate::time::Time {
    fn reference(types: &mut Types) -> TypeRef {
        let description = "A moment, RFC 3339 in UTC with `Z`; input can have any offset.";
        types.scalar("Time", description, None, is_text)
    }
}

impl Described for crate::day::Day {
    fn reference(types: &mut Types) -> TypeRef {
        types.scalar("Day", "A calendar day in UTC: 2026-11-24.", None, is_text)
    }
}

impl<T: Described> Described for Option<T> {
    fn reference(types: &mut Types) -> TypeRef {
        nullable(T::reference(types))
    }
}

impl<T: Described> Described for MaybeUndefined<T> {
    fn reference(types: &mut Types) -> TypeRef {
        nullable(T::reference(types))
    }
}

impl<T: Described> Described for Vec<T> {
    fn reference(types: &mut Types) -> TypeRef {
        TypeRef::NonNull(Box::new(TypeRef::List(Box::new(T::reference(types)))))
    }
}

impl<T: Described> Described for Box<T> {
    fn reference(types: &mut Types) -> TypeRef {
        T::reference(types)
    }
}

impl<T: Described> Described for Arc<T> {
    fn reference(types: &mut Types) -> TypeRef {
        T::reference(types)
    }
}

impl<T: Described + ToOwned + ?Sized> Described for Cow<'_, T> {
    fn reference(types: &mut Types) -> TypeRef {
        T::reference(types)
    }
}

/// Answer of an operation that may create an object. It is written as the object.
pub struct Created<T> {
    /// Identifier of the object; `None` if it existed already.
    id: Option<CreatedId>,
    object: T,
}

impl<T> Created<T> {
    /// Creates the answer with a created object.
    pub fn new(id: impl Into<CreatedId>, object: T) -> Self {
        Self { id: Some(id.into()), object }
    }

    /// Creates the answer with an object that existed already.
    pub fn existing(object: T) -> Self {
        Self { id: None, object }
    }
}

impl<T: Serialize> Serialize for Created<T> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.object.serialize(serializer)
    }
}

impl<T: Described> Described for Created<T> {
    fn reference(types: &mut Types) -> TypeRef {
        T::reference(types)
    }

    fn created(&self) -> Option<&CreatedId> {
        self.id.as_ref()
    }
}
