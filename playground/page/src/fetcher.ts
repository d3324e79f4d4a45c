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
  /** Returns the id of the active tab. */
  tab(): string;
  /** Asks the user to confirm a mutation. */
  confirm(asked: Asked): Promise<boolean>;
  /** Called after each introspection with its error, or null. */
  schemaSeen(complaint: Complaint | null): void;
}

/** Sends the editor's queries to the service, and converts the responses for the editor. */
export function fetcherOf(desk: Desk): Fetcher {
  return ({ query, variables, operationName }) => {
    if (operationName === 'IntrospectionQuery') return introspect(desk, query);
    const asked = { query, variables: isRecord(variables) ? variables : {}, operationName: chosen(query, operationName) };
    return heard(run(desk, asked));
  };
}

/**
 * A response from which the editor can unsubscribe. It unsubscribes when the user selects another tab, because the editor would
 * write the response into that tab. The page still stores the response, and shows it when its tab is active again.
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
 * The name of the operation to run. The editor parses names with a delay, so a name can belong to the previous text. A name that
 * the text does not contain is ignored.
 */
function chosen(query: string, name: string | null | undefined): string | undefined {
  const found = name ? operationOf(query, name)?.name : undefined;
  return found === name ? found : undefined;
}
