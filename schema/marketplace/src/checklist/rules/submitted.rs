//! Facts of a submission.

use super::{Facts, PictureFact, TextFact, VersionFact};
use crate::release::Snapshot;

impl From<&Snapshot> for Facts {
    /// A snapshot does not contain the visibility of the category or the state of the account.
    fn from(snapshot: &Snapshot) -> Self {
        let texts = snapshot.texts.iter().map(|text| TextFact {
            locale: text.locale.clone(),
            name: text.name.clone(),
            tagline: text.tagline.clone(),
            description: text.description.clone(),
        });
        let pictures = snapshot.media.iter();
        let pictures = pictures.map(|picture| PictureFact { kind: picture.kind, alt_text: picture.alt_text.clone() });
        let version = &snapshot.version;
        Self {
            default_locale: snapshot.default_locale.clone(),
            texts: texts.collect(),
            support_email: snapshot.links.support_email.clone(),
            support_url: snapshot.links.support_url.clone(),
            privacy_url: snapshot.links.privacy_url.clone(),
            primary_category_shown: None,
            pictures: pictures.collect(),
            version: Some(VersionFact {
                version_uuid: version.version_uuid,
                release_notes: version.release_notes.get(&snapshot.default_locale).cloned(),
                redirect_uris: version.manifest.redirect_uris.clone(),
            }),
            ..Self::default()
        }
    }
}
