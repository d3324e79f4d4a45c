import { useState } from 'react';
import type { GraphiQLPlugin } from '@graphiql/react';
import access from 'virtual:access';
import { standingOf } from './access';
import { QuestionsIcon } from './icons';
import { QUESTIONS, WORKS, type Question } from './questions';
import { showShortcuts } from './Shortcuts';
import { useQuestionOpener, useWorkbench } from './workbench';

export const QUESTIONS_PLUGIN: GraphiQLPlugin = { title: 'Saved queries', icon: QuestionsIcon, content: QuestionsPanel };

/** The saved queries, grouped by kind of work. */
function QuestionsPanel() {
  const [search, setSearch] = useState('');
  const wanted = search.trim().toLowerCase();
  const { scopes } = useWorkbench().person;
  const found = QUESTIONS.filter(({ title, sentence, name }) => `${title} ${sentence} ${name}`.toLowerCase().includes(wanted));
  const isOpen = ({ operation }: Question) => standingOf(access, scopes, operation).missing.length === 0;
  const [shown, closed] = [found.filter(isOpen), found.filter((question) => !isOpen(question))];
  return (
    <section className="panel" aria-labelledby="questions-title">
      <h2 id="questions-title">Saved queries</h2>
      <p>A query runs when it opens if it needs no value. A change asks before it runs.</p>
      <input id="question-search" type="search" aria-label="Search the saved queries" placeholder="Search" value={search} onChange={(event) => setSearch(event.target.value)} />
      {found.length === 0 && <p role="status">No saved query matches.</p>}
      {WORKS.map((work) => (
        <Work key={work} work={work} questions={shown.filter((question) => question.work === work)} />
      ))}
      {closed.length > 0 && (
        <details className="beyond">
          <summary>Not in your scopes ({closed.length})</summary>
          <ul className="questions" aria-label="Not in your scopes">
            {closed.map((question) => (
              <Entry key={question.name} question={question} />
            ))}
          </ul>
        </details>
      )}
      <button type="button" className="shortcuts" onClick={showShortcuts}>
        Keyboard shortcuts <kbd>?</kbd>
      </button>
    </section>
  );
}

function Work({ work, questions }: { work: string; questions: Question[] }) {
  if (questions.length === 0) return null;
  return (
    <>
      <h3>{work}</h3>
      <ul className="questions" aria-label={work}>
        {questions.map((question) => (
          <Entry key={question.name} question={question} />
        ))}
      </ul>
    </>
  );
}

function Entry({ question }: { question: Question }) {
  const open = useQuestionOpener();
  const { missing } = standingOf(access, useWorkbench().person.scopes, question.operation);
  return (
    <li>
      <button type="button" className={missing.length > 0 ? 'closed' : undefined} onClick={() => open(question)}>
        <strong>{question.title}</strong>
        <span>{question.sentence}</span>
        {missing.length > 0 && <span className="needs">Missing scope: {missing.join(', ')}</span>}
        {missing.length === 0 && question.operation.kind === 'mutation' && <span className="badge write">changes data</span>}
      </button>
    </li>
  );
}
