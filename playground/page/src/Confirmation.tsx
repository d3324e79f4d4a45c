import { useGraphiQL } from '@graphiql/react';
import type { Asked } from './nextPage';
import { isRecord } from './answer';
import { labelOf, shapesOf } from './form/shape';
import { textOfLeaf } from './leaves';
import { operationOf } from './operation';
import { QUESTIONS } from './questions';
import { Sheet } from './Sheet';
import { useWorkbench } from './workbench';

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
            {fields?.[root]?.description && <p>{fields[root].description.replaceAll('`', '')}</p>}
          </li>
        ))}
      </ul>
      <Values asked={asked} />
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

/** The variables as the form shows them. An id has its label first. */
function Values({ asked }: { asked: Asked }) {
  const { labels } = useWorkbench();
  const name = operationOf(asked.query, asked.operationName)?.name;
  const shapes = shapesOf(asked.query, QUESTIONS.find((question) => question.name === name)?.fields, asked.operationName);
  const entries = Object.entries(asked.variables);
  if (entries.length === 0) return null;
  return (
    <dl className="values" tabIndex={0}>
      {entries.map(([variable, value]) => {
        const shape = shapes.find((one) => one.name === variable);
        const label = shape?.finder && typeof value === 'string' ? labels.of(shape.finder.variable, value) : undefined;
        return (
          <div key={variable}>
            <dt>{shape?.label ?? labelOf(variable)}</dt>
            <dd>
              {label && label !== value && <span>{label}</span>}
              {label && label !== value ? <code>{String(value)}</code> : <Shown value={value} />}
            </dd>
          </div>
        );
      })}
    </dl>
  );
}

/** A value of any type. Objects in a list are numbered, and have a line for each field. */
function Shown({ value }: { value: unknown }) {
  if (Array.isArray(value) && value.some(isRecord)) {
    return (
      <ol>
        {value.map((one, index) => (
          <li key={index}>
            <Shown value={one} />
          </li>
        ))}
      </ol>
    );
  }
  if (isRecord(value)) return <>{Object.entries(value).map(([key, one]) => `${labelOf(key)}: ${textOfLeaf(one)}`).join('\n')}</>;
  return <>{value === '' ? 'empty' : textOfLeaf(value)}</>;
}
