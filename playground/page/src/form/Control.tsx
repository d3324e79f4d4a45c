import { useEffect, useState } from 'react';
import { Combobox } from './Combobox';
import { useOpenFinder } from './choices';
import type { Shape } from './shape';
import { localOf, timeOf } from './time';
import { isBlank } from './value';

/** Properties of every control. `isChosen` is set if the user has chosen a complete value from a list. */
export interface ControlProps {
  shape: Shape;
  value: unknown;
  onChange: (value: unknown, isChosen?: boolean) => void;
  id: string;
  'aria-describedby'?: string;
  'aria-invalid'?: boolean;
  'aria-required'?: boolean;
}

/** The control of a single value: a finder, a list of choices, a date picker, a text field. */
export function Control({ values, ...props }: ControlProps & { values: Record<string, unknown> }) {
  const { shape, value, onChange, ...input } = props;
  const finder = useOpenFinder(shape.finder);
  if (finder) return <Combobox {...props} finder={finder} values={values} />;
  const text = isBlank(value) ? '' : String(value);
  const put = (changed: string) => onChange(changed === '' ? undefined : changed);
  switch (shape.kind) {
    case 'choice':
      return <Select {...props} choices={shape.choices.map(([name, description]) => [name, described(name, description)])} />;
    case 'yes-no':
      return <YesNo {...props} />;
    case 'check':
      return <input {...input} type="checkbox" checked={(value ?? shape.defaultValue) === true} onChange={(event) => onChange(event.target.checked)} />;
    case 'number':
      return <input {...input} type="number" inputMode="numeric" min={shape.least} max={shape.most} value={text} onChange={(event) => onChange(event.target.value === '' ? undefined : Number(event.target.value))} />;
    case 'time':
      return <input {...input} type="datetime-local" value={text === '' ? '' : localOf(text)} onChange={(event) => put(timeOf(event.target.value))} />;
    case 'day':
      return <input {...input} type="date" value={text} onChange={(event) => put(event.target.value)} />;
    case 'lines':
      return <textarea {...input} rows={(shape.max ?? 0) > 5000 ? 10 : 3} value={text} onChange={(event) => put(event.target.value)} />;
    case 'texts':
      return <Texts {...props} />;
    case 'json':
      return <Json {...props} />;
    default:
      return <input {...input} type="text" autoComplete="off" value={text} onChange={(event) => put(event.target.value)} />;
  }
}

/** `UNDER_REVIEW` becomes "Under review", followed by the first sentence of its description. */
function described(name: string, description: string): string {
  const words = name.replaceAll('_', ' ').toLowerCase();
  const title = words.charAt(0).toUpperCase() + words.slice(1);
  const [sentence] = description.replace(/\s+/g, ' ').split(/(?<=\.) /);
  return sentence ? `${title}: ${sentence.replaceAll('`', '')}` : title;
}

function Select({ shape, value, onChange, choices, ...input }: ControlProps & { choices: [string, string][] }) {
  return (
    <select {...input} value={isBlank(value) ? '' : String(value)} onChange={(event) => onChange(event.target.value === '' ? undefined : event.target.value)}>
      <option value="">{shape.isRequired ? 'Choose…' : 'Not set'}</option>
      {choices.map(([name, label]) => (
        <option key={name} value={name}>
          {label}
        </option>
      ))}
    </select>
  );
}

/** An optional yes or no, which differs from no. */
function YesNo({ value, onChange, ...props }: ControlProps) {
  const choices: [string, string][] = [['true', 'Yes'], ['false', 'No']];
  return <Select {...props} choices={choices} value={value} onChange={(chosen) => onChange(chosen === undefined ? undefined : chosen === 'true')} />;
}

/** A list of texts, one per line. */
function Texts({ shape: _shape, value, onChange, ...input }: ControlProps) {
  const lines = Array.isArray(value) ? value.map(String).join('\n') : '';
  return <Kept {...input} text={lines} rows={3} onText={(text) => (onChange(text.split('\n').map((line) => line.trim()).filter(Boolean)), true)} />;
}

/** A value of any type, as JSON. */
function Json({ shape: _shape, value, onChange, ...input }: ControlProps) {
  const text = value === undefined ? '' : JSON.stringify(value, null, 2);
  function put(typed: string): boolean {
    try {
      onChange(typed.trim() === '' ? undefined : JSON.parse(typed));
      return true;
    } catch {
      return false;
    }
  }
  return <Kept {...input} text={text} rows={3} spellCheck={false} onText={put} />;
}

/** A text area that keeps the typed text, because its value cannot express an unfinished one. */
function Kept({ text, onText, ...input }: { text: string; rows: number; id: string; spellCheck?: boolean; 'aria-invalid'?: boolean; onText: (text: string) => boolean }) {
  const [typed, setTyped] = useState(text);
  const [isWrong, setIsWrong] = useState(false);
  const [isFocused, setIsFocused] = useState(false);
  useEffect(() => {
    if (!isFocused) setTyped(text);
  }, [text, isFocused]);
  return (
    <textarea
      {...input}
      aria-invalid={isWrong || input['aria-invalid']}
      value={typed}
      onFocus={() => setIsFocused(true)}
      onBlur={() => setIsFocused(isWrong)}
      onChange={(event) => {
        setTyped(event.target.value);
        setIsWrong(!onText(event.target.value));
      }}
    />
  );
}
