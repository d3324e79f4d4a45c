//! Which pictures a vendor page has.

use crate::core::media::image::PictureKind;
use crate::core::words::words;

words! {
    /// What a picture of a vendor page is for.
    pub(crate) enum PartnerImageKind {
        /// Square; stands for the company.
        Logo = "LOGO",
        /// Wider than high; heads the page.
        Banner = "BANNER",
    }
}

impl PartnerImageKind {
    /// What it must look like.
    pub(super) const fn picture(self) -> PictureKind {
        match self {
            Self::Logo => PictureKind::Icon,
            Self::Banner => PictureKind::Banner,
        }
    }
}
