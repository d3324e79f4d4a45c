//! Kinds of images of a profile.

use labs_core::words::words;
use labs_media::image::PictureKind;

words! {
    /// Purpose of an image of a profile.
    pub(crate) enum PartnerImageKind {
        /// Square; represents the company.
        Logo = "LOGO",
        /// Wider than high; shown at the top of the profile.
        Banner = "BANNER",
    }
}

impl PartnerImageKind {
    /// Returns the requirements for the image.
    pub(super) const fn picture(self) -> PictureKind {
        match self {
            Self::Logo => PictureKind::Icon,
            Self::Banner => PictureKind::Banner,
        }
    }
}
