//! Every statement about apps.

use std::collections::HashMap;

use ::dataloader::BatchFn;
use ::dataloader::cached::Loader;
use serde_json::json;
use uuid::Uuid;

use super::rules::State;
use crate::ask::Ask;
use crate::db::Db;
use crate::fault::{Fault, constraint_of};
use crate::page::{Keys, Window};
use crate::paged;
use crate::principal::Owner;
use crate::time::Time;

/// An app with the texts of its default locale.
#[derive(Clone, Debug)]
pub(crate) struct AppRow {
    pub(crate) app_uuid: Uuid,
    pub(crate) partner_uuid: Uuid,
    pub(crate) slug: String,
    pub(crate) name: String,
    pub(crate) tagline: String,
    pub(crate) description: String,
    pub(crate) default_locale: String,
    pub(crate) state: String,
    pub(crate) state_reason: Option<String>,
    pub(crate) support_email: Option<String>,
    pub(crate) support_url: Option<String>,
    pub(crate) privacy_url: Option<String>,
    pub(crate) website_url: Option<String>,
    pub(crate) terms_url: Option<String>,
    pub(crate) created_at: Time,
    pub(crate) updated_at: Time,
}

/// What a list is narrowed to.
#[derive(Clone, Debug, Default)]
pub(crate) struct Filter {
    pub(crate) state: Option<Vec<String>>,
    pub(crate) q: Option<String>,
    pub(crate) category_uuid: Option<Uuid>,
    pub(crate) created_at_from: Option<Time>,
    pub(crate) created_at_until: Option<Time>,
}

/// The orders a list can have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Order {
    NewestFirst,
    OldestFirst,
    ByName,
    LastChangedFirst,
}

impl AppRow {
    /// The cursor's keys under this order.
    pub(crate) fn keys(&self, order: Order) -> Keys {
        let first = match order {
            Order::NewestFirst | Order::OldestFirst => json!(self.created_at),
            Order::ByName => json!(self.name.to_lowercase()),
            Order::LastChangedFirst => json!(self.updated_at),
        };
        vec![first, json!(self.app_uuid)]
    }
}
