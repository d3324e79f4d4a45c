//! Limits the number of concurrent requests. Excess load is rejected before it queues.

use labs_schema::Fault;
use tokio::sync::{Semaphore, SemaphorePermit};

use crate::contract::{Operation, Probe};

/// The permit of a request, released on drop.
pub(crate) struct InFlightPermit<'r> {
    seats: &'r Semaphore,
    held: Option<SemaphorePermit<'r>>,
}

impl<'r> InFlightPermit<'r> {
    /// Takes a permit for one more request; liveness needs none and is answered under any load.
    ///
    /// # Errors
    /// [`labs_schema::Code::Unavailable`] if all permits are taken.
    pub(crate) fn of(operation: &Operation, seats: &'r Semaphore) -> Result<Self, Fault> {
        let held = if operation.probe == Some(Probe::Liveness) { None } else { Some(free(seats)?) };
        Ok(Self { seats, held })
    }

    /// Releases the permit while the service waits for the caller, who may delay it.
    ///
    /// # Errors
    /// The error of the wait; [`labs_schema::Code::Unavailable`] if no permit is free after it.
    pub(crate) async fn aside<T>(&mut self, wait: impl Future<Output = Result<T, Fault>>) -> Result<T, Fault> {
        self.held = None;
        let came = wait.await?;
        self.held = Some(free(self.seats)?);
        Ok(came)
    }
}

fn free(seats: &Semaphore) -> Result<SemaphorePermit<'_>, Fault> {
    seats.try_acquire().map_err(|_| Fault::unavailable("The service is busy. Try again in a moment."))
}
