import { GraphQLError, parse, print, type DefinitionNode, type DocumentNode, type OperationDefinitionNode, type SelectionSetNode } from 'graphql';

/** A root field of an operation, without its alias. */
export interface Root {
  kind: 'query' | 'mutation';
  name: string;
}

export interface Variable {
  name: string;
  /** The type as written, for example `[UUID!]!`. */
  type: string;
  isList: boolean;
  isRequired: boolean;
}

/** Properties of an operation that are known from its text. */
export interface Operation {
  kind: 'query' | 'mutation';
  name: string | undefined;
  roots: string[];
  variables: Variable[];
}

/** Returns the operation with this name, or the first one. Returns null if the text is not valid or has only fragments. */
export function operationOf(text: string, name?: string | null): Operation | null {
  const document = documentOf(text);
  if (!document) return null;
  const operations = document.definitions.filter(isOperation);
  const chosen = operations.find((one) => name && one.name?.value === name) ?? operations[0];
  if (!chosen || chosen.operation === 'subscription') return null;
  return {
    kind: chosen.operation === 'mutation' ? 'mutation' : 'query',
    name: chosen.name?.value,
    roots: [...new Set(rootsOf(document, chosen.selectionSet))],
    variables: (chosen.variableDefinitions ?? []).map(({ variable, type, defaultValue }) => ({
      name: variable.name.value,
      type: print(type),
      isList: print(type).startsWith('['),
      isRequired: type.kind === 'NonNullType' && !defaultValue,
    })),
  };
}

/** Returns the root fields of all operations by their names in the response. */
export function rootsByAlias(text: string): Map<string, string> {
  const operations = documentOf(text)?.definitions.filter(isOperation) ?? [];
  const fields = operations.flatMap(({ selectionSet }) => selectionSet.selections.filter((one) => one.kind === 'Field'));
  return new Map(fields.map(({ name, alias }) => [alias?.value ?? name.value, name.value]));
}

/** A syntax error with its position. Lines and columns start at 1. */
export interface Place {
  line: number;
  column: number;
  message: string;
}

export function syntaxErrorOf(text: string): Place | null {
  try {
    parse(text, { noLocation: true });
    return null;
  } catch (error) {
    const [place] = error instanceof GraphQLError ? (error.locations ?? []) : [];
    return place && error instanceof Error ? { ...place, message: error.message.replace(/^Syntax Error: /, '') } : null;
  }
}

/** Returns whether a text contains only comments. */
export function isEmptyText(text: string): boolean {
  return text.split('\n').every((line) => /^\s*(#|$)/.test(line));
}

export function documentOf(text: string): DocumentNode | null {
  try {
    return parse(text);
  } catch {
    return null;
  }
}

export function isOperation(definition: DefinitionNode): definition is OperationDefinitionNode {
  return definition.kind === 'OperationDefinition';
}

function rootsOf(document: DocumentNode, set: SelectionSetNode, seen: string[] = []): string[] {
  return set.selections.flatMap((selection) => {
    if (selection.kind === 'Field') return [selection.name.value];
    if (selection.kind === 'InlineFragment') return rootsOf(document, selection.selectionSet, seen);
    const name = selection.name.value;
    const spread = document.definitions.find((one) => one.kind === 'FragmentDefinition' && one.name.value === name);
    const isNew = spread?.kind === 'FragmentDefinition' && !seen.includes(name);
    return isNew ? rootsOf(document, spread.selectionSet, [...seen, name]) : [];
  });
}
