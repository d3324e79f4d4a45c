//! The GraphQL schema as read from its SDL: types, root fields, and their access.

use std::collections::{BTreeMap, BTreeSet};

use async_graphql::parser::types::{
    BaseType, ConstDirective, FieldDefinition, InputValueDefinition, ObjectType, Type, TypeDefinition, TypeKind,
    TypeSystemDefinition,
};
use async_graphql::parser::{self, Positioned};
use async_graphql::{Name, Value as ConstValue};

/// The argument that receives a request's body.
const BODY: &str = "body";

/// Number of selected levels of a recursive type, because a GraphQL selection must be finite: the depth of the
/// storefront's category tree, which is the only recursive response.
const LEVELS: usize = 4;

/// A schema, read from its SDL.
pub(crate) struct Sdl {
    types: BTreeMap<String, Kind>,
    query: String,
    mutation: String,
}

/// Kind of a named type.
pub(crate) enum Kind {
    /// A custom scalar.
    Scalar,
    /// An enumeration with these values.
    Enum(BTreeSet<String>),
    /// An object or interface.
    Object(Object),
    /// A union of object types.
    Union(Vec<String>),
    /// An input object, with its fields by name.
    Input(BTreeMap<String, Input>),
}

/// An object or interface type.
#[derive(Default)]
pub(crate) struct Object {
    /// Fields, in the schema's order.
    pub(crate) fields: Vec<Field>,
    /// Implemented interfaces.
    pub(crate) implements: Vec<String>,
    /// Whether the type is an interface.
    pub(crate) interface: bool,
}

impl Object {
    /// Returns the field with this name.
    pub(crate) fn field(&self, name: &str) -> Option<&Field> {
        self.fields.iter().find(|field| field.name == name)
    }

    /// Returns the fields that every response of the object contains, in the schema's order.
    pub(crate) fn plain_fields(&self) -> impl Iterator<Item = &Field> {
        self.fields.iter().filter(|field| field.is_plain())
    }
}

/// A field of an object.
pub(crate) struct Field {
    /// Name of the field.
    pub(crate) name: String,
    /// Type of the value.
    pub(crate) ty: Type,
    /// Arguments, in the schema's order.
    pub(crate) arguments: Vec<Argument>,
    /// Value of `@access(needs: …)`.
    pub(crate) access: Option<String>,
    /// Whether it is marked `@internal`: for staff queries only, without an operation in the contract.
    pub(crate) internal: bool,
    /// Whether it is marked `@edge`: it refers to another object, and only staff queries select it.
    pub(crate) edge: bool,
    /// Whether it is marked `@answers_file`: the response is a file in addition to the JSON.
    pub(crate) answers_file: bool,
}

impl Field {
    /// Whether every response of the object contains the field. A field that is marked `@edge`, needs separate access
    /// or takes arguments is returned only if a query selects it.
    pub(crate) fn is_plain(&self) -> bool {
        !self.edge && self.access.is_none() && self.arguments.is_empty()
    }
}

/// An argument of a field.
pub(crate) struct Argument {
    /// Name of the argument.
    pub(crate) name: String,
    /// Type of the value.
    pub(crate) ty: Type,
    /// Default value.
    pub(crate) default: Option<ConstValue>,
}

/// A field of an input object.
pub(crate) struct Input {
    /// Type of the value.
    pub(crate) ty: Type,
    /// Whether it is optional because it has a default.
    pub(crate) has_default: bool,
}

/// Root object of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Root {
    /// Root of `query`.
    Query,
    /// Root of `mutation`.
    Mutation,
}

impl Sdl {
    /// Reads SDL text.
    pub(crate) fn read(text: &str) -> Result<Sdl, String> {
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

    /// Returns the type with this name.
    pub(crate) fn kind(&self, name: &str) -> Option<&Kind> {
        self.types.get(name)
    }

    /// Returns the root field with this name, and its root.
    pub(crate) fn root(&self, name: &str) -> Option<(Root, &Field)> {
        [Root::Query, Root::Mutation].into_iter().find_map(|root| Some((root, self.roots(root)?.field(name)?)))
    }

    /// Returns all root fields.
    pub(crate) fn root_fields(&self) -> impl Iterator<Item = &Field> {
        [Root::Query, Root::Mutation].into_iter().filter_map(|root| self.roots(root)).flat_map(|object| &object.fields)
    }

    /// Returns the inputs of a root field as a request names them: each argument, and for an input object (the filters
    /// of a list) each of its fields. A body is one input.
    pub(crate) fn inputs<'a>(&'a self, field: &'a Field) -> Vec<(&'a str, &'a Type)> {
        let each = |argument: &'a Argument| match self.filters(argument) {
            Some(fields) => fields.iter().map(|(name, input)| (name.as_str(), &input.ty)).collect(),
            None => vec![(argument.name.as_str(), &argument.ty)],
        };
        field.arguments.iter().flat_map(each).collect()
    }

    /// Returns the fields of an argument that is an input object and not a body.
    pub(crate) fn filters(&self, argument: &Argument) -> Option<&BTreeMap<String, Input>> {
        match self.types.get(innermost(&argument.ty)) {
            Some(Kind::Input(fields)) if argument.name != BODY => Some(fields),
            _ => None,
        }
    }

    /// Returns the possible object types of an object, interface or union.
    pub(crate) fn members(&self, name: &str) -> Vec<&str> {
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

    /// Returns the object type with this name.
    pub(crate) fn object(&self, name: &str) -> Option<&Object> {
        match self.kind(name) {
            Some(Kind::Object(object)) if !object.interface => Some(object),
            _ => None,
        }
    }

    /// Returns the possible object types of a type; none for a scalar or an enumeration.
    pub(crate) fn objects(&self, name: &str) -> Vec<&str> {
        self.members(name).into_iter().filter(|member| self.object(member).is_some()).collect()
    }

    /// Whether `name` is the object type `home` or reaches it through its plain fields.
    pub(crate) fn contains_type(&self, name: &str, home: &str) -> bool {
        let (mut seen, mut waiting) = (BTreeSet::new(), self.objects(name));
        while let Some(name) = waiting.pop() {
            if name == home {
                return true;
            }
            if let (true, Some(object)) = (seen.insert(name), self.object(name)) {
                waiting.extend(object.plain_fields().flat_map(|field| self.objects(innermost(&field.ty))));
            }
        }
        false
    }

    /// Whether a selection of this type ends below the open types: the type has reached its maximum depth, or all of
    /// its plain fields end.
    pub(crate) fn is_leaf(&self, name: &str, open: &[&str]) -> bool {
        self.objects(name).into_iter().any(|member| {
            let deeper = [open, &[member]].concat();
            let field_ends = |field: &Field| {
                let beneath = innermost(&field.ty);
                !self.objects(beneath).is_empty() && self.is_leaf(beneath, &deeper)
            };
            deeper.iter().filter(|open| **open == member).count() > LEVELS
                || self.object(member).is_some_and(|object| object.plain_fields().all(field_ends))
        })
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
    let fields = kind.fields.into_iter().map(|field| self::field(field.node)).collect();
    Object { fields, implements: names(kind.implements), interface }
}

fn field(definition: FieldDefinition) -> Field {
    let directive = |name: &str| definition.directives.iter().find(|directive| directive.node.name.node == name);
    Field {
        access: directive("access").and_then(|directive| needs(&directive.node)),
        internal: directive("internal").is_some(),
        edge: directive("edge").is_some(),
        answers_file: directive("answers_file").is_some(),
        name: definition.name.node.to_string(),
        ty: definition.ty.node,
        arguments: definition.arguments.into_iter().map(|argument| self::argument(argument.node)).collect(),
    }
}

fn argument(definition: InputValueDefinition) -> Argument {
    let default = definition.default_value.map(|value| value.node);
    Argument { name: definition.name.node.to_string(), ty: definition.ty.node, default }
}

fn needs(directive: &ConstDirective) -> Option<String> {
    match directive.get_argument("needs").map(|value| &value.node) {
        Some(ConstValue::String(needs)) => Some(needs.clone()),
        _ => None,
    }
}

fn input(definition: Positioned<InputValueDefinition>) -> (String, Input) {
    let definition = definition.node;
    let has_default = definition.default_value.is_some();
    (definition.name.node.to_string(), Input { ty: definition.ty.node, has_default })
}

/// Returns the name of a type that is not a list.
pub(crate) fn named_type(ty: &Type) -> Option<&str> {
    match &ty.base {
        BaseType::Named(name) => Some(name.as_str()),
        BaseType::List(_) => None,
    }
}

/// Returns the type of a list's entries.
pub(crate) fn entries(ty: &Type) -> Option<&Type> {
    match &ty.base {
        BaseType::Named(_) => None,
        BaseType::List(entries) => Some(entries),
    }
}

/// Returns the name of a type, or of the innermost entries of its lists.
pub(crate) fn innermost(ty: &Type) -> &str {
    match &ty.base {
        BaseType::Named(name) => name.as_str(),
        BaseType::List(entries) => innermost(entries),
    }
}
