//! Target kinds of audit records (docs/decisions/audit.md).

use crate::words::words;

words! {
    /// Kind of object that an audit record is about.
    ///
    /// Readers of the log get the kind as text, because a record can outlive the kinds that the service knows.
    pub enum AuditTargetKind {
        /// An app.
        App = "APP",
        /// An audit record.
        AuditRecord = "AUDIT_RECORD",
        /// A report about content on the board.
        BoardReport = "BOARD_REPORT",
        /// A topic of the board.
        BoardTopic = "BOARD_TOPIC",
        /// An account with a daily budget: a partner or a staff member.
        BudgetAccount = "BUDGET_ACCOUNT",
        /// A category.
        Category = "CATEGORY",
        /// A curated collection.
        Collection = "COLLECTION",
        /// A customer review.
        CustomerReview = "CUSTOMER_REVIEW",
        /// A partner's data export.
        DataExport = "DATA_EXPORT",
        /// A deprecated element of the contract.
        Deprecation = "DEPRECATION",
        /// A feature of tiers.
        Feature = "FEATURE",
        /// A comment on the board.
        FeatureComment = "FEATURE_COMMENT",
        /// A feature request.
        FeatureRequest = "FEATURE_REQUEST",
        /// An invitation to a team.
        Invitation = "INVITATION",
        /// A background job.
        Job = "JOB",
        /// A machine client.
        MachineClient = "MACHINE_CLIENT",
        /// A client secret.
        MachineClientSecret = "MACHINE_CLIENT_SECRET",
        /// A mail message.
        MailMessage = "MAIL_MESSAGE",
        /// A network denial.
        NetworkDenial = "NETWORK_DENIAL",
        /// A partner.
        Partner = "PARTNER",
        /// A staff note about a partner.
        PartnerNote = "PARTNER_NOTE",
        /// A user of a partner or a staff member.
        Person = "PERSON",
        /// A changelog entry, a blog post or a developer resource.
        PublicationItem = "PUBLICATION_ITEM",
        /// A session.
        Session = "SESSION",
        /// A sign-in block.
        SignInBlock = "SIGN_IN_BLOCK",
        /// A key that signs tokens.
        SigningKey = "SIGNING_KEY",
        /// A staff member.
        StaffMember = "STAFF_MEMBER",
        /// A staff role.
        StaffRole = "STAFF_ROLE",
        /// An import of statistics.
        StatisticsImport = "STATISTICS_IMPORT",
        /// A submission of an app version.
        Submission = "SUBMISSION",
        /// A partner's support ticket.
        SupportTicket = "SUPPORT_TICKET",
        /// A tier.
        Tier = "TIER",
        /// A partner's tier change request.
        TierChangeRequest = "TIER_CHANGE_REQUEST",
        /// A team member of a partner.
        User = "USER",
    }
}
