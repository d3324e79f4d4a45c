import { useEffect, useMemo, useState } from 'react';
import { createPortal } from 'react-dom';
import { useGraphiQL } from '@graphiql/react';
import access from 'virtual:access';
import { standingOf, type Standing } from '../access';
import { useEditorText } from '../editorText';
import { operationOf, type Operation } from '../operation';
import { isSavedText, QUESTIONS } from '../questions';
import { useTab, useWorkbench } from '../workbench';
import { shapesOf } from './shape';
import { TaskForm } from './TaskForm';

/** The area above the query of the active tab: the title of the task, its form, and the query in one line. */
export function TaskArea() {
  const place = usePlace();
  const { person } = useWorkbench();
  const queryEditor = useGraphiQL((state) => state.queryEditor);
  const text = useEditorText(queryEditor);
  const tab = useTab();
  const [folds, setFolds] = useState<Record<string, boolean>>({});
  const operation = useMemo(() => operationOf(text), [text]);
  const question = QUESTIONS.find(({ name }) => name === operation?.name);
  const shapes = useMemo(() => shapesOf(text, question?.fields), [text, question]);
  if (!place || !operation) return null;

  // Only the unchanged text of a saved query is folded, because a link must not hide the query that it contains.
  const isFolded = folds[tab] ?? isSavedText(text);
  const standing = standingOf(access, person.scopes, operation);
  const isOpen = standing.missing.length === 0 && standing.closed.length === 0;
  if (!isFolded && !question && shapes.length === 0 && isOpen) return null;
  const isBeside = isFolded && operation.kind === 'mutation';
  return createPortal(
    <section className={`task${isFolded ? ' is-folded' : ''}${isBeside ? ' is-beside' : ''}`} aria-label="Task" id="task" tabIndex={-1}>
      {question && (
        <header>
          <h2>{question.title}</h2>
          <p>{question.sentence}</p>
        </header>
      )}
      {!isOpen && <Closed standing={standing} />}
      <TaskForm key={tab} operation={operation} shapes={shapes} question={question} isFolded={isFolded} />
      <QueryLine operation={operation} text={text} isFolded={isFolded} onToggle={() => setFolds({ ...folds, [tab]: !isFolded })} />
    </section>,
    place,
  );
}

/** Returns an element between the tabs and the editors, where the editor itself has no place for other content. */
function usePlace(): HTMLElement | null {
  const [place, setPlace] = useState<HTMLElement | null>(null);
  useEffect(() => {
    const session = document.getElementById('graphiql-session');
    const element = document.createElement('div');
    element.className = 'task-place';
    session?.before(element);
    setPlace(element);
    return () => element.remove();
  }, []);
  return place;
}

function Closed({ standing: { missing, closed } }: { standing: Standing }) {
  return (
    <p className="closed" role="note">
      <strong>You cannot run this query.</strong> {missing.length > 0 && <>Missing {missing.length === 1 ? 'scope' : 'scopes'}: {missing.join(', ')}. </>}
      {closed.map((reason) => `${reason}. `)}
    </p>
  );
}

/** The query in one line, and the button that shows it with the editors. */
function QueryLine({ operation, text, isFolded, onToggle }: { operation: Operation; text: string; isFolded: boolean; onToggle: () => void }) {
  const line = text.split('\n').filter((one) => !one.startsWith('#')).join(' ').replace(/\s+/g, ' ').trim();
  return (
    <div className="query-line">
      <button type="button" className="quiet" aria-expanded={!isFolded} onClick={onToggle}>
        {isFolded ? 'Show query' : 'Fold query'}
      </button>
      {isFolded && <code title={operation.roots.join(', ')}>{line}</code>}
    </div>
  );
}
