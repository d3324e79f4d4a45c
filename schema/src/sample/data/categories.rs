//! Category tree: thirty categories on four levels, parents before their children.

/// A category; names and descriptions are in English, German and French.
pub(in crate::sample) struct CategoryData {
    /// Slug of the category.
    pub(in crate::sample) slug: &'static str,
    /// Slug of the parent; empty at the root.
    pub(in crate::sample) parent: &'static str,
    /// Name of a pictogram.
    pub(in crate::sample) icon: &'static str,
    pub(in crate::sample) names: [&'static str; 3],
    pub(in crate::sample) descriptions: [&'static str; 3],
}

/// The deactivated category.
pub(in crate::sample) const DEACTIVATED: &str = "fax-orders";

const fn at(
    slug: &'static str,
    parent: &'static str,
    icon: &'static str,
    names: [&'static str; 3],
    descriptions: [&'static str; 3],
) -> CategoryData {
    CategoryData { slug, parent, icon, names, descriptions }
}

/// The complete tree of categories.
pub(in crate::sample) const CATEGORIES: [CategoryData; 30] = [
    at(
        "point-of-sale",
        "",
        "till",
        ["Point of sale", "Kasse", "Encaissement"],
        [
            "Everything that takes an order and a payment.",
            "Alles, was Bestellungen und Zahlungen annimmt.",
            "Tout ce qui prend une commande et un paiement.",
        ],
    ),
    at(
        "guests",
        "",
        "people",
        ["Guests and reservations", "Gäste und Reservierungen", "Clients et réservations"],
        [
            "From the first enquiry to the thank-you note.",
            "Von der ersten Anfrage bis zum Dankeschön.",
            "De la première demande au mot de remerciement.",
        ],
    ),
    at(
        "team",
        "",
        "badge",
        ["Team and shifts", "Team und Schichten", "Équipe et plannings"],
        [
            "Shifts, working hours and pay.",
            "Wer wann arbeitet und was dafür bezahlt wird.",
            "Qui travaille quand, et pour quelle paie.",
        ],
    ),
    at(
        "stock",
        "",
        "crate",
        ["Stock and purchasing", "Lager und Einkauf", "Stocks et achats"],
        [
            "Stock, shortages and costs.",
            "Was im Regal steht, was fehlt und was es kostet.",
            "Ce qui est en rayon, ce qui manque et ce que cela coûte.",
        ],
    ),
    at(
        "delivery",
        "",
        "bicycle",
        ["Orders from outside", "Bestellungen von außen", "Commandes à distance"],
        [
            "Orders that do not come from a table.",
            "Bestellungen, die nicht vom Tisch kommen.",
            "Les commandes qui ne viennent pas d'une table.",
        ],
    ),
    at(
        "insights",
        "",
        "chart",
        ["Reports and accounting", "Berichte und Buchhaltung", "Rapports et comptabilité"],
        [
            "Figures for managers and auditors.",
            "Zahlen für alle, die das Haus führen oder prüfen.",
            "Des chiffres pour ceux qui dirigent la maison et ceux qui la contrôlent.",
        ],
    ),
    at(
        "restaurant-till",
        "point-of-sale",
        "till",
        ["Restaurant tills", "Gastronomiekassen", "Caisses de restaurant"],
        [
            "Tills made for food and drink.",
            "Kassen, die für Speisen und Getränke gemacht sind.",
            "Des caisses pensées pour la restauration.",
        ],
    ),
    at(
        "counter-service",
        "restaurant-till",
        "cup",
        ["Counter service", "Thekenverkauf", "Service au comptoir"],
        [
            "Cafés, bakeries, snack bars: pay first, eat afterwards.",
            "Cafés, Bäckereien, Imbisse: erst zahlen, dann essen.",
            "Cafés, boulangeries, snacks : on paie d'abord, on mange ensuite.",
        ],
    ),
    at(
        "table-service",
        "restaurant-till",
        "plate",
        ["Table service", "Bedienung am Tisch", "Service à table"],
        [
            "Courses, seats and open tabs.",
            "Gänge, Sitzplätze und offene Rechnungen.",
            "Les services, les couverts et les additions en cours.",
        ],
    ),
    at(
        "payments",
        "point-of-sale",
        "card",
        ["Payments", "Zahlungen", "Paiements"],
        [
            "Cards, wallets and everything between till and bank.",
            "Karten, Wallets und alles zwischen Kasse und Bank.",
            "Cartes, portefeuilles et tout ce qui relie la caisse à la banque.",
        ],
    ),
    at(
        "card-terminals",
        "payments",
        "terminal",
        ["Card terminals", "Kartenterminals", "Terminaux de paiement"],
        [
            "Devices that read cards and phones.",
            "Geräte, die Karten und Telefone lesen.",
            "Les appareils qui lisent cartes et téléphones.",
        ],
    ),
    at(
        "mobile-terminals",
        "card-terminals",
        "phone",
        ["Mobile terminals", "Mobile Terminals", "Terminaux mobiles"],
        [
            "Terminals that go to the guest.",
            "Terminals, die zum Gast kommen.",
            "Les terminaux qui vont jusqu'au client.",
        ],
    ),
    at(
        "tips",
        "payments",
        "coin",
        ["Tips and shared bills", "Trinkgeld und geteilte Rechnungen", "Pourboires et additions partagées"],
        [
            "Who pays what, and who gets the tip.",
            "Wer was bezahlt und wer das Trinkgeld bekommt.",
            "Qui paie quoi, et à qui revient le pourboire.",
        ],
    ),
    at(
        "receipts",
        "point-of-sale",
        "receipt",
        ["Receipts and tax records", "Belege und Steuerdaten", "Tickets et obligations fiscales"],
        [
            "Signed receipts, exports for the tax office, archives.",
            "Signierte Belege, Exporte für das Finanzamt, Archive.",
            "Tickets signés, exports pour l'administration fiscale, archives.",
        ],
    ),
    at(
        "reservations",
        "guests",
        "calendar",
        ["Reservations", "Reservierungen", "Réservations"],
        [
            "Taking bookings by web, phone and walk-in.",
            "Reservierungen über Web, Telefon und an der Tür.",
            "Prendre les réservations en ligne, au téléphone et à la porte.",
        ],
    ),
    at(
        "table-planning",
        "guests",
        "grid",
        ["Table planning", "Tischplanung", "Plan de salle"],
        [
            "Floor plans, seatings and turns.",
            "Raumpläne, Platzierung und Belegungszeiten.",
            "Plans de salle, placement et rotations.",
        ],
    ),
    at(
        "waiting-lists",
        "guests",
        "clock",
        ["Waiting lists", "Wartelisten", "Listes d'attente"],
        [
            "For the evenings when everyone comes at once.",
            "Für die Abende, an denen alle auf einmal kommen.",
            "Pour les soirs où tout le monde arrive en même temps.",
        ],
    ),
    at(
        "loyalty",
        "guests",
        "heart",
        ["Loyalty and vouchers", "Treue und Gutscheine", "Fidélité et bons cadeaux"],
        ["Reasons to come back.", "Gründe wiederzukommen.", "Des raisons de revenir."],
    ),
    at(
        "guest-feedback",
        "guests",
        "speech",
        ["Guest feedback", "Gästemeinungen", "Avis des clients"],
        [
            "Hearing about it before the internet does.",
            "Davon erfahren, bevor das Internet es tut.",
            "L'apprendre avant qu'internet ne l'apprenne.",
        ],
    ),
    at(
        "shift-planning",
        "team",
        "calendar",
        ["Shift planning", "Schichtplanung", "Plannings"],
        [
            "Rotas that respect rest times and wishes.",
            "Dienstpläne, die Ruhezeiten und Wünsche achten.",
            "Des plannings qui respectent repos et souhaits.",
        ],
    ),
    at(
        "time-clock",
        "team",
        "clock",
        ["Time clocks", "Zeiterfassung", "Pointage"],
        ["Coming, going, breaks.", "Kommen, Gehen, Pausen.", "Arrivées, départs, pauses."],
    ),
    at(
        "payroll",
        "team",
        "envelope",
        ["Payroll", "Lohnabrechnung", "Paie"],
        [
            "From recorded hours to the payslip.",
            "Von erfassten Stunden zur Lohnabrechnung.",
            "Des heures pointées au bulletin de paie.",
        ],
    ),
    at(
        "inventory",
        "stock",
        "crate",
        ["Inventory", "Inventur", "Inventaire"],
        [
            "Counting, wasting less, knowing the stock.",
            "Zählen, weniger wegwerfen, wissen, was noch da ist.",
            "Compter, jeter moins, savoir ce qui reste.",
        ],
    ),
    at(
        "supplier-orders",
        "stock",
        "truck",
        ["Supplier orders", "Lieferantenbestellungen", "Commandes fournisseurs"],
        [
            "Ordering, receiving and checking deliveries.",
            "Bestellen, annehmen und Lieferungen prüfen.",
            "Commander, réceptionner et contrôler les livraisons.",
        ],
    ),
    at(
        "recipes",
        "stock",
        "book",
        ["Recipes and costing", "Rezepte und Kalkulation", "Recettes et coûts"],
        [
            "The ingredients of a dish and their cost.",
            "Was in ein Gericht kommt und was es kostet.",
            "Ce qui entre dans un plat et ce qu'il coûte à préparer.",
        ],
    ),
    at(
        "allergens",
        "stock",
        "leaf",
        ["Allergens and labels", "Allergene und Kennzeichnung", "Allergènes et étiquetage"],
        [
            "The fourteen allergens, declared where the law wants them.",
            "Die vierzehn Allergene, gekennzeichnet, wo das Gesetz es verlangt.",
            "Les quatorze allergènes, déclarés là où la loi l'exige.",
        ],
    ),
    at(
        "online-ordering",
        "delivery",
        "cart",
        ["Online ordering", "Online-Bestellung", "Commande en ligne"],
        [
            "Menus and orders on the web and on the guest's phone.",
            "Speisekarten und Bestellungen im Web und auf dem Telefon des Gastes.",
            "Cartes et commandes sur le web et sur le téléphone du client.",
        ],
    ),
    at(
        DEACTIVATED,
        "delivery",
        "fax",
        ["Orders by fax", "Bestellung per Fax", "Commandes par fax"],
        [
            "Kept for the apps that once were here.",
            "Erhalten für die Apps, die einmal hier waren.",
            "Conservée pour les applications qui s'y trouvaient.",
        ],
    ),
    at(
        "accounting",
        "insights",
        "ledger",
        ["Accounting", "Buchhaltung", "Comptabilité"],
        [
            "Sending the day's figures to the accountants.",
            "Die Zahlen des Tages an die Buchhaltung übergeben.",
            "Transmettre les chiffres du jour à la comptabilité.",
        ],
    ),
    at(
        "reports",
        "insights",
        "chart",
        ["Reports and forecasts", "Berichte und Prognosen", "Rapports et prévisions"],
        [
            "What sold, when, and what tomorrow may bring.",
            "Was sich wann verkauft hat und was morgen kommen mag.",
            "Ce qui s'est vendu, quand, et ce que demain peut apporter.",
        ],
    ),
];
