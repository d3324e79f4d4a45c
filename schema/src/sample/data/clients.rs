//! Machine clients.

/// A machine client.
pub(in crate::sample) struct ClientData {
    pub(in crate::sample) client_id: &'static str,
    pub(in crate::sample) name: &'static str,
    pub(in crate::sample) contact: &'static str,
    /// Slug of its partner; empty for a client without a partner.
    pub(in crate::sample) partner: &'static str,
    pub(in crate::sample) scopes: &'static [&'static str],
    pub(in crate::sample) days: u32,
    /// Purpose, in one line.
    pub(in crate::sample) note: &'static str,
}

/// All machine clients.
pub(in crate::sample) const CLIENTS: [ClientData; 3] = [
    ClientData {
        client_id: "labs-client-storefront",
        name: "Storefront",
        contact: "storefront@labs.example",
        partner: "",
        scopes: &["storefront:write"],
        days: 780,
        note: "shows listings to customers and brings their reviews",
    },
    ClientData {
        client_id: "labs-client-release-tool",
        name: "Release tool",
        contact: "releases@labs.example",
        partner: "",
        scopes: &["publication.changelog:write"],
        days: 611,
        note: "writes a changelog entry with every release",
    },
    ClientData {
        client_id: "labs-client-elbkontor",
        name: "Elbkontor build pipeline",
        contact: "builds@elbkontor.example",
        partner: "elbkontor",
        scopes: &["marketplace.apps:write"],
        days: 214,
        note: "makes and submits versions of Elbkontor's apps; reaches nothing of other partners",
    },
];
