//! Image processing of uploads, outside the async threads (by `labs-pictures`).

use bytes::Bytes;
use labs_blocking::BlockingError;
use labs_blocking::fair::{FairBlockingPool, QueueLimits, WorkOwner};
pub use labs_pictures::{
    ImageProblem, LARGEST_UPLOAD, LONGEST_SIDE, LONGEST_UPLOADED_SIDE, MOST_PIXELS, PictureKind, PictureRules,
    Processed, Rendition, SIZES, Shape, Variant, process, process_sizes, renditions_of,
};

/// Reason why an upload was not processed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ImageError {
    /// The upload is rejected; the caller can fix it.
    #[error(transparent)]
    Refused(#[from] ImageProblem),
    /// Too many uploads are waiting: 503 with Retry-After.
    #[error("too many images are being processed")]
    Overloaded,
}

/// Processes images outside the async threads, a few at a time; owners take turns. Cheap to clone.
///
/// An image of 24 megapixels needs up to 300 MB while it is processed, so one permit suits a small machine.
#[derive(Clone, Debug)]
pub struct ImageWorkshop(FairBlockingPool);

impl ImageWorkshop {
    /// Creates a workshop that processes `permits` images at once, with these limits for waiting ones.
    pub fn new(permits: usize, most: QueueLimits) -> ImageWorkshop {
        ImageWorkshop(FairBlockingPool::new(permits, most))
    }

    /// Runs [`process`] when the owner's turn comes.
    ///
    /// # Errors
    /// [`ImageError`]. A panic of the decoder means that the image is damaged.
    pub async fn process(&self, party: WorkOwner, upload: Bytes, kind: PictureKind) -> Result<Processed, ImageError> {
        self.run_in_turn(party, move || process(&upload, kind)).await
    }

    /// Runs [`renditions_of`] when the owner's turn comes.
    ///
    /// # Errors
    /// As [`ImageWorkshop::process`].
    pub async fn renditions(
        &self,
        party: WorkOwner,
        kept: Bytes,
        kind: PictureKind,
    ) -> Result<Vec<Rendition>, ImageError> {
        self.run_in_turn(party, move || renditions_of(&kept, kind)).await
    }

    async fn run_in_turn<T: Send + 'static>(
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
    async fn image_workshop_limits_queue_of_one_account() {
        let workshop = ImageWorkshop::new(1, QueueLimits { all: 10, of_network: 10, of_account: 1 });
        let of = |account: &str| WorkOwner { network: [192, 0, 2, 1].into(), account: account.to_owned() };
        let look = Look { colours: [0x00_5f73, 0x94_d2bd], words: &[] };
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
