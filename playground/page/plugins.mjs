// Two Vite plugins. The first provides the page with the access rule of each root field: the schema declares it in
// directives, which introspection does not return. The second gives an editor tab without an operation a readable name.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parse, print } from 'graphql';

const SCHEMA = fileURLToPath(new URL('../../schema/schema.graphql', import.meta.url));
const MODULE = 'virtual:access';
const TABS = '@graphiql/react/dist/utility/tabs.js';
const UNTITLED = '"<untitled>"';

/** Provides the module `virtual:access`. Its default export is the result of `accessOf`. */
export function accessPlugin() {
  return {
    name: 'access',
    resolveId: (id) => (id === MODULE ? `\0${MODULE}` : undefined),
    load: (id) => (id === `\0${MODULE}` ? `export default ${JSON.stringify(accessOf(readFileSync(SCHEMA, 'utf8')))}` : undefined),
  };
}

/** Renames empty tabs. The library has their name in a constant and no option for it. */
export function untitledPlugin() {
  return {
    name: 'untitled',
    transform(code, id) {
      if (!id.replaceAll('\\', '/').endsWith(TABS)) return null;
      if (!code.includes(UNTITLED)) this.error(`${TABS} no longer contains ${UNTITLED}`);
      return code.replace(UNTITLED, '"New query"');
    },
  };
}

/**
 * `query` and `mutation`: the scope (or `public`, `any`, `cookie`, `client`) of each root field.
 * `files`: root fields that return a file.
 * `readers`: root fields that read one resource and require only its id.
 * `guarded`: edges, which require an additional scope, as `Type.field`.
 * `changes`: arguments, initial values and main fields of each staff mutation, as `changeOf` describes.
 */
export function accessOf(sdl) {
  const { definitions } = parse(sdl, { noLocation: true });
  const types = definitions.filter(({ kind }) => kind === 'ObjectTypeDefinition');
  const access = { query: {}, mutation: {}, files: [], readers: [], guarded: [], changes: {} };
  for (const { name, fields } of types) {
    const needs = { Query: access.query, Mutation: access.mutation }[name.value];
    for (const field of fields) {
      const scope = directive(field, 'access')?.arguments[0].value.value;
      if (directive(field, 'edge')) access.guarded.push(`${name.value}.${field.name.value}`);
      if (!needs || !scope) continue;
      needs[field.name.value] = scope;
      if (directive(field, 'answers_file')) access.files.push(field.name.value);
      if (name.value === 'Query') access.readers.push(...readerOf(field));
      else if (scope.startsWith('labs.admin')) access.changes[field.name.value] = changeOf(field, definitions);
    }
  }
  return access;
}

function readerOf({ name, arguments: taken }) {
  const [one, ...others] = taken.filter(({ type }) => type.kind === 'NonNullType');
  const isById = one?.type.type.name?.value === 'UUID' && others.length === 0 && name.value.endsWith('_get');
  return isById ? [{ field: name.value, variable: one.name.value }] : [];
}

/**
 * What the page needs to write a mutation that has no saved query: `takes` maps arguments to types, `starts` has initial values for
 * required members of input objects, and `gives` lists the fields of the result to select.
 */
function changeOf({ arguments: taken, type }, definitions) {
  const named = (one) => definitions.find(({ name }) => name?.value === typeNameOf(one));
  const starts = taken.flatMap(({ name, type: input }) => {
    const { kind, fields } = named(input) ?? {};
    if (kind !== 'InputObjectTypeDefinition' || input.kind !== 'NonNullType') return [];
    return [[name.value, Object.fromEntries(fields.filter((one) => one.type.kind === 'NonNullType').map((one) => [one.name.value, emptyOf(one.type.type)]))]];
  });
  const fields = named(type)?.fields?.map(({ name }) => name.value) ?? [];
  return {
    takes: Object.fromEntries(taken.map(({ name, type: input }) => [name.value, print(input)])),
    starts: Object.fromEntries(starts),
    gives: ['uuid', 'state', 'allowed_actions'].filter((field) => fields.includes(field)),
  };
}

function typeNameOf(type) {
  return type.kind === 'NamedType' ? type.name.value : typeNameOf(type.type);
}

function emptyOf(type) {
  if (type.kind === 'ListType') return [];
  return { Int: 0, Float: 0, Boolean: false }[type.name.value] ?? '';
}

function directive(field, name) {
  return field.directives.find((one) => one.name.value === name);
}
