import type { Fetcher } from '@graphiql/toolkit';
import { isRecord, type Answer } from './answer';
import type { Answers } from './answers';
import { complaintOf, printed, type Complaint } from './complaint';
import type { Asked } from './nextPage';
import { operationOf } from './operation';
import type { Session } from './session';

export const ENDPOINT = '/playground/graphql';

interface Desk {
  session: Session;
  answers: Answers;
  /** The tab in front. */
  tab(): string;
  /** Asks the person whether this change is to be made. */
  confirm(asked: Asked): Promise<boolean>;
  /** After each look at the schema: what stood in the way, or null. */
  schemaSeen(complaint: Complaint | null): void;
}

/** Carries the editor's questions to the service, and its answers back in a shape the editor prints. */
export function fetcherOf(desk: Desk): Fetcher {
  return ({ query, variables, operationName }) => {
    if (operationName === 'IntrospectionQuery') return introspect(desk, query);
    const asked = { query, variables: isRecord(variables) ? variables : {}, operationName: chosen(query, operationName) };
    return heard(run(desk, asked));
  };
}

/**
 * An answer that the editor can stop to listen for: it does so when another tab comes to the front, into which the answer
 * would be written. The answer is kept all the same, for when its own tab comes back.
 */
function heard(answer: Promise<object>) {
  return {
    subscribe({ next, complete }: { next(value: object): void; complete(): void }) {
      let isHeard = true;
      void answer.then((value) => {
        if (!isHeard) return;
        next(value);
        complete();
      });
      return { unsubscribe: () => void (isHeard = false) };
    },
  } as ReturnType<Fetcher>;
}

async function run({ session, answers, tab, confirm }: Desk, asked: Asked): Promise<object> {
  const own = tab();
  const before = answers.of(own);
  if (operationOf(asked.query, asked.operationName)?.kind === 'mutation' && !(await confirm(asked))) {
    return before && isRecord(before.printed) ? before.printed : { message: 'Not run.' };
  }
  const answer = await session.ask(ENDPOINT, asked);
  const shown = shownBy(answer);
  answers.put(own, { asked, answer, printed: shown });
  return shown;
}

async function introspect({ session, schemaSeen }: Desk, query: string): Promise<object> {
  const answer = await session.ask(ENDPOINT, { query, operationName: 'IntrospectionQuery' });
  schemaSeen(complaintOf(answer));
  // If the result has `data`, the editor treats it as final and does not send a second introspection query.
  return { data: null, ...(isRecord(answer.body) ? answer.body : {}), ...(answer.problem ? { errors: [printed(answer.problem)] } : {}) };
}

function shownBy({ problem, body }: Answer): object {
  if (problem) return printed(problem);
  return isRecord(body) ? body : { data: null };
}

/**
 * The operation to run. The editor learns the names in a text a moment after the text changed, so that a
 * name may be of the text before: such a one is dropped.
 */
function chosen(query: string, name: string | null | undefined): string | undefined {
  const found = name ? operationOf(query, name)?.name : undefined;
  return found === name ? found : undefined;
}
