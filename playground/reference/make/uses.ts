// Finds the schemas and fields that an operation accepts and returns.
import { nameOf, type Contract, type Operation, type Schema } from './contract';
import { fieldNames } from './schema';

export interface Uses {
  asked: Set<string>;
  answered: Set<string>;
  schemas: Set<string>;
}

/** Returns the parameters and body fields, the response fields (without problem documents), and the schemas that they use. */
export function usesOf(contract: Contract, operation: Operation): Uses {
  const uses: Uses = { asked: new Set(operation.parameters.map((parameter) => parameter.name)), answered: new Set(), schemas: new Set() };
  for (const media of Object.values(operation.body?.content ?? {})) if (media.schema) note(contract, media.schema, uses.asked, uses.schemas);
  for (const [status, answer] of operation.answers) {
    if (Number(status) >= 400) continue;
    for (const media of Object.values(answer.content ?? {})) if (media.schema) note(contract, media.schema, uses.answered, uses.schemas);
  }
  for (const parameter of operation.parameters) namesIn(contract, parameter.schema, uses.schemas);
  return uses;
}

function note(contract: Contract, schema: Schema, fields: Set<string>, schemas: Set<string>): void {
  fieldNames(contract, schema, fields);
  namesIn(contract, schema, schemas);
}

function namesIn(contract: Contract, schema: Schema, into: Set<string>): void {
  const name = nameOf(schema);
  if (name && into.has(name)) return;
  if (name) into.add(name);
  const whole = contract.resolve(schema);
  const below = [...Object.values(whole.properties ?? {}), whole.items, typeof whole.additionalProperties === 'object' ? whole.additionalProperties : undefined, whole.propertyNames, ...(whole.oneOf ?? []), ...(whole.anyOf ?? []), ...(whole.allOf ?? [])];
  for (const one of below) if (one) namesIn(contract, one, into);
}
