//! Diagram of a state machine, generated from its table in code.

use std::fmt::Write as _;

use crate::fault::Fault;

/// Diagram of a state machine: the kind of object, and every transition that the table allows.
pub struct StateDiagram {
    thing: &'static str,
    steps: Vec<(&'static str, &'static str, &'static str)>,
}

impl StateDiagram {
    /// Evaluates the table for every state and action. If a transition depends on history, `cases` contains one
    /// function `after` per case.
    pub fn of<S: Copy, A: Copy, const CASES: usize>(
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

    /// Adds a transition that removes the object.
    pub fn with_end(mut self, from: &'static str, action: &'static str) -> Self {
        self.steps.push((from, action, "[*]"));
        self
    }

    /// Appends the diagram as Markdown.
    pub fn write(&self, out: &mut String) {
        let _ = write!(out, "\n## {}\n\n```mermaid\nstateDiagram-v2\n", self.thing);
        for (from, action, to) in &self.steps {
            let _ = writeln!(out, "    {from} --> {to}: {action}");
        }
        out.push_str("```\n");
    }
}
