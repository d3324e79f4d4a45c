import { useMemo, useState, type ComponentProps } from 'react';
import { GraphiQL } from 'graphiql';
import { HISTORY_PLUGIN } from '@graphiql/plugin-history';
import { AnswerBar } from './AnswerBar';
import type { Complaint } from './complaint';
import { Confirmation, type Change } from './Confirmation';
import { fetcherOf } from './fetcher';
import { TaskArea } from './form/TaskArea';
import { Front, type InFront } from './Front';
import { QUESTIONS_PLUGIN } from './QuestionsPanel';
import { SCOPES_PLUGIN } from './ScopesPanel';
import { Shortcuts } from './Shortcuts';
import { Tools } from './Tools';
import { useWorkbench, WorkbenchContext, type View } from './workbench';

const PLUGINS = [QUESTIONS_PLUGIN, SCOPES_PLUGIN, HISTORY_PLUGIN];

/** The editor with its panels. */
export default function Console() {
  const desk = useWorkbench();
  const { session, answers, storage } = desk;
  const [schemaComplaint, setSchemaComplaint] = useState<Complaint | null>(null);
  const [change, setChange] = useState<Change | null>(null);
  const inFront = useMemo<InFront>(() => ({ tab: '', stop: () => undefined }), []);
  const [view, setView] = useState<View | null>(storage.view());
  const fetcher = useMemo(() => {
    const confirm: Parameters<typeof fetcherOf>[0]['confirm'] = (asked) => new Promise((decide) => setChange({ asked, decide }));
    return fetcherOf({ session, answers, confirm, tab: () => inFront.tab, schemaSeen: setSchemaComplaint });
  }, [session, answers, inFront]);
  const opened = useMemo(() => storage.getItem('graphiql:visiblePlugin') ?? QUESTIONS_PLUGIN.title, [storage]);
  const workbench = useMemo(() => {
    const choose = (chosen: View) => (storage.keepView(chosen), setView(chosen));
    return { ...desk, schemaComplaint, view, setView: choose };
  }, [desk, schemaComplaint, view, storage]);

  const onTabChange: ComponentProps<typeof GraphiQL>['onTabChange'] = ({ tabs, activeTabIndex }) => {
    const tab = tabs[activeTabIndex]?.id ?? '';
    if (tab === inFront.tab) return;
    inFront.tab = tab;
    inFront.stop();
  };

  return (
    <WorkbenchContext.Provider value={workbench}>
      <div className="console">
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
