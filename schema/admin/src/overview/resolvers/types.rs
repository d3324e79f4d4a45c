//! Output types of the platform's counts.

use labs_core::day::Day;
use labs_core::describe::OutputType;
use serde::Serialize;

use super::super::store::{CountRow, TierCountRow};
use super::super::traffic::TrafficFigures;

/// Number of partners, in total and by state.
#[derive(Debug, Serialize, OutputType)]
pub(super) struct OverviewPartners {
    /// Total number.
    total: i64,
    /// Number of active partners.
    active: i64,
    /// Number of partners that staff suspended.
    suspended: i64,
    /// Number of partners whose account will be closed at the end of the waiting period.
    closing: i64,
    /// Number of closed partners that staff have not erased.
    closed: i64,
    /// Number of partners whose personal data was erased.
    erased: i64,
}

/// Number of users in partner teams, in total and by state.
#[derive(Debug, Serialize, OutputType)]
pub(super) struct OverviewUsers {
    /// Total number of users, except removed users.
    total: i64,
    /// Number of users who can sign in.
    active: i64,
    /// Number of users who have not confirmed their registration.
    unverified: i64,
    /// Number of users whom their team suspended.
    suspended: i64,
    /// Number of users whom staff locked.
    locked: i64,
}

/// Number of apps, in total and by state.
#[derive(Debug, Serialize, OutputType)]
pub(super) struct OverviewApps {
    /// Total number.
    total: i64,
    /// Number of apps that were never published.
    draft: i64,
    /// Number of listed apps.
    listed: i64,
    /// Number of apps that their partner unlisted.
    unlisted: i64,
    /// Number of apps that staff suspended.
    suspended: i64,
    /// Number of apps that their partner archived.
    archived: i64,
}

/// Number of partners on a tier.
#[derive(Debug, Serialize, OutputType)]
pub(super) struct OverviewTier {
    /// Code of the tier.
    tier_code: String,
    /// Display name of the tier.
    tier_name: String,
    /// Number of partners on the tier.
    subscriptions: i64,
}

/// Overview of the platform.
#[derive(Debug, Serialize, OutputType)]
pub(super) struct PlatformOverview {
    /// Partners.
    partners: OverviewPartners,
    /// Users of partner teams.
    users: OverviewUsers,
    /// Apps.
    apps: OverviewApps,
    /// Number of listings visible on the storefront.
    listings_on_show: i64,
    /// Number of partners by tier, in the display order of the tiers (`position`). Draft tiers are not included.
    subscriptions: Vec<OverviewTier>,
    /// Current day in UTC.
    today: Day,
    /// Requests of the current day so far.
    requests_today: TrafficFigures,
}

impl PlatformOverview {
    /// Converts the counts to their representation.
    pub(super) fn of(counts: &[CountRow], tiers: Vec<TierCountRow>, today: Day, requests: TrafficFigures) -> Self {
        let sum = |is_meant: &dyn Fn(&CountRow) -> bool| -> i64 {
            counts.iter().filter(|row| is_meant(row)).map(|row| row.number).sum()
        };
        let number = |what: &str, key: &str| sum(&|row| row.what == what && row.key == key);
        let tier = |row: TierCountRow| OverviewTier {
            tier_code: row.tier_code,
            tier_name: row.tier_name,
            subscriptions: row.subscriptions,
        };
        Self {
            partners: OverviewPartners {
                total: sum(&|row| row.what == "PARTNER"),
                active: number("PARTNER", "ACTIVE"),
                suspended: number("PARTNER", "SUSPENDED"),
                closing: number("PARTNER", "CLOSING"),
                closed: number("PARTNER", "CLOSED"),
                erased: number("PARTNER", "ERASED"),
            },
            users: OverviewUsers {
                total: sum(&|row| row.key.starts_with("PARTNER_USER:") && row.key != "PARTNER_USER:REMOVED"),
                active: number("PERSON", "PARTNER_USER:ACTIVE"),
                unverified: number("PERSON", "PARTNER_USER:UNVERIFIED"),
                suspended: number("PERSON", "PARTNER_USER:SUSPENDED"),
                locked: number("PERSON", "PARTNER_USER:LOCKED"),
            },
            apps: OverviewApps {
                total: sum(&|row| row.what == "APP"),
                draft: number("APP", "DRAFT"),
                listed: number("APP", "LISTED"),
                unlisted: number("APP", "UNLISTED"),
                suspended: number("APP", "SUSPENDED"),
                archived: number("APP", "ARCHIVED"),
            },
            listings_on_show: number("LISTING", "true"),
            subscriptions: tiers.into_iter().map(tier).collect(),
            today,
            requests_today: requests,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn removed_users_and_staff_are_not_counted() {
        let row = |key: &str, number| CountRow { what: "PERSON".to_owned(), key: key.to_owned(), number };
        let counts = [
            row("PARTNER_USER:ACTIVE", 5),
            row("PARTNER_USER:LOCKED", 1),
            row("PARTNER_USER:REMOVED", 7),
            row("STAFF_USER:ACTIVE", 3),
        ];
        let day = "2026-11-25".parse().unwrap();
        let users = PlatformOverview::of(&counts, Vec::new(), day, TrafficFigures::default()).users;
        assert_eq!((users.total, users.active, users.locked), (6, 5, 1));
    }
}
