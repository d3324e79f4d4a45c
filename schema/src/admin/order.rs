//! The orders that lists of people and of programs have in common.
//!
//! A statement that is listed in them has a relation `place` with the columns `created_at`, `name`, `seen_at` and
//! `uuid`, and takes the cursor's two keys as its first parameters.

use serde_json::json;
use uuid::Uuid;

use crate::page::Keys;
use crate::time::Time;

/// In which order people or programs come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Order {
    NewestFirst,
    OldestFirst,
    ByName,
    LastSeenFirst,
}

/// Where a row stands in every one of the orders.
pub(crate) struct Place<'a> {
    pub(crate) created_at: Time,
    /// The name as it is compared.
    pub(crate) name: &'a str,
    /// When they last signed in; whoever never did comes last.
    pub(crate) seen_at: Option<Time>,
    pub(crate) uuid: Uuid,
}

impl Order {
    /// The order that `sort` names; the contract knows no other than these.
    pub(crate) fn named(sort: Option<&str>) -> Self {
        match sort {
            Some("created_at") => Self::OldestFirst,
            Some("name") => Self::ByName,
            Some("-last_sign_in_at" | "-last_used_at") => Self::LastSeenFirst,
            _ => Self::NewestFirst,
        }
    }

    /// The cursor's keys of a row that stands there.
    pub(crate) fn keys(self, place: &Place<'_>) -> Keys {
        let first = match self {
            Self::NewestFirst | Self::OldestFirst => json!(place.created_at),
            Self::ByName => json!(place.name),
            Self::LastSeenFirst => json!(place.seen_at.unwrap_or(Time(jiff::Timestamp::UNIX_EPOCH))),
        };
        vec![first, json!(place.uuid)]
    }
}

/// Runs a store's own macro `$page` with the cursor's first key and the end of the statement that an order needs.
macro_rules! in_order {
    ($order:expr, $page:ident, $window:ident, $db:ident, $filter:ident) => {
        match $order {
            $crate::admin::order::Order::NewestFirst => $page!(
                $window,
                $db,
                $filter,
                $window.key::<$crate::time::Time>(0)? as Option<$crate::time::Time>,
                " and (place.created_at, place.uuid) < (coalesce($1, 'infinity'::timestamptz),
                                                        coalesce($2, 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid))
                order by place.created_at desc, place.uuid desc"
            ),
            $crate::admin::order::Order::OldestFirst => $page!(
                $window,
                $db,
                $filter,
                $window.key::<$crate::time::Time>(0)? as Option<$crate::time::Time>,
                " and (place.created_at, place.uuid) > (coalesce($1, '-infinity'::timestamptz),
                                                        coalesce($2, '00000000-0000-0000-0000-000000000000'::uuid))
                order by place.created_at, place.uuid"
            ),
            $crate::admin::order::Order::ByName => $page!(
                $window,
                $db,
                $filter,
                $window.key::<String>(0)?,
                " and (place.name, place.uuid) > (coalesce($1, ''),
                                                  coalesce($2, '00000000-0000-0000-0000-000000000000'::uuid))
                order by place.name, place.uuid"
            ),
            $crate::admin::order::Order::LastSeenFirst => $page!(
                $window,
                $db,
                $filter,
                $window.key::<$crate::time::Time>(0)? as Option<$crate::time::Time>,
                " and (place.seen_at, place.uuid) < (coalesce($1, 'infinity'::timestamptz),
                                                     coalesce($2, 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid))
                order by place.seen_at desc, place.uuid desc"
            ),
        }
    };
}

pub(crate) use in_order;
