//! The GraphQL schema as its SDL tells it: types, root fields, and who may ask them.

use std::collections::{BTreeMap, BTreeSet};

use async_graphql::parser::types::{
    BaseType, ConstDirective, FieldDefinition, InputValueDefinition, ObjectType, Type, TypeDefinition, TypeKind,
    TypeSystemDefinition,
};
use async_graphql::parser::{self, Positioned};
use async_graphql::{Name, Value as ConstValue};

/// The argument that takes a request's body.
const BODY: &str = "body";

/// How many levels are asked of a type that leads back to itself, because GraphQL has to say where such a question ends:
/// as many as the storefront's tree of categories has, which is the only answer of that kind.
const LEVELS: usize = 4;

/// A schema, read from its SDL.
pub(crate) struct Sdl {
    types: BTreeMap<String, Kind>,
    query: String,
    mutation: String,
}

/// What a named type is.
pub(crate) enum Kind {
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
pub(crate) struct Object {
    /// Its fields, in the schema's order.
    pub(crate) fields: Vec<Field>,
    /// The interfaces that it implements.
    pub(crate) implements: Vec<String>,
    /// Whether it is an interface.
    pub(crate) interface: bool,
}

impl Object {
    /// The field of this name.
    pub(crate) fn field(&self, name: &str) -> Option<&Field> {
        self.fields.iter().find(|field| field.name == name)
    }

    /// The fields that every answer of the object holds, in the schema's order.
    pub(crate) fn plain_fields(&self) -> impl Iterator<Item = &Field> {
        self.fields.iter().filter(|field| field.is_plain())
    }
}

/// A field of an object.
pub(crate) struct Field {
    /// Its name.
    pub(crate) name: String,
    /// What it answers.
    pub(crate) ty: Type,
    /// What it takes, in the schema's order.
    pub(crate) arguments: Vec<Argument>,
    /// `@access(needs: …)`.
    pub(crate) access: Option<String>,
    /// Whether it is marked `@internal`: asked by staff only, behind no promise.
    pub(crate) internal: bool,
    /// Whether it is marked `@edge`: it leads to another thing, and only staff's own queries follow it.
    pub(crate) edge: bool,
    /// Whether it is marked `@answers_file`: what it answers is a file beside the JSON.
    pub(crate) answers_file: bool,
}

impl Field {
    /// Whether every answer of its object holds it. What is marked `@edge`, needs an access of its own or takes
    /// arguments is answered only to who asks for it.
    pub(crate) fn is_plain(&self) -> bool {
        !self.edge && self.access.is_none() && self.arguments.is_empty()
    }
}

/// An argument of a field.
pub(crate) struct Argument {
    /// Its name.
    pub(crate) name: String,
    /// What it takes.
    pub(crate) ty: Type,
    /// What stands in when it is left out.
    pub(crate) default: Option<ConstValue>,
}

/// A field of an input object.
pub(crate) struct Input {
    /// What it takes.
    pub(crate) ty: Type,
    /// Whether it may be left out because something stands in.
    pub(crate) has_default: bool,
}

/// Which root object a field belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Root {
    /// Asked by `query`.
    Query,
    /// Asked by `mutation`.
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

    /// The type of this name.
    pub(crate) fn kind(&self, name: &str) -> Option<&Kind> {
        self.types.get(name)
    }

    /// The root field of this name, and the root it belongs to.
    pub(crate) fn root(&self, name: &str) -> Option<(Root, &Field)> {
        [Root::Query, Root::Mutation].into_iter().find_map(|root| Some((root, self.roots(root)?.field(name)?)))
    }

    /// All root fields.
    pub(crate) fn root_fields(&self) -> impl Iterator<Item = &Field> {
        [Root::Query, Root::Mutation].into_iter().filter_map(|root| self.roots(root)).flat_map(|object| &object.fields)
    }

    /// The inputs of a root field as a request names them: each argument, and instead of one that is an input object (the
    /// filters of a list) each field of it. A body is one input.
    pub(crate) fn inputs<'a>(&'a self, field: &'a Field) -> Vec<(&'a str, &'a Type)> {
        let each = |argument: &'a Argument| match self.filters(argument) {
            Some(fields) => fields.iter().map(|(name, input)| (name.as_str(), &input.ty)).collect(),
            None => vec![(argument.name.as_str(), &argument.ty)],
        };
        field.arguments.iter().flat_map(each).collect()
    }

    /// The fields of an argument that is an input object and no body.
    pub(crate) fn filters(&self, argument: &Argument) -> Option<&BTreeMap<String, Input>> {
        match self.types.get(innermost(&argument.ty)) {
            Some(Kind::Input(fields)) if argument.name != BODY => Some(fields),
            _ => None,
        }
    }

    /// The object types that an object, interface or union can be at run time.
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

    /// The object type of this name.
    pub(crate) fn object(&self, name: &str) -> Option<&Object> {
        match self.kind(name) {
            Some(Kind::Object(object)) if !object.interface => Some(object),
            _ => None,
        }
    }

    /// The object types that a type can be at run time; none for a scalar or an enumeration.
    pub(crate) fn objects(&self, name: &str) -> Vec<&str> {
        self.members(name).into_iter().filter(|member| self.object(member).is_some()).collect()
    }

    /// Whether the object type `home` is `name` or among what its plain fields lead to.
    pub(crate) fn leads_to(&self, name: &str, home: &str) -> bool {
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

    /// Whether nothing is asked of this type beneath the types that are open: it is open as often as it may be, or all of
    /// its plain fields end.
    pub(crate) fn ends(&self, name: &str, open: &[&str]) -> bool {
        self.objects(name).into_iter().any(|member| {
            let deeper = [open, &[member]].concat();
            let field_ends = |field: &Field| {
                let beneath = innermost(&field.ty);
                !self.objects(beneath).is_empty() && self.ends(beneath, &deeper)
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

/// The name of a type that is no list.
pub(crate) fn named_type(ty: &Type) -> Option<&str> {
    match &ty.base {
        BaseType::Named(name) => Some(name.as_str()),
        BaseType::List(_) => None,
    }
}

/// The type of a list's entries.
pub(crate) fn entries(ty: &Type) -> Option<&Type> {
    match &ty.base {
        BaseType::Named(_) => None,
        BaseType::List(entries) => Some(entries),
    }
}

/// The name of a type, or of what its lists hold.
pub(crate) fn innermost(ty: &Type) -> &str {
    match &ty.base {
        BaseType::Named(name) => name.as_str(),
        BaseType::List(entries) => innermost(entries),
    }
}
