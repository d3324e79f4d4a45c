// Language-independent plan of a sample: the request that it sends and how it uses the response.
import { examplesOf, type Contract, type Media, type Operation, type Parameter } from '../contract';

/** A value in a sample: a literal or the name of an environment variable. */
export type Value = { text: string } | { env: string };
export type Part = { name: string; value: Value } | { name: string; file: string; type: string };

export type PlannedBody =
  | { kind: 'json'; type: string; value: unknown }
  | { kind: 'form'; fields: { name: string; value: Value }[] }
  | { kind: 'parts'; parts: Part[] }
  | { kind: 'bytes'; file: string; type: string };

export interface Plan {
  method: string;
  /** Contains `{names}` of parameters. */
  path: string;
  values: { name: string; value: string }[];
  /** Query string with its question mark, or empty. */
  query: string;
  auth: 'bearer' | 'cookie' | 'none';
  /** Whether the sample sends a new `Idempotency-Key`. */
  isKeyed: boolean;
  /** Whether the sample first reads the resource, to send its `ETag` as `If-Match`. */
  readsFirst: boolean;
  body: PlannedBody | null;
  answer: 'json' | 'text' | 'file' | 'nothing';
}

/** Environment variables for values that must not be in a sample. */
const SECRETS: Record<string, string> = { client_id: 'LABS_CLIENT_ID', client_secret: 'LABS_CLIENT_SECRET', token: 'LABS_TOKEN' };
const TEXTS = /^(text\/|application\/(yaml|atom\+xml|x-ndjson))/;
/** Optional query parameters that samples show. */
const SHOWN = ['limit'];

export function planOf(contract: Contract, operation: Operation): Plan {
  const { method, path, parameters } = operation;
  const has = (name: string) => parameters.some((parameter) => parameter.name === name);
  const readable = contract.operations.some((other) => other.method === 'GET' && other.path === path);
  return {
    method,
    path,
    values: parameters.filter((one) => one.in === 'path').map(({ name, example }) => ({ name, value: String(example) })),
    query: queryOf(parameters.filter((one) => one.in === 'query' && (one.required || SHOWN.includes(one.name)))),
    auth: operation.access === 'cookie' ? 'cookie' : operation.access === 'scope' || operation.access === 'any' ? 'bearer' : 'none',
    isKeyed: has('Idempotency-Key'),
    readsFirst: has('If-Match') && method !== 'GET' && readable,
    body: operation.body ? bodyOf(contract, operation.body.content) : null,
    answer: answerOf(operation),
  };
}

function queryOf(parameters: Parameter[]): string {
  const query = new URLSearchParams();
  for (const { name, example } of parameters) for (const value of [example].flat()) query.append(name, String(value));
  return query.size > 0 ? `?${query}` : '';
}

function bodyOf(contract: Contract, content: Record<string, Media>): PlannedBody | null {
  const [type, media] = Object.entries(content)[0] ?? [];
  if (!type || !media) return null;
  const value = examplesOf(media)[0]?.value ?? {};
  if (type.includes('json')) return { kind: 'json', type, value };
  if (type === 'application/octet-stream') return { kind: 'bytes', type, file: fileIn(value) };
  const fields = Object.entries(value as Record<string, unknown>);
  if (type !== 'multipart/form-data') return { kind: 'form', fields: fields.map(([name, one]) => ({ name, value: valueOf(name, one) })) };
  const properties = contract.resolve(media.schema ?? {}).properties ?? {};
  const parts = fields.map(([name, one]): Part => {
    if (properties[name]?.format !== 'binary') return { name, value: valueOf(name, one) };
    return { name, file: fileIn(one), type: media.encoding?.[name]?.contentType?.split(',')[0] ?? 'application/octet-stream' };
  });
  return { kind: 'parts', parts };
}

function valueOf(name: string, value: unknown): Value {
  const env = SECRETS[name];
  return env ? { env } : { text: String(value) };
}

/** Returns the file name in an example such as "(the bytes of icon.png)". */
function fileIn(example: unknown): string {
  return /the bytes of ([\w.-]+)/.exec(String(example))?.[1] ?? 'file.bin';
}

function answerOf({ answers }: Operation): Plan['answer'] {
  const types = Object.keys(answers.find(([status]) => status.startsWith('2'))?.[1].content ?? {});
  if (types.length === 0) return 'nothing';
  if (types.every((type) => type.endsWith('json') && !type.includes('ndjson'))) return 'json';
  return types.every((type) => TEXTS.test(type)) ? 'text' : 'file';
}
