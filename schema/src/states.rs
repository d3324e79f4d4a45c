//! Diagrams of the state machines, drawn from the tables in code (docs/decisions/api.md#state-machines).

/// Draws every state machine, as Markdown (`schema/states.md`).
#[must_use]
pub fn draw() -> String {
    let mut out =
        "# State machines\n\nGenerated from the tables in the code by `make accept`. For an action that a state does \
         not have here, the service\nreturns 409 `ILLEGAL_TRANSITION` with the allowed actions.\n"
            .to_owned();
    for drawing in [
        crate::partner::standing::drawing(),
        crate::auth::people::rules::drawing(),
        crate::auth::invitations::rules::drawing(),
        crate::admin::mail_messages::drawing(),
        crate::marketplace::apps::drawing(),
        crate::marketplace::versions::drawing(),
        crate::marketplace::categories::drawing(),
        crate::marketplace::reviews::drawing(),
        crate::partner::support_tickets::drawing(),
        crate::partner::profile::drawing(),
        crate::partner::data_exports::drawing(),
        crate::engagement::drawing(),
        crate::publication::items::rules::drawing(),
        crate::statistics::imports::drawing(),
        crate::subscription::tiers::rules::drawing(),
        crate::subscription::changing::drawing(),
        crate::subscription::change_requests::drawing(),
    ] {
        drawing.write(&mut out);
    }
    out
}
