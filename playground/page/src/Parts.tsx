import { useMemo, type ReactNode } from 'react';
import type { Answer } from './answer';
import { complaintOf } from './complaint';
import type { Fact } from './facts';
import { mayOpen } from './records';
import { addressOf } from './route';
import { distanceTo, momentOf, spanSince } from './times';
import { mayReadThing, useOrder, useWorkbench } from './workbench';

/** A time in the user's time zone, with the exact time as tooltip. */
export function Moment({ at, isExact }: { at: string; isExact?: boolean }) {
  return (
    <time dateTime={at} title={at}>
      {momentOf(at, isExact)}
    </time>
  );
}

/** The distance of a time from now. */
export function Distance({ at }: { at: string }) {
  return (
    <time dateTime={at} title={momentOf(at)}>
      {distanceTo(at, Date.now())}
    </time>
  );
}

/** The time that something has waited. */
export function Waited({ since }: { since: string }) {
  return (
    <time dateTime={since} title={momentOf(since)}>
      {spanSince(since, Date.now())}
    </time>
  );
}

/** A value of a response. Names of other records link to their pages. */
export function Shown({ fact }: { fact: Fact }): ReactNode {
  switch (fact.kind) {
    case 'none':
      return <span className="nothing">–</span>;
    case 'text':
      return fact.text;
    case 'word':
      return <span className="word">{fact.text}</span>;
    case 'time':
      return <Moment at={fact.at} />;
    case 'thing':
      return <ThingLink fact={fact} />;
  }
}

function ThingLink({ fact: { name, id, record, thing } }: { fact: Extract<Fact, { kind: 'thing' }> }) {
  const { scopes } = useWorkbench().person;
  const order = useOrder();
  if (record && mayOpen(scopes, record.kind)) {
    return (
      <a href={addressOf(record)} title={`${record.kind.title} ${id}`}>
        {name}
      </a>
    );
  }
  if (!thing || !mayReadThing(scopes, thing)) return <span title={id}>{name}</span>;
  return (
    <button type="button" className="link" title={`Open ${id} as query`} onClick={() => order({ thing })}>
      {name}
    </button>
  );
}

interface AnswerProps {
  answer: Answer | null;
  query: string;
  onRetry: () => void;
  children: (body: unknown) => ReactNode;
}

/** The content of a response, or that it loads, or its error. */
export function AnswerOr({ answer, query, onRetry, children }: AnswerProps) {
  const complaint = useMemo(() => answer && complaintOf(answer, query), [answer, query]);
  if (!answer) {
    return (
      <p className="loading" role="status">
        Loading…
      </p>
    );
  }
  if (!complaint) return children(answer.body);
  return (
    <div className="refusal" role="alert">
      <strong>{complaint.title}</strong> {complaint.code && <code>{complaint.code}</code>}
      {complaint.sentences.map((sentence) => (
        <p key={sentence}>{sentence}</p>
      ))}
      {complaint.requiredScope && (
        <p>
          Required scope: <code>{complaint.requiredScope}</code>
        </p>
      )}
      {complaint.retryAfter !== undefined && <p>Try again in {complaint.retryAfter} seconds.</p>}
      <p>
        <button type="button" onClick={onRetry}>
          Try again
        </button>
      </p>
    </div>
  );
}
