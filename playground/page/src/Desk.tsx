import { lazy, Suspense, useEffect, useMemo, useRef, useState } from 'react';
import { Answers } from './answers';
import { Labels } from './form/labels';
import { Handover } from './handover';
import { Lane } from './lane';
import type { Person } from './person';
import { RecentWork } from './recent';
import { RecordView } from './RecordView';
import { replaceAddress, routeOf, useHash, type Route } from './route';
import { SearchBox } from './SearchBox';
import type { Session } from './session';
import { Sheet } from './Sheet';
import { areSingleKeysOff, isSingleKeyTaken } from './singleKeys';
import { SkipLink } from './SkipLink';
import { StartView } from './StartView';
import { TabStorage } from './storage';
import { TopBar } from './TopBar';
import { WorkbenchContext, type Workbench } from './workbench';

/** The editor is the largest part of the page. It loads while the user signs in or reads the start page. */
export const loadEditor = () => import('./Console');
const Console = lazy(loadEditor);

/** Concurrent requests of start page and record pages. */
const MOST_REQUESTS = 4;

/** The page of a signed-in user: top bar, and the view of the address. */
export function Desk({ session, person }: { session: Session; person: Person }) {
  const workbench = useTools(session, person);
  const hash = useHash();
  const route = useMemo(() => routeOf(hash), [hash]);
  const [isSearching, setIsSearching] = useState(false);
  const hasEditor = useRef(false);
  hasEditor.current ||= route.view === 'queries';

  useEffect(() => void loadEditor(), []);
  useEffect(() => keepTheme(workbench.storage), [workbench.storage]);
  // Tabs and recent work contain names and ids, so they go with the session.
  useEffect(() => session.onSignOutElsewhere(forget), [session, workbench.storage]);
  useEffect(() => {
    if (route.view !== 'record') document.title = route.view === 'start' ? 'Start – Labs playground' : 'Queries – Labs playground';
    setIsSearching(false);
  }, [route]);
  useSearchKey(() => search());

  function search() {
    const box = document.querySelector<HTMLInputElement>('.view [role="combobox"]');
    if (route.view === 'start' && box) box.focus();
    else setIsSearching(true);
  }

  function forget() {
    workbench.storage.wipe();
    replaceAddress('');
  }

  function signOut() {
    forget();
    void session.signOut();
  }

  return (
    <WorkbenchContext.Provider value={workbench}>
      <div className="desk">
        <SkipLink isEditor={route.view === 'queries'} />
        <TopBar route={route} onSearch={search} onSignOut={signOut} />
        <View route={route} />
        {hasEditor.current && (
          <div className="place" hidden={route.view !== 'queries'}>
            <Suspense
              fallback={
                <p className="loading" role="status">
                  Loading the editor…
                </p>
              }
            >
              <Console />
            </Suspense>
          </div>
        )}
        {isSearching && (
          <Sheet title="Search" onClose={() => setIsSearching(false)}>
            <SearchBox isFirst onOpened={() => setIsSearching(false)} />
          </Sheet>
        )}
      </div>
    </WorkbenchContext.Provider>
  );
}

function View({ route }: { route: Route }) {
  if (route.view === 'start') return <StartView />;
  if (route.view === 'record') return <RecordView key={`${route.record.kind.name} ${route.record.id}`} record={route.record} />;
  return null;
}

function useTools(session: Session, person: Person): Workbench {
  const tools = useMemo(() => {
    const [storage, answers] = [new TabStorage(), new Answers()];
    const [lane, handover] = [new Lane(MOST_REQUESTS), new Handover()];
    return { storage, answers, lane, handover, labels: new Labels(answers), recent: new RecentWork(storage, person.uuid ?? '') };
  }, [person.uuid]);
  return useMemo(() => ({ ...tools, session, person, schemaComplaint: null, view: null, setView: () => undefined }), [tools, session, person]);
}

/** Opens the search with `/`, except where the user types text or a dialog is open. */
function useSearchKey(open: () => void) {
  const latest = useRef(open);
  latest.current = open;
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== '/' || areSingleKeysOff() || isSingleKeyTaken(event)) return;
      event.preventDefault();
      latest.current();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
}

/** Applies the theme that the user chose in the editor's settings, because the editor may not have loaded yet. */
function keepTheme(storage: TabStorage): void {
  const theme = storage.getItem('graphiql:theme');
  if (theme === 'light' || theme === 'dark') document.body.classList.add(`graphiql-${theme}`);
}
