//! Seats of requests: so many are under way at once. Load is shed before it queues.

use labs_schema::Fault;
use tokio::sync::{Semaphore, SemaphorePermit};

use crate::contract::{Operation, Probe};

/// The seat of a request, until it is dropped.
pub(crate) struct InFlightPermit<'r> {
    seats: &'r Semaphore,
    held: Option<SemaphorePermit<'r>>,
}

impl<'r> InFlightPermit<'r> {
    /// A seat for one more request; liveness is answered without one, however busy the service is.
    ///
    /// # Errors
    /// [`labs_schema::Code::Unavailable`] when every seat is taken.
    pub(crate) fn of(operation: &Operation, seats: &'r Semaphore) -> Result<Self, Fault> {
        let held = if operation.probe == Some(Probe::Liveness) { None } else { Some(free(seats)?) };
        Ok(Self { seats, held })
    }

    /// Leaves the seat to others for as long as something is awaited from the caller, who may let it wait.
    ///
    /// # Errors
    /// What the wait ends with; [`labs_schema::Code::Unavailable`] when no seat is free after it.
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
