// The terms of docs/glossary.md, each with the names that the contract has for it.
import type { Contract } from './contract';
import { idOf } from './html';

export interface Term {
  /** The `id` of the term on the page of the glossary. */
  id: string;
  term: string;
  definition: string;
  /** Names of the contract. `*` represents any text. Names of tables, types and source files are omitted. */
  names: string[];
}

/** Reads the table of terms. Throws if a row does not have three cells. */
export function readGlossary(text: string, contract: Contract): Term[] {
  const known = [...namesOf(contract)];
  const isKnown = (name: string) => known.some((one) => (name.includes('*') ? new RegExp(`^${name.replaceAll('*', '.+')}$`).test(one) : one === name));
  const rows = text.split('\n').filter((line) => line.startsWith('| ') && !line.startsWith('| term |'));
  if (rows.length === 0) throw new Error('docs/glossary.md has no table of terms');
  return rows.map((row) => {
    const [, term = '', definition = '', names = '', ...rest] = row.split('|').map((cell) => cell.trim());
    if (!term || !definition || rest.length !== 1) throw new Error(`docs/glossary.md: a row needs three cells: ${row}`);
    return { id: idOf(term), term, definition, names: [...names.matchAll(/`([^`]+)`/g)].map(([, name]) => name ?? '').filter(isKnown) };
  });
}

/** Returns all names of operations, groups, parameters, headers, schemas and fields, and all enumerated values. */
function namesOf(contract: Contract): Set<string> {
  const names = new Set([...contract.groups.map(({ name }) => name), ...Object.keys(contract.schemas)]);
  for (const { id, parameters, answers } of contract.operations) {
    for (const name of [id, ...parameters.map((parameter) => parameter.name), ...answers.flatMap(([, answer]) => Object.keys(answer.headers ?? {}))]) names.add(name);
  }
  for (const schema of Object.values(contract.schemas)) {
    for (const [field, { enum: values = [] }] of Object.entries(schema.properties ?? {})) for (const name of [field, ...values]) names.add(String(name));
    for (const value of schema.enum ?? []) names.add(String(value));
  }
  return names;
}
