import { useSyncExternalStore } from 'react';
import { QUERIES, START, type Route } from './route';
import { useWorkbench } from './workbench';

const counted = new Intl.NumberFormat('en-GB');

interface Props {
  route: Route;
  onSearch: () => void;
  onSignOut: () => void;
}

/** The top bar: views, search, remaining requests of the day, user and sign-out. */
export function TopBar({ route, onSearch, onSignOut }: Props) {
  const { person, answers } = useWorkbench();
  const remaining = useSyncExternalStore(answers.subscribe, answers.latest)?.remainingToday ?? person.remainingToday;
  return (
    <header className="topbar">
      <img src={`${import.meta.env.BASE_URL}icon.svg`} alt="" width="24" height="24" />
      <h1>Labs playground</h1>
      <nav aria-label="Views" className="views">
        <a href={START} aria-current={route.view === 'start' ? 'page' : undefined}>
          Start
        </a>
        <a href={QUERIES} aria-current={route.view === 'queries' ? 'page' : undefined}>
          Queries
        </a>
      </nav>
      <button type="button" className="find" aria-keyshortcuts="/" onClick={onSearch}>
        Search <kbd>/</kbd>
      </button>
      <nav aria-label="Other pages of Labs">
        <a href="/reference" target="_blank" rel="noreferrer">
          API reference
        </a>
      </nav>
      {remaining !== null && (
        <p className="budget">
          <b>{counted.format(remaining)}</b> requests left today
          {person.limitPerSecond !== null && <span className="wide">, {counted.format(person.limitPerSecond)} per second</span>}
        </p>
      )}
      {person.label && <p className="who">{person.label}</p>}
      <button type="button" onClick={onSignOut}>
        Sign out
      </button>
    </header>
  );
}
