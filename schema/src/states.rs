//! The state machines as pictures, drawn from the tables in code (specification: decisions, States).

use std::fmt::Write as _;

use crate::fault::Fault;

/// A machine as a picture: what it is of, and every step that its table allows.
pub(crate) struct Drawing {
    thing: &'static str,
    steps: Vec<(&'static str, &'static str, &'static str)>,
}

impl Drawing {
    /// Asks the table for every cell. Where a step depends on what happened before, `after` is asked in each case.
    pub(crate) fn of<S: Copy, A: Copy, const CASES: usize>(
        thing: &'static str,
        (states, state_name): (&[S], fn(S) -> &'static str),
        (actions, action_name): (&[A], fn(A) -> &'static str),
        cases: [&dyn Fn(S, A) -> Result<S, Fault>; CASES],
    ) -> Self {
        let mut steps = Vec::new();
        for state in states {
            for action in actions {
                for after in cases {
                    let Ok(next) = after(*state, *action) else { continue };
                    let step = (state_name(*state), action_name(*action), state_name(next));
                    if !steps.contains(&step) {
                        steps.push(step);
                    }
                }
            }
        }
        Self { thing, steps }
    }

    fn write(&self, out: &mut String) {
        let _ = write!(out, "\n## {}\n\n```mermaid\nstateDiagram-v2\n", self.thing);
        for (from, action, to) in &self.steps {
            let _ = writeln!(out, "    {from} --> {to}: {action}");
        }
        out.push_str("```\n");
    }
}

/// Every machine, as Markdown (`schema/states.md`).
#[must_use]
pub fn drawn() -> String {
    let mut out =
        "# The state machines\n\nDrawn from the tables in code by `make accept`. An action that a state does \
        not have here is answered 409\n`ILLEGAL_TRANSITION` with those that it has.\n"
            .to_owned();
    for drawing in [
        crate::partner::standing::drawing(),
        crate::auth::people::rules::drawing(),
        crate::auth::invitations::rules::drawing(),
        crate::admin::mail_messages::drawing(),
        crate::marketplace::apps::drawing(),
        crate::marketplace::versions::drawing(),
        crate::marketplace::categories::drawing(),
        crate::partner::support_tickets::drawing(),
        crate::partner::profile::drawing(),
        crate::partner::data_exports::drawing(),
        crate::subscription::tiers::rules::drawing(),
        crate::subscription::changing::drawing(),
        crate::subscription::change_requests::drawing(),
    ] {
        drawing.write(&mut out);
    }
    out
}
