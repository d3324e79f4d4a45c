//! Operations of a team on its partner. The token determines the partner; the path only repeats it.
//!
//! Rule: docs/decisions/api.md#resources-of-other-partners.

mod account;
pub(crate) mod company;
pub(crate) mod contacts;
pub(crate) mod data_exports;
pub(crate) mod events;
pub(crate) mod imagery;
pub(crate) mod invitations;
pub(crate) mod lifecycle;
mod own;
pub(crate) mod profile;
mod security;
pub(crate) mod support_desk;
pub(crate) mod support_tickets;
pub(crate) mod team;
pub(crate) mod team_members;

use labs_core::engine::roots;
use labs_core::list::Statements;

/// Run-time SQL statements of the group, which the compiler does not check.
pub(crate) fn statements() -> impl Iterator<Item = &'static dyn Statements> {
    let of_resources: [&[&dyn Statements]; _] = [
        &account::STATEMENTS,
        &contacts::STATEMENTS,
        &data_exports::STATEMENTS,
        &imagery::STATEMENTS,
        &security::STATEMENTS,
        &support_desk::STATEMENTS,
        &support_tickets::STATEMENTS,
        &team_members::STATEMENTS,
    ];
    of_resources.into_iter().flatten().copied()
}

roots! {
    /// Queries of the group.
    pub(crate) struct PartnerQuery(
        account::PartnerAccountQuery,
        contacts::ContactsQuery,
        data_exports::DataExportsQuery,
        imagery::ImageryQuery,
        invitations::InvitationsQuery,
        profile::ProfileQuery,
        security::SecurityQuery,
        support_desk::SupportDeskQuery,
        support_tickets::SupportTicketsQuery,
        team_members::TeamMembersQuery,
    );
}

roots! {
    /// Mutations of the group.
    pub(crate) struct PartnerMutation(
        account::PartnerAccountMutation,
        contacts::ContactsMutation,
        data_exports::DataExportsMutation,
        imagery::ImageryMutation,
        invitations::InvitationsMutation,
        profile::ProfileMutation,
        security::SecurityMutation,
        support_desk::SupportDeskMutation,
        support_tickets::SupportTicketsMutation,
        team_members::TeamMembersMutation,
    );
}
