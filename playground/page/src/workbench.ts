import { createContext, useCallback, useContext, useSyncExternalStore } from 'react';
import { pick, useGraphiQL, useGraphiQLActions } from '@graphiql/react';
import access from 'virtual:access';
import { mayRun } from './access';
import type { Answered, Answers } from './answers';
import type { Complaint } from './complaint';
import type { Labels } from './form/labels';
import { isBlank } from './form/value';
import type { Handover, Order } from './handover';
import type { Lane } from './lane';
import type { Handed } from './link';
import type { Person } from './person';
import { QUESTIONS, type Question } from './questions';
import { readingOf } from './reading';
import type { RecentWork } from './recent';
import { mayOpen, recordOfThing } from './records';
import { addressOf, go, QUERIES } from './route';
import type { Session } from './session';
import type { TabStorage } from './storage';
import { readerOf, type Thing } from './things';

/** Display mode of a response. */
export type View = 'json' | 'table';

/** Data that the panels around the editor share. */
export interface Workbench {
  session: Session;
  person: Person;
  answers: Answers;
  labels: Labels;
  schemaComplaint: Complaint | null;
  /** The view that the user has chosen, or null. */
  view: View | null;
  setView(view: View): void;
  storage: TabStorage;
  /** Limits the concurrent requests of start page and record pages. */
  lane: Lane;
  handover: Handover;
  recent: RecentWork;
}

export const WorkbenchContext = createContext<Workbench | null>(null);

const DAY_MS = 86_400_000;

/** Up to this width, the panes are below each other. */
export const NARROW = '(max-width: 760px)';

export function useWorkbench(): Workbench {
  const workbench = useContext(WorkbenchContext);
  if (!workbench) throw new Error('a panel is outside the workbench');
  return workbench;
}

/** Returns the id of the active tab. */
export function useTab(): string {
  const { tabs, activeTabIndex } = useGraphiQL(pick('tabs', 'activeTabIndex'));
  return tabs[activeTabIndex]?.id ?? '';
}

/** Returns the latest response of the active tab. */
export function useAnswered(): Answered | null {
  const { answers } = useWorkbench();
  const tab = useTab();
  return useSyncExternalStore(answers.subscribe, () => answers.of(tab));
}

/** Opens a text in the active tab if that tab is empty, else in a new tab. */
export function useTextOpener(): (handed: Handed) => void {
  const { addTab, setVisiblePlugin } = useGraphiQLActions();
  const { queryEditor, variableEditor } = useGraphiQL(pick('queryEditor', 'variableEditor'));
  return useCallback(
    ({ query, variables }) => {
      if (!queryEditor) return;
      if (queryEditor.getValue().trim() !== '') addTab();
      queryEditor.setValue(query);
      variableEditor?.setValue(variables);
      queryEditor.revealLine(1);
      // If the window has room for one pane only, the question replaces the panel from which it was opened.
      if (matchMedia(NARROW).matches) setVisiblePlugin(null);
      queryEditor.focus();
    },
    [addTab, setVisiblePlugin, queryEditor, variableEditor],
  );
}

/** Opens a saved query, with the known values of its variables. A query runs at once if no required value is missing. */
export function useQuestionOpener(): (question: Question, known?: Record<string, string>) => void {
  const { person, recent, labels } = useWorkbench();
  const { scopes } = person;
  const { run } = useGraphiQLActions();
  const openText = useTextOpener();
  return (question, known = {}) => {
    const { operation, text } = question;
    recent.note({ kind: 'task', title: question.title, about: question.work, target: question.name });
    const found = operation.variables.flatMap(({ name, isList }) => (known[name] ? [[name, isList ? [known[name]] : known[name]]] : []));
    const start: object = question.variables ? JSON.parse(question.variables) : {};
    const variables: Record<string, unknown> = { ...start, ...initialValues(question, person, labels), ...Object.fromEntries(found) };
    openText({ query: text, variables: Object.keys(variables).length > 0 ? JSON.stringify(variables, null, 2) : '' });
    const isComplete = operation.variables.every(({ name, isRequired }) => !isRequired || !isBlank(variables[name]));
    if (operation.kind === 'query' && isComplete && mayRun(access, scopes, operation)) void run();
  };
}

/** Returns the initial values that the options of fields define: the user, and times in the future. */
function initialValues({ fields }: Question, { uuid, label }: Person, labels: Labels): Record<string, string> {
  const values: Record<string, string> = {};
  for (const [name, { me, days }] of Object.entries(fields)) {
    if (days !== undefined) values[name] = new Date(Date.now() + days * DAY_MS).toISOString().replace(/:\d\d\.\d+Z$/, ':00Z');
    if (!me || !uuid) continue;
    labels.keep(name, [{ value: uuid, label: label ?? uuid }]);
    values[name] = uuid;
  }
  return values;
}

/** Returns a function that opens the page of a resource, or a query if the resource has no page. Undefined if the user cannot read it. */
export function useThingOpener(): (thing: Thing) => (() => void) | undefined {
  const { scopes } = useWorkbench().person;
  const openQuery = useThingQueryOpener();
  return (thing) => {
    const record = recordOfThing(thing);
    return record && mayOpen(scopes, record.kind) ? () => go(addressOf(record)) : openQuery(thing);
  };
}

/** Returns a function that opens a resource with its saved query, or with a generated one. Undefined if the user cannot read it. */
function useThingQueryOpener(): (thing: Thing) => (() => void) | undefined {
  const { scopes } = useWorkbench().person;
  const { run } = useGraphiQLActions();
  const schema = useGraphiQL((state) => state.schema);
  const openText = useTextOpener();
  const openQuestion = useQuestionOpener();
  return (thing) => {
    const reader = readerOf(access, thing.variable, (name) => mayRun(access, scopes, { kind: 'query', roots: [name] }));
    const saved = QUESTIONS.filter((question) => reads(question, thing) && mayRun(access, scopes, question.operation));
    const question = saved.find(({ operation }) => reader && operation.roots.includes(reader)) ?? saved[0];
    if (question) return () => openQuestion(question, { [thing.variable]: thing.id });
    const query = reader && schema ? readingOf(schema, access, reader, thing) : undefined;
    return query ? () => (openText({ query, variables: JSON.stringify({ [thing.variable]: thing.id }, null, 2) }), void run()) : undefined;
  };
}

/** Returns whether the editor can read a resource for this user. */
export function mayReadThing(scopes: string[], thing: Thing): boolean {
  const reader = readerOf(access, thing.variable, (name) => mayRun(access, scopes, { kind: 'query', roots: [name] }));
  return reader !== undefined || QUESTIONS.some((question) => reads(question, thing) && mayRun(access, scopes, question.operation));
}

/** Returns a function that shows the editor with a query. It works outside the editor, and before the editor has loaded. */
export function useOrder(): (order: Order) => void {
  const { handover } = useWorkbench();
  return (order) => {
    handover.put(order);
    go(QUERIES);
  };
}

/** Returns whether a saved query reads a resource and requires only its id. */
function reads({ operation }: Question, { variable }: Thing): boolean {
  const required = operation.variables.filter(({ isRequired }) => isRequired);
  return operation.kind === 'query' && required.length === 1 && required[0]?.name === variable;
}
