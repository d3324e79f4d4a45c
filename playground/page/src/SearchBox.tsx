import { useEffect, useId, useMemo, useState, type KeyboardEvent } from 'react';
import { complaintOf } from './complaint';
import { ENDPOINT } from './fetcher';
import { addressOf, go } from './route';
import { hitsOf, searchesFor, SHORTEST, taskHits, type Hit } from './searches';
import { useOrder, useWorkbench } from './workbench';

/** The search starts this long after the last keystroke. */
const REST_MS = 250;

/** Searches the records that the user may read, and the saved queries. Arrow keys select a result, Enter opens it. */
export function SearchBox({ isFirst = false, onOpened }: { isFirst?: boolean; onOpened?: () => void }) {
  const [text, setText] = useState('');
  const [active, setActive] = useState(0);
  const [isOpen, setIsOpen] = useState(false);
  const { hits, status } = useHits(text.trim());
  const order = useOrder();
  const id = useId();
  const isListed = isOpen && hits.length > 0;
  const chosen = Math.min(active, hits.length - 1);

  function open({ target }: Hit) {
    setIsOpen(false);
    if ('record' in target) go(addressOf(target.record));
    else order({ question: target.question, known: {} });
    onOpened?.();
  }

  function onKeyDown(event: KeyboardEvent) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const hit = hits[chosen];
    if (step && hits.length > 0) {
      event.preventDefault();
      setIsOpen(true);
      setActive(isListed ? (chosen + step + hits.length) % hits.length : chosen);
    } else if (event.key === 'Enter' && isListed && hit) {
      event.preventDefault();
      open(hit);
    } else if (event.key === 'Escape' && (isListed || text !== '') && !onOpened) {
      event.preventDefault();
      if (isListed) setIsOpen(false);
      else setText('');
    }
  }

  return (
    <div className="search">
      <input
        type="text"
        role="combobox"
        aria-label="Search records and tasks"
        aria-expanded={isListed}
        aria-controls={`${id}list`}
        aria-autocomplete="list"
        aria-activedescendant={isListed ? `${id}${chosen}` : undefined}
        placeholder="Search by name, e-mail address or id"
        autoComplete="off"
        spellCheck={false}
        maxLength={200}
        data-first={isFirst || undefined}
        value={text}
        onChange={(event) => (setText(event.target.value), setActive(0), setIsOpen(true))}
        onFocus={() => setIsOpen(true)}
        onBlur={() => setIsOpen(false)}
        onKeyDown={onKeyDown}
      />
      <Results id={id} hits={hits} chosen={chosen} isListed={isListed} onOpen={open} />
      <p role="status" className={isFirst || status.isProblem ? undefined : 'hidden'}>
        {status.text}
      </p>
    </div>
  );
}

interface ResultsProps {
  id: string;
  hits: Hit[];
  chosen: number;
  isListed: boolean;
  onOpen: (hit: Hit) => void;
}

function Results({ id, hits, chosen, isListed, onOpen }: ResultsProps) {
  useEffect(() => {
    if (isListed) document.getElementById(`${id}${chosen}`)?.scrollIntoView({ block: 'nearest' });
  }, [id, chosen, isListed]);
  return (
    <ul id={`${id}list`} role="listbox" aria-label="Results" hidden={!isListed}>
      {hits.map((hit, index) => (
        <li
          key={index}
          id={`${id}${index}`}
          role="option"
          aria-selected={index === chosen}
          // The input keeps the focus, so that a click does not close the list first.
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => onOpen(hit)}
        >
          <span className="kind">{hit.about}</span> <strong>{hit.title}</strong> <span className="about">{hit.detail}</span>
        </li>
      ))}
    </ul>
  );
}

interface Found {
  search: string;
  hits: Hit[];
  problems: string[];
}

const NOTHING: Found = { search: '', hits: [], problems: [] };

/** Sends the searches after the last keystroke. Results appear together, so that they never move while the user selects one. */
function useHits(search: string): { hits: Hit[]; status: { text: string; isProblem: boolean } } {
  const { session, lane, answers, person } = useWorkbench();
  const [found, setFound] = useState(NOTHING);
  const isLong = search.length >= SHORTEST;
  useEffect(() => {
    if (!isLong) return setFound(NOTHING);
    let isWanted = true;
    const timer = setTimeout(async () => {
      const searches = searchesFor(person.scopes);
      const asked = searches.map(({ text }) =>
        lane.run(() => (isWanted ? session.ask(ENDPOINT, { query: text, variables: { q: search } }) : Promise.resolve(null))),
      );
      const found = await Promise.all(asked);
      if (!isWanted) return;
      const hits = found.flatMap((answer) => hitsOf(answer?.body));
      const problems = found.flatMap((answer, index) => {
        const complaint = answer && complaintOf(answer, searches[index]?.text);
        return complaint ? [`${searches[index]?.title}: ${complaint.sentences[0] ?? complaint.title}`] : [];
      });
      for (const answer of found) if (answer) answers.see(answer);
      setFound({ search, hits, problems });
    }, REST_MS);
    return () => {
      isWanted = false;
      clearTimeout(timer);
    };
  }, [session, lane, answers, person.scopes, search, isLong]);
  const tasks = useMemo(() => (isLong ? taskHits(person.scopes, search) : []), [person.scopes, search, isLong]);
  // Results of an earlier text are not shown, so that Enter never opens one of them.
  const hits = isLong && found.search === search ? [...found.hits, ...tasks] : [];
  return { hits, status: statusOf(search, found, hits.length) };
}

function statusOf(search: string, { search: searched, problems }: Found, count: number): { text: string; isProblem: boolean } {
  if (search === '') return { text: '', isProblem: false };
  if (search.length < SHORTEST) return { text: `Enter at least ${SHORTEST} characters.`, isProblem: false };
  if (searched !== search) return { text: 'Searching…', isProblem: false };
  if (problems.length > 0) return { text: problems.join(' '), isProblem: true };
  if (count === 0) return { text: 'No results', isProblem: true };
  return { text: count === 1 ? '1 result' : `${count} results`, isProblem: false };
}
