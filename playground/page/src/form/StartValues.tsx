import { useEffect, useState } from 'react';
import { isRecord } from '../answer';
import { complaintOf } from '../complaint';
import { ENDPOINT } from '../fetcher';
import { QUESTIONS } from '../questions';
import { useWorkbench } from '../workbench';
import type { Shape } from './shape';
import { isBlank } from './value';

interface Props {
  /** Name of the saved query that reads the resource. */
  name: string;
  shapes: Shape[];
  values: Record<string, unknown>;
  /** Receives the current values. A value of the form has priority if the user did not ask for the current values. */
  onFound: (values: Record<string, unknown>, isAsked: boolean) => void;
}

/**
 * Fills in the current values of a resource, so that the user edits them instead of typing them again: once when the resource is
 * known and nothing else is filled in, and again when the user presses the button.
 */
export function StartValues({ name, shapes, values, onFound }: Props) {
  const { session } = useWorkbench();
  const [state, setState] = useState('');
  const question = QUESTIONS.find((one) => one.name === name);
  const needed = question?.operation.variables.filter(({ isRequired }) => isRequired).map((variable) => variable.name) ?? [];
  const isKnown = needed.every((one) => !isBlank(values[one]));
  const isUntouched = shapes.every(({ name: field }) => needed.includes(field) || isBlank(values[field]));
  const id = isKnown ? JSON.stringify(needed.map((one) => values[one])) : '';
  useEffect(() => {
    if (id !== '' && isUntouched) void load(false);
    // Only another resource loads its values again: the user may have emptied the fields.
  }, [id]);
  if (!question) return null;

  async function load(isAsked: boolean) {
    if (!question) return;
    setState('Loading…');
    const variables = Object.fromEntries(needed.map((one) => [one, values[one]]));
    const answer = await session.ask(ENDPOINT, { query: question.text, variables });
    const complaint = complaintOf(answer);
    const data = isRecord(answer.body) && isRecord(answer.body.data) ? Object.values(answer.body.data)[0] : null;
    setState(complaint ? (complaint.sentences[0] ?? complaint.title) : 'The current values are filled in.');
    if (!isRecord(data)) return;
    const current = shapes.flatMap(({ name: field }) => (isBlank(data[field]) || needed.includes(field) ? [] : [[field, data[field]]]));
    onFound(Object.fromEntries(current), isAsked);
  }

  return (
    <p className="start">
      <button type="button" disabled={!isKnown} onClick={() => void load(true)}>
        Fill in the current values
      </button>
      <span role="status">{state}</span>
    </p>
  );
}
