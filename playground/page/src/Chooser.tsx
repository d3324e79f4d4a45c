import { useEffect, useState } from 'react';
import { complaintOf } from './complaint';
import { ENDPOINT } from './fetcher';
import { choicesOf, type Choice, type Finder } from './finders';
import { Sheet } from './Sheet';
import { useWorkbench } from './workbench';

interface Props {
  finder: Finder;
  /** The variables of the question, as far as they are known. */
  values: Record<string, unknown>;
  onTaken: (choice: Choice) => void;
  onClose: () => void;
}

/** How long the person's fingers rest before what they typed is searched for. */
const REST_MS = 250;

/** A value for a variable, taken from a list of what is there. */
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
          Find <code>{missing.name}</code> first: this list hangs on it.
        </p>
      ) : (
        <>
          <input type="search" aria-label="Search" placeholder="Search" data-first value={search} onChange={(event) => setSearch(event.target.value)} />
          <p role="status">{found.refused ?? (shown ? counted(shown.length) : 'Looking…')}</p>
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
  if (number === 0) return 'There is nothing to choose from.';
  return number === 1 ? '1 to choose from' : `${number} to choose from`;
}

interface Found {
  choices?: Choice[];
  refused?: string;
}

/** Asks anew when what is searched for rests. An answer that comes late, to an older search, is left out. */
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
