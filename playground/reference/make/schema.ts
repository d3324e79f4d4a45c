// Renders a schema as a readable tree of fields.
import { html, type Html, type Part } from './html';
import { nameOf, withoutNull, type Contract, type Schema } from './contract';
import type { Markdown } from './markdown';

/** Whether the reader sends or receives the fields. A sender needs to know which fields are required. */
export type Side = 'sent' | 'received';

/** Longer patterns are omitted, because they are not readable. */
const LONGEST_PATTERN = 60;
/** Number of nested levels that a page shows. Deeper fields are on the page of their schema. */
const DEEPEST = 4;

export interface Reader {
  contract: Contract;
  markdown: Markdown;
}

/** The type of a value in a few words, with a link if the schema has a name. */
export function typeOf(reader: Reader, schema: Schema): Html {
  const { schema: meant, nullable } = withoutNull(schema);
  return html`${bareType(reader, meant)}${nullable && ' or null'}`;
}

function bareType(reader: Reader, meant: Schema): Html {
  const name = nameOf(meant);
  const whole = reader.contract.resolve(meant);
  const own = withoutNull(whole);
  if (own.nullable) return typeOf(reader, whole);
  if (name && (whole.properties || whole.enum || whole.oneOf)) return html`<a href="/reference#/schemas/${name}">${name}</a>`;
  if (whole.type === 'array') return html`array of ${whole.items ? typeOf(reader, whole.items) : 'any value'}`;
  const choices = whole.oneOf ?? whole.anyOf;
  if (choices) return html`${choices.map((choice, at) => html`${at > 0 && ' or '}${typeOf(reader, choice)}`)}`;
  const type = Array.isArray(whole.type) ? whole.type.join(' or ') : (whole.type ?? (whole.properties || whole.allOf ? 'object' : 'any value'));
  const simple = name && name !== 'Uuid' && name !== 'Time' ? html` <a href="/reference#/schemas/${name}">${name}</a>` : '';
  return html`${type}${whole.format && ` (${whole.format})`}${simple}`;
}

/** The limits of a value, each in a few words. */
export function limitsOf(schema: Schema): string[] {
  const said = [
    between(schema.minLength, schema.maxLength, 'characters'),
    between(schema.minimum, schema.maximum, ''),
    between(schema.minItems, schema.maxItems, 'items'),
    between(schema.minProperties, schema.maxProperties, 'members'),
    schema.uniqueItems ? 'unique' : '',
    schema.default === undefined ? '' : `default ${JSON.stringify(schema.default)}`,
  ];
  return said.filter((words) => words !== '');
}

function between(least: number | undefined, most: number | undefined, of: string): string {
  const written = (bound: number) => bound.toLocaleString('en-US');
  const words = least !== undefined && most !== undefined ? (least === most ? `${written(least)}` : `${written(least)} to ${written(most)}`)
    : most !== undefined ? `at most ${written(most)}` : least !== undefined ? `at least ${written(least)}` : '';
  return words && of ? `${words} ${of}` : words;
}

/** Limits, pattern and allowed values of a schema. */
export function detailsOf(reader: Reader, schema: Schema): Html {
  const whole = reader.contract.resolve(withoutNull(schema).schema);
  const inner = whole.type === 'array' && whole.items ? reader.contract.resolve(whole.items) : whole;
  const limits = limitsOf(whole);
  return html`${limits.length > 0 && html`<p class="limits">${limits.join(' · ')}</p>`}${
    whole.pattern && whole.pattern.length <= LONGEST_PATTERN && html`<p class="limits">matches <code>${whole.pattern}</code></p>`}${
    inner.enum && !isTold(inner) && html`<p class="limits">one of ${inner.enum.map((value, at) => html`${at > 0 && ', '}<code>${String(value)}</code>`)}</p>`}`;
}

/** Returns whether the description already contains every allowed value. */
function isTold({ enum: values, description }: Schema): boolean {
  return values?.every((value) => description?.includes(`\`${value}\``)) === true;
}

/** The fields of a schema, with nested fields in `<details>`. Null if the schema has no fields. */
export function fieldsOf(reader: Reader, schema: Schema, side: Side, seen: string[] = []): Html | null {
  const { schema: meant } = withoutNull(schema);
  const name = nameOf(meant);
  if (name && seen.includes(name)) return null;
  const whole = reader.contract.resolve(meant);
  const path = name ? [...seen, name] : seen;
  if (whole.type === 'array' && whole.items) return fieldsOf(reader, whole.items, side, path);
  const choices = whole.oneOf ?? whole.anyOf;
  if (choices) return choicesOf(reader, choices, side, path);
  const parts = (whole.allOf ?? []).map((part) => reader.contract.resolve(part));
  const properties = Object.assign({}, ...parts.map((part) => part.properties ?? {}), whole.properties ?? {}) as Record<string, Schema>;
  const required = [whole, ...parts].flatMap((part) => part.required ?? []);
  const items = Object.entries(properties).map(([field, of]) => fieldOf(reader, field, of, markOf(side, required.includes(field)), side, path));
  const more = typeof whole.additionalProperties === 'object' ? fieldOf(reader, 'any other name', whole.additionalProperties, null, side, path) : null;
  return items.length > 0 || more ? html`<ul class="fields">${items}${more}</ul>` : null;
}

function choicesOf(reader: Reader, choices: Schema[], side: Side, path: string[]): Html | null {
  const each = choices.map((choice) => ({ choice, fields: fieldsOf(reader, choice, side, path) })).filter(({ fields }) => fields !== null);
  if (each.length <= 1) return each[0]?.fields ?? null;
  return html`<ul class="fields">${each.map(({ choice, fields }) => html`<li><p>Either ${typeOf(reader, choice)}</p>${fields}</li>`)}</ul>`;
}

function markOf(side: Side, required: boolean): Html | null {
  if (side === 'sent') return required ? html` <span class="required">required</span>` : null;
  return required ? null : html` <span class="since">not always present</span>`;
}

function fieldOf(reader: Reader, name: string, schema: Schema, mark: Html | null, side: Side, path: string[]): Html {
  const whole = reader.contract.resolve(withoutNull(schema).schema);
  const inner = path.length < DEEPEST ? fieldsOf(reader, schema, side, path) : null;
  const marks: Part[] = [
    mark,
    (schema.deprecated ?? whole.deprecated) && html` <span class="deprecated">deprecated</span>`,
    whole['x-since'] && html` <span class="since">since ${whole['x-since']}</span>`,
  ];
  return html`<li><p class="field"><code class="name">${name}</code> <span class="type">${typeOf(reader, schema)}</span>${marks}</p>${
    whole.description && html`<div class="about">${reader.markdown.block(whole.description)}</div>`}${detailsOf(reader, schema)}${
    inner && html`<details><summary>Fields of <code>${name}</code></summary>${inner}</details>`}</li>
`;
}

/** Returns the names of all fields of a schema, including nested fields. */
export function fieldNames(contract: Contract, schema: Schema, into = new Set<string>(), seen = new Set<string>()): Set<string> {
  const name = nameOf(schema);
  if (name && seen.has(name)) return into;
  if (name) seen.add(name);
  const whole = contract.resolve(schema);
  for (const [field, of] of Object.entries(whole.properties ?? {})) {
    into.add(field);
    fieldNames(contract, of, into, seen);
  }
  const below = [whole.items, typeof whole.additionalProperties === 'object' ? whole.additionalProperties : undefined, ...(whole.oneOf ?? []), ...(whole.anyOf ?? []), ...(whole.allOf ?? [])];
  for (const one of below) if (one) fieldNames(contract, one, into, seen);
  return into;
}
