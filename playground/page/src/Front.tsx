import { useEffect, useRef, useSyncExternalStore } from 'react';
import { pick, useGraphiQL, useGraphiQLActions, useMonaco } from '@graphiql/react';
import access from 'virtual:access';
import { openRoots } from './access';
import type { Order } from './handover';
import { useJsonLinks } from './jsonLinks';
import { handedBy } from './link';
import { isEmptyText } from './operation';
import { QUERIES, replaceAddress } from './route';
import { withOpenNames } from './suggest';
import { useAnswered, useQuestionOpener, useTab, useTextOpener, useThingOpener, useWorkbench } from './workbench';

const HINT = 'Write a query, or select one in the panel.\nCtrl-Enter runs the query, Ctrl-Space completes names.';

/** The active tab, updated immediately when it changes, and a function that unsubscribes from a pending response. */
export interface InFront {
  tab: string;
  stop(): void;
}

/** Behaviour that the page adds to the editor. It renders nothing. */
export function Front({ inFront }: { inFront: InFront }) {
  useTabs(inFront);
  useEditors();
  useOwnMarkers();
  useJsonLinks();
  useHandedQuestion();
  useHandover();
  return null;
}

/** Assigns every response to the tab that sent the query, even if another tab is active. */
function useTabs(inFront: InFront) {
  const { answers } = useWorkbench();
  const { tabs, responseEditor } = useGraphiQL(pick('tabs', 'responseEditor'));
  const { stop, updateActiveTabValues } = useGraphiQLActions();
  const tab = useTab();
  const answered = useAnswered();
  inFront.tab ||= tab;
  inFront.stop = stop;

  // The list of tabs scrolls without showing a scroll bar.
  useEffect(() => {
    document.querySelector('.graphiql-session-header [role="tab"][aria-selected="true"]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [tab, tabs.length]);
  useEffect(() => answers.keepOnly(tabs.map(({ id }) => id)), [answers, tabs]);
  useEffect(() => {
    // The response arrived while another tab was active.
    if (!answered || !responseEditor || responseEditor.getValue() !== '') return;
    const response = JSON.stringify(answered.printed, null, 2);
    responseEditor.setValue(response);
    updateActiveTabValues({ response });
  }, [answered, responseEditor, tab, updateActiveTabValues]);
}

function useEditors() {
  const { queryEditor, variableEditor, responseEditor } = useGraphiQL(pick('queryEditor', 'variableEditor', 'responseEditor'));
  useEffect(() => {
    for (const editor of [queryEditor, variableEditor, responseEditor]) editor?.updateOptions({ fontSize: 13, lineNumbersMinChars: 2 });
    queryEditor?.updateOptions({ placeholder: HINT, ariaLabel: 'Query', wordWrap: 'on', wrappingIndent: 'indent' });
    variableEditor?.updateOptions({ ariaLabel: 'Variables' });
    responseEditor?.updateOptions({ ariaLabel: 'Response' });
  }, [queryEditor, variableEditor, responseEditor]);
}

/**
 * Corrects the editor's markers. The editor marks a text that has only comments as an error, and it suggests root fields that the
 * user cannot query.
 */
function useOwnMarkers() {
  const { scopes } = useWorkbench().person;
  const monaco = useMonaco((state) => state.monaco);
  const queryEditor = useGraphiQL((state) => state.queryEditor);
  useEffect(() => {
    const model = queryEditor?.getModel();
    if (!monaco || !model) return;
    const open = (type: 'Query' | 'Mutation') => openRoots(access, scopes, type === 'Query' ? 'query' : 'mutation');
    const mend = () => {
      const markers = monaco.editor.getModelMarkers({ resource: model.uri, owner: 'graphql' });
      const mended = isEmptyText(model.getValue()) ? [] : markers.map((marker) => ({ ...marker, message: withOpenNames(marker.message, open) }));
      const isSame = mended.length === markers.length && mended.every(({ message }, index) => message === markers[index]?.message);
      if (!isSame) monaco.editor.setModelMarkers(model, 'graphql', mended);
    };
    mend();
    const listening = monaco.editor.onDidChangeMarkers((changed) => {
      if (changed.some((uri) => uri.toString() === model.uri.toString())) mend();
    });
    return () => listening.dispose();
  }, [monaco, queryEditor, scopes]);
}

/** Opens the query in the address once. It does not run the query. */
function useHandedQuestion() {
  const queryEditor = useGraphiQL((state) => state.queryEditor);
  const openText = useTextOpener();
  const latest = useRef(openText);
  latest.current = openText;
  useEffect(() => {
    if (!queryEditor) return;
    const take = () => {
      const handed = handedBy(location.hash);
      if (!handed) return;
      replaceAddress(QUERIES);
      latest.current(handed);
    };
    take();
    addEventListener('hashchange', take);
    return () => removeEventListener('hashchange', take);
  }, [queryEditor]);
}

/** Opens the queries that other views have sent to the editor. */
function useHandover() {
  const { handover } = useWorkbench();
  const queryEditor = useGraphiQL((state) => state.queryEditor);
  const { run } = useGraphiQLActions();
  const [openQuestion, openText, openerOf] = [useQuestionOpener(), useTextOpener(), useThingOpener()];
  const order = useSyncExternalStore(handover.subscribe, handover.first);
  const open = useRef((_order: Order) => {});
  open.current = (next) => {
    if ('question' in next) openQuestion(next.question, next.known);
    else if ('thing' in next) openerOf(next.thing)?.();
    else {
      openText(next.text);
      if (next.run) void run();
    }
  };
  useEffect(() => {
    if (!queryEditor || !order) return;
    handover.drop(order);
    open.current(order);
  }, [handover, queryEditor, order]);
}
