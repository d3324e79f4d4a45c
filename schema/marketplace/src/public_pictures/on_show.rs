//! List of published images by owner.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use labs_media::name::{PictureFormat, PictureName};
use uuid::Uuid;

/// First half of a SHA-256. It suffices to decide whether an image is published, and halves the memory. Lookups of the
/// content use the complete hash.
pub(super) type HashPrefix = [u8; 16];

/// Images by owner.
pub(super) type ByOwner = HashMap<Uuid, Vec<(HashPrefix, PictureFormat)>>;

/// Published images.
#[derive(Default)]
pub(super) struct PublishedImages {
    /// Images of each app and partner.
    of_owner: HashMap<Uuid, Box<[HashPrefix]>>,
    /// Number of uses of each image.
    shown: HashMap<HashPrefix, (PictureFormat, u32)>,
}

impl PublishedImages {
    /// Returns whether a published object contains this image.
    pub(super) fn contains(&self, name: &PictureName) -> bool {
        let key = name.key();
        let half = key.digest().first_chunk::<16>();
        let shown = half.and_then(|half| self.shown.get(half));
        shown.is_some_and(|(format, _)| *format == name.format())
    }

    /// Replaces the images of these owners with the loaded ones.
    pub(super) fn replace(&mut self, owners: &[Uuid], mut found: ByOwner) {
        for owner in owners {
            for half in self.of_owner.remove(owner).unwrap_or_default() {
                self.forget(half);
            }
            self.add(*owner, found.remove(owner).unwrap_or_default());
        }
    }

    /// Builds the list from the loaded images.
    pub(super) fn of(found: ByOwner) -> Self {
        let mut all = Self::default();
        for (owner, pictures) in found {
            all.add(owner, pictures);
        }
        all
    }

    fn add(&mut self, owner: Uuid, pictures: Vec<(HashPrefix, PictureFormat)>) {
        if pictures.is_empty() {
            return;
        }
        for (half, format) in &pictures {
            self.shown.entry(*half).or_insert((*format, 0)).1 += 1;
        }
        self.of_owner.insert(owner, pictures.into_iter().map(|(half, _)| half).collect());
    }

    fn forget(&mut self, half: HashPrefix) {
        if let Entry::Occupied(mut entry) = self.shown.entry(half) {
            let times = &mut entry.get_mut().1;
            *times = times.saturating_sub(1);
            if *times == 0 {
                entry.remove();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn picture(number: u8) -> (HashPrefix, PictureFormat) {
        ([number; 16], PictureFormat::Png)
    }

    fn contains(all: &PublishedImages, number: u8) -> bool {
        all.contains(&PictureName::parse(&format!("{}.png", hex::encode([number; 32]))).unwrap())
    }

    #[test]
    fn image_is_public_while_any_listing_uses_it() {
        let [one, other] = [1, 2].map(Uuid::from_u128);
        let found = HashMap::from([(one, vec![picture(7), picture(7), picture(8)]), (other, vec![picture(7)])]);
        let mut all = PublishedImages::of(found);
        assert!(contains(&all, 7) && contains(&all, 8) && !contains(&all, 9));
        all.replace(&[one], HashMap::new());
        assert!(contains(&all, 7) && !contains(&all, 8), "the other still shows one");
        all.replace(&[other], HashMap::from([(other, vec![picture(9)])]));
        assert!(!contains(&all, 7) && contains(&all, 9));
        all.replace(&[one, other], HashMap::from([(one, vec![picture(8)])]));
        assert_eq!([7, 8, 9].map(|number| contains(&all, number)), [false, true, false]);
        assert_eq!((all.of_owner.len(), all.shown.len()), (1, 1), "nothing is left of what is gone");
    }

    #[test]
    fn image_is_found_under_its_extension_only() {
        let all = PublishedImages::of(HashMap::from([(Uuid::nil(), vec![picture(7)])]));
        let named = |ending: &str| PictureName::parse(&format!("{}.{ending}", hex::encode([7; 32]))).unwrap();
        assert!(all.contains(&named("png")) && !all.contains(&named("webp")));
    }
}
