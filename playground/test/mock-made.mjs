// Two parts of the mock that follow from schema and contract: values for fields that the mock has no data for, and the
// limits of the fields of a request body.
import { readFileSync } from 'node:fs';
import { defaultFieldResolver, getNamedType, isEnumType, isListType, isNonNullType, isScalarType, valueFromAST } from 'graphql';
import { inputsOf } from '../page/inputs.mjs';

const read = (path) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
const SCALARS = { Time: '2026-11-20T09:00:00Z', Day: '2026-11-20', Int: 3, Float: 0.5, Boolean: true, String: 'Sample', JSON: { en: 'Sample' } };

/** Resolves a field as usual. If the mock has no value for a field, it gets a value of its type. */
export function madeFieldResolver(source, args, context, info) {
  const value = defaultFieldResolver(source, args, context, info);
  return value === undefined ? made(info.returnType, info.fieldName, source?.nth ?? 0) : value;
}

/** A list has two entries, whose ids differ. */
function made(type, name, nth) {
  if (isNonNullType(type)) return made(type.ofType, name, nth);
  if (isListType(type)) return name === 'allowed_actions' ? [] : [made(type.ofType, name, 0), made(type.ofType, name, 1)];
  const named = getNamedType(type);
  if (isEnumType(named)) return named.getValues()[0].value;
  if (!isScalarType(named)) return { nth };
  if (name === 'next_cursor') return null;
  if (name === 'has_more') return false;
  if (name.endsWith('_html')) return '<h2>Sample</h2><p>A <strong>text</strong> with a <a href="https://labs.example">link</a>.</p>';
  return named.name === 'UUID' ? `0193a4c0-0000-7000-8000-00000000000${nth}` : SCALARS[named.name];
}

let inputs;

/** Returns an error for each text of a body that is shorter or longer than the contract allows. */
export function brokenLimits(document, schema, variables) {
  inputs ??= inputsOf(read('schema/schema.graphql'), read('contract/openapi.yaml'));
  const operations = document.definitions.filter(({ kind }) => kind === 'OperationDefinition');
  return operations.flatMap(({ operation, selectionSet }) => selectionSet.selections.flatMap((field) => {
    const type = (operation === 'mutation' ? schema.getMutationType() : schema.getQueryType()).getFields()[field.name.value];
    const argument = type?.args.find(({ name }) => name === 'body');
    const given = field.arguments?.find(({ name }) => name.value === 'body');
    const body = argument && given && valueFromAST(given.value, argument.type, variables);
    return body ? faultsIn(getNamedType(argument.type).name, body, '') : [];
  }));
}

function faultsIn(type, value, pointer) {
  return Object.entries(inputs.inputs[type] ?? {}).flatMap(([name, { type: inner, min, max }]) => {
    const at = `${pointer}/${name}`;
    const given = value?.[name];
    if (typeof given === 'string' && ((min && given.length < min) || (max && given.length > max))) {
      return [{ pointer: at, code: 'LENGTH', message: `Send ${min ?? 0} to ${max} characters.` }];
    }
    const named = inner.replace(/[[\]!]/g, '');
    if (Array.isArray(given)) return given.flatMap((one, index) => faultsIn(named, one, `${at}/${index}`));
    return given && typeof given === 'object' ? faultsIn(named, given, at) : [];
  });
}
