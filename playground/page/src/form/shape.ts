import inputs from 'virtual:inputs';
import { FINDERS, type Finder } from '../finders';
import { declaredBy, type Declared, type Path, type Use } from './uses';

/** An argument of a root field, or a field of an input object. `../../inputs.mjs` reads them from schema and contract. */
export interface Input {
  type: string;
  description?: string;
  /** Limits of a text's length in characters. */
  min?: number;
  max?: number;
  /** Limits of a number. */
  least?: number;
  most?: number;
  /** Whether a text may have several lines. */
  lines?: boolean;
}

export interface Inputs {
  arguments: Record<string, Record<string, Input>>;
  inputs: Record<string, Record<string, Input>>;
  enums: Record<string, [string, string][]>;
  bodies: Record<string, Record<string, string>>;
}

/** Options of a field in a saved query, which the schema cannot express: `# field: text_uuid {"fill": true}`. */
export interface FieldOptions {
  label?: string;
  hint?: string;
  /** Name of the finder, if it is not the name of the variable. */
  finder?: string;
  /** Whether the form fills in the first result of the finder. */
  fill?: boolean;
  /** Name of the field whose label the finder searches for first. Its value is not offered. */
  like?: string;
  /** Whether the user is the initial value. */
  me?: boolean;
  /** For a time: the initial value in days from now. */
  days?: number;
  /** For a list of objects: the field by which several entries can be picked at once. */
  pick?: string;
  /** For picked entries: the field that gets the value whose title occurs in the picked one. */
  suggest?: string;
}

export type Kind = 'text' | 'lines' | 'choice' | 'choices' | 'yes-no' | 'check' | 'number' | 'time' | 'day' | 'texts' | 'list' | 'group' | 'json';

/** A field of the form. */
export interface Shape extends Input {
  name: string;
  label: string;
  kind: Kind;
  isRequired: boolean;
  defaultValue?: unknown;
  options: FieldOptions;
  /** Values of an enumeration with their descriptions. */
  choices: [string, string][];
  finder?: Finder;
  /** Fields of an input object, or of the entries of a list. */
  fields: Shape[];
  /** Entries of a list. */
  entry?: Shape;
}

/** Returns the fields of the form for a query. The cursor is not a field: a button turns the page. */
export function shapesOf(text: string, options: Record<string, FieldOptions> = {}, operationName?: string): Shape[] {
  return declaredBy(text, operationName)
    .filter(({ name }) => name !== 'cursor')
    .map((declared) => shapeOfVariable(declared, options));
}

function shapeOfVariable({ name, type, defaultValue, uses }: Declared, options: Record<string, FieldOptions>): Shape {
  const input = uses.map(inputAt).find((one) => one !== undefined);
  return shapeOf(name, { ...input, type }, options, defaultValue);
}

/** Returns what schema and contract state about the place of a use. */
function inputAt({ root, path }: Use): Input | undefined {
  const [argument, ...below] = path;
  let input = inputs.arguments[root]?.[String(argument)];
  for (const key of below) if (typeof key === 'string') input = input && inputs.inputs[namedType(input.type)]?.[key];
  const own = argument === 'body' && below.length === 1 ? inputs.bodies[root]?.[String(below[0])] : undefined;
  return input && own ? { ...input, description: own } : input;
}

function shapeOf(name: string, input: Input, all: Record<string, FieldOptions>, defaultValue?: unknown): Shape {
  const options = all[name] ?? {};
  const { type } = input;
  const isRequired = type.endsWith('!') && defaultValue === undefined;
  const finder = FINDERS.get(options.finder ?? name);
  const named = namedType(type);
  const shape: Shape = {
    ...input,
    description: options.hint ?? input.description,
    name,
    label: options.label ?? labelOf(name),
    kind: kindOf(input, defaultValue, finder !== undefined),
    isRequired,
    defaultValue,
    options,
    choices: inputs.enums[named] ?? [],
    finder,
    fields: Object.entries(inputs.inputs[named] ?? {}).map(([field, inner]) => shapeOf(field, inner, all)),
  };
  if (shape.kind === 'list') shape.entry = shapeOf(name, { ...input, type: entryType(type) }, all);
  return shape;
}

/** Types whose values have separate controls in a list. Texts are the lines of one control instead. */
const LISTED = ['Day', 'Time', 'Int', 'UUID'];

function kindOf({ type, max = 0, lines }: Input, defaultValue: unknown, isFound: boolean): Kind {
  const named = namedType(type);
  if (isList(type)) {
    if (named in inputs.inputs || isFound || LISTED.includes(named)) return 'list';
    return named in inputs.enums ? 'choices' : named === 'String' ? 'texts' : 'json';
  }
  if (named in inputs.inputs) return 'group';
  if (named in inputs.enums) return 'choice';
  switch (named) {
    case 'Boolean':
      return defaultValue !== undefined || type.endsWith('!') ? 'check' : 'yes-no';
    case 'Int':
    case 'Float':
      return 'number';
    case 'Time':
      return 'time';
    case 'Day':
      return 'day';
    case 'JSON':
      return 'json';
    default:
      return lines && max > 120 ? 'lines' : 'text';
  }
}

/** `[FindingInput!]!` has the named type `FindingInput`. */
function namedType(type: string): string {
  return type.replace(/[[\]!]/g, '');
}

function isList(type: string): boolean {
  return type.startsWith('[');
}

function entryType(type: string): string {
  return type.replace(/^\[|\]!?$/g, '');
}

/** Labels of names that do not explain themselves. */
const LABELS: Record<string, string> = {
  at: 'Effective at',
  block_uuid: 'Sign-in block',
  client_uuid: 'Machine client',
  denial_uuid: 'Network denial',
  into_uuid: 'Merge into',
  item_uuid: 'Publication item',
  limit: 'Entries per page',
  message_uuid: 'Mail message',
  q: 'Search',
  review_uuid: 'Customer review',
  staff_uuid: 'Staff member',
  where: 'Place',
};

/** `feature_request_uuid` becomes "Feature request". */
export function labelOf(name: string): string {
  const words = name.replace(/_(uuid|code)$/, '').replaceAll('_', ' ');
  return LABELS[name] ?? words.charAt(0).toUpperCase() + words.slice(1);
}

/** Returns the required fields without a value, each with its path. Fields of entries count too. */
export function missingFields(shapes: Shape[], values: Record<string, unknown>, isBlank: (value: unknown) => boolean, above: Path = []): Path[] {
  return shapes.flatMap((shape) => {
    const value = values[shape.name];
    const path = [...above, shape.name];
    if (shape.isRequired && isBlank(value)) return [path];
    const entries = shape.kind === 'list' && Array.isArray(value) ? value : shape.kind === 'group' && value ? [value] : [];
    const at = (index: number) => (shape.kind === 'list' ? [...path, index] : path);
    return entries.flatMap((entry, index) =>
      typeof entry === 'object' && entry !== null ? missingFields(shape.fields, entry, isBlank, at(index)) : shape.isRequired && isBlank(entry) ? [at(index)] : [],
    );
  });
}
