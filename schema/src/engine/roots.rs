//! The objects that root fields stand on, each reached by the name of its field.
//!
//! The library merges such objects into a chain that is tried from its beginning, and each try makes room for the
//! future of a whole object only to hear that the field is not there. Here the object is looked up instead, whoever asks.

use std::borrow::Cow;
use std::collections::HashMap;
use std::marker::PhantomData;
use std::sync::{Arc, OnceLock};

use async_graphql::parser::types::Field;
use async_graphql::registry::{MetaType, Registry};
use async_graphql::resolver_utils::resolve_container;
use async_graphql::{
    ContainerType, Context, ContextSelectionSet, ObjectType, OutputType, Positioned, ServerResult, Value,
};
use futures_util::future::BoxFuture;

use super::direct::Environment;
use crate::ask::ROOT_KEY;

/// An object of root fields.
pub(super) trait RootObject: Send + Sync {
    /// The value of the field that the context is at; `None` when the object has no such field.
    fn resolve<'a>(&'a self, ctx: &'a Context<'a>) -> BoxFuture<'a, ServerResult<Option<Value>>>;
}

impl<T: ContainerType + Send + Sync> RootObject for T {
    fn resolve<'a>(&'a self, ctx: &'a Context<'a>) -> BoxFuture<'a, ServerResult<Option<Value>>> {
        self.resolve_field(ctx)
    }
}

/// Root objects by the names of their fields.
#[derive(Default)]
pub(crate) struct Roots(HashMap<String, Arc<dyn RootObject>>);

impl Roots {
    /// Adds an object under each of its fields.
    pub(crate) fn add<T: ContainerType + Default + Send + Sync + 'static>(&mut self) {
        if let MetaType::Object { fields, .. } = Registry::default().create_fake_output_type::<T>() {
            let object: Arc<dyn RootObject> = Arc::new(T::default());
            self.0.extend(fields.into_keys().map(|name| (name, Arc::clone(&object))));
        }
    }

    fn get(&self, name: &str) -> Option<&Arc<dyn RootObject>> {
        self.0.get(name)
    }
}

/// What is merged of root objects; made by `roots!`.
pub(crate) trait Merged {
    /// Adds each of them.
    fn collect(roots: &mut Roots);
}

/// Merges root objects into one type of the schema and collects them; `groups` merges what was merged already.
macro_rules! roots {
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
pub(crate) use roots;

/// A root type of the schema: described by what was merged, answered by the object that has the field.
pub(super) struct Root<T> {
    roots: Roots,
    /// Where fields are resolved, known since the first was.
    environment: Arc<OnceLock<Environment>>,
    described_by: PhantomData<fn() -> T>,
}

impl<T: Merged> Root<T> {
    /// The root type, which leaves here what it learns of its environment.
    pub(super) fn new(environment: Arc<OnceLock<Environment>>) -> Self {
        let mut roots = Roots::default();
        T::collect(&mut roots);
        Self { roots, environment, described_by: PhantomData }
    }

    /// The objects, for whoever asks one directly.
    pub(super) fn into_roots(self) -> Roots {
        self.roots
    }
}

impl Roots {
    /// The object that has this root field.
    pub(super) fn of(&self, name: &str) -> Option<Arc<dyn RootObject>> {
        self.get(name).cloned()
    }
}

#[async_trait::async_trait]
impl<T: OutputType> OutputType for Root<T> {
    fn type_name() -> Cow<'static, str> {
        T::type_name()
    }

    fn create_type_info(registry: &mut Registry) -> String {
        T::create_type_info(registry)
    }

    async fn resolve(&self, ctx: &ContextSelectionSet<'_>, _: &Positioned<Field>) -> ServerResult<Value> {
        resolve_container(ctx, self).await
    }
}

#[async_trait::async_trait]
impl<T: OutputType> ContainerType for Root<T> {
    async fn resolve_field(&self, ctx: &Context<'_>) -> ServerResult<Option<Value>> {
        self.environment.get_or_init(|| Environment::of(ctx));
        match self.roots.get(ctx.item.node.name.node.as_str()) {
            Some(object) => {
                let key = ctx.item.node.response_key().node.to_string();
                ROOT_KEY.scope(key, object.resolve(ctx)).await
            }
            None => Ok(None),
        }
    }
}

impl<T: OutputType> ObjectType for Root<T> {}
