//! Alternative texts of pictures, in the default locale of the app or the profile.

use labs_pictures::draw::{Scene, plain};

use super::data::{AppData, LookData};

/// Returns the alternative text of a picture of an app; without a scene, of its icon.
pub(super) fn alternative(app: &AppData, scene: Option<Scene>) -> String {
    let text = app.texts.first();
    let (locale, name) = text.map_or(("en", ""), |text| (text.locale.as_str(), text.name.as_str()));
    let words = app.look.as_ref().map(LookData::words).unwrap_or_default();
    let shown = words.into_iter().take(3).collect::<Vec<_>>().join(", ");
    let drawing = match app.look.as_ref().map(|look| look.icon.as_str()) {
        Some(drawing) if !drawing.is_empty() => drawing.to_owned(),
        _ => describe_letter(locale, name),
    };
    match (locale, scene) {
        ("de", None) => format!("Symbol von {name}: {drawing}"),
        ("fr", None) => format!("Icône de {name} : {drawing}"),
        (_, None) => format!("Icon of {name}: {drawing}"),
        ("de", Some(scene)) => format!("{} in {name}, darauf {shown}", german(scene)),
        ("fr", Some(scene)) => format!("{} dans {name}, avec {shown}", french(scene)),
        (_, Some(scene)) => format!("{} in {name}, with {shown}", english(scene)),
    }
}

/// Describes an icon that shows the first letter of the name.
fn describe_letter(locale: &str, name: &str) -> String {
    let letter: String = plain(name).chars().take(1).collect();
    match locale {
        "de" => format!("ein weißes {letter} auf farbigem Grund"),
        "fr" => format!("un {letter} blanc sur fond coloré"),
        _ => format!("a white {letter} on a coloured ground"),
    }
}

const fn english(scene: Scene) -> &'static str {
    match scene {
        Scene::List => "A list with figures at the end of each line",
        Scene::Board => "Four large figures above a bar chart",
        Scene::Room => "The plan of a room with fifteen tables",
        Scene::Week => "A week with coloured bars in six lines",
        Scene::Cards => "Six cards side by side, one of them highlighted",
    }
}

const fn german(scene: Scene) -> &'static str {
    match scene {
        Scene::List => "Eine Liste mit Zahlen am Ende jeder Zeile",
        Scene::Board => "Vier große Zahlen über einem Balkendiagramm",
        Scene::Room => "Der Plan eines Raums mit fünfzehn Tischen",
        Scene::Week => "Eine Woche mit farbigen Balken in sechs Zeilen",
        Scene::Cards => "Sechs Karten nebeneinander, eine davon hervorgehoben",
    }
}

const fn french(scene: Scene) -> &'static str {
    match scene {
        Scene::List => "Une liste avec un chiffre au bout de chaque ligne",
        Scene::Board => "Quatre grands chiffres au-dessus d'un histogramme",
        Scene::Room => "Le plan d'une salle de quinze tables",
        Scene::Week => "Une semaine de barres colorées sur six lignes",
        Scene::Cards => "Six cartes côte à côte, dont une mise en avant",
    }
}

/// Returns the alternative texts of the logo and the banner of a profile.
pub(super) const fn profile_alternatives(locale: &str) -> [&'static str; 2] {
    match locale.as_bytes() {
        b"de" => ["Das Zeichen des Hauses auf farbigem Grund", "Ein Arbeitsbild aus einer der Anwendungen des Hauses"],
        b"fr" => ["Le signe de la maison sur fond coloré", "Une vue de travail de l'une des applications de la maison"],
        _ => ["The company's sign on a coloured ground", "A view of one of the company's apps at work"],
    }
}
