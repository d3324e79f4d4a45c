//! Pictures of uploads, made away from the async threads (`labs-pictures` makes them).

use bytes::Bytes;
pub use labs_pictures::{
    ImageProblem, LARGEST_UPLOAD, LONGEST_SIDE, LONGEST_UPLOADED_SIDE, MOST_PIXELS, PictureKind, PictureRules,
    Processed, Rendition, SIZES, Shape, Variant, process, renditions_of,
};

use crate::core::blocking::BlockingError;
use crate::core::blocking::fair::{FairBlockingPool, QueueLimits, WorkOwner};

/// Why an upload has no pictures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ImageError {
    /// The upload is refused; the caller can mend it.
    #[error(transparent)]
    Refused(#[from] ImageProblem),
    /// Too many uploads wait already: 503 with Retry-After.
    #[error("too many images are being processed")]
    Overloaded,
}

/// Processes pictures away from the async threads, few at a time, whose turn it is. Cheap to clone.
///
/// A picture of 24 megapixels takes up to 300 MB while it is worked on, so one permit is the right number for a small
/// machine.
#[derive(Clone, Debug)]
pub struct ImageWorkshop(FairBlockingPool);

impl ImageWorkshop {
    /// A workshop that works on `permits` pictures at once and lets so many wait.
    pub fn new(permits: usize, most: QueueLimits) -> ImageWorkshop {
        ImageWorkshop(FairBlockingPool::new(permits, most))
    }

    /// [`process`], when it is the party's turn.
    ///
    /// # Errors
    /// [`ImageError`]. A decoder that panics has met a damaged picture.
    pub async fn process(&self, party: WorkOwner, upload: Bytes, kind: PictureKind) -> Result<Processed, ImageError> {
        self.in_turn(party, move || process(&upload, kind)).await
    }

    /// [`renditions_of`], when it is the party's turn.
    ///
    /// # Errors
    /// As [`ImageWorkshop::process`].
    pub async fn renditions(
        &self,
        party: WorkOwner,
        kept: Bytes,
        kind: PictureKind,
    ) -> Result<Vec<Rendition>, ImageError> {
        self.in_turn(party, move || renditions_of(&kept, kind)).await
    }

    async fn in_turn<T: Send + 'static>(
        &self,
        party: WorkOwner,
        work: impl FnOnce() -> Result<T, ImageProblem> + Send + 'static,
    ) -> Result<T, ImageError> {
        match self.0.run(party, work).await {
            Ok(result) => Ok(result?),
            Err(BlockingError::Overloaded) => Err(ImageError::Overloaded),
            Err(BlockingError::Broken) => Err(ImageProblem::Damaged.into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use labs_pictures::draw::{Look, icon};

    use super::*;

    #[tokio::test]
    async fn the_workshop_answers_as_the_function_does_and_refuses_a_crowd_of_one_account() {
        let workshop = ImageWorkshop::new(1, QueueLimits { all: 10, of_network: 10, of_account: 1 });
        let of = |account: &str| WorkOwner { network: [192, 0, 2, 1].into(), account: account.to_owned() };
        let look = Look { colours: [0x00_5f73, 0x94_d2bd], words: &[], scenes: &[] };
        let upload = Bytes::from(icon("Mise", &look).unwrap());
        let made = workshop.process(of("a"), upload.clone(), PictureKind::Icon).await;
        assert_eq!(made, Ok(process(&upload, PictureKind::Icon).unwrap()));
        let refused = workshop.process(of("a"), Bytes::from_static(b"text"), PictureKind::Icon).await;
        assert_eq!(refused, Err(ImageError::Refused(ImageProblem::UnknownType)));
        let crowd = (0..6).map(|_| workshop.process(of("a"), upload.clone(), PictureKind::Icon));
        let crowd = futures_util::future::join_all(crowd);
        let (results, other) = tokio::join!(crowd, workshop.process(of("b"), upload.clone(), PictureKind::Icon));
        let refused = results.iter().filter(|result| **result == Err(ImageError::Overloaded));
        assert_eq!((refused.count(), other.is_ok()), (4, true));
    }
}
