import { useCallback, useState, useSyncExternalStore } from 'react';
import { createPortal } from 'react-dom';
import { pick, useGraphiQL } from '@graphiql/react';
import access from 'virtual:access';
import { standingOf, type Standing } from './access';
import { isRecord } from './answer';
import { Chooser } from './Chooser';
import { FINDERS, type Choice, type Finder } from './finders';
import { operationOf, type Variable } from './operation';
import { useWorkbench } from './workbench';

/** The area above the editor: whether the user can run the query, and finders for its variables. */
export function Strip({ place }: { place: HTMLElement | null }) {
  const { person } = useWorkbench();
  const { queryEditor, variableEditor } = useGraphiQL(pick('queryEditor', 'variableEditor'));
  const operation = operationOf(useText(queryEditor));
  const values = valuesOf(useText(variableEditor));
  if (!place || !operation) return null;
  const standing = standingOf(access, person.scopes, operation);
  const found = operation.variables.filter(({ name }) => FINDERS.has(name));
  const isOpen = standing.missing.length === 0 && standing.closed.length === 0;
  if (isOpen && found.length === 0) return null;

  function take(variable: Variable, { value }: Choice) {
    variableEditor?.setValue(JSON.stringify({ ...values, [variable.name]: variable.isList ? [value] : value }, null, 2));
  }

  return createPortal(
    <div className="strip">
      {!isOpen && <Closed standing={standing} />}
      {isOpen && found.map((variable) => <Find key={variable.name} variable={variable} values={values} onTaken={(choice) => take(variable, choice)} />)}
    </div>,
    place,
  );
}

function Closed({ standing: { missing, closed } }: { standing: Standing }) {
  return (
    <p className="closed" role="note">
      <strong>You cannot run this query.</strong> {missing.length > 0 && <>Missing {missing.length === 1 ? 'scope' : 'scopes'}: {missing.join(', ')}. </>}
      {closed.map((reason) => `${reason}. `)}
    </p>
  );
}

function Find({ variable, values, onTaken }: { variable: Variable; values: Record<string, unknown>; onTaken: (choice: Choice) => void }) {
  const { scopes } = useWorkbench().person;
  const [isOpen, setIsOpen] = useState(false);
  const [taken, setTaken] = useState<Choice | null>(null);
  const finder = FINDERS.get(variable.name) as Finder;
  const mayFind = standingOf(access, scopes, finder.operation).missing.length === 0;
  const value = [values[variable.name]].flat()[0];
  const isSet = typeof value === 'string' && value !== '';
  return (
    <>
      <button type="button" className={isSet || !variable.isRequired ? '' : 'main'} disabled={!mayFind} onClick={() => setIsOpen(true)}>
        Find <code>{variable.name}</code>…
      </button>
      {isSet && <span className="value">{taken?.value === value ? taken.label : value}</span>}
      {isOpen && (
        <Chooser
          finder={finder}
          values={values}
          onClose={() => setIsOpen(false)}
          onTaken={(choice) => {
            setTaken(choice);
            setIsOpen(false);
            onTaken(choice);
          }}
        />
      )}
    </>
  );
}

/** Returns the current text of an editor. */
function useText(editor: { getValue(): string; onDidChangeModelContent(listener: () => void): { dispose(): void } } | undefined): string {
  const subscribe = useCallback(
    (listener: () => void) => {
      const listening = editor?.onDidChangeModelContent(listener);
      return () => listening?.dispose();
    },
    [editor],
  );
  return useSyncExternalStore(subscribe, () => editor?.getValue() ?? '');
}

function valuesOf(text: string): Record<string, unknown> {
  try {
    const values: unknown = JSON.parse(text);
    return isRecord(values) ? values : {};
  } catch {
    return {};
  }
}
