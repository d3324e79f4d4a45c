//! Makes schemas from the descriptions of types. The SDL says the fields of a type, which of them can be null, the
//! values of an enumeration, and all texts. A components file adds what Rust does not know: limits, formats, patterns
//! and examples.

use std::collections::BTreeMap;

use async_graphql::Positioned;
use async_graphql::parser;
use async_graphql::parser::types::{
    BaseType, EnumValueDefinition, FieldDefinition, InputValueDefinition, Type, TypeDefinition, TypeKind,
    TypeSystemDefinition,
};
use serde_json::{Map, Value, json};

/// Directives of fields that no REST response contains.
const ONLY_IN_QUERIES: [&str; 2] = ["edge", "access"];

/// Whether an object is sent or received. A time in a request may have an offset, and optional fields may be omitted.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Direction {
    Request,
    Response,
}

/// Types of the schema, by name.
pub(super) struct SdlTypes {
    types: BTreeMap<String, TypeDefinition>,
}

impl SdlTypes {
    /// Reads the types from SDL text.
    ///
    /// # Errors
    /// The parser's message.
    pub(super) fn read(sdl: &str) -> Result<SdlTypes, String> {
        let document = parser::parse_schema(sdl).map_err(|error| error.to_string())?;
        let types = document.definitions.into_iter().filter_map(|definition| match definition {
            TypeSystemDefinition::Type(ty) => Some((ty.node.name.node.to_string(), ty.node)),
            _ => None,
        });
        Ok(SdlTypes { types: types.collect() })
    }

    /// Whether a query of the schema has this name.
    pub(super) fn has_query(&self, name: &str) -> bool {
        let query = self.types.get("Query").map(|ty| &ty.kind);
        matches!(query, Some(TypeKind::Object(query)) if query.fields.iter().any(|field| field.node.name.node == name))
    }

    /// Whether a schema can be made from this type: an object, an input object or an enumeration.
    pub(super) fn describes(&self, name: &str) -> bool {
        self.types
            .get(name)
            .is_some_and(|ty| matches!(ty.kind, TypeKind::Object(_) | TypeKind::InputObject(_) | TypeKind::Enum(_)))
    }
}

/// Makes schemas from types. References name the components of these types.
pub(super) struct SchemaMaker<'a> {
    descriptions: &'a SdlTypes,
    /// Name of the component of each type that has one.
    components: BTreeMap<&'a str, &'a str>,
    /// Components of the custom scalars, as written.
    scalars: BTreeMap<&'static str, Map<String, Value>>,
}

impl<'a> SchemaMaker<'a> {
    /// Creates a maker. `components` are the names of components by type; `schemas` are the components as written.
    pub(super) fn new(
        descriptions: &'a SdlTypes,
        components: BTreeMap<&'a str, &'a str>,
        schemas: &Map<String, Value>,
    ) -> Self {
        let written = |name| Some((name, schemas.get(name)?.as_object()?.clone()));
        let scalars = ["Uuid", "Time", "DateTime"].into_iter().filter_map(written).collect();
        SchemaMaker { descriptions, components, scalars }
    }

    /// Returns the schema of a type; `None` for a scalar, a union or an unknown name.
    pub(super) fn schema(&self, name: &str) -> Option<Map<String, Value>> {
        let ty = self.descriptions.types.get(name)?;
        let text = text_of(ty.description.as_ref());
        let mut schema = match &ty.kind {
            TypeKind::Object(object) => {
                let fields = object.fields.iter().map(|field| &field.node).filter(|field| is_in_responses(field));
                self.object(fields.map(Member::from), Direction::Response)
            }
            TypeKind::InputObject(input) => {
                self.object(input.fields.iter().map(|field| Member::from(&field.node)), Direction::Request)
            }
            TypeKind::Enum(values) => enumeration(&values.values),
            _ => return None,
        };
        let list = match &ty.kind {
            TypeKind::Enum(values) => value_list(&values.values),
            _ => String::new(),
        };
        describe(&mut schema, &[&text, &list]);
        Some(schema)
    }

    fn object<'m>(&self, members: impl Iterator<Item = Member<'m>>, direction: Direction) -> Map<String, Value> {
        let mut properties = Map::new();
        let mut required = Vec::new();
        for member in members {
            if direction == Direction::Response || !member.ty.nullable {
                required.push(json!(member.name));
            }
            properties.insert(member.name.to_owned(), Value::Object(self.property(&member, direction)));
        }
        let mut schema = Map::new();
        schema.insert("type".to_owned(), json!("object"));
        if !required.is_empty() {
            schema.insert("required".to_owned(), Value::Array(required));
        }
        schema.insert("properties".to_owned(), Value::Object(properties));
        schema
    }

    fn property(&self, member: &Member<'_>, direction: Direction) -> Map<String, Value> {
        let mut schema = self.value(member.ty, direction);
        let list = self.inlined_values(innermost(member.ty));
        describe(&mut schema, &[&member.description, &list]);
        schema
    }

    fn value(&self, ty: &Type, direction: Direction) -> Map<String, Value> {
        let name = match &ty.base {
            BaseType::List(inner) => {
                let mut schema = typed("array", ty.nullable);
                schema.insert("items".to_owned(), Value::Object(self.value(inner, direction)));
                return schema;
            }
            BaseType::Named(name) => name.as_str(),
        };
        match name {
            "String" => typed("string", ty.nullable),
            "Boolean" => typed("boolean", ty.nullable),
            "Int" => typed("integer", ty.nullable),
            "Float" => typed("number", ty.nullable),
            "UUID" => self.scalar("Uuid", ty.nullable),
            "Time" if direction == Direction::Request => self.scalar("DateTime", ty.nullable),
            "Time" => self.scalar("Time", ty.nullable),
            "Day" => {
                let mut schema = typed("string", ty.nullable);
                schema.insert("format".to_owned(), json!("date"));
                schema
            }
            _ => self.named(name, ty.nullable),
        }
    }

    /// Returns a reference to the component of a scalar, or its keywords with null as a further type.
    fn scalar(&self, component: &str, nullable: bool) -> Map<String, Value> {
        if !nullable {
            return reference(component);
        }
        let mut schema = typed("string", true);
        for (keyword, value) in self.scalars.get(component).into_iter().flatten() {
            if !matches!(keyword.as_str(), "type" | "description" | "examples") {
                schema.insert(keyword.clone(), value.clone());
            }
        }
        schema
    }

    /// Returns a reference to the component of a type, or the type's schema if it has no component.
    fn named(&self, name: &str, nullable: bool) -> Map<String, Value> {
        if let Some(component) = self.components.get(name) {
            let reference = reference(component);
            return if nullable { either(&reference) } else { reference };
        }
        let Some(mut schema) = self.schema(name) else {
            return Map::new();
        };
        schema.shift_remove("description");
        if nullable {
            if let Some(ty) = schema.get_mut("type") {
                *ty = json!([ty.take(), "null"]);
            }
            if let Some(Value::Array(values)) = schema.get_mut("enum") {
                values.push(Value::Null);
            }
        }
        schema
    }

    /// Returns the list of the values of an enumeration that has no component.
    fn inlined_values(&self, name: &str) -> String {
        match self.descriptions.types.get(name).map(|ty| &ty.kind) {
            Some(TypeKind::Enum(values)) if !self.components.contains_key(name) => value_list(&values.values),
            _ => String::new(),
        }
    }
}

/// Field of an object or of an input object.
struct Member<'m> {
    name: &'m str,
    description: String,
    ty: &'m Type,
}

impl<'m> From<&'m FieldDefinition> for Member<'m> {
    fn from(field: &'m FieldDefinition) -> Self {
        Member { name: &field.name.node, description: text_of(field.description.as_ref()), ty: &field.ty.node }
    }
}

impl<'m> From<&'m InputValueDefinition> for Member<'m> {
    fn from(field: &'m InputValueDefinition) -> Self {
        Member { name: &field.name.node, description: text_of(field.description.as_ref()), ty: &field.ty.node }
    }
}

fn is_in_responses(field: &FieldDefinition) -> bool {
    let marked = |directive: &str| ONLY_IN_QUERIES.contains(&directive);
    field.arguments.is_empty() && !field.directives.iter().any(|directive| marked(&directive.node.name.node))
}

fn innermost(ty: &Type) -> &str {
    match &ty.base {
        BaseType::Named(name) => name,
        BaseType::List(inner) => innermost(inner),
    }
}

fn typed(name: &str, nullable: bool) -> Map<String, Value> {
    let ty = if nullable { json!([name, "null"]) } else { json!(name) };
    Map::from_iter([("type".to_owned(), ty)])
}

fn reference(component: &str) -> Map<String, Value> {
    Map::from_iter([("$ref".to_owned(), json!(format!("#/components/schemas/{component}")))])
}

fn either(reference: &Map<String, Value>) -> Map<String, Value> {
    Map::from_iter([("oneOf".to_owned(), json!([reference, {"type": "null"}]))])
}

fn enumeration(values: &[Positioned<EnumValueDefinition>]) -> Map<String, Value> {
    let mut schema = typed("string", false);
    let names = values.iter().map(|value| json!(value.node.value.node.as_str()));
    schema.insert("enum".to_owned(), names.collect());
    schema
}

/// Returns the values of an enumeration with their descriptions as a Markdown list.
fn value_list(values: &[Positioned<EnumValueDefinition>]) -> String {
    let line = |value: &Positioned<EnumValueDefinition>| {
        let text = text_of(value.node.description.as_ref()).replace('\n', " ");
        format!("- `{}`: {text}", value.node.value.node)
    };
    values.iter().map(line).collect::<Vec<_>>().join("\n")
}

/// Adds the description that consists of the texts that are not empty.
fn describe(schema: &mut Map<String, Value>, texts: &[&str]) {
    let texts: Vec<&str> = texts.iter().copied().filter(|text| !text.is_empty()).collect();
    if !texts.is_empty() {
        schema.insert("description".to_owned(), json!(texts.join("\n")));
    }
}

/// Returns a description with each paragraph and each entry of a list on one line.
fn text_of(description: Option<&Positioned<String>>) -> String {
    let mut text = String::new();
    for line in description.map_or("", |text| text.node.as_str()).lines().map(str::trim) {
        let continues = !line.is_empty() && !line.starts_with("- ") && !text.is_empty() && !text.ends_with('\n');
        if continues {
            text.push(' ');
        } else if !text.is_empty() {
            text.push('\n');
        }
        text.push_str(line);
    }
    text
}
