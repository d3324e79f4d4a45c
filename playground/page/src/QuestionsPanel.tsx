import type { GraphiQLPlugin } from '@graphiql/react';
import { QuestionsIcon } from './icons';
import { QUESTIONS } from './questions';
import { useQuestionOpener } from './workbench';

export const QUESTIONS_PLUGIN: GraphiQLPlugin = { title: 'Saved questions', icon: QuestionsIcon, content: QuestionsPanel };

/** The questions that came with the page. */
function QuestionsPanel() {
  const open = useQuestionOpener();
  return (
    <section className="panel" aria-labelledby="questions-title">
      <h2 id="questions-title">Saved questions</h2>
      <p>Each opens in a tab, for you to change and run.</p>
      <ul className="questions">
        {QUESTIONS.map((question) => (
          <li key={question.name}>
            <button type="button" onClick={() => open(question)}>
              <strong>{question.title}</strong>
              <span>{question.sentence}</span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}
