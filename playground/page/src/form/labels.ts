import { isRecord, textOf } from '../answer';
import type { Answers } from '../answers';
import type { Choice } from '../finders';

/** Fields that name a resource, in order of preference. */
const NAMES = ['app_name', 'title', 'subject', 'company_name', 'name', 'email', 'code'];

/** Labels of ids that the form has shown, in memory only. */
export class Labels {
  #known = new Map<string, string>();
  #answers: Answers;

  constructor(answers: Answers) {
    this.#answers = answers;
  }

  keep(finder: string, choices: Choice[]): void {
    for (const { value, label } of choices) this.#known.set(`${finder} ${value}`, label);
  }

  /** Returns the label of an id from a finder, or from a response of this page. */
  of(finder: string, id: string): string | undefined {
    return this.#known.get(`${finder} ${id}`) ?? this.#answers.bodies().map((body) => nameIn(body, id)).find(Boolean);
  }
}

/** Returns the name of a resource in a response: of the object with this `uuid`, or next to `<noun>_uuid`. */
export function nameIn(value: unknown, id: string): string | undefined {
  if (Array.isArray(value)) return firstOf(value, id);
  if (!isRecord(value)) return undefined;
  if (value.uuid === id) return NAMES.map((name) => textOf(value[name])).find(Boolean);
  const key = Object.keys(value).find((one) => one.endsWith('_uuid') && value[one] === id);
  const noun = key?.replace(/_uuid$/, '');
  const name = noun && (textOf(value[`${noun}_name`]) ?? (noun === 'partner' ? textOf(value.company_name) : undefined));
  return name ?? firstOf(Object.values(value), id);
}

function firstOf(values: unknown[], id: string): string | undefined {
  for (const value of values) {
    const name = nameIn(value, id);
    if (name) return name;
  }
  return undefined;
}
