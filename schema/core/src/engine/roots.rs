//! Root objects of the schema, each found by the name of its field.
//!
//! The library merges these objects into a chain and tries each from the start; every try allocates the future of a
//! whole object only to find that the field is missing. This module looks the object up instead, for every caller.

use std::borrow::Cow;
use std::collections::HashMap;
use std::marker::PhantomData;
use std::sync::Arc;

use async_graphql::parser::types::Field;
use async_graphql::registry::{MetaField, MetaType, Registry};
use async_graphql::resolver_utils::resolve_container;
use async_graphql::{
    ContainerType, Context, ContextSelectionSet, ObjectType, OutputType, Positioned, ServerResult, Value,
};
use futures_util::future::BoxFuture;

use crate::context::{Channel, ROOT_KEY, RequestContextExt as _};

tokio::task_local! {
    /// Descriptions of arguments while the schema is built: the library describes types without an instance.
    pub(super) static DESCRIPTIONS: Arc<Descriptions>;
}

/// Descriptions of the arguments of root fields, for staff.
#[derive(Clone, Debug, Default)]
pub struct Descriptions(HashMap<(String, String), String>);

impl FromIterator<((String, String), String)> for Descriptions {
    /// Collects descriptions by root field and argument.
    fn from_iter<I: IntoIterator<Item = ((String, String), String)>>(descriptions: I) -> Self {
        Self(descriptions.into_iter().collect())
    }
}

impl Descriptions {
    /// Adds missing descriptions to the inputs of a root type: each argument, and each field of an argument that is an
    /// input object.
    fn describe(&self, registry: &mut Registry, root: &str) {
        let Some(MetaType::Object { fields, .. }) = registry.types.get_mut(root) else { return };
        let mut inputs = Vec::new();
        for (field, meta) in fields.iter_mut() {
            for (argument, value) in &mut meta.args {
                self.fill(&mut value.description, field, argument);
                inputs.push((field.clone(), value.ty.trim_end_matches('!').to_owned()));
            }
        }
        for (field, input) in inputs {
            if let Some(MetaType::InputObject { input_fields, .. }) = registry.types.get_mut(&input) {
                input_fields.iter_mut().for_each(|(name, value)| self.fill(&mut value.description, &field, name));
            }
        }
    }

    /// Appends the required scope to the description of each root field and each edge. Queries reach every type that
    /// has edges.
    fn describe_scopes(registry: &mut Registry, root: &str) {
        let Some(MetaType::Object { fields, .. }) = registry.types.get(root) else { return };
        let needs: HashMap<String, String> = fields
            .iter()
            .filter_map(|(name, field)| Some((name.clone(), argument(field, "access", "needs")?)))
            .collect();
        for ty in registry.types.values_mut() {
            let MetaType::Object { name, fields, .. } = ty else { continue };
            for field in fields.values_mut() {
                let text =
                    if name == root { needs.get(&field.name).map(|needs| describe_root_access(needs)) } else { None };
                let text = text.or_else(|| describe_edge_access(&argument_list(field, "edge", "reads"), &needs));
                if let Some(text) = text {
                    let before = field.description.take().map(|text| text + "\n\n").unwrap_or_default();
                    field.description = Some(before + &text);
                }
            }
        }
    }

    fn fill(&self, description: &mut Option<String>, field: &str, argument: &str) {
        if description.is_none() {
            *description = self.0.get(&(field.to_owned(), argument.to_owned())).cloned();
        }
    }
}

/// Returns the value of a directive's argument on a field.
fn given<'a>(field: &'a MetaField, directive: &str, argument: &str) -> Option<&'a Value> {
    field.directive_invocations.iter().find(|applied| applied.name == directive)?.args.get(argument)
}

fn argument(field: &MetaField, directive: &str, argument: &str) -> Option<String> {
    if let Some(Value::String(text)) = given(field, directive, argument) { Some(text.clone()) } else { None }
}

fn argument_list(field: &MetaField, directive: &str, argument: &str) -> Vec<String> {
    let Some(Value::List(values)) = given(field, directive, argument) else { return Vec::new() };
    values.iter().filter_map(|value| if let Value::String(text) = value { Some(text.clone()) } else { None }).collect()
}

/// Describes the access rule of a root field, from the value of its `@access`.
fn describe_root_access(needs: &str) -> String {
    match needs {
        "public" => "Requires no token.".to_owned(),
        "any" => "Requires a token but no scope.".to_owned(),
        "cookie" | "client" => "Requires a credential that the playground does not send.".to_owned(),
        scope => format!("Requires the scope `{scope}`."),
    }
}

/// Describes the scopes that an edge needs, from the root fields that read the same.
fn describe_edge_access(reads: &[String], needs: &HashMap<String, String>) -> Option<String> {
    let scope_of = |read: &str| match read.split_once(": ") {
        Some((of, root)) => Some(format!("`{}` for `{of}`", needs.get(root)?)),
        None => Some(format!("`{}`", needs.get(read)?)),
    };
    let scopes: Vec<String> = reads.iter().filter_map(|read| scope_of(read)).collect();
    match scopes.as_slice() {
        [] => None,
        [one] => Some(format!("Requires the scope {one}.")),
        several => Some(format!("Requires the scope of each selected type: {}.", several.join(", "))),
    }
}

/// Object with root fields.
pub(super) trait RootObject: Send + Sync {
    /// Returns the value of the context's current field; `None` if the object has no such field.
    fn resolve<'a>(&'a self, ctx: &'a Context<'a>) -> BoxFuture<'a, ServerResult<Option<Value>>>;
}

impl<T: ContainerType + Send + Sync> RootObject for T {
    fn resolve<'a>(&'a self, ctx: &'a Context<'a>) -> BoxFuture<'a, ServerResult<Option<Value>>> {
        self.resolve_field(ctx)
    }
}

/// Root objects by the names of their fields.
#[derive(Default)]
pub struct Roots(HashMap<String, Arc<dyn RootObject>>);

impl Roots {
    /// Adds an object under each of its fields.
    pub fn add<T: ContainerType + Default + Send + Sync + 'static>(&mut self) {
        if let MetaType::Object { fields, .. } = Registry::default().create_fake_output_type::<T>() {
            let object: Arc<dyn RootObject> = Arc::new(T::default());
            self.0.extend(fields.into_keys().map(|name| (name, Arc::clone(&object))));
        }
    }
}

/// Set of merged root objects; implemented by `roots!`.
pub trait Merged {
    /// Adds each object of the set.
    fn collect(roots: &mut Roots);
}

/// Merges root objects into one type of the schema and collects them; `groups` merges types that are already merged.
#[macro_export]
macro_rules! merge_roots {
    ($(#[$meta:meta])* $vis:vis struct $name:ident($($object:path),+ $(,)?);) => {
        $(#[$meta])*
        #[derive(async_graphql::MergedObject, Default)]
        $vis struct $name($($object),+);

        impl $crate::engine::Merged for $name {
            fn collect(roots: &mut $crate::engine::Roots) {
                $(roots.add::<$object>();)+
            }
        }
    };
    (groups: $(#[$meta:meta])* $vis:vis struct $name:ident($($group:path),+ $(,)?);) => {
        $(#[$meta])*
        #[derive(async_graphql::MergedObject, Default)]
        $vis struct $name($($group),+);

        impl $crate::engine::Merged for $name {
            fn collect(roots: &mut $crate::engine::Roots) {
                $(<$group as $crate::engine::Merged>::collect(roots);)+
            }
        }
    };
}
pub use merge_roots as roots;

/// Root type of the schema: its description comes from the merged objects, its answers from the object with the field.
pub(super) struct Root<T> {
    roots: Roots,
    described_by: PhantomData<fn() -> T>,
}

impl<T: Merged> Root<T> {
    /// Creates the root type with its objects.
    pub(super) fn new() -> Self {
        let mut roots = Roots::default();
        T::collect(&mut roots);
        Self { roots, described_by: PhantomData }
    }
}

#[async_trait::async_trait]
impl<T: OutputType> OutputType for Root<T> {
    fn type_name() -> Cow<'static, str> {
        T::type_name()
    }

    fn create_type_info(registry: &mut Registry) -> String {
        let name = T::create_type_info(registry);
        let described = DESCRIPTIONS.try_with(|descriptions| descriptions.describe(registry, &T::type_name()));
        if described.is_ok() {
            Descriptions::describe_scopes(registry, &T::type_name());
        }
        name
    }

    async fn resolve(&self, ctx: &ContextSelectionSet<'_>, _: &Positioned<Field>) -> ServerResult<Value> {
        resolve_container(ctx, self).await
    }
}

#[async_trait::async_trait]
impl<T: OutputType> ContainerType for Root<T> {
    async fn resolve_field(&self, ctx: &Context<'_>) -> ServerResult<Option<Value>> {
        let Some(object) = self.roots.0.get(ctx.item.node.name.node.as_str()) else { return Ok(None) };
        // A fixed document has one root field, so its response name is not needed.
        let resolved = if ctx.cx().caller.channel == Channel::Rest {
            object.resolve(ctx).await
        } else {
            let key = ctx.item.node.response_key().node.to_string();
            ROOT_KEY.scope(key, object.resolve(ctx)).await
        };
        // Every root field is nullable, so its error does not remove the data of the others.
        match resolved {
            Err(error) => {
                ctx.add_error(error);
                Ok(Some(Value::Null))
            }
            resolved => resolved,
        }
    }
}

impl<T: OutputType> ObjectType for Root<T> {}
