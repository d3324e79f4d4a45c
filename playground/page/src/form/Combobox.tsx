import { useEffect, useId, useLayoutEffect, useRef, useState, type KeyboardEvent, type ReactNode } from 'react';
import type { Choice, Finder } from '../finders';
import { useWorkbench } from '../workbench';
import { matching, neededBy, useChoices } from './choices';
import type { ControlProps } from './Control';
import { labelOf, type Shape } from './shape';
import { isBlank } from './value';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

interface Props extends ControlProps {
  finder: Finder;
  /** All variables, because a finder can depend on others. */
  values: Record<string, unknown>;
}

/** A text field with a list of found values. It shows the label of the value, never the id alone if a label is known. */
export function Combobox(props: Props) {
  const { shape, finder, value, values, onChange, ...input } = props;
  const current = typeof value === 'string' ? value : '';
  const label = useLabel(finder, current, values);
  const [typed, setTyped] = useState<string | null>(null);
  const listId = useId();
  const box = useRef<HTMLInputElement>(null);
  const isOpen = typed !== null;
  const found = useSearch(shape, finder, values, typed);
  const [active, setActive] = useState(-1);
  useFilledIn(props, found.needed);

  function close() {
    setTyped(null);
    setActive(-1);
  }

  function take(choice: Choice) {
    onChange(choice.value, true);
    close();
  }

  /** Keeps a typed value if the field accepts any text, or if the text is an id. */
  function leave() {
    const text = typed?.trim();
    if (text && (UUID.test(text) || !shape.type.startsWith('UUID'))) onChange(text);
    close();
  }

  const onKeyDown = (event: KeyboardEvent) => pressed(event, { isOpen, active, shown: found.shown ?? [], open: () => setTyped(''), setActive, take, leave, close });
  return (
    <span className="combobox">
      <input
        {...input}
        ref={box}
        type="text"
        role="combobox"
        aria-autocomplete="list"
        aria-expanded={isOpen}
        aria-controls={isOpen ? listId : undefined}
        aria-activedescendant={active >= 0 ? optionId(listId, active) : undefined}
        autoComplete="off"
        spellCheck={false}
        placeholder={found.needed ? `Choose ${labelOf(found.needed).toLowerCase()} first` : 'Search'}
        title={current || undefined}
        value={typed ?? (current === '' ? '' : (label ?? current))}
        onClick={() => setTyped((text) => text ?? '')}
        onChange={(event) => {
          setTyped(event.target.value);
          setActive(-1);
        }}
        onBlur={leave}
        onKeyDown={onKeyDown}
      />
      {shape.options.me && !isOpen && <Me current={current} finder={finder} onChange={onChange} />}
      {current !== '' && !isOpen && (
        <button type="button" className="clear" aria-label={`Clear ${shape.label}`} onClick={() => (onChange(undefined), box.current?.focus())}>
          ×
        </button>
      )}
      {isOpen && (
        <Popup anchor={box.current}>
          <Options listId={listId} title={finder.title} found={found} active={active} onTaken={take} />
        </Popup>
      )}
    </span>
  );
}

interface Search {
  /** Variable that the finder requires and that has no value. */
  needed: string | undefined;
  refused?: string;
  shown?: Choice[];
}

/** The choices for a typed text, or for no text. Null means that the list is closed. */
function useSearch(shape: Shape, finder: Finder, values: Record<string, unknown>, typed: string | null): Search {
  const needed = neededBy(finder, values);
  const first = useFirstSearch(shape, values);
  const isReady = typed !== null && needed === undefined;
  const { choices, refused } = useChoices(finder, values, typed || first, isReady);
  const other = shape.options.like && values[shape.options.like];
  const offered = (found: Choice[] | undefined) => found && matching(finder, found, typed ?? '').filter((choice) => choice.value !== other);
  const shown = offered(choices);
  // If nothing is similar, the user can still choose among all.
  const isUnlike = isReady && typed === '' && first !== '' && shown?.length === 0;
  const all = offered(useChoices(finder, values, '', isUnlike).choices);
  return { needed, refused, shown: isUnlike ? all : shown };
}

interface Keys {
  isOpen: boolean;
  active: number;
  shown: Choice[];
  open(): void;
  setActive(index: number): void;
  take(choice: Choice): void;
  leave(): void;
  close(): void;
}

/** The keys of a combobox: arrows move through the list, Enter takes a choice, Escape closes the list. */
function pressed(event: KeyboardEvent, { isOpen, active, shown, open, setActive, take, leave, close }: Keys): void {
  if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
    event.preventDefault();
    const step = event.key === 'ArrowDown' ? 1 : -1;
    if (!isOpen) open();
    else if (shown.length > 0) setActive((Math.max(active, step === 1 ? -1 : 0) + step + shown.length) % shown.length);
  } else if (event.key === 'Escape' && isOpen) {
    event.preventDefault();
    event.stopPropagation();
    close();
  } else if (event.key === 'Enter' && isOpen && !event.ctrlKey && !event.metaKey) {
    event.preventDefault();
    const choice = shown[active] ?? (shown.length === 1 ? shown[0] : undefined);
    if (choice) take(choice);
    else leave();
  }
}

interface OptionsProps {
  listId: string;
  title: string;
  found: Search;
  active: number;
  onTaken: (choice: Choice) => void;
}

function Options({ listId, title, found: { needed, refused, shown }, active, onTaken }: OptionsProps) {
  return (
    <>
      <p role="status">{needed ? `Choose ${labelOf(needed).toLowerCase()} first.` : (refused ?? (shown ? counted(shown.length) : 'Searching…'))}</p>
      <ul role="listbox" id={listId} aria-label={title}>
        {shown?.map((choice, index) => (
          <li
            key={choice.value}
            id={optionId(listId, index)}
            role="option"
            aria-selected={index === active}
            ref={index === active ? (item) => item?.scrollIntoView({ block: 'nearest' }) : undefined}
            // The field must keep the focus, because losing it closes the list.
            onMouseDown={(event) => event.preventDefault()}
            onClick={() => onTaken(choice)}
          >
            {choice.label}
          </li>
        ))}
      </ul>
    </>
  );
}

function optionId(listId: string, index: number): string {
  return `${listId}-${index}`;
}

/** A button that chooses the user. */
function Me({ current, finder, onChange }: { current: string; finder: Finder; onChange: ControlProps['onChange'] }) {
  const { person, labels } = useWorkbench();
  const { uuid, label } = person;
  if (!uuid || current !== '') return null;
  return (
    <button
      type="button"
      className="clear"
      onClick={() => {
        labels.keep(finder.variable, [{ value: uuid, label: label ?? uuid }]);
        onChange(uuid, true);
      }}
    >
      Me
    </button>
  );
}

/** The list below the field, or above it if there is more room. It is fixed, so that a scrolled form does not cut it off. */
function Popup({ anchor, children }: { anchor: HTMLElement | null; children: ReactNode }) {
  const popup = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const place = () => {
      if (!anchor || !popup.current) return;
      const { left, top, bottom, width } = anchor.getBoundingClientRect();
      const below = innerHeight - bottom;
      const isBelow = below >= Math.min(280, top);
      const { style } = popup.current;
      style.left = `${Math.max(8, Math.min(left, innerWidth - Math.max(width, 280) - 8))}px`;
      style.width = `${Math.min(Math.max(width, 280), innerWidth - 16)}px`;
      style.top = isBelow ? `${bottom + 4}px` : 'auto';
      style.bottom = isBelow ? 'auto' : `${innerHeight - top + 4}px`;
      style.maxHeight = `${Math.min(360, (isBelow ? below : top) - 12)}px`;
    };
    place();
    addEventListener('scroll', place, true);
    addEventListener('resize', place);
    return () => {
      removeEventListener('scroll', place, true);
      removeEventListener('resize', place);
    };
  }, [anchor]);
  return (
    <div ref={popup} className="popup">
      {children}
    </div>
  );
}

function counted(number: number): string {
  if (number === 0) return 'No results';
  return number === 1 ? '1 result' : `${number} results`;
}

/** Returns the label of a value. If no response has it, the finder is asked once. */
function useLabel(finder: Finder, value: string, values: Record<string, unknown>): string | undefined {
  const { labels } = useWorkbench();
  const known = value === '' ? undefined : labels.of(finder.variable, value);
  useChoices(finder, values, '', value !== '' && known === undefined && neededBy(finder, values) === undefined);
  return known ?? (value === '' ? undefined : labels.of(finder.variable, value));
}

/**
 * The text that a finder searches for before the user types: the longest word in the label of another field. Feature requests about
 * the same matter usually share it.
 */
function useFirstSearch({ options }: Shape, values: Record<string, unknown>): string {
  const { labels } = useWorkbench();
  const other = options.like;
  const value = other ? values[other] : undefined;
  return other && typeof value === 'string' ? longestWord(labels.of(other, value)?.split(' · ')[0] ?? '') : '';
}

/** Fills in the first result once, if the saved query wants it and the field is empty. */
function useFilledIn({ shape, finder, value, values, onChange }: Props, needed: string | undefined): void {
  const wanted = shape.options.fill === true && isBlank(value) && needed === undefined;
  const { choices } = useChoices(finder, values, '', wanted);
  const choice = choices?.[0]?.value;
  useEffect(() => {
    if (wanted && choice) onChange(choice);
    // The callback is new after each change of the form, and must not fill in a field that the user has cleared.
  }, [choice]);
}

function longestWord(text: string): string {
  return text.split(/[^\p{L}\p{N}]+/u).sort((a, b) => b.length - a.length)[0] ?? '';
}
