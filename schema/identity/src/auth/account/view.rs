//! Public representation of the caller's own account.

use labs_core::describe::OutputType;
use labs_core::principal::Role;
use labs_core::time::Time;
use labs_core::words::words;
use uuid::Uuid;

use super::store::AccountRow;

words! {
    /// Kind of user.
    pub enum PersonType {
        /// A member of a partner's team.
        PartnerUser = "PARTNER_USER",
        /// A staff member. Visible only to a caller who also has the scope `labs.admin.staff`.
        StaffUser = "STAFF_USER",
    }
}

/// Account of the calling user.
#[derive(serde::Serialize, OutputType)]
pub(super) struct Account {
    /// UUID of the user.
    uuid: Uuid,
    /// Whether the user belongs to a partner's team or to the staff.
    principal_type: PersonType,
    /// Full name of the user.
    name: String,
    /// E-mail address that the user signs in with.
    email: String,
    /// Time when the user verified the address. Null while it is unverified.
    email_verified_at: Option<Time>,
    /// Language of e-mails to the user.
    locale: String,
    /// Time zone of the user, as an IANA name. Times in this API are always in UTC.
    time_zone: String,
    /// Whether the user receives the weekly e-mail about the board. It is sent on Mondays and states how much happened
    /// on the board in the previous week. It is the same for every recipient, regardless of their votes. False until
    /// the user enables it. Always false for staff members.
    board_mail: bool,
    /// Whether the user receives an e-mail when the partner has used 80 % of its daily budget, at most one a day. It is
    /// sent to administrators and developers. Always false for staff members.
    quota_mail: bool,
    /// Role of the user in the partner's team. Null for staff members.
    role: Option<Role>,
    /// Partner whose team the user belongs to. Null for staff members.
    partner_uuid: Option<Uuid>,
    /// Codes of the user's staff roles. Empty for a member of a partner's team.
    staff_roles: Vec<String>,
    /// Active second factors. An unconfirmed enrolment is not included.
    second_factors: Vec<SecondFactor>,
    /// Number of unused recovery codes. Zero without a second factor.
    recovery_codes_left: i64,
    /// Time of the user's last complete sign-in, with every required factor.
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
            quota_mail: row.quota_mail && row.partner_uuid.is_some(),
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
