import { useEffect, useState } from 'react';
import access from 'virtual:access';
import { mayRun } from '../access';
import { complaintOf } from '../complaint';
import { ENDPOINT } from '../fetcher';
import { choicesOf, type Choice, type Finder } from '../finders';
import { useWorkbench } from '../workbench';
import { isBlank } from './value';

/** The search starts this long after the last keystroke. */
const REST_MS = 250;

export interface Found {
  choices?: Choice[];
  /** Error of the finder. */
  refused?: string;
}

/** Returns the first finder for the same variable that the user can run. */
export function useOpenFinder(finder: Finder | undefined): Finder | undefined {
  const { scopes } = useWorkbench().person;
  return finder && [finder, ...finder.others].find(({ operation }) => mayRun(access, scopes, operation));
}

/** Returns the variable that a finder requires and that has no value yet. */
export function neededBy(finder: Finder, values: Record<string, unknown>): string | undefined {
  return finder.operation.variables.find(({ name, isRequired }) => isRequired && isBlank(values[name]))?.name;
}

/** Returns whether the service searches. Otherwise the page filters the list. */
export function isSearched(finder: Finder): boolean {
  return finder.operation.variables.some(({ name }) => name === 'search');
}

/** Runs a finder while `isReady`, after the last keystroke. It ignores responses to earlier searches. */
export function useChoices(finder: Finder, values: Record<string, unknown>, search: string, isReady: boolean): Found {
  const { session, labels } = useWorkbench();
  const [found, setFound] = useState<Found>({});
  const { text, operation, variable } = finder;
  const taken = Object.fromEntries(operation.variables.flatMap(({ name }) => (isBlank(values[name]) ? [] : [[name, values[name]]])));
  const sent = isSearched(finder) ? search.trim() : '';
  const variables = JSON.stringify(sent === '' ? taken : { ...taken, search: sent });
  useEffect(() => {
    if (!isReady) return;
    let isWanted = true;
    const timer = setTimeout(
      async () => {
        const answer = await session.ask(ENDPOINT, { query: text, variables: JSON.parse(variables) });
        if (!isWanted) return;
        const complaint = complaintOf(answer);
        const choices = choicesOf(answer.body);
        labels.keep(variable, choices);
        setFound(complaint ? { refused: complaint.sentences[0] ?? complaint.title } : { choices });
      },
      sent === '' ? 0 : REST_MS,
    );
    return () => {
      isWanted = false;
      clearTimeout(timer);
    };
  }, [session, labels, variable, text, variables, sent, isReady]);
  return found;
}

/** Returns the choices that contain every word of the search, if the service does not search itself. */
export function matching(finder: Finder, choices: Choice[], search: string): Choice[] {
  const words = isSearched(finder) ? [] : search.trim().toLowerCase().split(/\s+/);
  return choices.filter(({ label, value }) => words.every((word) => `${label} ${value}`.toLowerCase().includes(word)));
}
