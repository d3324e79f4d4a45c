import { useState } from 'react';
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
  onFound: (values: Record<string, unknown>) => void;
}

/** A button that fills in the current values of a resource, so that the user edits them instead of typing them again. */
export function StartValues({ name, shapes, values, onFound }: Props) {
  const { session } = useWorkbench();
  const [state, setState] = useState('');
  const question = QUESTIONS.find((one) => one.name === name);
  const needed = question?.operation.variables.filter(({ isRequired }) => isRequired).map((variable) => variable.name) ?? [];
  if (!question) return null;

  async function load() {
    if (!question) return;
    setState('Loading…');
    const variables = Object.fromEntries(needed.map((one) => [one, values[one]]));
    const answer = await session.ask(ENDPOINT, { query: question.text, variables });
    const complaint = complaintOf(answer);
    const data = isRecord(answer.body) && isRecord(answer.body.data) ? Object.values(answer.body.data)[0] : null;
    setState(complaint ? (complaint.sentences[0] ?? complaint.title) : 'The current values are filled in.');
    if (!isRecord(data)) return;
    const current = shapes.flatMap(({ name: field }) => (isBlank(data[field]) || needed.includes(field) ? [] : [[field, data[field]]]));
    onFound(Object.fromEntries(current));
  }

  return (
    <p className="start">
      <button type="button" disabled={needed.some((one) => isBlank(values[one]))} onClick={() => void load()}>
        Fill in the current values
      </button>
      <span role="status">{state}</span>
    </p>
  );
}
