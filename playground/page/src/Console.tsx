import { useEffect, useMemo, useState, type ComponentProps } from 'react';
import { GraphiQL } from 'graphiql';
import { HISTORY_PLUGIN } from '@graphiql/plugin-history';
import { AnswerBar } from './AnswerBar';
import { Answers } from './answers';
import type { Complaint } from './complaint';
import { Confirmation, type Change } from './Confirmation';
import { fetcherOf } from './fetcher';
import { Labels } from './form/labels';
import { TaskArea } from './form/TaskArea';
import { Front, type InFront } from './Front';
import type { Person } from './person';
import { QUESTIONS_PLUGIN } from './QuestionsPanel';
import { SCOPES_PLUGIN } from './ScopesPanel';
import type { Session } from './session';
import { TabStorage } from './storage';
import { Shortcuts } from './Shortcuts';
import { SkipLink } from './SkipLink';
import { Tools } from './Tools';
import { TopBar } from './TopBar';
import { WorkbenchContext, type View } from './workbench';

const PLUGINS = [QUESTIONS_PLUGIN, SCOPES_PLUGIN, HISTORY_PLUGIN];

/** The editor with its panels. */
export default function Console({ session, person }: { session: Session; person: Person }) {
  const [schemaComplaint, setSchemaComplaint] = useState<Complaint | null>(null);
  const [change, setChange] = useState<Change | null>(null);
  const [storage, answers] = useMemo(() => [new TabStorage(), new Answers()], []);
  const labels = useMemo(() => new Labels(answers), [answers]);
  const inFront = useMemo<InFront>(() => ({ tab: '', stop: () => undefined }), []);
  const [view, setView] = useState<View | null>(storage.view());
  const fetcher = useMemo(() => {
    const confirm: Parameters<typeof fetcherOf>[0]['confirm'] = (asked) => new Promise((decide) => setChange({ asked, decide }));
    return fetcherOf({ session, answers, confirm, tab: () => inFront.tab, schemaSeen: setSchemaComplaint });
  }, [session, answers, inFront]);
  const opened = useMemo(() => storage.getItem('graphiql:visiblePlugin') ?? QUESTIONS_PLUGIN.title, [storage]);
  const workbench = useMemo(() => {
    const choose = (chosen: View) => (storage.keepView(chosen), setView(chosen));
    return { session, person, answers, labels, schemaComplaint, view, setView: choose };
  }, [session, person, answers, labels, schemaComplaint, view, storage]);

  const onTabChange: ComponentProps<typeof GraphiQL>['onTabChange'] = ({ tabs, activeTabIndex }) => {
    const tab = tabs[activeTabIndex]?.id ?? '';
    if (tab === inFront.tab) return;
    inFront.tab = tab;
    inFront.stop();
  };

  // The tabs of the editor can contain names and ids, so they go with the session.
  useEffect(() => session.onSignOutElsewhere(() => storage.wipe()), [session, storage]);

  function signOut() {
    storage.wipe();
    void session.signOut();
  }

  return (
    <WorkbenchContext.Provider value={workbench}>
      <div className="console">
        <SkipLink />
        <TopBar onSignOut={signOut} />
        <main>
          <GraphiQL
            fetcher={fetcher}
            storage={storage}
            plugins={PLUGINS}
            visiblePlugin={opened}
            onTabChange={onTabChange}
            defaultQuery=""
            defaultEditorToolsVisibility="variables"
            isHeadersEditorEnabled={false}
            shouldPersistHeaders={false}
            showPersistHeadersSettings={false}
          >
            <GraphiQL.Logo>
              <></>
            </GraphiQL.Logo>
            <GraphiQL.Toolbar>{Tools}</GraphiQL.Toolbar>
            <GraphiQL.Footer>
              <AnswerBar />
            </GraphiQL.Footer>
            <Front inFront={inFront} />
            <TaskArea />
            <Shortcuts />
            {change && <Confirmation change={change} onDecided={() => setChange(null)} />}
          </GraphiQL>
        </main>
      </div>
    </WorkbenchContext.Provider>
  );
}
