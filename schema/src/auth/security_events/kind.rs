//! What the security ledger calls what happened.

use crate::core::words::words;

words! {
    /// What happened to somebody's access. Readers of the ledger read text: an entry outlives the kinds that are known.
    pub(crate) enum SecurityEventKind {
        /// Staff locked the account.
        AccountLocked = "ACCOUNT_LOCKED",
        /// Staff unlocked the account.
        AccountUnlocked = "ACCOUNT_UNLOCKED",
        /// A program came with a wrong secret, or from elsewhere.
        ClientRefused = "CLIENT_REFUSED",
        /// The address to sign in with is another one.
        EmailChanged = "EMAIL_CHANGED",
        /// The former address took the change back.
        EmailChangeCancelled = "EMAIL_CHANGE_CANCELLED",
        /// Another address is to be proved.
        EmailChangeRequested = "EMAIL_CHANGE_REQUESTED",
        /// The address was confirmed, or a wrong password came with its token.
        EmailVerified = "EMAIL_VERIFIED",
        /// An invitation was accepted.
        InvitationAccepted = "INVITATION_ACCEPTED",
        /// An invitation was declined.
        InvitationDeclined = "INVITATION_DECLINED",
        /// Staff invited a colleague.
        Invited = "INVITED",
        /// The person left the team.
        MemberLeft = "MEMBER_LEFT",
        /// The team lets the person sign in again.
        MemberReinstated = "MEMBER_REINSTATED",
        /// The person was taken out of the team.
        MemberRemoved = "MEMBER_REMOVED",
        /// The person has another role in the team.
        MemberRoleChanged = "MEMBER_ROLE_CHANGED",
        /// The team holds the person back.
        MemberSuspended = "MEMBER_SUSPENDED",
        /// The password was right; the second factor is still to come.
        Password = "PASSWORD",
        /// The person set another password.
        PasswordChanged = "PASSWORD_CHANGED",
        /// A password was set with a token from a mail.
        PasswordReset = "PASSWORD_RESET",
        /// Somebody asked for a mail to set another password.
        PasswordResetRequested = "PASSWORD_RESET_REQUESTED",
        /// The person proved again who they are.
        Reauthentication = "REAUTHENTICATION",
        /// The recovery codes are others.
        RecoveryCodesRegenerated = "RECOVERY_CODES_REGENERATED",
        /// A recovery code was used.
        RecoveryCodeUsed = "RECOVERY_CODE_USED",
        /// A spent refresh token came again, and its session ended.
        RefreshReused = "REFRESH_REUSED",
        /// An account was registered.
        Registration = "REGISTRATION",
        /// A member of staff has other roles.
        RolesChanged = "ROLES_CHANGED",
        /// A second factor was presented.
        SecondFactor = "SECOND_FACTOR",
        /// The second factor was turned off.
        SecondFactorDisabled = "SECOND_FACTOR_DISABLED",
        /// The second factor was turned on.
        SecondFactorEnabled = "SECOND_FACTOR_ENABLED",
        /// The second factor was taken away.
        SecondFactorReset = "SECOND_FACTOR_RESET",
        /// The team's security policy is another one.
        SecurityPolicyChanged = "SECURITY_POLICY_CHANGED",
        /// The person ended another session of theirs.
        SessionEnded = "SESSION_ENDED",
        /// Staff ended a session.
        SessionEndedByStaff = "SESSION_ENDED_BY_STAFF",
        /// Staff ended all sessions.
        SignedOutByStaff = "SIGNED_OUT_BY_STAFF",
        /// The person signed in, or did not come in.
        SignIn = "SIGN_IN",
        /// Staff let the person try to sign in again.
        SignInBlockLifted = "SIGN_IN_BLOCK_LIFTED",
        /// The person signed out.
        SignOut = "SIGN_OUT",
        /// The person ended all sessions.
        SignOutEverywhere = "SIGN_OUT_EVERYWHERE",
        /// A program was refused a token.
        TokenRefused = "TOKEN_REFUSED",
        /// A program gave a token back.
        TokenRevoked = "TOKEN_REVOKED",
    }
}
