//! Limits the number of concurrent requests. Excess load is rejected before it queues.

use labs_core::Fault;
use tokio::sync::{Semaphore, SemaphorePermit};

use crate::contract::{Operation, Probe};

/// The permit of a request, released on drop.
pub(crate) struct InFlightPermit<'r> {
    in_flight: &'r Semaphore,
    held: Option<SemaphorePermit<'r>>,
}

impl<'r> InFlightPermit<'r> {
    /// Takes a permit for one more request; liveness needs none and is answered under any load.
    ///
    /// # Errors
    /// [`labs_core::Code::Unavailable`] if all permits are taken.
    pub(crate) fn acquire(operation: &Operation, in_flight: &'r Semaphore) -> Result<Self, Fault> {
        let held = if operation.probe() == Some(Probe::Liveness) { None } else { Some(acquire_permit(in_flight)?) };
        Ok(Self { in_flight, held })
    }

    /// Releases the permit while the service waits for the caller, who may delay it.
    ///
    /// # Errors
    /// The error of the wait; [`labs_core::Code::Unavailable`] if no permit is free after it.
    pub(crate) async fn release_while<T>(&mut self, wait: impl Future<Output = Result<T, Fault>>) -> Result<T, Fault> {
        self.held = None;
        let came = wait.await?;
        self.held = Some(acquire_permit(self.in_flight)?);
        Ok(came)
    }
}

fn acquire_permit(in_flight: &Semaphore) -> Result<SemaphorePermit<'_>, Fault> {
    in_flight.try_acquire().map_err(|_| Fault::unavailable("The service is busy. Try again in a moment."))
}
