// The contract as the reference uses it: operations in file order, with resolved references.
import { parse } from 'yaml';

export interface Schema {
  $ref?: string;
  type?: string | string[];
  format?: string;
  description?: string;
  deprecated?: boolean;
  enum?: unknown[];
  default?: unknown;
  examples?: unknown[];
  pattern?: string;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  minItems?: number;
  maxItems?: number;
  minProperties?: number;
  maxProperties?: number;
  uniqueItems?: boolean;
  required?: string[];
  properties?: Record<string, Schema>;
  additionalProperties?: boolean | Schema;
  propertyNames?: Schema;
  items?: Schema;
  oneOf?: Schema[];
  anyOf?: Schema[];
  allOf?: Schema[];
  'x-since'?: string;
}

export interface Example {
  summary?: string;
  value: unknown;
}

export interface Media {
  schema?: Schema;
  example?: unknown;
  examples?: Record<string, Example>;
  encoding?: Record<string, { contentType?: string }>;
}

export interface Parameter {
  name: string;
  in: 'query' | 'path' | 'header';
  description: string;
  required?: boolean;
  deprecated?: boolean;
  schema: Schema;
  example?: unknown;
  'x-since'?: string;
}

export interface Answer {
  description: string;
  headers?: Record<string, { description: string; example?: unknown }>;
  content?: Record<string, Media>;
  'x-codes'?: string[];
  /** Whether many operations share it, so that it says nothing about this one in particular. */
  isShared?: boolean;
}

export interface Body {
  required?: boolean;
  content: Record<string, Media>;
}

export type Audience = 'partner' | 'storefront' | 'staff' | 'public';
export type Access = 'scope' | 'any' | 'none' | 'cookie' | 'client';

export interface Operation {
  id: string;
  method: string;
  path: string;
  group: string;
  resource: string;
  title: string;
  description: string;
  since: string;
  deprecated: boolean;
  access: Access;
  scope: string | null;
  audience: Audience;
  parameters: Parameter[];
  body: Body | null;
  answers: [status: string, answer: Answer][];
  /** Every code that one of its answers can bear, in the order of the statuses. */
  codes: string[];
  /** Whether it has a tight budget of its own, beside that of the caller. */
  hasOwnBudget: boolean;
  /** Whether a browser is given or relieved of the refresh cookie by it, or sends it. */
  usesCookie: boolean;
  /** Whether its answer must never be kept, as it shows a secret. */
  isNeverStored: boolean;
}

export interface Contract {
  version: string;
  summary: string;
  description: string;
  groups: { name: string; description: string }[];
  operations: Operation[];
  scopes: Record<string, string>;
  schemas: Record<string, Schema>;
  codes: string[];
  resolve: <T extends object>(node: T) => T;
}

interface Raw {
  [name: string]: any;
}

const METHODS = ['get', 'put', 'post', 'patch', 'delete'];

/** Reads the contract's text. */
export function readContract(text: string): Contract {
  const document: Raw = parse(text, { maxAliasCount: -1 });
  const resolve = resolver(document);
  const operations = Object.entries<Raw>(document.paths).flatMap(([path, item]) =>
    METHODS.filter((method) => item[method]).map((method) => operationOf(path, method, item[method], resolve)),
  );
  return {
    version: document.info.version,
    summary: document.info.summary,
    description: document.info.description,
    groups: document.tags,
    operations,
    scopes: document.components.securitySchemes.labs.flows.clientCredentials.scopes,
    schemas: document.components.schemas,
    codes: document.components.schemas.ProblemCode.enum,
    resolve,
  };
}

/** Follows a `$ref`; what stands beside it, a description for example, overrides what it leads to. */
function resolver(document: Raw): Contract['resolve'] {
  const follow = (node: Raw): Raw => {
    if (typeof node.$ref !== 'string') return node;
    const found = node.$ref.slice(2).split('/').reduce((at: Raw, key: string) => at[key], document);
    if (!found) throw new Error(`${node.$ref} leads nowhere in the contract`);
    const { $ref: _, ...beside } = node;
    return { ...follow(found), ...beside };
  };
  return follow as Contract['resolve'];
}

function operationOf(path: string, method: string, raw: Raw, resolve: Contract['resolve']): Operation {
  const scope = raw.security[0]?.labs?.[0] ?? null;
  const access = accessOf(raw, scope);
  const answers = Object.entries<Raw>(raw.responses).map(([status, answer]): [string, Answer] => [status, { ...resolved(resolve(answer) as Answer, resolve), isShared: '$ref' in answer }]);
  return {
    id: raw.operationId,
    method: method.toUpperCase(),
    path,
    group: raw.tags[0],
    resource: raw['x-resource'],
    title: raw.summary,
    description: raw.description,
    since: raw['x-since'],
    deprecated: raw.deprecated === true,
    access,
    scope,
    audience: audienceOf(access, scope),
    parameters: (raw.parameters ?? []).map((parameter: Parameter) => resolve(parameter)),
    body: raw.requestBody ? resolve(raw.requestBody) : null,
    answers,
    codes: [...new Set(answers.flatMap(([, answer]) => answer['x-codes'] ?? []))],
    hasOwnBudget: raw['x-attempts'] === true,
    usesCookie: access === 'cookie' || Object.values<Raw>(raw.responses).some((answer) => JSON.stringify(answer.headers ?? {}).includes('/Refresh-Cookie-')),
    isNeverStored: raw['x-never-stored'] === true,
  };
}

function accessOf(raw: Raw, scope: string | null): Access {
  if (raw['x-access']) return raw['x-access'];
  if (raw.security.length === 0) return 'none';
  return scope ? 'scope' : 'any';
}

/** Whose operation it is, by what its caller must bring. */
export function audienceOf(access: Access, scope: string | null): Audience {
  if (scope?.startsWith('labs.admin')) return 'staff';
  if (scope?.startsWith('storefront')) return 'storefront';
  return access === 'scope' || access === 'any' ? 'partner' : 'public';
}

/** An answer with its headers and examples in place of the references to them. */
function resolved(answer: Answer, resolve: Contract['resolve']): Answer {
  const headers = Object.fromEntries(Object.entries(answer.headers ?? {}).map(([name, header]) => [name, resolve(header)]));
  const content = Object.fromEntries(Object.entries(answer.content ?? {}).map(([type, media]) => {
    const examples = Object.entries(media.examples ?? {}).map(([name, example]) => [name, resolve(example)]);
    return [type, { ...media, ...(examples.length > 0 ? { examples: Object.fromEntries(examples) } : {}) }];
  }));
  return { ...answer, headers, content };
}

/** The examples of a body, at least one where the contract has any. */
export function examplesOf(media: Media): Example[] {
  if (media.examples) return Object.values(media.examples);
  return media.example === undefined ? [] : [{ value: media.example }];
}

/** The last part of a reference, if this is one: the schema's name. */
export function nameOf(schema: Schema): string | null {
  return schema.$ref?.split('/').pop() ?? null;
}

/** The schema that is meant where one may also be null, and whether it may. */
export function withoutNull(schema: Schema): { schema: Schema; nullable: boolean } {
  const choices = schema.oneOf ?? schema.anyOf;
  const rest = choices?.filter((choice) => choice.type !== 'null');
  if (choices && rest?.length === 1 && rest.length < choices.length) {
    const { oneOf: _o, anyOf: _a, ...beside } = schema;
    return { schema: { ...rest[0], ...beside }, nullable: true };
  }
  if (Array.isArray(schema.type) && schema.type.includes('null')) {
    const types = schema.type.filter((type) => type !== 'null');
    return { schema: { ...schema, type: types.length === 1 ? types[0] : types }, nullable: true };
  }
  return { schema, nullable: false };
}
