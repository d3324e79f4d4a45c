import { useId, useState } from 'react';
import { isRecord } from '../answer';
import type { Choice, Finder } from '../finders';
import { matching, neededBy, useChoices } from './choices';
import { labelOf } from './shape';

interface Props {
  /** The found values, and the field of an entry that takes one. */
  finder: Finder;
  field: string;
  /** The field that gets the fitting value of its finder. */
  suggested: { field: string; finder: Finder } | undefined;
  values: Record<string, unknown>;
  entries: unknown[];
  onChange: (entries: unknown[]) => void;
}

/** More values than this have a search. */
const MOST_UNSEARCHED = 8;

/** Found values as checkboxes. Each checked value is an entry of the list. */
export function Picks({ finder, field, suggested, values, entries, onChange }: Props) {
  const id = useId();
  const [search, setSearch] = useState('');
  const needed = neededBy(finder, values);
  const { choices, refused } = useChoices(finder, values, search, needed === undefined);
  const fitting = useChoices(suggested?.finder ?? finder, values, '', suggested !== undefined && needed === undefined).choices ?? [];
  const shown = choices && matching(finder, choices, search);
  const isOf = (entry: unknown, value: string) => isRecord(entry) && entry[field] === value;

  function toggle(choice: Choice, isChecked: boolean) {
    const { value } = choice;
    if (!isChecked) return onChange(entries.filter((entry) => !isOf(entry, value)));
    const fit = suggested && fittingOf(fitting, value);
    onChange([...entries, { [field]: value, ...(suggested && fit ? { [suggested.field]: fit.value } : {}) }]);
  }

  const state = needed ? `Choose ${labelOf(needed).toLowerCase()} first.` : (refused ?? (shown ? undefined : 'Searching…'));
  return (
    <div className="picks" role="group" aria-labelledby={id}>
      <p id={id}>{finder.title}</p>
      {(choices?.length ?? 0) > MOST_UNSEARCHED && (
        <input type="search" aria-label={`Search: ${finder.title}`} placeholder="Search" value={search} onChange={(event) => setSearch(event.target.value)} />
      )}
      {state && <p role="status">{state}</p>}
      <ul tabIndex={0} aria-label={finder.title}>
        {shown?.map((choice) => (
          <li key={choice.value}>
            <label>
              <input
                type="checkbox"
                checked={entries.some((entry) => isOf(entry, choice.value))}
                onChange={(event) => toggle(choice, event.target.checked)}
              />
              <span>{choice.label}</span>
            </label>
          </li>
        ))}
      </ul>
    </div>
  );
}

/** Returns the choice whose title occurs in a value: "REQ-09 · Release notes" fits `/version/release_notes/en`. */
function fittingOf(choices: Choice[], value: string): Choice | undefined {
  const text = value.replace(/[_/]+/g, ' ').toLowerCase();
  return choices.find(({ label }) => text.includes(` ${label.split(' · ').at(-1)?.toLowerCase()}`));
}
