import type { FieldNode } from 'graphql';
import { isRecord, textOf } from './answer';
import { documentOf, isOperation } from './operation';

/** A query as it was sent. */
export interface Asked {
  query: string;
  variables: Record<string, unknown>;
  operationName?: string;
}

/**
 * Builds the query for the next page: it writes the cursor into the variable that the query uses for it, or into the text.
 * Returns null if no list of the response has a further page and a cursor.
 */
export function nextPageOf(asked: Asked, body: unknown): Asked | null {
  const data = isRecord(body) && isRecord(body.data) ? body.data : {};
  for (const field of rootFields(asked)) {
    const cursor = cursorOf(data[field.alias?.value ?? field.name.value]);
    if (cursor) return withCursor(asked, field, cursor);
  }
  return null;
}

function rootFields({ query, operationName }: Asked): FieldNode[] {
  const operations = documentOf(query)?.definitions.filter(isOperation) ?? [];
  const chosen = operations.find((one) => operationName && one.name?.value === operationName) ?? operations[0];
  return chosen?.selectionSet.selections.filter((one) => one.kind === 'Field') ?? [];
}

function cursorOf(list: unknown): string | undefined {
  const page = isRecord(list) && isRecord(list.page) ? list.page : {};
  return page.has_more === false ? undefined : textOf(page.next_cursor);
}

function withCursor(asked: Asked, field: FieldNode, cursor: string): Asked {
  const taken = field.arguments?.find(({ name }) => name.value === 'cursor');
  if (taken?.value.kind === 'Variable') return { ...asked, variables: { ...asked.variables, [taken.value.name.value]: cursor } };
  const literal = JSON.stringify(cursor);
  if (taken?.value.loc) return { ...asked, query: replaced(asked.query, taken.value.loc.start, taken.value.loc.end, literal) };
  const first = field.arguments?.[0]?.loc?.start;
  if (first !== undefined) return { ...asked, query: replaced(asked.query, first, first, `cursor: ${literal}, `) };
  const end = field.name.loc?.end ?? 0;
  return { ...asked, query: replaced(asked.query, end, end, `(cursor: ${literal})`) };
}

function replaced(text: string, start: number, end: number, part: string): string {
  return text.slice(0, start) + part + text.slice(end);
}
