//! What kinds of things audit records are about (docs/decisions.md#audit).

use crate::core::words::words;

words! {
    /// The kind of thing that an audit record is about.
    ///
    /// Whoever reads the log reads text: a record outlives the kinds that the service knows.
    pub enum AuditTargetKind {
        /// An app.
        App = "APP",
        /// An audit record.
        AuditRecord = "AUDIT_RECORD",
        /// A report of something on the board.
        BoardReport = "BOARD_REPORT",
        /// A topic of the board.
        BoardTopic = "BOARD_TOPIC",
        /// What daily budgets are counted for: a partner, or somebody of the staff.
        BudgetAccount = "BUDGET_ACCOUNT",
        /// A category.
        Category = "CATEGORY",
        /// A curated collection.
        Collection = "COLLECTION",
        /// A customer's review.
        CustomerReview = "CUSTOMER_REVIEW",
        /// A partner's archive.
        DataExport = "DATA_EXPORT",
        /// A deprecated element of the contract.
        Deprecation = "DEPRECATION",
        /// A feature of tiers.
        Feature = "FEATURE",
        /// A comment on the board.
        FeatureComment = "FEATURE_COMMENT",
        /// A feature request.
        FeatureRequest = "FEATURE_REQUEST",
        /// An invitation into a team.
        Invitation = "INVITATION",
        /// A background job.
        Job = "JOB",
        /// A program.
        MachineClient = "MACHINE_CLIENT",
        /// A secret of a program.
        MachineClientSecret = "MACHINE_CLIENT_SECRET",
        /// A mail.
        MailMessage = "MAIL_MESSAGE",
        /// A network that nobody calls from.
        NetworkDenial = "NETWORK_DENIAL",
        /// A partner.
        Partner = "PARTNER",
        /// A note of staff on a partner.
        PartnerNote = "PARTNER_NOTE",
        /// A person, of a team or of the staff.
        Person = "PERSON",
        /// A changelog entry, a blog post or a developer resource.
        PublicationItem = "PUBLICATION_ITEM",
        /// A session.
        Session = "SESSION",
        /// Sign-ins that are held back.
        SignInBlock = "SIGN_IN_BLOCK",
        /// A key that tokens are signed with.
        SigningKey = "SIGNING_KEY",
        /// A staff member.
        StaffMember = "STAFF_MEMBER",
        /// A role of staff.
        StaffRole = "STAFF_ROLE",
        /// An import of statistics.
        StatisticsImport = "STATISTICS_IMPORT",
        /// A submission of a version.
        Submission = "SUBMISSION",
        /// A ticket of a partner.
        SupportTicket = "SUPPORT_TICKET",
        /// A tier.
        Tier = "TIER",
        /// A partner's request for another tier.
        TierChangeRequest = "TIER_CHANGE_REQUEST",
        /// A team member of a partner.
        User = "USER",
    }
}
