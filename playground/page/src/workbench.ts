import { createContext, useContext } from 'react';
import { pick, useGraphiQL, useGraphiQLActions } from '@graphiql/react';
import type { Answer } from './answer';
import type { Complaint } from './complaint';
import type { Person } from './person';
import type { Question } from './questions';
import type { Session } from './session';

/** What the panels around the editor look at. */
export interface Workbench {
  session: Session;
  person: Person;
  last: Answer | null;
  schemaComplaint: Complaint | null;
}

export const WorkbenchContext = createContext<Workbench | null>(null);

export function useWorkbench(): Workbench {
  const workbench = useContext(WorkbenchContext);
  if (!workbench) throw new Error('a panel stands outside the workbench');
  return workbench;
}

/** What an empty first tab says. */
export const GREETING = '# Ask a question, or take one from the panel on the left.\n# Ctrl-Enter runs it, Ctrl-Space completes it.\n\n';

/** Puts a question into a tab: the one in front when nothing is written there, else a new one. */
export function useQuestionOpener(): (question: Question, variables?: Record<string, unknown>) => void {
  const { addTab } = useGraphiQLActions();
  const { queryEditor, variableEditor } = useGraphiQL(pick('queryEditor', 'variableEditor'));
  return (question, variables) => {
    if (!queryEditor) return;
    const written = queryEditor.getValue().trim();
    if (written !== '' && written !== GREETING.trim()) addTab();
    queryEditor.setValue(question.text);
    variableEditor?.setValue(variables ? JSON.stringify(variables, null, 2) : question.variables);
    queryEditor.focus();
  };
}
