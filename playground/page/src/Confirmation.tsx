import { useGraphiQL } from '@graphiql/react';
import type { Asked } from './nextPage';
import { operationOf } from './operation';
import { Sheet } from './Sheet';

/** A mutation that waits for confirmation. */
export interface Change {
  asked: Asked;
  decide(isMeant: boolean): void;
}

/** Asks the user to confirm a mutation, and shows its variables. Enter runs the mutation, Escape cancels it. */
export function Confirmation({ change, onDecided }: { change: Change; onDecided: () => void }) {
  const schema = useGraphiQL((state) => state.schema);
  const { asked, decide } = change;
  const roots = operationOf(asked.query, asked.operationName)?.roots ?? [];
  const fields = schema?.getMutationType()?.getFields();

  function answer(isMeant: boolean) {
    decide(isMeant);
    onDecided();
  }

  return (
    <Sheet title="Run this mutation?" onClose={() => answer(false)}>
      <ul className="roots">
        {roots.map((root) => (
          <li key={root}>
            <code>{root}</code>
            {fields?.[root]?.description && <p>{fields[root].description}</p>}
          </li>
        ))}
      </ul>
      {Object.keys(asked.variables).length > 0 && <pre tabIndex={0}>{JSON.stringify(asked.variables, null, 2)}</pre>}
      <p>The mutation runs with your account and writes an audit record.</p>
      <p className="actions">
        <button type="button" onClick={() => answer(false)}>
          Cancel
        </button>
        <button
          type="button"
          className="main"
          data-first
          onClick={() => answer(true)}
          // The user may still hold down the Enter key that started the run.
          onKeyDown={(event) => {
            if (event.key === 'Enter' && event.repeat) event.preventDefault();
          }}
        >
          Run
        </button>
      </p>
    </Sheet>
  );
}
