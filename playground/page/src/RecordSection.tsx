import { useId, useMemo } from 'react';
import { isRecord, type Answer } from './answer';
import { fieldsOf, labelOf, tableOf, tablesIn } from './facts';
import { FactList, ListTable } from './FactTables';
import { AnswerOr } from './Parts';
import type { Order } from './handover';
import { Pictures } from './Pictures';
import { hasPreview, Preview } from './Preview';
import type { Section } from './records';
import { Steps } from './Steps';
import { idsOf, knownIn, rowSteps, stepsFor, tasksFor, type Known } from './steps';
import { useRequest } from './useRequest';
import { useOrder, useWorkbench } from './workbench';

interface Props {
  section: Section;
  known: Known;
  variables: Record<string, string>;
}

/** A section of a record's page, with a separate request. */
export function RecordSection({ section, known, variables }: Props) {
  const { scopes } = useWorkbench().person;
  const id = useId();
  const order = useOrder();
  const { answer, reload } = useRequest(section.text, variables);
  const object = objectOf(answer?.body);
  const allowed = Array.isArray(object?.allowed_actions) ? object.allowed_actions.map(String) : [];
  const inside = { ...knownIn(object), ...known };
  const steps = [...stepsFor(scopes, section.actions, allowed, inside), ...tasksFor(scopes, section.tasks, known)];
  return (
    <section className="block" aria-labelledby={id}>
      <header>
        <h3 id={id}>{section.title}</h3>
        <button type="button" className="link" aria-label={`Open as query: ${section.title}`} onClick={() => order(orderOf(section.text, variables))}>
          Open as query
        </button>
      </header>
      <SectionBody section={section} missing={[]} answer={answer} onRetry={reload} known={known} own={Object.values(variables)[0]} />
      <Steps steps={steps} label={`Next steps of ${section.title}`} isShort />
    </section>
  );
}

interface BodyProps {
  section: Section;
  missing: string[];
  answer: Answer | null;
  onRetry: () => void;
  /** Values of the page, for the tasks of a row. */
  known?: Known;
  /** Id of the record of the page. Its own name is not repeated as a link. */
  own?: string;
}

/** The response of a section as lists and tables, or the reason why there is none. */
export function SectionBody({ section, missing, answer, onRetry, known = {}, own }: BodyProps) {
  if (missing.length > 0) {
    return (
      <p className="nothing">
        Missing {missing.length === 1 ? 'scope' : 'scopes'}: <code>{missing.join(', ')}</code>
      </p>
    );
  }
  return (
    <AnswerOr answer={answer} query={section.text} onRetry={onRetry}>
      {(body) => <Parts section={section} body={body} answer={answer} known={known} own={own} />}
    </AnswerOr>
  );
}

interface PartsProps {
  section: Section;
  body: unknown;
  answer: Answer | null;
  known: Known;
  own?: string;
}

function Parts({ section, body, answer, known, own }: PartsProps) {
  const data = isRecord(body) && isRecord(body.data) ? Object.entries(body.data) : [];
  return (
    <>
      {data.map(([name, value]) => (
        <Part
          key={name}
          title={data.length > 1 ? labelOf([name]) : ''}
          section={section}
          root={section.roots[name] ?? name}
          value={value}
          known={known}
          own={own}
        />
      ))}
      {answer && <Pictures answer={answer} />}
      {answer && <Preview answer={answer} />}
    </>
  );
}

interface PartProps {
  title: string;
  section: Section;
  root: string;
  value: unknown;
  known: Known;
  own?: string;
}

function Part({ title, section, root, value, known, own }: PartProps) {
  const { scopes } = useWorkbench().person;
  const { title: about, rowTasks } = section;
  const parts = useMemo(() => partsOf(root, value, idsOf(rowTasks)), [root, value, rowTasks]);
  const { tables, entries } = parts;
  const stepsOf = (index: number) => rowSteps(scopes, rowTasks, entries[index] ?? {}, known);
  const fields = parts.fields.filter(({ fact }) => fact.kind !== 'thing' || fact.id !== own);
  const isEmpty = fields.every(({ fact }) => fact.kind === 'none') && tables.every(({ rows }) => rows.length === 0);
  return (
    <>
      {title && <h4>{title}</h4>}
      {isEmpty && !(isRecord(value) && hasPreview(value)) && <p className="nothing">None.</p>}
      {!isEmpty && <FactList fields={fields} />}
      {tables
        .filter(({ rows }) => rows.length > 0)
        .map((table) => (
          <div key={table.label}>
            {table.label && table.label !== about && <h4>{table.label}</h4>}
            <ListTable table={table} title={table.label || title || about} stepsOf={entries.length > 0 ? stepsOf : undefined} />
            {table.hasMore && <p className="nothing">More entries exist. Open the query to see them.</p>}
          </div>
        ))}
    </>
  );
}

/** `hidden` lists ids of rows that only tasks use. */
function partsOf(root: string, value: unknown, hidden: string[]) {
  if (!isRecord(value)) return { fields: [], tables: [], entries: [] };
  if (!Array.isArray(value.data)) return { fields: fieldsOf(root, value), tables: tablesIn(root, value), entries: [] };
  const hasMore = isRecord(value.page) && value.page.has_more === true;
  const entries = value.data.filter(isRecord);
  const shown = entries.map((entry) => Object.fromEntries(Object.entries(entry).filter(([key]) => !hidden.includes(key))));
  return { fields: [], tables: [tableOf(root, shown, { hasMore })], entries };
}

/** The query of a section, to run in the editor. */
export function orderOf(query: string, variables: Record<string, string>): Order {
  return { text: { query, variables: JSON.stringify(variables, null, 2) }, run: true };
}

/** Returns the first object of a response, or null. */
export function objectOf(body: unknown): Record<string, unknown> | null {
  const data = isRecord(body) && isRecord(body.data) ? Object.values(body.data) : [];
  return data.find(isRecord) ?? null;
}
