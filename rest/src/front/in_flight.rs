//! Limits the number of concurrent requests. Excess load is rejected before it queues. Entrances, such as a sign-in or
//! the refresh of a token, have permits that no other request takes, so that a load of other requests locks no user out.

use labs_core::Fault;
use tokio::sync::{Semaphore, SemaphorePermit};

use crate::contract::{Operation, Probe};

/// Permits of concurrent requests.
pub(crate) struct InFlight {
    all: Semaphore,
    /// For entrances, when all others are taken.
    entrances: Semaphore,
}

impl InFlight {
    /// Creates permits for all requests, and more for entrances.
    pub(crate) fn new(all: usize, entrances: usize) -> Self {
        Self { all: Semaphore::new(all), entrances: Semaphore::new(entrances) }
    }

    fn take(&self, is_entrance: bool) -> Result<SemaphorePermit<'_>, Fault> {
        let taken =
            self.all.try_acquire().or_else(|taken| if is_entrance { self.entrances.try_acquire() } else { Err(taken) });
        taken.map_err(|_| Fault::unavailable("The service is busy. Try again in a moment."))
    }
}

/// The permit of a request, released on drop.
pub(crate) struct InFlightPermit<'r> {
    in_flight: &'r InFlight,
    is_entrance: bool,
    held: Option<SemaphorePermit<'r>>,
}

impl<'r> InFlightPermit<'r> {
    /// Takes a permit for one more request; liveness needs none and is answered under any load.
    ///
    /// # Errors
    /// [`labs_core::Code::Unavailable`] if all permits are taken.
    pub(crate) fn acquire(operation: &Operation, in_flight: &'r InFlight) -> Result<Self, Fault> {
        let is_entrance = operation.is_entrance();
        let needs_none = operation.probe() == Some(Probe::Liveness);
        let held = if needs_none { None } else { Some(in_flight.take(is_entrance)?) };
        Ok(Self { in_flight, is_entrance, held })
    }

    /// Releases the permit while the service waits for the caller, who may delay it.
    ///
    /// # Errors
    /// The error of the wait; [`labs_core::Code::Unavailable`] if no permit is free after it.
    pub(crate) async fn release_while<T>(&mut self, wait: impl Future<Output = Result<T, Fault>>) -> Result<T, Fault> {
        self.held = None;
        let came = wait.await?;
        self.held = Some(self.in_flight.take(self.is_entrance)?);
        Ok(came)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::Contract;

    #[test]
    fn entrances_and_liveness_are_answered_when_all_other_permits_are_taken() {
        let contract = Contract::embedded().unwrap();
        let operation = |id: &str| contract.operations().iter().find(|operation| operation.id == id).unwrap();
        let in_flight = InFlight::new(1, 1);
        let acquire = |id: &str| InFlightPermit::acquire(operation(id), &in_flight);
        let _taken = acquire("system_me_get").unwrap();
        assert!(acquire("system_me_get").is_err() && acquire("system_readiness_get").is_err());
        let _entered = acquire("auth_sessions_create").unwrap();
        assert!(acquire("auth_sessions_refresh").is_err(), "entrances have a limit too");
        assert!(acquire("system_health_get").is_ok());
    }
}
