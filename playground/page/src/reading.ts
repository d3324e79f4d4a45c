import { isCompositeType, isListType, isNonNullType, isObjectType, getNamedType, type GraphQLField, type GraphQLObjectType, type GraphQLSchema } from 'graphql';
import type { Access } from './access';
import type { Thing } from './things';

/** Nesting depth of a generated query: the resource and its nested objects. */
const DEPTH = 2;

/** Generates a query that reads one resource by its id, for resources without a saved query. */
export function readingOf(schema: GraphQLSchema, access: Access, field: string, { variable }: Thing): string | undefined {
  const root = schema.getQueryType()?.getFields()[field];
  const type = root && getNamedType(root.type);
  if (!root || !isObjectType(type)) return undefined;
  const lines = selectionOf(access, type, DEPTH, '    ');
  return [`query ${field}($${variable}: UUID!) {`, `  ${field}(${variable}: $${variable}) {`, ...lines, '  }', '}', ''].join('\n');
}

function selectionOf(access: Access, type: GraphQLObjectType, depth: number, indent: string): string[] {
  return Object.values(type.getFields()).flatMap((field) => fieldLines(access, type, field, depth, indent));
}

function fieldLines(access: Access, type: GraphQLObjectType, field: GraphQLField<unknown, unknown>, depth: number, indent: string): string[] {
  const inner = getNamedType(field.type);
  const isClosed = access.guarded.includes(`${type.name}.${field.name}`) || field.args.some((argument) => isNonNullType(argument.type));
  if (isClosed) return [];
  if (!isCompositeType(inner)) return [indent + field.name];
  if (depth <= 1 || !isObjectType(inner) || isListOfLists(field)) return [];
  const lines = selectionOf(access, inner, depth - 1, `${indent}  `);
  return lines.length > 0 ? [`${indent}${field.name} {`, ...lines, `${indent}}`] : [];
}

function isListOfLists({ type }: GraphQLField<unknown, unknown>): boolean {
  const list = isNonNullType(type) ? type.ofType : type;
  const entry = isListType(list) ? list.ofType : undefined;
  return isListType(isNonNullType(entry) ? entry.ofType : entry);
}
