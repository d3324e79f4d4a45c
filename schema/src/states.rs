//! Diagrams of the state machines, drawn from the tables in code (docs/decisions/api.md#state-machines).

/// Draws every state machine, as Markdown (`schema/states.md`).
#[must_use]
pub fn draw() -> String {
    let mut out =
        "# State machines\n\nGenerated from the tables in the code by `make accept`. For an action that a state does \
         not have here, the service\nreturns 409 `ILLEGAL_TRANSITION` with the allowed actions.\n"
            .to_owned();
    for drawing in [
        labs_identity::partner::lifecycle::draw_states(),
        labs_identity::auth::people::rules::draw_states(),
        labs_identity::auth::invitations::rules::draw_states(),
        labs_admin::mail_messages::draw_states(),
        labs_marketplace::apps::draw_states(),
        labs_marketplace::versions::draw_states(),
        labs_marketplace::categories::draw_states(),
        labs_marketplace::reviews::draw_states(),
        labs_identity::partner::support_tickets::draw_states(),
        labs_identity::partner::profile::draw_states(),
        labs_identity::partner::data_exports::draw_states(),
        labs_engagement::draw_states(),
        labs_publication::items::rules::draw_states(),
        labs_statistics::imports::draw_states(),
        labs_subscription::tiers::rules::draw_states(),
        labs_subscription::changing::draw_states(),
        labs_subscription::change_requests::draw_states(),
    ] {
        drawing.write(&mut out);
    }
    out
}
