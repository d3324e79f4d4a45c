import { useSyncExternalStore } from 'react';
import { useWorkbench } from './workbench';

const counted = new Intl.NumberFormat('en-GB');

/** The top bar: title, remaining requests of the day, user and sign-out. */
export function TopBar({ onSignOut }: { onSignOut: () => void }) {
  const { person, answers } = useWorkbench();
  const remaining = useSyncExternalStore(answers.subscribe, answers.latest)?.remainingToday ?? person.remainingToday;
  return (
    <header className="topbar">
      <img src={`${import.meta.env.BASE_URL}icon.svg`} alt="" width="24" height="24" />
      <h1>Labs playground</h1>
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
