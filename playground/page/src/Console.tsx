import { useMemo, useState } from 'react';
import { GraphiQL } from 'graphiql';
import { HISTORY_PLUGIN } from '@graphiql/plugin-history';
import { explorerPlugin } from '@graphiql/plugin-explorer';
import type { Answer } from './answer';
import { AnswerBar } from './AnswerBar';
import type { Complaint } from './complaint';
import { fetcherOf } from './fetcher';
import { BuildIcon } from './icons';
import type { Person } from './person';
import { QUESTIONS_PLUGIN } from './QuestionsPanel';
import { SCOPES_PLUGIN } from './ScopesPanel';
import type { Session } from './session';
import { TabStorage } from './storage';
import { TopBar } from './TopBar';
import { GREETING, WorkbenchContext } from './workbench';

const EXPLORER_PLUGIN = { ...explorerPlugin({ showAttribution: false }), title: 'Question builder', icon: BuildIcon };
const PLUGINS = [QUESTIONS_PLUGIN, EXPLORER_PLUGIN, SCOPES_PLUGIN, HISTORY_PLUGIN];

/** The editor and what stands around it. */
export default function Console({ session, person }: { session: Session; person: Person }) {
  const [last, setLast] = useState<Answer | null>(null);
  const [schemaComplaint, setSchemaComplaint] = useState<Complaint | null>(null);
  const storage = useMemo(() => new TabStorage(), []);
  const fetcher = useMemo(() => fetcherOf(session, { answered: setLast, schemaSeen: setSchemaComplaint }), [session]);
  const opened = useMemo(() => storage.getItem('graphiql:visiblePlugin') ?? QUESTIONS_PLUGIN.title, [storage]);
  const workbench = useMemo(() => ({ session, person, last, schemaComplaint }), [session, person, last, schemaComplaint]);

  function signOut() {
    storage.wipe();
    void session.signOut();
  }

  return (
    <WorkbenchContext.Provider value={workbench}>
      <div className="console">
        <TopBar onSignOut={signOut} />
        <main>
          <GraphiQL
            fetcher={fetcher}
            storage={storage}
            plugins={PLUGINS}
            visiblePlugin={opened}
            defaultQuery={GREETING}
            defaultEditorToolsVisibility="variables"
            isHeadersEditorEnabled={false}
            shouldPersistHeaders={false}
            showPersistHeadersSettings={false}
          >
            <GraphiQL.Logo>
              <></>
            </GraphiQL.Logo>
            <GraphiQL.Footer>
              <AnswerBar />
            </GraphiQL.Footer>
          </GraphiQL>
        </main>
      </div>
    </WorkbenchContext.Provider>
  );
}
