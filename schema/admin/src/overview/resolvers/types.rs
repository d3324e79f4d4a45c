//! Output types of the platform's counts.

use labs_core::day::Day;
use labs_core::describe::OutputType;
use serde::Serialize;

use super::super::store::{CountRow, TierCountRow};
use super::super::traffic::TrafficFigures;

/// Number of partners, in total and by state.
#[derive(Debug, Serialize, OutputType)]
pub(super) struct OverviewPartners {
    /// Total number of partners.
    total: i64,
    /// Active partners.
    active: i64,
    /// Suspended partners.
    suspended: i64,
    /// Partners that are closing.
    closing: i64,
    /// Closed partners that are kept until erasure.
    closed: i64,
    /// Erased partners, without any personal data left.
    erased: i64,
}

/// Number of users in partner teams, in total and by state.
#[derive(Debug, Serialize, OutputType)]
pub(super) struct OverviewUsers {
    /// Total number of users, except removed users.
    total: i64,
    /// Users who can sign in.
    active: i64,
    /// Users who have not confirmed their registration.
    unverified: i64,
    /// Users whom their team suspended.
    suspended: i64,
    /// Users whom staff locked.
    locked: i64,
}

/// Number of apps, in total and by state.
#[derive(Debug, Serialize, OutputType)]
pub(super) struct OverviewApps {
    /// Total number of apps.
    total: i64,
    /// Apps that were never listed.
    draft: i64,
    /// Listed apps.
    listed: i64,
    /// Apps that their partner unlisted.
    unlisted: i64,
    /// Apps that staff suspended.
    suspended: i64,
    /// Archived apps.
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
    /// Partners by tier.
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
