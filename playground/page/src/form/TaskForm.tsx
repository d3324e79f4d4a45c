import { useMemo, useRef, useState, type SyntheticEvent } from 'react';
import { pick, useGraphiQL, useGraphiQLActions } from '@graphiql/react';
import { complaintOf } from '../complaint';
import { useEditorText } from '../editorText';
import type { Operation } from '../operation';
import type { Question } from '../questions';
import { useAnswered } from '../workbench';
import { placeOfFault } from './faults';
import { Field, fieldId, FormContext, type FormState } from './Field';
import { StartValues } from './StartValues';
import { missingFields, type Shape } from './shape';
import { declaredBy, type Path } from './uses';
import { isBlank, valueAt, valuesOf, withValue } from './value';

interface Props {
  operation: Operation;
  shapes: Shape[];
  question: Question | undefined;
  isFolded: boolean;
}

/** The form of a query's variables. It shows and writes the text of the variable editor, which alone counts. */
export function TaskForm({ operation, shapes, question, isFolded }: Props) {
  const { variableEditor, isFetching } = useGraphiQL(pick('variableEditor', 'isFetching'));
  const { run } = useGraphiQLActions();
  const text = useEditorText(variableEditor);
  const values = useMemo(() => valuesOf(text), [text]);
  const [unmet, setUnmet] = useState<Path[]>([]);
  const problems = useProblems(values, unmet);
  const isQuery = operation.kind === 'query';
  const latest = useRef(values);
  latest.current = values;

  function write(changed: Record<string, unknown>) {
    latest.current = changed;
    variableEditor?.setValue(Object.keys(changed).length > 0 ? JSON.stringify(changed, null, 2) : '');
  }

  function put(path: Path, value: unknown, isChosen = false) {
    const changed = withValue(latest.current ?? {}, path, value) as Record<string, unknown>;
    write(changed);
    // A query has nothing to confirm, so it runs as soon as its last value is chosen from a list.
    if (isChosen && isQuery && missingFields(shapes, changed, isBlank).length === 0) void run();
  }

  function submit(event: SyntheticEvent) {
    event.preventDefault();
    const missing = missingFields(shapes, latest.current ?? {}, isBlank);
    setUnmet(missing);
    if (missing[0]) document.getElementById(fieldId(missing[0]))?.focus();
    else if (!isFetching) void run();
  }

  if (!values) return <p className="note">The variables are not a JSON object. Correct them below the query to use the form.</p>;
  const state: FormState = { values, problems, marksOptional: !isQuery, put };
  const hasButton = isFolded || shapes.length > 0;
  return (
    <FormContext.Provider value={state}>
      <form
        className={isQuery ? 'fields as-filters' : 'fields'}
        aria-label="Variables"
        noValidate
        onSubmit={submit}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) submit(event);
        }}
      >
        {question?.startsFrom && <StartValues name={question.startsFrom} shapes={shapes} values={values} onFound={(found, isAsked) => write(isAsked ? { ...latest.current, ...found } : { ...found, ...latest.current })} />}
        {shapes.map((shape) => (
          <Field key={shape.name} shape={shape} path={[shape.name]} />
        ))}
        {hasButton && (
          <p className="run">
            <button type="submit" className="main" aria-disabled={isFetching}>
              {isFetching ? 'Running…' : 'Run'}
            </button>
          </p>
        )}
      </form>
    </FormContext.Provider>
  );
}

/** Returns the messages of each field: errors of the latest response, until the user changes the value, and missing values. */
function useProblems(values: Record<string, unknown> | null, unmet: Path[]): Map<string, string[]> {
  const answered = useAnswered();
  const found = useMemo(() => {
    const faults = (answered && complaintOf(answered.answer, answered.asked.query)?.faults) ?? [];
    const declared = answered ? declaredBy(answered.asked.query, answered.asked.operationName) : [];
    return faults.flatMap((fault) => {
      const path = placeOfFault(fault, declared);
      return path ? [{ path, message: fault.message, sent: valueAt(answered?.asked.variables, path) }] : [];
    });
  }, [answered]);
  return useMemo(() => {
    const problems = new Map<string, string[]>();
    const add = (path: Path, message: string) => problems.set(path.join('.'), [...(problems.get(path.join('.')) ?? []), message]);
    for (const { path, message, sent } of found) if (JSON.stringify(valueAt(values, path)) === JSON.stringify(sent)) add(path, message);
    for (const path of unmet) if (isBlank(valueAt(values, path))) add(path, 'Required.');
    return problems;
  }, [found, unmet, values]);
}
