import { useEffect, useState } from 'react';
import { complaintOf } from './complaint';
import { ENDPOINT } from './fetcher';
import { choicesOf, type Choice, type Finder } from './finders';
import { Sheet } from './Sheet';
import { useWorkbench } from './workbench';

interface Props {
  finder: Finder;
  /** The known variables of the query. */
  values: Record<string, unknown>;
  onTaken: (choice: Choice) => void;
  onClose: () => void;
}

/** The search starts this long after the last keystroke. */
const REST_MS = 250;

/** A dialog that offers values for a variable. */
export function Chooser({ finder, values, onTaken, onClose }: Props) {
  const [search, setSearch] = useState('');
  const missing = finder.operation.variables.find(({ name, isRequired }) => isRequired && !values[name]);
  const isSearched = finder.operation.variables.some(({ name }) => name === 'search');
  const found = useChoices(finder, values, isSearched ? search.trim() : '', missing === undefined);
  const wanted = search.trim().toLowerCase();
  const shown = isSearched ? found.choices : found.choices?.filter(({ label, value }) => `${label} ${value}`.toLowerCase().includes(wanted));
  return (
    <Sheet title={finder.title} onClose={onClose}>
      {missing ? (
        <p>
          Find <code>{missing.name}</code> first, because this list depends on it.
        </p>
      ) : (
        <>
          <input type="search" aria-label="Search" placeholder="Search" data-first value={search} onChange={(event) => setSearch(event.target.value)} />
          <p role="status">{found.refused ?? (shown ? counted(shown.length) : 'Searching…')}</p>
          <ul className="choices">
            {shown?.map((choice) => (
              <li key={choice.value}>
                <button type="button" onClick={() => onTaken(choice)}>
                  {choice.label}
                </button>
              </li>
            ))}
          </ul>
        </>
      )}
    </Sheet>
  );
}

function counted(number: number): string {
  if (number === 0) return 'No results';
  return number === 1 ? '1 result' : `${number} results`;
}

interface Found {
  choices?: Choice[];
  refused?: string;
}

/** Sends the query after the last keystroke. It ignores responses to earlier searches. */
function useChoices({ text, operation }: Finder, values: Record<string, unknown>, search: string, isReady: boolean): Found {
  const { session } = useWorkbench();
  const [found, setFound] = useState<Found>({});
  const taken = Object.fromEntries(operation.variables.flatMap(({ name }) => (values[name] === undefined ? [] : [[name, values[name]]])));
  const variables = JSON.stringify(search === '' ? taken : { ...taken, search });
  useEffect(() => {
    if (!isReady) return;
    let isWanted = true;
    const timer = setTimeout(
      async () => {
        const answer = await session.ask(ENDPOINT, { query: text, variables: JSON.parse(variables) });
        if (!isWanted) return;
        const complaint = complaintOf(answer);
        setFound(complaint ? { refused: complaint.sentences[0] ?? complaint.title } : { choices: choicesOf(answer.body) });
      },
      search === '' ? 0 : REST_MS,
    );
    return () => {
      isWanted = false;
      clearTimeout(timer);
    };
  }, [session, text, variables, search, isReady]);
  return found;
}
