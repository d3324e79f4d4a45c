//! The four partners with their teams, and the staff members.

/// A partner.
pub(in crate::sample) struct PartnerData {
    pub(in crate::sample) slug: &'static str,
    pub(in crate::sample) company: &'static str,
    pub(in crate::sample) legal_form: &'static str,
    pub(in crate::sample) registration: &'static str,
    pub(in crate::sample) vat_id: &'static str,
    pub(in crate::sample) country: &'static str,
    /// Street, postal code, city.
    pub(in crate::sample) address: [&'static str; 3],
    /// Domain of its e-mail addresses; ends in `.example`, so that mail never reaches a real address.
    pub(in crate::sample) domain: &'static str,
    pub(in crate::sample) tier: &'static str,
    /// Days since its registration.
    pub(in crate::sample) days: u32,
    pub(in crate::sample) labels: &'static [&'static str],
    /// The team, its first administrator first.
    pub(in crate::sample) team: &'static [PersonData],
}

/// A team member or a staff member.
pub(in crate::sample) struct PersonData {
    pub(in crate::sample) name: &'static str,
    /// Local part of the e-mail address.
    pub(in crate::sample) local: &'static str,
    /// Role in the team; the staff role of a staff member.
    pub(in crate::sample) role: &'static str,
    pub(in crate::sample) locale: &'static str,
    pub(in crate::sample) time_zone: &'static str,
    pub(in crate::sample) state: &'static str,
    /// Whether a second factor is enrolled.
    pub(in crate::sample) factor: bool,
    /// Days since the user joined.
    pub(in crate::sample) days: u32,
}

/// Domain of the staff members.
pub(in crate::sample) const STAFF_DOMAIN: &str = "labs.example";

const fn one(
    name: &'static str,
    local: &'static str,
    role: &'static str,
    locale: &'static str,
    time_zone: &'static str,
    days: u32,
) -> PersonData {
    PersonData { name, local, role, locale, time_zone, state: "ACTIVE", factor: false, days }
}

const fn internal(name: &'static str, local: &'static str, role: &'static str, days: u32) -> PersonData {
    PersonData { factor: true, ..one(name, local, role, "en", "Europe/Berlin", days) }
}

const HAMBURG: &str = "Europe/Berlin";
const LYON: &str = "Europe/Paris";
const GRAZ: &str = "Europe/Vienna";
const UTRECHT: &str = "Europe/Amsterdam";

/// All partners.
pub(in crate::sample) const PARTNERS: [PartnerData; 4] = [
    PartnerData {
        slug: "elbkontor",
        company: "Elbkontor Kassensysteme",
        legal_form: "GmbH",
        registration: "HRB 148213",
        vat_id: "DE318402775",
        country: "DE",
        address: ["Kehrwieder 14", "20457", "Hamburg"],
        domain: "elbkontor.example",
        tier: "SCALE",
        days: 812,
        labels: &["founding-partner", "fiscal"],
        team: &[
            PersonData {
                factor: true,
                ..one("Mareike Petersen", "mareike.petersen", "ADMINISTRATOR", "de", HAMBURG, 812)
            },
            one("Jonas Thielemann", "jonas.thielemann", "ADMINISTRATOR", "de", HAMBURG, 790),
            PersonData { factor: true, ..one("Aylin Demirci", "aylin.demirci", "DEVELOPER", "de", HAMBURG, 655) },
            one("Piotr Zawadzki", "piotr.zawadzki", "DEVELOPER", "en", HAMBURG, 402),
            one("Wiebke Lorenzen", "wiebke.lorenzen", "EDITOR", "de", HAMBURG, 611),
            one("Holger Brandt", "holger.brandt", "ACCOUNTANT", "de", HAMBURG, 800),
            one("Saskia Ohlsen", "saskia.ohlsen", "VIEWER", "de", HAMBURG, 120),
            PersonData { state: "SUSPENDED", ..one("Tim Reinhold", "tim.reinhold", "DEVELOPER", "de", HAMBURG, 530) },
        ],
    },
    PartnerData {
        slug: "belle-tablee",
        company: "Belle Tablée",
        legal_form: "SAS",
        registration: "RCS Lyon 893 214 607",
        vat_id: "FR47893214607",
        country: "FR",
        address: ["31 quai Saint-Vincent", "69001", "Lyon"],
        domain: "belletablee.example",
        tier: "GROWTH",
        days: 640,
        labels: &["reservations"],
        team: &[
            one("Camille Roussel", "camille.roussel", "ADMINISTRATOR", "fr", LYON, 640),
            one("Bastien Faure", "bastien.faure", "DEVELOPER", "fr", LYON, 636),
            one("Inès Belkacem", "ines.belkacem", "DEVELOPER", "fr", LYON, 301),
            one("Margaux Tissier", "margaux.tissier", "EDITOR", "fr", LYON, 410),
            one("Olivier Charpin", "olivier.charpin", "ACCOUNTANT", "fr", LYON, 588),
            PersonData { state: "UNVERIFIED", ..one("Nadège Perrin", "nadege.perrin", "VIEWER", "fr", LYON, 2) },
        ],
    },
    PartnerData {
        slug: "murzeit",
        company: "Murzeit",
        legal_form: "GmbH",
        registration: "FN 531207 p",
        vat_id: "ATU75310428",
        country: "AT",
        address: ["Griesgasse 22", "8020", "Graz"],
        domain: "murzeit.example",
        tier: "FREE",
        days: 377,
        labels: &[],
        team: &[
            one("Katharina Hödl", "katharina.hoedl", "ADMINISTRATOR", "de", GRAZ, 377),
            one("Florian Tschernitz", "florian.tschernitz", "DEVELOPER", "de", GRAZ, 370),
            one("Mirjam Obersteiner", "mirjam.obersteiner", "VIEWER", "de", GRAZ, 96),
        ],
    },
    PartnerData {
        slug: "voorraadhuis",
        company: "Voorraadhuis",
        legal_form: "B.V.",
        registration: "KVK 78216054",
        vat_id: "NL861320754B01",
        country: "NL",
        address: ["Oudegracht 187", "3511 NE", "Utrecht"],
        domain: "voorraadhuis.example",
        tier: "GROWTH",
        days: 498,
        labels: &["purchasing"],
        team: &[
            one("Sanne de Wit", "sanne.dewit", "ADMINISTRATOR", "en", UTRECHT, 498),
            one("Joris Hoekstra", "joris.hoekstra", "DEVELOPER", "en", UTRECHT, 495),
            one("Lieke Vermeulen", "lieke.vermeulen", "EDITOR", "en", UTRECHT, 333),
            one("Daan Kuipers", "daan.kuipers", "ACCOUNTANT", "en", UTRECHT, 470),
            one("Femke van Rijn", "femke.vanrijn", "VIEWER", "en", UTRECHT, 58),
        ],
    },
];

/// The staff members, the administrator first. Reviewers are selected by their role.
pub(in crate::sample) const STAFF: [PersonData; 9] = [
    internal("Henrike Falk", "henrike.falk", "ADMINISTRATOR", 900),
    internal("Ruben Castellanos", "ruben.castellanos", "REVIEWER", 860),
    internal("Elodie Marchand", "elodie.marchand", "REVIEWER", 512),
    internal("Tomasz Wieczorek", "tomasz.wieczorek", "CATALOGUE", 710),
    internal("Birgit Aigner", "birgit.aigner", "AUDITOR", 388),
    internal("Niklas Soerensen", "niklas.soerensen", "OPERATOR", 845),
    internal("Priya Raman", "priya.raman", "SUPPORT", 275),
    internal("Hanneke Bosch", "hanneke.bosch", "ACCOUNT_MANAGER", 431),
    internal("Leonie Kraft", "leonie.kraft", "EDITOR", 204),
];
