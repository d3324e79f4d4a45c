//! Deprecations of the contract, and the changelog entries per operation, as every replica caches them. Reloaded twice
//! a second, so that answers and the contract show a change within a second without their own statement.

use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use sqlx::PgPool;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use crate::fault::Fault;
use crate::surface::{Surface, SurfaceField};
use crate::time::Time;

/// Interval between two loads from the database.
const BEAT: Duration = Duration::from_millis(500);

/// A deprecated element of the contract.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Deprecation {
    /// UUID of the deprecation.
    pub uuid: Uuid,
    /// Deprecated element.
    pub target: DeprecationTarget,
    /// Time when the deprecation was created.
    pub deprecated_at: Time,
    /// Sunset: time when the element is removed.
    pub sunset_at: Time,
    /// Public part of its changelog entry; `None` until an editor has released the entry.
    pub released: Option<ReleasedDeprecation>,
}

/// Public part of a deprecation whose changelog entry is released.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReleasedDeprecation {
    /// Advice on the replacement.
    pub replacement: String,
    /// Slug of the changelog entry.
    pub entry_slug: String,
}

/// Deprecated element of the contract.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DeprecationTarget {
    /// An operation.
    Operation(String),
    /// A parameter of an operation, or one of its values.
    Parameter {
        /// Id of the operation.
        operation_id: String,
        /// Name of the parameter.
        name: String,
        /// The value; `None` for the whole parameter.
        value: Option<String>,
    },
    /// A field of a schema, or one of its values.
    Field {
        /// Name of the schema.
        schema: String,
        /// Name of the field.
        name: String,
        /// The value; `None` for the whole field.
        value: Option<String>,
    },
}

impl DeprecationTarget {
    /// Returns the target of a row; `None` if the row names no element.
    pub fn of_columns(columns: [Option<String>; 5]) -> Option<Self> {
        match columns {
            [Some(id), None, None, None, None] => Some(Self::Operation(id)),
            [Some(operation_id), Some(name), None, None, value] => Some(Self::Parameter { operation_id, name, value }),
            [None, None, Some(schema), Some(name), value] => Some(Self::Field { schema, name, value }),
            _ => None,
        }
    }

    /// Returns the name of the element for use in a sentence, in Markdown.
    #[must_use]
    pub fn describe(&self) -> String {
        let of_value =
            |value: &Option<String>| value.as_ref().map(|v| format!("value `{v}` of the ")).unwrap_or_default();
        match self {
            Self::Operation(id) => format!("operation `{id}`"),
            Self::Parameter { operation_id, name, value } => {
                format!("{}parameter `{name}` of `{operation_id}`", of_value(value))
            }
            Self::Field { schema, name, value } => format!("{}field `{name}` of `{schema}`", of_value(value)),
        }
    }

    /// Returns the field in the contract; `None` for an operation, for a parameter, and for a field that was removed.
    pub fn field<'s>(&self, surface: &'s Surface) -> Option<&'s SurfaceField> {
        let Self::Field { schema, name, .. } = self else { return None };
        surface.fields.get(&(schema.clone(), name.clone()))
    }

    /// Lists the affected operations, in alphabetical order.
    pub fn operations(&self, surface: &Surface) -> Vec<String> {
        match self {
            Self::Operation(id) => vec![id.clone()],
            Self::Parameter { operation_id, .. } => vec![operation_id.clone()],
            Self::Field { .. } => {
                self.field(surface).map(SurfaceField::operations).into_iter().flatten().map(str::to_owned).collect()
            }
        }
    }

    /// Lists the operations for which every call is affected, regardless of its content: the deprecated operation
    /// itself, and those whose answer contains the field.
    pub fn always_operations(&self, surface: &Surface) -> Vec<String> {
        match self {
            Self::Operation(id) => vec![id.clone()],
            Self::Parameter { .. } => Vec::new(),
            Self::Field { .. } => {
                self.field(surface).map(|field| field.answered_by.iter().cloned().collect()).unwrap_or_default()
            }
        }
    }
}

/// Released changelog entry with the operations that it names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReleasedEntry {
    /// Slug of the entry.
    pub slug: String,
    /// Title of the entry.
    pub title: String,
    /// Release of the service that the entry describes.
    pub version: String,
    /// Operations that the entry names.
    pub operations: Vec<String>,
}

/// Current announcements about the contract.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AnnouncedDeprecations {
    /// Deprecations, in the order of their ids.
    pub deprecations: Vec<Arc<Deprecation>>,
    /// Released entries that name operations, newest first.
    pub entries: Vec<ReleasedEntry>,
}

/// Current announcements, as cached by this replica.
#[derive(Default)]
pub struct Deprecations(RwLock<Arc<AnnouncedDeprecations>>);

impl Deprecations {
    /// Returns all announcements. The pointer stays the same while nothing changes.
    #[must_use]
    pub fn all(&self) -> Arc<AnnouncedDeprecations> {
        Arc::clone(&self.0.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Keeps the announcements up to date until cancelled.
    pub async fn watch(self: Arc<Self>, pool: PgPool, stop: CancellationToken) {
        loop {
            match load(&pool).await {
                Ok(found) if found != *self.all() => {
                    *self.0.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(found);
                }
                Ok(_) => {}
                Err(fault) => tracing::debug!(cause = fault.for_log(), "the deprecations cannot be read yet"),
            }
            if stop.run_until_cancelled(sleep(BEAT)).await.is_none() {
                return;
            }
        }
    }
}

async fn load(pool: &PgPool) -> Result<AnnouncedDeprecations, Fault> {
    let rows = sqlx::query!(
        r#"select deprecation_uuid, operation_id, parameter, schema_name, field, value, replacement,
                  deprecation.sunset_at as "sunset_at: Time",
                  deprecation.created_at as "created_at: Time", entry.slug as "slug?"
             from deprecation
             left join publication_item as entry on item_uuid = entry_uuid and entry.state = 'RELEASED'
            order by deprecation_uuid"#
    )
    .fetch_all(pool)
    .await?;
    let of_row = rows.into_iter().filter_map(|row| {
        let columns = [row.operation_id, row.parameter, row.schema_name, row.field, row.value];
        Some(Arc::new(Deprecation {
            uuid: row.deprecation_uuid,
            target: DeprecationTarget::of_columns(columns)?,
            deprecated_at: row.created_at,
            sunset_at: row.sunset_at,
            released: row.slug.map(|entry_slug| ReleasedDeprecation { replacement: row.replacement, entry_slug }),
        }))
    });
    let deprecations = of_row.collect();
    let entries = sqlx::query_as!(
        ReleasedEntry,
        r#"select slug, title, version as "version!", operations from publication_item
            where kind = 'CHANGELOG_ENTRY' and state = 'RELEASED' and operations <> '{}'
            order by released_at desc, item_uuid
            limit 1000"#
    )
    .fetch_all(pool)
    .await?;
    Ok(AnnouncedDeprecations { deprecations, entries })
}
