//! The contract's schemas and their compiled validators.

use std::collections::{BTreeSet, HashMap};
use std::num::NonZeroUsize;
use std::sync::OnceLock;
use std::thread;

use jsonschema::{Draft, PatternOptions, Registry, Validator};
use labs_core::locale::is_language_tag;
use labs_core::text::TextKind;
use labs_core::time::Time;
use labs_core::web_address::{WebAddress, is_redirect_uri};
use serde_json::{Map, Value, json};

use super::field::{self, FieldError};
use super::{Kind, kinds, text};

/// Base URI for references between the schemas.
const URI: &str = "labs:///contract";
/// Maximum number of characters of a date-time.
const LONGEST_TIME: usize = 64;

/// Id of a schema in the set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SchemaId(usize);

/// All schemas of the contract in one JSON value: the components unchanged, and the schemas of parameters, bodies and
/// responses below `/inline`.
pub(super) struct SchemaSet {
    value: Value,
    entries: Vec<Entry>,
    known: HashMap<String, SchemaId>,
}

struct Entry {
    /// Name of the schema in problems.
    name: String,
    /// Position of the schema in `value`.
    pointer: String,
    validator: OnceLock<Result<Validator, String>>,
}

impl SchemaSet {
    /// Creates a set of these component schemas.
    pub(super) fn new(schemas: Value) -> SchemaSet {
        SchemaSet {
            value: json!({"components": {"schemas": schemas}, "inline": {}}),
            entries: Vec::new(),
            known: HashMap::new(),
        }
    }

    /// Adds a schema. A schema that only refers to a component is that component. `name` is its name in problems.
    pub(super) fn add(&mut self, name: &str, schema: &Value) -> SchemaId {
        let component = reference(schema);
        if let Some(id) = component.and_then(|pointer| self.known.get(pointer)) {
            return *id;
        }
        let id = SchemaId(self.entries.len());
        let pointer = match component {
            Some(pointer) => {
                self.known.insert(pointer.to_owned(), id);
                pointer.to_owned()
            }
            None => {
                if let Some(inline) = self.value.get_mut("inline").and_then(Value::as_object_mut) {
                    inline.insert(id.0.to_string(), schema.clone());
                }
                format!("/inline/{}", id.0)
            }
        };
        self.entries.push(Entry { name: component.unwrap_or(name).to_owned(), pointer, validator: OnceLock::new() });
        id
    }

    /// Returns the schema as written, possibly a `$ref`.
    pub(super) fn schema(&self, id: SchemaId) -> &Value {
        self.entries.get(id.0).and_then(|entry| self.value.pointer(&entry.pointer)).unwrap_or(&Value::Null)
    }

    /// Returns the name of the component; none for an inline schema.
    pub(super) fn component(&self, id: SchemaId) -> Option<&str> {
        self.entries.get(id.0)?.pointer.strip_prefix("/components/schemas/")
    }

    /// Returns the target of a `$ref`, or the schema itself. A dangling or circular `$ref` resolves to null, which is
    /// not a valid schema.
    pub(super) fn resolve<'a>(&'a self, schema: &'a Value) -> &'a Value {
        super::resolve(&self.value, schema)
    }

    /// Returns the kind in which text is converted to a value of this schema.
    pub(super) fn kind(&self, schema: &Value) -> Kind {
        kinds::kind(&self.value, schema)
    }

    /// Compiles these schemas now, on every core. Returns the names of the schemas that cannot be compiled, each with
    /// the reason.
    pub(super) fn compile(&self, ids: &[SchemaId]) -> Vec<(String, String)> {
        let cores = thread::available_parallelism().map_or(1, NonZeroUsize::get);
        let share = ids.len().div_ceil(cores).max(1);
        thread::scope(|scope| {
            let workers: Vec<_> = ids.chunks(share).map(|ids| scope.spawn(|| self.compile_each(ids))).collect();
            workers.into_iter().flat_map(|worker| worker.join().unwrap_or_default()).collect()
        })
    }

    fn compile_each(&self, ids: &[SchemaId]) -> Vec<(String, String)> {
        ids.iter()
            .filter_map(|id| match self.validator(*id) {
                Err(error) => {
                    let name = self.entries.get(id.0).map(|entry| entry.name.clone());
                    Some((name.unwrap_or_default(), error.to_owned()))
                }
                Ok(_) => None,
            })
            .collect()
    }

    /// Returns the errors of `instance`, at most [`field::MOST`]; empty if it fits.
    ///
    /// # Errors
    /// The reason why the schema cannot be compiled; never if [`SchemaSet::compile`] succeeds for it.
    pub(super) fn check(&self, id: SchemaId, instance: &Value) -> Result<Vec<FieldError>, &str> {
        let validator = self.validator(id)?;
        if validator.is_valid(instance) {
            return Ok(Vec::new());
        }
        Ok(field::errors(self, validator.iter_errors(instance)))
    }

    /// Whether `instance` fits.
    pub(super) fn fits(&self, id: SchemaId, instance: &Value) -> bool {
        self.validator(id).is_ok_and(|validator| validator.is_valid(instance))
    }

    /// Returns the keys of the `properties` next to the keyword at `location`.
    pub(super) fn sibling_properties(&self, location: &str) -> Option<&Map<String, Value>> {
        self.sibling(location, "properties")?.as_object()
    }

    /// Returns the message (`x-message`) next to the pattern at `location`.
    pub(super) fn sibling_message(&self, location: &str) -> Option<&str> {
        self.sibling(location, "x-message")?.as_str()
    }

    /// Returns the kind of text that the keyword at `location` declares.
    pub(super) fn text_kind_at(&self, location: &str) -> Option<TextKind> {
        self.sibling(location, text::KEYWORD)?.as_str().and_then(TextKind::of)
    }

    fn sibling(&self, location: &str, keyword: &str) -> Option<&Value> {
        let (_, fragment) = location.split_once('#')?;
        let (parent, _) = fragment.rsplit_once('/')?;
        let parent = percent_encoding::percent_decode_str(parent).decode_utf8().ok()?;
        self.value.pointer(&parent)?.get(keyword)
    }

    fn validator(&self, id: SchemaId) -> Result<&Validator, &str> {
        let Some(entry) = self.entries.get(id.0) else {
            return Err("no such schema");
        };
        entry.validator.get_or_init(|| self.build(&entry.pointer)).as_ref().map_err(String::as_str)
    }

    /// Returns a copy of the schema at `pointer` and of every component that it refers to, each at its place in the
    /// set. A validator is compiled from this copy, because the compiler searches the whole value for identifiers.
    fn reachable(&self, pointer: &str) -> Value {
        let (mut components, mut inline) = (Map::new(), Map::new());
        if let Some((key, schema)) = pointer.strip_prefix("/inline/").zip(self.value.pointer(pointer)) {
            inline.insert(key.to_owned(), schema.clone());
        }
        let mut waiting = BTreeSet::new();
        match self.value.pointer(pointer) {
            Some(schema) if !inline.is_empty() => note_components(schema, &mut waiting),
            _ => waiting.extend(component_of(pointer)),
        }
        let known = self.value.pointer("/components/schemas");
        while let Some(name) = waiting.pop_first() {
            let schema = known.and_then(|known| known.get(name)).filter(|_| !components.contains_key(name));
            if let Some(schema) = schema {
                note_components(schema, &mut waiting);
                components.insert(name.to_owned(), schema.clone());
            }
        }
        json!({"components": {"schemas": components}, "inline": inline})
    }

    /// Compiles one schema. Patterns run on an engine with linear time, so that no text can stall it; a pattern that
    /// needs more (look-around) is rejected here. A date-time must also be in the range that the service can store (RFC
    /// 3339 allows later years), and have at most 64 characters: a limit in the schema would prevent C# clients from
    /// compiling. `web-address` and `redirect-uri` are formats of this contract: a field declares its
    /// kind of address with one of them, and the service checks it for every received value. `x-text` is a keyword of
    /// the service.
    fn build(&self, pointer: &str) -> Result<Validator, String> {
        let reachable = self.reachable(pointer);
        let registry = Registry::new()
            .draft(Draft::Draft202012)
            .add(URI, &reachable)
            .and_then(|registry| registry.prepare())
            .map_err(|error| error.to_string())?;
        let formats = || jsonschema::draft202012::options().should_validate_formats(true);
        let rfc_3339 = formats().build(&json!({"format": "date-time"})).map_err(|error| error.to_string())?;
        formats()
            .with_format("date-time", move |text: &str| {
                text.len() <= LONGEST_TIME && rfc_3339.is_valid(&json!(text)) && text.parse::<Time>().is_ok()
            })
            .with_format("web-address", |text: &str| WebAddress::parse(text).is_ok())
            .with_format("redirect-uri", is_redirect_uri)
            .with_format("language-tag", is_language_tag)
            .with_keyword(text::KEYWORD, text::compile)
            .with_registry(&registry)
            .with_base_uri("labs:///validator")
            .with_pattern_options(PatternOptions::regex())
            .build(&json!({"$ref": format!("{URI}#{pointer}")}))
            .map_err(|error| error.to_string())
    }
}

/// Adds the names of the components to which a schema refers directly.
fn note_components<'a>(schema: &'a Value, names: &mut BTreeSet<&'a str>) {
    match schema {
        Value::Object(fields) => {
            let reference =
                fields.get("$ref").and_then(Value::as_str).and_then(|reference| reference.strip_prefix('#'));
            names.extend(reference.and_then(component_of));
            fields.values().for_each(|field| note_components(field, names));
        }
        Value::Array(items) => items.iter().for_each(|item| note_components(item, names)),
        _ => {}
    }
}

/// Returns the name of the component at this pointer, or that contains it.
fn component_of(pointer: &str) -> Option<&str> {
    pointer.strip_prefix("/components/schemas/")?.split('/').next()
}

/// Returns the pointer of a schema that consists only of a reference to a component.
fn reference(schema: &Value) -> Option<&str> {
    let schema = schema.as_object()?;
    let reference = schema.get("$ref")?.as_str()?.strip_prefix('#')?;
    (schema.len() == 1).then_some(reference)
}
