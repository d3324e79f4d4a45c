import { useEffect, useState } from 'react';
import { pick, useGraphiQL } from '@graphiql/react';
import { QUERIES } from './route';
import { Sheet } from './Sheet';
import { areSingleKeysOff, isSingleKeyTaken, turnSingleKeys } from './singleKeys';
import { useWorkbench } from './workbench';

/** The event by which a button of any panel opens the dialog. */
const OPENING = 'labs:shortcuts';

const KEYS: [string, string][] = [
  ['?', 'Show this list'],
  ['/', 'Search records and tasks'],
  ['s', 'Search the saved queries'],
  ['f', 'Go to the first field of the task'],
  ['q', 'Show or fold the query'],
  ['v', 'Change between table and JSON'],
];
const COMBINED: [string, string][] = [
  ['Ctrl-Enter', 'Run, in the form and in the editor'],
  ['Ctrl-Space', 'Complete a name in the editor'],
  ['Shift-Ctrl-P', 'Format the query'],
  ['Ctrl-F', 'Search in the editor'],
  ['Escape', 'Close a dialog or a list, or cancel a change'],
];

/** Opens the list of shortcuts. */
export function showShortcuts(): void {
  dispatchEvent(new Event(OPENING));
}

/** The shortcuts of the page, and the dialog that lists them. Single keys do nothing while the user types, and can be turned off. */
export function Shortcuts() {
  const [isOpen, setIsOpen] = useState(false);
  const [isOff, setIsOff] = useState(areSingleKeysOff);
  const perform = useActions(() => setIsOpen(true));
  useEffect(() => {
    const open = () => setIsOpen(true);
    const press = (event: KeyboardEvent) => {
      if (isOff || isSingleKeyTaken(event)) return;
      if (perform(event.key)) event.preventDefault();
    };
    addEventListener(OPENING, open);
    addEventListener('keydown', press);
    return () => {
      removeEventListener(OPENING, open);
      removeEventListener('keydown', press);
    };
  }, [isOff, perform]);

  function turn(off: boolean) {
    turnSingleKeys(off);
    setIsOff(off);
  }

  if (!isOpen) return null;
  return (
    <Sheet title="Keyboard shortcuts" onClose={() => setIsOpen(false)}>
      <Keys keys={KEYS} />
      <label className="single-keys">
        <input type="checkbox" data-first checked={!isOff} onChange={(event) => turn(!event.target.checked)} /> Use shortcuts of a single key
      </label>
      <Keys keys={COMBINED} />
    </Sheet>
  );
}

function Keys({ keys }: { keys: [string, string][] }) {
  return (
    <dl className="keys">
      {keys.map(([key, action]) => (
        <div key={key}>
          <dt>
            <kbd>{key}</kbd>
          </dt>
          <dd>{action}</dd>
        </div>
      ))}
    </dl>
  );
}

/** Returns a function that performs the action of a key, and whether there is one. */
function useActions(open: () => void): (key: string) => boolean {
  const { view, setView } = useWorkbench();
  const { visiblePlugin } = useGraphiQL(pick('visiblePlugin'));
  const click = (selector: string) => document.querySelector<HTMLElement>(selector)?.click();
  const actions: Record<string, () => void> = {
    '?': open,
    s: () => {
      if (visiblePlugin?.title !== 'Saved queries') click('button[aria-label="Show Saved queries"]');
      // The panel appears with the next frame.
      requestAnimationFrame(() => document.getElementById('question-search')?.focus());
    },
    f: () => document.querySelector<HTMLElement>('.task .field :is(input, select, textarea)')?.focus(),
    q: () => click('.query-line button'),
    v: () => setView(view === 'json' ? 'table' : 'json'),
  };
  return (key) => {
    // Another view is in front of the editor. Only the list of shortcuts opens there.
    if (key !== '?' && !location.hash.startsWith(QUERIES)) return false;
    actions[key]?.();
    return key in actions;
  };
}
