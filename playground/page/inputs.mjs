// A Vite plugin that provides the page with the arguments of the root fields of staff: types, descriptions, and limits.
// The schema has no limits, and not every staff member may read it. The limits come from the contract: a root field has
// the name of its operation, and its argument `body` has the fields of the request body.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { buildASTSchema, getNamedType, isEnumType, isInputObjectType, parse, print, typeFromAST } from 'graphql';
import { parse as parseYaml } from 'yaml';

const SCHEMA = fileURLToPath(new URL('../../schema/schema.graphql', import.meta.url));
const CONTRACT = fileURLToPath(new URL('../../contract/openapi.yaml', import.meta.url));
const MODULE = 'virtual:inputs';

/** Provides the module `virtual:inputs`. Its default export is the result of `inputsOf`. */
export function inputsPlugin() {
  const made = () => inputsOf(readFileSync(SCHEMA, 'utf8'), readFileSync(CONTRACT, 'utf8'));
  return {
    name: 'inputs',
    resolveId: (id) => (id === MODULE ? `\0${MODULE}` : undefined),
    load: (id) => (id === `\0${MODULE}` ? `export default ${JSON.stringify(made())}` : undefined),
  };
}

/**
 * `arguments`: the arguments of each root field of staff, as `{ <root>: { <argument>: input } }`.
 * `inputs`: the fields of each input object that an argument contains.
 * `enums`: the values of each enumeration with their descriptions.
 * `bodies`: descriptions of body fields that the contract words differently for one operation, for example who can read a
 * reason, as `{ <root>: { <field>: description } }`.
 * An input is `{ type, description, min?, max?, least?, most?, lines? }`: limits of a text's length and of a number, and
 * whether a text may have several lines.
 */
export function inputsOf(sdl, contract) {
  const document = parse(sdl, { noLocation: true });
  const schema = buildASTSchema(document, { assumeValidSDL: true });
  const rest = restOf(parseYaml(contract));
  const found = { arguments: {}, inputs: {}, enums: {}, bodies: {} };
  for (const { name, fields } of document.definitions) {
    if (name?.value !== 'Query' && name?.value !== 'Mutation') continue;
    for (const field of fields.filter(isOfStaff)) {
      const operation = rest.operations.get(field.name.value);
      found.arguments[field.name.value] = Object.fromEntries(field.arguments.map(({ name: { value }, type, description }) => {
        const limits = rest.resolve(value === 'body' ? operation?.body : operation?.parameters.get(value));
        const inner = getNamedType(typeFromAST(schema, type));
        collect(found, rest, inner, value === 'filter' ? operation?.filter : limits);
        const own = value === 'body' ? ownDescriptions(found.inputs[inner.name], rest, limits) : {};
        if (Object.keys(own).length > 0) found.bodies[field.name.value] = own;
        return [value, inputOf(print(type), description?.value, limits)];
      }));
    }
  }
  return found;
}

/** Whether a root field requires a scope of staff. */
function isOfStaff({ directives }) {
  const access = directives.find(({ name }) => name.value === 'access');
  return access?.arguments[0].value.value.startsWith('labs.admin') ?? false;
}

/** Adds an input object or an enumeration, with everything below it. `limits` is the schema of the contract for it. */
function collect(found, rest, type, limits) {
  if (isEnumType(type)) found.enums[type.name] ??= type.getValues().map(({ name, description }) => [name, description ?? '']);
  if (!isInputObjectType(type) || found.inputs[type.name]) return;
  const fields = (found.inputs[type.name] = {});
  for (const field of Object.values(type.getFields())) {
    const inner = rest.resolve(limits?.properties?.[field.name]);
    fields[field.name] = inputOf(String(field.type), field.description, inner);
    collect(found, rest, getNamedType(field.type), inner?.items ? rest.resolve(inner.items) : inner);
  }
}

/** Returns the descriptions that the contract words differently. It skips lists of enumerated values, which the form shows anyway. */
function ownDescriptions(fields, rest, limits) {
  const own = Object.entries(fields ?? {}).map(([name, { description }]) => [name, description, plain(rest.resolve(limits?.properties?.[name])?.description)]);
  return Object.fromEntries(own.filter(([, shared, here]) => here && here !== shared && !here.includes(' - `')).map(([name, , here]) => [name, here]));
}

function plain(text) {
  return text?.replace(/\s+/g, ' ').trim();
}

function inputOf(type, description, limits = {}) {
  const of = limits.items ?? limits;
  const entries = Object.entries({
    type,
    description: plain(description),
    min: of.minLength,
    max: of.maxLength,
    least: of.minimum,
    most: of.maximum,
    lines: of['x-text'] === 'lines' || of['x-text'] === 'text' || undefined,
  });
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}

/** The operations of the contract by their id, with the schema of the body, of the parameters, and of all filters. */
function restOf(contract) {
  const referenced = (value) => value.$ref.slice(2).split('/').reduce((at, key) => at?.[key], contract);
  const resolve = (value) => {
    if (!value) return undefined;
    if (value.$ref) return { ...resolve(referenced(value)), ...without(value, '$ref') };
    const parts = value.allOf ?? (value.oneOf ?? value.anyOf)?.filter(({ type }) => type !== 'null').slice(0, 1);
    if (!parts) return value;
    const [first, ...others] = parts.map(resolve);
    return { ...first, ...Object.assign({}, ...others), ...value, properties: Object.assign({}, ...[first, ...others, value].map((one) => one?.properties)) };
  };
  const operations = new Map();
  for (const path of Object.values(contract.paths)) {
    for (const operation of Object.values(path)) {
      if (!operation?.operationId) continue;
      const parameters = new Map((operation.parameters ?? []).map((one) => (one.$ref ? referenced(one) : one)).map(({ name, schema }) => [name, schema]));
      const content = operation.requestBody?.content ?? {};
      const body = Object.entries(content).find(([type]) => type.includes('json'))?.[1].schema;
      operations.set(operation.operationId, { parameters, body, filter: { properties: Object.fromEntries(parameters) } });
    }
  }
  return { operations, resolve };
}

function without(value, key) {
  return Object.fromEntries(Object.entries(value).filter(([name]) => name !== key));
}
