import { useMemo, useState } from 'react';
import { pick, useGraphiQL, useGraphiQLActions } from '@graphiql/react';
import access from 'virtual:access';
import { mayRun } from './access';
import type { Answer } from './answer';
import type { Answered } from './answers';
import { AnswerTables } from './AnswerTables';
import { shownPart, useHiddenColumns } from './columns';
import { ColumnsSheet } from './ColumnsSheet';
import { complaintOf, type Complaint } from './complaint';
import { csvOf } from './csv';
import { download } from './download';
import { nextPageOf } from './nextPage';
import { operationOf } from './operation';
import { Pictures } from './Pictures';
import { Preview } from './Preview';
import { AUDIT_OF_A_REQUEST, isSavedText, questionsAbout } from './questions';
import { Refused, SchemaNote } from './Refused';
import { mainTableOf, tablesOf, textsOf, type Table } from './table';
import { thingsAsked } from './things';
import { useAnswered, useQuestionOpener, useWorkbench } from './workbench';

/** The area below the response of the active tab: status, errors and actions. */
export function AnswerBar() {
  const { schemaComplaint, view } = useWorkbench();
  const answered = useAnswered();
  const complaint = useMemo(() => answered && complaintOf(answered.answer, answered.asked.query), [answered]);
  const whole = useMemo(() => (answered ? tablesOf(answered.answer.body) : []), [answered]);
  const [hiddenOf] = useHiddenColumns();
  const tables = useMemo(() => whole.map((table) => shownPart(table, hiddenOf(table))), [whole, hiddenOf]);
  const wanted = view ?? (answered && isSavedText(answered.asked.query) ? 'table' : 'json');
  const isTable = wanted === 'table' && tables.length > 0;
  return (
    <div className={isTable ? 'answer as-table' : 'answer'}>
      {isTable && <AnswerTables tables={tables} />}
      {schemaComplaint && <SchemaNote complaint={schemaComplaint} />}
      <div role="status">
        {complaint && answered && <Refused complaint={complaint} query={answered.asked.query} />}
        {answered && <Line answer={answered.answer} complaint={complaint} />}
      </div>
      {answered && <Actions answered={answered} tables={tables} whole={whole} isTable={isTable} />}
      {answered && !complaint && <NextSteps answered={answered} />}
      {answered && <Pictures answer={answered.answer} />}
      {answered && <Preview answer={answered.answer} />}
    </div>
  );
}

function Line({ answer, complaint }: { answer: Answer; complaint: Complaint | null }) {
  return (
    <div className="line">
      <span className={complaint ? 'badge refused' : 'badge good'}>{answer.status === 0 ? 'no response' : (complaint?.status ?? answer.status)}</span>
      <span>{answer.milliseconds} ms</span>
      {answer.requestId && <RequestId requestId={answer.requestId} />}
    </div>
  );
}

function RequestId({ requestId }: { requestId: string }) {
  const open = useQuestionOpener();
  const question = AUDIT_OF_A_REQUEST;
  const [copied, setCopied] = useState('');

  async function copy() {
    await navigator.clipboard.writeText(requestId);
    setCopied(requestId);
  }

  return (
    <>
      <span className="request">
        Request <code data-testid="request-id">{requestId}</code>
      </span>
      {/* Browsers provide no clipboard to pages from another host over plain HTTP. */}
      {'clipboard' in navigator && (
        <button type="button" onClick={() => void copy()}>
          {copied === requestId ? 'Copied' : 'Copy'}
        </button>
      )}
      {question && (
        <button type="button" onClick={() => open(question, { request_id: requestId })}>
          Find its audit record
        </button>
      )}
    </>
  );
}

/** Buttons for view, downloads and the next page. */
function Actions({ answered, tables, whole, isTable }: { answered: Answered; tables: Table[]; whole: Table[]; isTable: boolean }) {
  const { setView } = useWorkbench();
  const [isChoosing, setIsChoosing] = useState(false);
  const lists = whole.filter((table) => !table.isThing && table.columns.length > 1);
  const name = operationOf(answered.asked.query, answered.asked.operationName)?.name ?? 'answer';
  const main = mainTableOf(tables);
  if (!main) return null;
  return (
    <div className="line">
      <span className="choice" role="group" aria-label="Show as">
        <button type="button" aria-pressed={!isTable} onClick={() => setView('json')}>
          JSON
        </button>
        <button type="button" aria-pressed={isTable} onClick={() => setView('table')}>
          Table
        </button>
      </span>
      {isTable && lists.length > 0 && (
        <button type="button" onClick={() => setIsChoosing(true)}>
          Columns
        </button>
      )}
      {isChoosing && <ColumnsSheet tables={lists} onClose={() => setIsChoosing(false)} />}
      <button type="button" onClick={() => download(`${name}.json`, 'application/json', JSON.stringify(answered.printed, null, 2))}>
        Download JSON
      </button>
      <button type="button" onClick={() => download(`${name}.csv`, 'text/csv', csvOf(textsOf(main)))}>
        Download CSV
      </button>
      <NextPage answered={answered} />
    </div>
  );
}

function NextPage({ answered: { asked, answer } }: { answered: Answered }) {
  const { queryEditor, variableEditor } = useGraphiQL(pick('queryEditor', 'variableEditor'));
  const { run } = useGraphiQLActions();
  const next = useMemo(() => nextPageOf(asked, answer.body), [asked, answer]);
  if (!next) return null;

  function turn() {
    if (!next) return;
    if (next.query !== queryEditor?.getValue()) queryEditor?.setValue(next.query);
    variableEditor?.setValue(JSON.stringify(next.variables, null, 2));
    run();
  }

  return (
    <button type="button" onClick={turn}>
      Next page
    </button>
  );
}

/** Other saved queries about the requested resource that the user can run. */
function NextSteps({ answered: { asked } }: { answered: Answered }) {
  const { scopes } = useWorkbench().person;
  const open = useQuestionOpener();
  const own = operationOf(asked.query, asked.operationName)?.name;
  const steps = thingsAsked(asked.variables).flatMap(({ variable, id }) =>
    questionsAbout(variable)
      .filter(({ name, operation }) => name !== own && mayRun(access, scopes, operation))
      .map((question) => ({ question, known: { [variable]: id } })),
  );
  if (steps.length === 0) return null;
  return (
    <div className="line steps">
      <span>Next:</span>
      {steps.map(({ question, known }) => (
        <button type="button" key={question.name} title={question.sentence} onClick={() => open(question, known)}>
          {question.title}
        </button>
      ))}
    </div>
  );
}
