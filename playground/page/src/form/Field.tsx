import { createContext, useContext } from 'react';
import { Control } from './Control';
import { Picks } from './Picks';
import type { Shape } from './shape';
import type { Path } from './uses';
import { isBlank, valueAt } from './value';

/** The form around a field. */
export interface FormState {
  values: Record<string, unknown>;
  /** Messages by the path of their field. */
  problems: Map<string, string[]>;
  /** Whether optional fields are marked. The fields of a query are filters, which are all optional. */
  marksOptional: boolean;
  put(path: Path, value: unknown, isChosen?: boolean): void;
}

export const FormContext = createContext<FormState | null>(null);

function useForm(): FormState {
  const form = useContext(FormContext);
  if (!form) throw new Error('a field is outside the form');
  return form;
}

/** Returns the id of a field's element. Links in error messages use it. */
export function fieldId(path: Path): string {
  return `field-${path.join('.')}`;
}

/** One field of the form with its label, explanation, counter and messages. */
export function Field({ shape, path }: { shape: Shape; path: Path }) {
  if (shape.kind === 'list') return <List shape={shape} path={path} />;
  if (shape.kind === 'group') return <Group shape={shape} path={path} />;
  if (shape.kind === 'choices') return <Choices shape={shape} path={path} />;
  return <Single shape={shape} path={path} />;
}

function Single({ shape, path }: { shape: Shape; path: Path }) {
  const { values, problems, put } = useForm();
  const value = valueAt(values, path);
  const id = fieldId(path);
  const own = problems.get(path.join('.')) ?? [];
  const messages = [...own, ...lengthProblem(shape, value)];
  const described = [shape.description && `${id}-hint`, messages.length > 0 && `${id}-wrong`].filter(Boolean).join(' ');
  const isCheck = shape.kind === 'check';
  const control = (
    <Control
      shape={shape}
      values={values}
      value={value}
      onChange={(changed, isChosen) => put(path, changed, isChosen)}
      id={id}
      aria-describedby={described || undefined}
      aria-invalid={messages.length > 0 || undefined}
      aria-required={(shape.isRequired && !isCheck) || undefined}
    />
  );
  return (
    <div className={`field ${isCheck ? 'as-check' : `as-${shape.kind}`}`}>
      {isCheck && control}
      <label htmlFor={id}>
        {shape.label} <Optional shape={shape} />
        <Counter shape={shape} value={value} />
      </label>
      {!isCheck && control}
      <Hint id={id} shape={shape} value={value} />
      <Messages id={id} messages={messages} />
    </div>
  );
}

function Optional({ shape }: { shape: Shape }) {
  const { marksOptional } = useForm();
  return marksOptional && !shape.isRequired && shape.kind !== 'check' ? <span className="optional">optional</span> : null;
}

/** The length of a text and its limit. Screen readers read it with the hint only, not after each keystroke. */
function Counter({ shape: { kind, max, finder, type }, value }: { shape: Shape; value: unknown }) {
  if (finder || type.startsWith('UUID') || !max || max > 100_000 || (kind !== 'lines' && kind !== 'text') || typeof value !== 'string') return null;
  const length = lengthOf(value);
  return (
    <span className={length > max ? 'counter over' : 'counter'} aria-hidden="true">
      {length.toLocaleString('en-GB')} / {max.toLocaleString('en-GB')}
    </span>
  );
}

function Hint({ id, shape, value }: { id: string; shape: Shape; value: unknown }) {
  const time = shape.kind === 'time' && typeof value === 'string' ? `${value.replace('T', ' ').replace(/:\d\dZ$|Z$/, '')} UTC.` : '';
  const [text] = shape.description?.match(/^(.+?[.!?])(?= |$)( .+?[.!?](?= |$))?/) ?? [shape.description];
  // The label of a found resource says what its id is.
  if ((!text || (shape.finder && /^(UUID|Code) of /.test(text))) && !time) return null;
  return (
    <p className="hint" id={`${id}-hint`}>
      {time && <b>{time}</b>} {text?.replaceAll('`', '')}
    </p>
  );
}

function Messages({ id, messages }: { id: string; messages: string[] }) {
  if (messages.length === 0) return null;
  return (
    <p className="wrong" id={`${id}-wrong`}>
      {messages.join(' ')}
    </p>
  );
}

/** The limits of a text, which the service checks too. A text that is too short is not marked while the user types it. */
function lengthProblem({ kind, max }: Shape, value: unknown): string[] {
  const isLong = typeof value === 'string' && max !== undefined && (kind === 'lines' || kind === 'text') && lengthOf(value) > max;
  return isLong ? [`At most ${max.toLocaleString('en-GB')} characters.`] : [];
}

/** Counts characters as the service does: by code points. */
function lengthOf(text: string): number {
  return [...text].length;
}

/** Several values of an enumeration. */
function Choices({ shape, path }: { shape: Shape; path: Path }) {
  const { values, put } = useForm();
  const value = valueAt(values, path);
  const chosen = Array.isArray(value) ? value : [];
  return (
    <fieldset className="field as-choices" id={fieldId(path)} tabIndex={-1}>
      <legend>{shape.label}</legend>
      <div className="boxes">
        {shape.choices.map(([name, description]) => (
          <label key={name} title={description}>
            <input
              type="checkbox"
              checked={chosen.includes(name)}
              onChange={(event) => put(path, event.target.checked ? [...chosen, name] : chosen.filter((one) => one !== name))}
            />
            {name.replaceAll('_', ' ').toLowerCase()}
          </label>
        ))}
      </div>
    </fieldset>
  );
}

/** An object: its fields in a frame. */
function Group({ shape, path }: { shape: Shape; path: Path }) {
  return (
    <fieldset className="field as-group" id={fieldId(path)} tabIndex={-1}>
      <legend>{shape.label}</legend>
      {shape.fields.map((field) => (
        <Field key={field.name} shape={field} path={[...path, field.name]} />
      ))}
    </fieldset>
  );
}

/** A list of objects or of found values, which can grow. */
function List({ shape, path }: { shape: Shape; path: Path }) {
  const { values, problems, put } = useForm();
  const value = valueAt(values, path);
  const entries: unknown[] = Array.isArray(value) ? value : isBlank(value) ? [] : [value];
  const one = singular(shape.label);
  const id = fieldId(path);
  const own = problems.get(path.join('.')) ?? [];
  const isOfObjects = shape.fields.length > 0;
  // A list that needs a value shows a field for the first one.
  const shown = entries.length === 0 && shape.isRequired && !isOfObjects ? [''] : entries;
  const picked = shape.fields.find(({ name }) => name === shape.options.pick);
  const suggested = shape.fields.find(({ name }) => name === shape.options.suggest);
  const fields = picked ? [picked, ...shape.fields.filter((field) => field !== picked)] : shape.fields;
  return (
    <fieldset className="field as-list" id={id} tabIndex={-1} aria-describedby={own.length > 0 ? `${id}-wrong` : undefined}>
      <legend>
        {shape.label} <Optional shape={shape} />
      </legend>
      {picked?.finder && (
        <Picks
          finder={picked.finder}
          field={picked.name}
          suggested={suggested?.finder && { field: suggested.name, finder: suggested.finder }}
          values={values}
          entries={entries}
          onChange={(changed) => put(path, changed)}
        />
      )}
      {shown.map((_, index) => (
        <div className={isOfObjects ? 'entry' : 'value'} key={index} role={isOfObjects ? 'group' : undefined} aria-label={isOfObjects ? `${one} ${index + 1}` : undefined}>
          {isOfObjects && <strong>{`${one} ${index + 1}`}</strong>}
          {isOfObjects
            ? fields.map((field) => <Field key={field.name} shape={field} path={[...path, index, field.name]} />)
            : shape.entry && <Single shape={{ ...shape.entry, label: `${one} ${index + 1}`, description: undefined }} path={[...path, index]} />}
          {entries.length > 0 && (
            <button type="button" className="remove" onClick={() => put(path, entries.filter((__, other) => other !== index))}>
              Remove<span className="hidden">{` ${one} ${index + 1}`}</span>
            </button>
          )}
        </div>
      ))}
      <Messages id={id} messages={own} />
      <p className="adders">
        <button type="button" onClick={() => put(path, [...entries, isOfObjects ? {} : ''])}>
          Add {one.toLowerCase()}
        </button>
      </p>
    </fieldset>
  );
}

function singular(label: string): string {
  return label.replace(/ies$/, 'y').replace(/s$/, '');
}
