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
  /** Whether many operations share the response, so that its description is not specific to this operation. */
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
  /** All error codes of the responses, in the order of the statuses. */
  codes: string[];
  /** Whether the operation has a separate, lower budget in addition to the caller's budget. */
  hasOwnBudget: boolean;
  /** What a call by an agent means: `x-agentic-access`. */
  agentic: string;
  /** Whether the operation sets, deletes or reads the refresh cookie. */
  usesCookie: boolean;
  /** Whether clients must not store the response, because it contains a secret. */
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

/** Parses the text of the contract. */
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

/** Resolves a `$ref`. Keys next to it, for example a description, override the keys of the target. */
function resolver(document: Raw): Contract['resolve'] {
  const follow = (node: Raw): Raw => {
    if (typeof node.$ref !== 'string') return node;
    const found = node.$ref.slice(2).split('/').reduce((at: Raw, key: string) => at[key], document);
    if (!found) throw new Error(`${node.$ref} does not exist in the contract`);
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
    agentic: raw['x-agentic-access'],
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

/** Returns the audience of an operation, based on the credential that it requires. */
export function audienceOf(access: Access, scope: string | null): Audience {
  if (scope?.startsWith('labs.admin')) return 'staff';
  if (scope?.startsWith('storefront')) return 'storefront';
  return access === 'scope' || access === 'any' ? 'partner' : 'public';
}

/** A response with resolved references to headers and examples. */
function resolved(answer: Answer, resolve: Contract['resolve']): Answer {
  const headers = Object.fromEntries(Object.entries(answer.headers ?? {}).map(([name, header]) => [name, resolve(header)]));
  const content = Object.fromEntries(Object.entries(answer.content ?? {}).map(([type, media]) => {
    const examples = Object.entries(media.examples ?? {}).map(([name, example]) => [name, resolve(example)]);
    return [type, { ...media, ...(examples.length > 0 ? { examples: Object.fromEntries(examples) } : {}) }];
  }));
  return { ...answer, headers, content };
}

/** Returns the examples of a body. */
export function examplesOf(media: Media): Example[] {
  if (media.examples) return Object.values(media.examples);
  return media.example === undefined ? [] : [{ value: media.example }];
}

/** Returns the name of the referenced schema, or null if the schema is not a reference. */
export function nameOf(schema: Schema): string | null {
  return schema.$ref?.split('/').pop() ?? null;
}

/** Returns the schema without the null alternative, and whether null is allowed. */
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
