import { useCallback, useEffect, useState } from 'react';
import type { Answer } from './answer';
import { ENDPOINT } from './fetcher';
import { useWorkbench } from './workbench';

/** A query with its response, which is null until it arrives. */
export interface Requested {
  answer: Answer | null;
  reload(): void;
}

/** Sends a query when `isWanted` is true, and again on `reload`. At most a few queries of the page run at the same time. */
export function useRequest(query: string, variables: Record<string, string> = {}, isWanted = true): Requested {
  const { session, lane, answers } = useWorkbench();
  const [{ answer, key }, setFound] = useState<{ answer: Answer | null; key: string }>({ answer: null, key: '' });
  const [turn, setTurn] = useState(0);
  const asked = JSON.stringify({ query, variables });
  useEffect(() => {
    if (!isWanted) return;
    let isOpen = true;
    // A view that is closed before its turn sends nothing.
    const found = lane.run(() => (isOpen ? session.ask(ENDPOINT, JSON.parse(asked)) : Promise.resolve(null)));
    void found.then((one) => {
      if (!one || !isOpen) return;
      answers.see(one);
      setFound({ answer: one, key: asked });
    });
    return () => {
      isOpen = false;
    };
  }, [session, lane, answers, asked, isWanted, turn]);
  const reload = useCallback(() => {
    setFound({ answer: null, key: '' });
    setTurn((count) => count + 1);
  }, []);
  return { answer: key === asked ? answer : null, reload };
}
