import { useState } from 'react';
import type { Finder } from '../finders';
import { Sheet } from '../Sheet';
import { matching, neededBy, useChoices } from './choices';
import { labelOf } from './shape';

interface Props {
  finder: Finder;
  values: Record<string, unknown>;
  onPicked: (values: string[]) => void;
  onClose: () => void;
}

/** A dialog to pick several found values at once. */
export function PickSheet({ finder, values, onPicked, onClose }: Props) {
  const [search, setSearch] = useState('');
  const [picked, setPicked] = useState<string[]>([]);
  const needed = neededBy(finder, values);
  const found = useChoices(finder, values, search, needed === undefined);
  const shown = found.choices && matching(finder, found.choices, search);
  return (
    <Sheet title={finder.title} onClose={onClose}>
      <input type="search" aria-label="Search" placeholder="Search" data-first value={search} onChange={(event) => setSearch(event.target.value)} />
      <p role="status">
        {needed ? `Choose ${labelOf(needed).toLowerCase()} first.` : (found.refused ?? (shown ? `${shown.length} found, ${picked.length} picked` : 'Searching…'))}
      </p>
      <ul className="picks">
        {shown?.map(({ value, label }) => (
          <li key={value}>
            <label>
              <input
                type="checkbox"
                checked={picked.includes(value)}
                onChange={(event) => setPicked(event.target.checked ? [...picked, value] : picked.filter((one) => one !== value))}
              />
              <span>{label}</span>
            </label>
          </li>
        ))}
      </ul>
      <p className="actions">
        <button type="button" onClick={onClose}>
          Cancel
        </button>
        <button type="button" className="main" disabled={picked.length === 0} onClick={() => (onPicked(picked), onClose())}>
          Add {picked.length === 0 ? '' : picked.length}
        </button>
      </p>
    </Sheet>
  );
}
