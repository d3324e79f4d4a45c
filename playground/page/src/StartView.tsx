import { useMemo, useSyncExternalStore } from 'react';
import access from 'virtual:access';
import { mayRun } from './access';
import { isRecord, numberOf, textOf } from './answer';
import { AnswerOr } from './Parts';
import { QUESTIONS } from './questions';
import type { Recent } from './recent';
import { SearchBox } from './SearchBox';
import { useHeading } from './useHeading';
import { useRequest } from './useRequest';
import { listsFor, WAITING, type Waiting } from './waiting';
import { WaitingCard, type Measure } from './WaitingCard';
import { useOrder, useWorkbench } from './workbench';

const ATTENTION = QUESTIONS.find(({ name }) => name === 'attention');
const SEVERITIES = ['HIGH', 'NORMAL', 'LOW'];

/** The first view after the sign-in: search, waiting work, and recent work. */
export function StartView() {
  const { scopes } = useWorkbench().person;
  const heading = useHeading();
  const hasOverview = ATTENTION !== undefined && mayRun(access, scopes, ATTENTION.operation);
  return (
    <main className="view start">
      <h2 ref={heading} tabIndex={-1}>
        Start
      </h2>
      <SearchBox />
      <div className="columns">
        <section aria-labelledby="waiting-title">
          <h3 id="waiting-title">What waits</h3>
          {hasOverview ? <Attention /> : <Lists lists={listsFor(scopes)} />}
        </section>
        <RecentWork />
      </div>
    </main>
  );
}

/** The lists of a user without the overview, each with its first rows. */
function Lists({ lists }: { lists: Waiting[] }) {
  if (lists.length === 0) return <p className="nothing">Your scopes include no waiting lists. Select a saved query under Queries.</p>;
  return (
    <ul className="cards">
      {lists.map((waiting) => (
        <WaitingCard key={waiting.name} waiting={waiting} isOpen />
      ))}
    </ul>
  );
}

/** The pending items of the overview, most urgent first. The rows of a list load when the user opens it. */
function Attention() {
  const { scopes } = useWorkbench().person;
  const text = ATTENTION?.text ?? '';
  const { answer, reload } = useRequest(text);
  const further = useMemo(() => listsFor(scopes).filter(({ kind }) => kind === undefined), [scopes]);
  return (
    <>
      <AnswerOr answer={answer} query={text} onRetry={reload}>
        {(body) => <Measured measures={measuresOf(body)} />}
      </AnswerOr>
      {further.length > 0 && (
        <>
          <h4>Other lists</h4>
          <ul className="cards">
            {further.map((waiting) => (
              <WaitingCard key={waiting.name} waiting={waiting} isOpen={false} />
            ))}
          </ul>
        </>
      )}
    </>
  );
}

function Measured({ measures }: { measures: Map<string, Measure> }) {
  const lists = [...measures].flatMap(([kind, measure]) => {
    const waiting = WAITING.find((one) => one.kind === kind);
    return waiting ? [{ waiting, measure }] : [];
  });
  if (lists.length === 0) return <p className="nothing">Nothing waits.</p>;
  lists.sort((a, b) => SEVERITIES.indexOf(a.measure.severity) - SEVERITIES.indexOf(b.measure.severity));
  return (
    <ul className="cards">
      {lists.map(({ waiting, measure }) => (
        <WaitingCard key={waiting.name} waiting={waiting} measure={measure} isOpen={false} />
      ))}
    </ul>
  );
}

/** Returns the numbers of the overview by kind. */
function measuresOf(body: unknown): Map<string, Measure> {
  const data = isRecord(body) && isRecord(body.data) ? Object.values(body.data).find(isRecord) : undefined;
  const items = Array.isArray(data?.data) ? data.data.filter(isRecord) : [];
  return new Map(
    items
      .map((item): [string, Measure] => [
        String(item.kind),
        { count: numberOf(item.count) ?? 0, oldest: textOf(item.oldest_at), severity: String(item.severity) },
      ])
      .filter(([, { count }]) => count > 0),
  );
}

function RecentWork() {
  const { recent } = useWorkbench();
  const entries = useSyncExternalStore(recent.subscribe, recent.entries);
  return (
    <section className="block recent" aria-labelledby="recent-title">
      <h3 id="recent-title">Recent work</h3>
      {entries.length === 0 && <p className="nothing">Records and tasks that you open appear here until you sign out.</p>}
      <ul>
        {entries.map((entry) => (
          <li key={`${entry.kind} ${entry.target}`}>
            <RecentEntry entry={entry} /> <span className="about">{entry.about}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

function RecentEntry({ entry: { kind, title, target } }: { entry: Recent }) {
  const order = useOrder();
  const question = QUESTIONS.find(({ name }) => name === target);
  if (kind === 'record') return <a href={target.startsWith('#/') ? target : undefined}>{title}</a>;
  if (!question) return <span>{title}</span>;
  return (
    <button type="button" className="link" onClick={() => order({ question, known: {} })}>
      {title}
    </button>
  );
}
