//! One state machine as a picture, drawn from its table in code.

use std::fmt::Write as _;

use crate::core::fault::Fault;

/// A machine as a picture: what it is of, and every step that its table allows.
pub(crate) struct StateDiagram {
    thing: &'static str,
    steps: Vec<(&'static str, &'static str, &'static str)>,
}

impl StateDiagram {
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

    /// The same with a step that ends the thing, whatever it was.
    pub(crate) fn with_end(mut self, from: &'static str, action: &'static str) -> Self {
        self.steps.push((from, action, "[*]"));
        self
    }

    /// Appends the picture as Markdown.
    pub(crate) fn write(&self, out: &mut String) {
        let _ = write!(out, "\n## {}\n\n```mermaid\nstateDiagram-v2\n", self.thing);
        for (from, action, to) in &self.steps {
            let _ = writeln!(out, "    {from} --> {to}: {action}");
        }
        out.push_str("```\n");
    }
}
