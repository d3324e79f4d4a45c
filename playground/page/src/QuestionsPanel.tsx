import { useState } from 'react';
import type { GraphiQLPlugin } from '@graphiql/react';
import access from 'virtual:access';
import { standingOf } from './access';
import { QuestionsIcon } from './icons';
import { QUESTIONS, WORKS, type Question } from './questions';
import { useQuestionOpener, useWorkbench } from './workbench';

export const QUESTIONS_PLUGIN: GraphiQLPlugin = { title: 'Saved questions', icon: QuestionsIcon, content: QuestionsPanel };

/** The questions that came with the page, by the work that they are for. */
function QuestionsPanel() {
  const [search, setSearch] = useState('');
  const wanted = search.trim().toLowerCase();
  const shown = QUESTIONS.filter(({ title, sentence, name }) => `${title} ${sentence} ${name}`.toLowerCase().includes(wanted));
  return (
    <section className="panel" aria-labelledby="questions-title">
      <h2 id="questions-title">Saved questions</h2>
      <p>Each opens in a tab, for you to change and run.</p>
      <input type="search" aria-label="Search the questions" placeholder="Search" value={search} onChange={(event) => setSearch(event.target.value)} />
      {shown.length === 0 && <p role="status">No question says that.</p>}
      {WORKS.map((work) => (
        <Work key={work} work={work} questions={shown.filter((question) => question.work === work)} />
      ))}
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
        {missing.length > 0 && <span className="needs">Not with your scopes: needs {missing.join(', ')}</span>}
        {missing.length === 0 && question.operation.kind === 'mutation' && <span className="badge write">changes something</span>}
      </button>
    </li>
  );
}
