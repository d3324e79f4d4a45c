import type { Fetcher } from '@graphiql/toolkit';
import { parse } from 'graphql';
import { isRecord, type Answer } from './answer';
import { complaintOf, printed, type Complaint } from './complaint';
import type { Session } from './session';

const ENDPOINT = '/playground/graphql';

interface Listener {
  /** After each question of the person. */
  answered(answer: Answer): void;
  /** After each look at the schema: what stood in the way, or null. */
  schemaSeen(complaint: Complaint | null): void;
}

/** Carries the editor's questions to the service, and its answers back in a shape the editor prints. */
export function fetcherOf(session: Session, listener: Listener): Fetcher {
  return async ({ query, variables, operationName }) => {
    const answer = await session.ask(ENDPOINT, { query, variables, operationName: chosen(query, operationName) });
    if (operationName === 'IntrospectionQuery') {
      listener.schemaSeen(complaintOf(answer));
      // With `data` in it the editor takes the answer as final and does not ask a second time.
      return { data: null, ...(isRecord(answer.body) ? answer.body : {}), ...(answer.problem ? { errors: [printed(answer.problem)] } : {}) };
    }
    listener.answered(answer);
    if (answer.problem) return printed(answer.problem);
    return isRecord(answer.body) ? answer.body : { data: null };
  };
}

/**
 * The operation to run. The editor learns the names in a text a moment after the text changed, so that a
 * name may be of the text before: such a one is dropped.
 */
function chosen(query: string, name: string | null | undefined): string | undefined {
  if (!name) return undefined;
  try {
    const names = parse(query, { noLocation: true }).definitions.map((part) => ('name' in part ? part.name?.value : undefined));
    return names.includes(name) ? name : undefined;
  } catch {
    return undefined; // The service says better what is wrong with the text.
  }
}
