import { useId, useState } from 'react';
import { mayOpen } from './records';
import { AnswerOr, Distance, Waited } from './Parts';
import { addressOf } from './route';
import { Steps } from './Steps';
import { stepsFor, tasksFor } from './steps';
import { useRequest } from './useRequest';
import { rowsOf, type Row, type Waiting } from './waiting';
import { useOrder, useWorkbench } from './workbench';

/** Numbers of a list from the overview. */
export interface Measure {
  count: number;
  oldest: string | undefined;
  severity: string;
}

interface Props {
  waiting: Waiting;
  measure?: Measure;
  /** Whether the rows load at once. */
  isOpen: boolean;
}

/** A waiting list: its title opens the task, and its first rows link to their records. */
export function WaitingCard({ waiting, measure, isOpen: opensAtOnce }: Props) {
  const order = useOrder();
  const id = useId();
  const [isOpen, setIsOpen] = useState(opensAtOnce);
  const { answer, reload } = useRequest(waiting.text, {}, isOpen && waiting.hasRows);
  const { rows, total } = rowsOf(waiting, answer?.body);
  const count = measure?.count ?? total;
  const oldest = measure?.oldest ?? earliest(rows.map(({ since }) => since));
  const due = earliest(rows.map((row) => row.due));
  const severity = measure?.severity ?? 'NORMAL';

  function openTask() {
    const { task, text } = waiting;
    order(task ? { question: task, known: {} } : { text: { query: text, variables: '' }, run: true });
  }

  return (
    <li className={`block waiting ${severity.toLowerCase()}`}>
      <div className="head">
        <button type="button" className="link" onClick={openTask}>
          {waiting.title}
        </button>
        {count !== null && <span className="count">{count}</span>}
        {severity === 'HIGH' && <span className="badge refused">urgent</span>}
      </div>
      <p className="line">
        {oldest && count !== 0 && (
          <span>
            Oldest: <Waited since={oldest} />
          </span>
        )}
        {due && <Due at={due} />}
        {!opensAtOnce && waiting.hasRows && (
          <button type="button" aria-expanded={isOpen} aria-controls={id} onClick={() => setIsOpen(!isOpen)}>
            {isOpen ? 'Hide entries' : 'Show entries'}
          </button>
        )}
      </p>
      <div id={id}>
        {isOpen && waiting.hasRows && (
          <AnswerOr answer={answer} query={waiting.text} onRetry={reload}>
            {() => <Rows waiting={waiting} rows={rows} />}
          </AnswerOr>
        )}
      </div>
    </li>
  );
}

function Rows({ waiting, rows }: { waiting: Waiting; rows: Row[] }) {
  const { scopes } = useWorkbench().person;
  if (rows.length === 0) return <p className="nothing">Nothing waits.</p>;
  return (
    <ul className="rows" aria-label={waiting.title}>
      {rows.map((row, index) => (
        <li key={index}>
          <div>
            <RowTitle row={row} /> {row.detail && <span className="about">{row.detail}</span>}
          </div>
          <p className="line">
            {row.since && (
              <span>
                Waits for <Waited since={row.since} />
              </span>
            )}
            {row.due && <Due at={row.due} />}
          </p>
          <Steps
            steps={[...stepsFor(scopes, waiting.actions, row.allowed, row.known), ...tasksFor(scopes, waiting.tasks, row.known)]}
            label={`Next steps: ${row.title}`}
            entry={row.title}
          />
        </li>
      ))}
    </ul>
  );
}

function RowTitle({ row: { title, record } }: { row: Row }) {
  const { scopes } = useWorkbench().person;
  if (!record || !mayOpen(scopes, record.kind)) return <strong>{title}</strong>;
  return <a href={addressOf(record)}>{title}</a>;
}

function Due({ at }: { at: string }) {
  const isLate = new Date(at).getTime() < Date.now();
  return (
    <span className={isLate ? 'late' : undefined}>
      {isLate ? 'Overdue, was due' : 'Due'} <Distance at={at} />
    </span>
  );
}

function earliest(times: (string | undefined)[]): string | undefined {
  return times.filter((time) => time !== undefined).sort()[0];
}
