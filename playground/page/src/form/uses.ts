import type { ArgumentNode, FieldNode, SelectionSetNode, ValueNode } from 'graphql';
import { valueFromASTUntyped } from 'graphql';
import { documentOf, isOperation } from '../operation';

/** Keys and indexes below the variables, or below the arguments of a root field. */
export type Path = (string | number)[];

/** A place where a query passes a variable to a root field. */
export interface Use {
  root: string;
  /** Name of the root field in the response. */
  alias: string;
  /** The argument, and the keys and indexes below it: `['body', 'findings', 0, 'text']`. */
  path: Path;
}

/** A variable of a query with its default value and its uses. */
export interface Declared {
  name: string;
  type: string;
  defaultValue: unknown;
  uses: Use[];
}

/** Returns the variables of an operation. Only root fields count: a variable inside a selection has no use. */
export function declaredBy(text: string, operationName?: string): Declared[] {
  const operations = documentOf(text)?.definitions.filter(isOperation) ?? [];
  const chosen = operations.find(({ name }) => operationName && name?.value === operationName) ?? operations[0];
  if (!chosen) return [];
  const uses = new Map<string, Use[]>();
  for (const field of rootFieldsOf(chosen.selectionSet)) {
    for (const argument of field.arguments ?? []) addUses(uses, field, argument);
  }
  return (chosen.variableDefinitions ?? []).map(({ variable, type, defaultValue }) => ({
    name: variable.name.value,
    type: text.slice(type.loc?.start, type.loc?.end),
    defaultValue: defaultValue && valueFromASTUntyped(defaultValue),
    uses: uses.get(variable.name.value) ?? [],
  }));
}

function rootFieldsOf({ selections }: SelectionSetNode): FieldNode[] {
  return selections.flatMap((one) => (one.kind === 'Field' ? [one] : one.kind === 'InlineFragment' ? rootFieldsOf(one.selectionSet) : []));
}

function addUses(uses: Map<string, Use[]>, { name, alias }: FieldNode, argument: ArgumentNode): void {
  walk(argument.value, [argument.name.value], (variable, path) => {
    const use = { root: name.value, alias: alias?.value ?? name.value, path };
    uses.set(variable, [...(uses.get(variable) ?? []), use]);
  });
}

function walk(value: ValueNode, path: Path, visit: (variable: string, path: Path) => void): void {
  if (value.kind === 'Variable') visit(value.name.value, path);
  if (value.kind === 'ObjectValue') for (const field of value.fields) walk(field.value, [...path, field.name.value], visit);
  if (value.kind === 'ListValue') value.values.forEach((one, index) => walk(one, [...path, index], visit));
}
