import { useEffect, useMemo, useState } from 'react';
import access from 'virtual:access';
import { mayRun, standingOf } from './access';
import { isRecord, textOf } from './answer';
import type { RecordId, Section } from './records';
import { addressOf } from './route';
import { objectOf, orderOf, RecordSection, SectionBody } from './RecordSection';
import { Steps } from './Steps';
import { furtherSteps, knownIn, stepsFor, type Known } from './steps';
import { useHeading } from './useHeading';
import { useRequest } from './useRequest';
import { useOrder, useWorkbench } from './workbench';

/** The page of a record: summary, next steps, and one section per related list. */
export function RecordView({ record: { kind, id } }: { record: RecordId }) {
  const { person, recent } = useWorkbench();
  const heading = useHeading();
  const order = useOrder();
  const [summary, ...others] = kind.sections;
  const text = summary?.text ?? '';
  const { missing } = standingOf(access, person.scopes, summary?.needs ?? { kind: 'query', roots: [] });
  const { answer, reload } = useRequest(text, { [kind.variable]: id }, missing.length === 0);
  const [turn, setTurn] = useState(0);
  const object = useMemo(() => objectOf(answer?.body), [answer]);
  const name = kind.label.flatMap((field) => textOf(object?.[field]) ?? []).join(' ');

  useEffect(() => {
    document.title = `${name ? `${name} – ${kind.title}` : kind.title} – Labs playground`;
    if (name) recent.note({ kind: 'record', title: name, about: kind.title, target: addressOf({ kind, id }) });
  }, [recent, kind, id, name]);

  const known: Known = useMemo(() => ({ ...knownIn(object), [kind.variable]: id }), [object, kind, id]);
  const open = others.filter(({ needs }) => mayRun(access, person.scopes, needs));
  if (!summary) return null;
  return (
    <main className="view record">
      <header>
        <p className="kind">{kind.title}</p>
        <h2 ref={heading} tabIndex={-1}>
          {name || `${kind.title} ${id.slice(-12)}`}
        </h2>
        <p className="line">
          {textOf(object?.state ?? object?.status) && <span className="word">{String(object?.state ?? object?.status)}</span>}
          <code>{id}</code>
          <button type="button" onClick={() => (reload(), setTurn(turn + 1))}>
            Reload
          </button>
          <button type="button" onClick={() => order(orderOf(text, { [kind.variable]: id }))}>
            Open as query
          </button>
        </p>
      </header>
      <div className="columns">
        <div className="sections">
          <section className="block" aria-labelledby="summary-title">
            <h3 id="summary-title">{summary.title}</h3>
            <SectionBody section={summary} missing={missing} answer={answer} onRetry={reload} own={id} />
          </section>
          {open.map((section) => (
            <RecordSection key={`${section.name} ${turn}`} section={section} known={known} variables={{ [kind.variable]: id }} />
          ))}
          <ClosedSections sections={others.filter((section) => !open.includes(section))} />
        </div>
        <NextSteps record={{ kind, id }} known={known} allowed={allowedOf(object)} isKnown={answer !== null} />
      </div>
    </main>
  );
}

/** The sections that the user's scopes do not allow, in a few lines at the end. */
function ClosedSections({ sections }: { sections: Section[] }) {
  const { scopes } = useWorkbench().person;
  if (sections.length === 0) return null;
  return (
    <section className="block closed" aria-labelledby="closed-title">
      <h3 id="closed-title">Not in your scopes</h3>
      <ul>
        {sections.map(({ name, title, needs }) => (
          <li key={name}>
            {title} <code>{standingOf(access, scopes, needs).missing.join(', ')}</code>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** More tasks than this are folded. */
const MOST_UNFOLDED = 6;

interface StepsProps {
  record: RecordId;
  known: Known;
  allowed: string[];
  isKnown: boolean;
}

function NextSteps({ record: { kind }, known, allowed, isKnown }: StepsProps) {
  const { scopes } = useWorkbench().person;
  const steps = stepsFor(scopes, kind.sections[0]?.actions ?? new Map(), allowed, known);
  const further = furtherSteps(scopes, kind, known);
  if (!isKnown && further.length === 0) return null;
  return (
    <aside className="block next" aria-labelledby="next-title">
      <h3 id="next-title">Next steps</h3>
      {isKnown && steps.length === 0 && <p className="nothing">You cannot change the state of this record now.</p>}
      <Steps steps={steps} label="Next steps" isMain />
      {further.length > 0 && (
        <details open={further.length <= MOST_UNFOLDED}>
          <summary>More tasks ({further.length})</summary>
          <Steps steps={further} label="More tasks" />
        </details>
      )}
    </aside>
  );
}

export function allowedOf(object: Record<string, unknown> | null): string[] {
  const allowed = isRecord(object) ? object.allowed_actions : undefined;
  return Array.isArray(allowed) ? allowed.map(String) : [];
}
