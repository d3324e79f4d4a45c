//! Kinds of security events.

use labs_core::words::words;

words! {
    /// Kind of a security event. Readers of the log treat it as text, because an entry may outlive its kind.
    pub enum SecurityEventKind {
        /// Staff locked the account.
        AccountLocked = "ACCOUNT_LOCKED",
        /// Staff unlocked the account.
        AccountUnlocked = "ACCOUNT_UNLOCKED",
        /// A machine client sent a wrong secret, or called from a network that is not allowed.
        ClientRefused = "CLIENT_REFUSED",
        /// The sign-in address changed.
        EmailChanged = "EMAIL_CHANGED",
        /// The change was cancelled from the former address.
        EmailChangeCancelled = "EMAIL_CHANGE_CANCELLED",
        /// A change of the address was requested.
        EmailChangeRequested = "EMAIL_CHANGE_REQUESTED",
        /// The address was confirmed, or its token was sent with a wrong password.
        EmailVerified = "EMAIL_VERIFIED",
        /// An invitation was accepted.
        InvitationAccepted = "INVITATION_ACCEPTED",
        /// An invitation was declined.
        InvitationDeclined = "INVITATION_DECLINED",
        /// A staff member was invited.
        Invited = "INVITED",
        /// The user left the team.
        MemberLeft = "MEMBER_LEFT",
        /// The team reinstated the user.
        MemberReinstated = "MEMBER_REINSTATED",
        /// The user was removed from the team.
        MemberRemoved = "MEMBER_REMOVED",
        /// The user got another role in the team.
        MemberRoleChanged = "MEMBER_ROLE_CHANGED",
        /// The team suspended the user.
        MemberSuspended = "MEMBER_SUSPENDED",
        /// The password was right; the second factor is still pending.
        Password = "PASSWORD",
        /// The user changed the password.
        PasswordChanged = "PASSWORD_CHANGED",
        /// A password was set with a token from an e-mail.
        PasswordReset = "PASSWORD_RESET",
        /// A password reset e-mail was requested.
        PasswordResetRequested = "PASSWORD_RESET_REQUESTED",
        /// The user reauthenticated.
        Reauthentication = "REAUTHENTICATION",
        /// The recovery codes were replaced.
        RecoveryCodesRegenerated = "RECOVERY_CODES_REGENERATED",
        /// A recovery code was used.
        RecoveryCodeUsed = "RECOVERY_CODE_USED",
        /// A used refresh token was sent again, and its session ended.
        RefreshReused = "REFRESH_REUSED",
        /// An account was registered.
        Registration = "REGISTRATION",
        /// The roles of a staff member changed.
        RolesChanged = "ROLES_CHANGED",
        /// A second factor was presented.
        SecondFactor = "SECOND_FACTOR",
        /// The second factor was disabled.
        SecondFactorDisabled = "SECOND_FACTOR_DISABLED",
        /// The second factor was enabled.
        SecondFactorEnabled = "SECOND_FACTOR_ENABLED",
        /// The second factor was reset.
        SecondFactorReset = "SECOND_FACTOR_RESET",
        /// The team's security policy changed.
        SecurityPolicyChanged = "SECURITY_POLICY_CHANGED",
        /// The user ended one of their other sessions.
        SessionEnded = "SESSION_ENDED",
        /// Staff ended a session.
        SessionEndedByStaff = "SESSION_ENDED_BY_STAFF",
        /// Staff ended all sessions.
        SignedOutByStaff = "SIGNED_OUT_BY_STAFF",
        /// The user signed in, or an attempt failed.
        SignIn = "SIGN_IN",
        /// Staff lifted a sign-in block.
        SignInBlockLifted = "SIGN_IN_BLOCK_LIFTED",
        /// The user signed out.
        SignOut = "SIGN_OUT",
        /// The user ended all sessions.
        SignOutEverywhere = "SIGN_OUT_EVERYWHERE",
        /// A machine client received a token for an identity of another issuer.
        TokenIssued = "TOKEN_ISSUED",
        /// A machine client was refused a token.
        TokenRefused = "TOKEN_REFUSED",
        /// A machine client revoked a token.
        TokenRevoked = "TOKEN_REVOKED",
    }
}
