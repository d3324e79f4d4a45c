//! The GraphQL schema as its SDL tells it: types, root fields, and who may ask them.

use std::collections::{BTreeMap, BTreeSet};

use async_graphql::parser::types::{
    BaseType, ConstDirective, FieldDefinition, InputValueDefinition, ObjectType, Type, TypeDefinition, TypeKind,
    TypeSystemDefinition,
};
use async_graphql::parser::{self, Positioned};
use async_graphql::{Name, Value};

/// A schema, read from its SDL.
pub(super) struct Sdl {
    types: BTreeMap<String, Kind>,
    query: String,
    mutation: String,
}

/// What a named type is.
pub(super) enum Kind {
    /// A scalar of its own.
    Scalar,
    /// An enumeration with these values.
    Enum(BTreeSet<String>),
    /// An object or interface.
    Object(Object),
    /// A union of these object types.
    Union(Vec<String>),
    /// An input object: its fields by name.
    Input(BTreeMap<String, Input>),
}

/// An object or interface type.
#[derive(Default)]
pub(super) struct Object {
    /// Its fields by name.
    pub(super) fields: BTreeMap<String, Field>,
    /// The interfaces that it implements.
    pub(super) implements: Vec<String>,
    /// Whether it is an interface.
    pub(super) interface: bool,
}

/// A field of an object.
pub(super) struct Field {
    /// What it answers.
    pub(super) ty: Type,
    /// `@access(needs: …)`.
    pub(super) access: Option<String>,
    /// Whether it is marked `@internal`: asked by staff only, behind no promise.
    pub(super) internal: bool,
}

/// A field of an input object.
pub(super) struct Input {
    /// What it takes.
    pub(super) ty: Type,
    /// Whether it may be left out because something stands in.
    pub(super) has_default: bool,
}

/// Which root object a field belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Root {
    /// Asked by `query`.
    Query,
    /// Asked by `mutation`.
    Mutation,
}

impl Sdl {
    /// Reads SDL text.
    pub(super) fn read(text: &str) -> Result<Sdl, String> {
        let document = parser::parse_schema(text).map_err(|error| error.to_string())?;
        let mut sdl = Sdl { types: BTreeMap::new(), query: "Query".to_owned(), mutation: "Mutation".to_owned() };
        for scalar in ["Int", "Float", "String", "Boolean", "ID"] {
            sdl.types.insert(scalar.to_owned(), Kind::Scalar);
        }
        for definition in document.definitions {
            match definition {
                TypeSystemDefinition::Schema(schema) => {
                    if let Some(name) = schema.node.query {
                        sdl.query = name.node.to_string();
                    }
                    if let Some(name) = schema.node.mutation {
                        sdl.mutation = name.node.to_string();
                    }
                }
                TypeSystemDefinition::Type(definition) => sdl.add(definition.node),
                TypeSystemDefinition::Directive(_) => {}
            }
        }
        Ok(sdl)
    }

    /// The type of this name.
    pub(super) fn kind(&self, name: &str) -> Option<&Kind> {
        self.types.get(name)
    }

    /// The root field of this name, and the root it belongs to.
    pub(super) fn root(&self, name: &str) -> Option<(Root, &Field)> {
        [Root::Query, Root::Mutation].into_iter().find_map(|root| Some((root, self.roots(root)?.fields.get(name)?)))
    }

    /// All root fields.
    pub(super) fn root_fields(&self) -> impl Iterator<Item = (&String, &Field)> {
        [Root::Query, Root::Mutation].into_iter().filter_map(|root| self.roots(root)).flat_map(|object| &object.fields)
    }

    /// The object types that an object, interface or union can be at run time.
    pub(super) fn members(&self, name: &str) -> Vec<&str> {
        match self.types.get_key_value(name) {
            Some((_, Kind::Union(members))) => members.iter().map(String::as_str).collect(),
            Some((_, Kind::Object(object))) if object.interface => self
                .types
                .iter()
                .filter(|(_, kind)| matches!(kind, Kind::Object(object) if object.implements.iter().any(|i| i == name)))
                .map(|(name, _)| name.as_str())
                .collect(),
            Some((name, _)) => vec![name.as_str()],
            None => Vec::new(),
        }
    }

    fn roots(&self, root: Root) -> Option<&Object> {
        let name = match root {
            Root::Query => &self.query,
            Root::Mutation => &self.mutation,
        };
        match self.types.get(name) {
            Some(Kind::Object(object)) => Some(object),
            _ => None,
        }
    }

    fn add(&mut self, definition: TypeDefinition) {
        let name = definition.name.node.to_string();
        let kind = match definition.kind {
            TypeKind::Scalar => Kind::Scalar,
            TypeKind::Enum(kind) => {
                Kind::Enum(kind.values.into_iter().map(|value| value.node.value.node.to_string()).collect())
            }
            TypeKind::Union(kind) => Kind::Union(names(kind.members)),
            TypeKind::InputObject(kind) => Kind::Input(kind.fields.into_iter().map(input).collect()),
            TypeKind::Interface(kind) => {
                let kind = ObjectType { implements: kind.implements, fields: kind.fields };
                Kind::Object(object(kind, true))
            }
            TypeKind::Object(kind) => Kind::Object(object(kind, false)),
        };
        match (self.types.get_mut(&name), kind) {
            (Some(Kind::Object(first)), Kind::Object(more)) => first.fields.extend(more.fields),
            (_, kind) => {
                self.types.insert(name, kind);
            }
        }
    }
}

fn names(names: Vec<Positioned<Name>>) -> Vec<String> {
    names.into_iter().map(|name| name.node.to_string()).collect()
}

fn object(kind: ObjectType, interface: bool) -> Object {
    Object {
        fields: kind.fields.into_iter().map(|field| self::field(field.node)).collect(),
        implements: names(kind.implements),
        interface,
    }
}

fn field(definition: FieldDefinition) -> (String, Field) {
    let directive = |name: &str| definition.directives.iter().find(|directive| directive.node.name.node == name);
    let field = Field {
        access: directive("access").and_then(|directive| needs(&directive.node)),
        internal: directive("internal").is_some(),
        ty: definition.ty.node.clone(),
    };
    (definition.name.node.to_string(), field)
}

fn needs(directive: &ConstDirective) -> Option<String> {
    match directive.get_argument("needs").map(|value| &value.node) {
        Some(Value::String(needs)) => Some(needs.clone()),
        _ => None,
    }
}

fn input(definition: Positioned<InputValueDefinition>) -> (String, Input) {
    let definition = definition.node;
    let has_default = definition.default_value.is_some();
    (definition.name.node.to_string(), Input { ty: definition.ty.node, has_default })
}

/// The name of a type that is no list.
pub(super) fn named(ty: &Type) -> Option<&str> {
    match &ty.base {
        BaseType::Named(name) => Some(name.as_str()),
        BaseType::List(_) => None,
    }
}

/// The type of a list's entries.
pub(super) fn entries(ty: &Type) -> Option<&Type> {
    match &ty.base {
        BaseType::Named(_) => None,
        BaseType::List(entries) => Some(entries),
    }
}
