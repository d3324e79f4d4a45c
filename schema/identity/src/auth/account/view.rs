//! Public representation of the caller's own account.

use labs_core::describe::OutputType;
use labs_core::principal::Role;
use labs_core::time::Time;
use labs_core::words::words;
use uuid::Uuid;

use super::store::AccountRow;

words! {
    /// Whether a user belongs to a partner's team or to the staff.
    pub enum PersonType {
        /// A team member of a partner.
        PartnerUser = "PARTNER_USER",
        /// A staff member.
        StaffUser = "STAFF_USER",
    }
}

/// Account of the calling user.
#[derive(serde::Serialize, OutputType)]
pub(super) struct Account {
    /// UUID of the user.
    uuid: Uuid,
    /// Kind of principal.
    principal_type: PersonType,
    /// Full name.
    name: String,
    /// E-mail address that the user signs in with.
    email: String,
    /// Time when the user verified the address.
    email_verified_at: Option<Time>,
    /// Language of e-mails to the user.
    locale: String,
    /// IANA name of the user's time zone.
    time_zone: String,
    /// Whether the user gets the weekly e-mail about the board.
    board_mail: bool,
    /// Role in the partner's team; null for staff.
    role: Option<Role>,
    /// UUID of the user's partner; null for staff.
    partner_uuid: Option<Uuid>,
    /// Codes of the user's staff roles.
    staff_roles: Vec<String>,
    /// Active second factors.
    second_factors: Vec<SecondFactor>,
    /// Number of unused recovery codes.
    recovery_codes_left: i64,
    /// Time when the user last signed in.
    last_sign_in_at: Option<Time>,
    /// Time when the account was created.
    created_at: Time,
}

/// An active second factor.
#[derive(serde::Serialize, OutputType)]
pub(super) struct SecondFactor {
    /// `TOTP` is an authenticator app (RFC 6238).
    kind: &'static str,
    /// Time when the factor became active.
    confirmed_at: Time,
}

impl From<AccountRow> for Account {
    fn from(row: AccountRow) -> Self {
        let totp = row.totp_confirmed_at.map(|confirmed_at| SecondFactor { kind: "TOTP", confirmed_at });
        Self {
            uuid: row.person_uuid,
            principal_type: row.kind,
            name: row.name,
            email: row.email,
            email_verified_at: row.email_verified_at,
            locale: row.locale,
            time_zone: row.time_zone,
            board_mail: row.board_mail,
            role: row.role,
            partner_uuid: row.partner_uuid,
            staff_roles: row.staff_roles,
            second_factors: totp.into_iter().collect(),
            recovery_codes_left: row.recovery_codes_left,
            last_sign_in_at: row.last_sign_in_at,
            created_at: row.created_at,
        }
    }
}
