//! Diagrams of the state machines, drawn from the tables in code (docs/decisions/api.md#state-machines).

/// Draws every state machine, as Markdown (`schema/states.md`).
#[must_use]
pub fn draw() -> String {
    let mut out =
        "# State machines\n\nGenerated from the tables in the code by `make accept`. For an action that a state does \
         not have here, the service\nreturns 409 `ILLEGAL_TRANSITION` with the allowed actions.\n"
            .to_owned();
    for drawing in [
        crate::partner::lifecycle::draw_states(),
        crate::auth::people::rules::draw_states(),
        crate::auth::invitations::rules::draw_states(),
        crate::admin::mail_messages::draw_states(),
        crate::marketplace::apps::draw_states(),
        crate::marketplace::versions::draw_states(),
        crate::marketplace::categories::draw_states(),
        crate::marketplace::reviews::draw_states(),
        crate::partner::support_tickets::draw_states(),
        crate::partner::profile::draw_states(),
        crate::partner::data_exports::draw_states(),
        crate::engagement::draw_states(),
        crate::publication::items::rules::draw_states(),
        crate::statistics::imports::draw_states(),
        crate::subscription::tiers::rules::draw_states(),
        crate::subscription::changing::draw_states(),
        crate::subscription::change_requests::draw_states(),
    ] {
        drawing.write(&mut out);
    }
    out
}
