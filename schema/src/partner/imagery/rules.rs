//! Which pictures a vendor page has.

use async_graphql::Enum;

use crate::fault::Fault;
use crate::media::image::PictureKind;

/// What a picture of a vendor page is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Enum, serde::Serialize)]
#[graphql(name = "PartnerImageKind")]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub(crate) enum ImageKind {
    /// Square; stands for the company.
    Logo,
    /// Wider than high; heads the page.
    Banner,
}

impl ImageKind {
    /// Every kind, for tables and tests.
    const ALL: [Self; 2] = [Self::Logo, Self::Banner];

    /// The column's value.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Logo => "LOGO",
            Self::Banner => "BANNER",
        }
    }

    /// Reads the column's value.
    ///
    /// # Errors
    /// [`crate::Code::Internal`] for a value that the column's check would not let in.
    pub(super) fn parse(text: &str) -> Result<Self, Fault> {
        let found = Self::ALL.into_iter().find(|kind| kind.name() == text);
        found.ok_or_else(|| Fault::internal(format!("a partner's picture of the kind {text}")))
    }

    /// What it must look like.
    pub(super) const fn picture(self) -> PictureKind {
        match self {
            Self::Logo => PictureKind::Icon,
            Self::Banner => PictureKind::Banner,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_reads_back_as_it_was_written() {
        for kind in ImageKind::ALL {
            assert_eq!(ImageKind::parse(kind.name()).ok(), Some(kind));
        }
    }
}
