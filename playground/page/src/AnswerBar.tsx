import { useState } from 'react';
import type { Answer } from './answer';
import { complaintOf, type Complaint } from './complaint';
import { Pictures } from './Pictures';
import { AUDIT_OF_A_REQUEST } from './questions';
import { nearest } from './scopes';
import { useQuestionOpener, useWorkbench } from './workbench';

/** Below the answer: how it went, why it was refused, and the way to its audit record. */
export function AnswerBar() {
  const { last, schemaComplaint } = useWorkbench();
  const complaint = last && complaintOf(last);
  return (
    <div className="answer">
      {schemaComplaint && <SchemaNote complaint={schemaComplaint} />}
      <div role="status">
        {complaint && <Refused complaint={complaint} />}
        {last && <Line answer={last} refused={complaint !== null} />}
      </div>
      {last && <Pictures answer={last} />}
    </div>
  );
}

function Line({ answer, refused }: { answer: Answer; refused: boolean }) {
  return (
    <div className="line">
      <span className={refused ? 'badge refused' : 'badge good'}>{answer.status === 0 ? 'no answer' : answer.status}</span>
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
      {/* There is no clipboard on a page that came over plain HTTP from elsewhere. */}
      {'clipboard' in navigator && (
        <button type="button" onClick={() => void copy()}>
          {copied === requestId ? 'Copied' : 'Copy'}
        </button>
      )}
      {question && (
        <button type="button" onClick={() => open(question, { request_id: [requestId] })}>
          Find its audit record
        </button>
      )}
    </>
  );
}

function Refused({ complaint }: { complaint: Complaint }) {
  return (
    <div className="refusal">
      <strong>{complaint.title}</strong> {complaint.code && <code>{complaint.code}</code>}
      {complaint.detail && <p>{complaint.detail}</p>}
      {complaint.requiredScope && <Missing scope={complaint.requiredScope} />}
      {complaint.allowedActions && <p>Allowed now: {complaint.allowedActions.join(', ') || 'nothing'}.</p>}
      {complaint.retryAfter !== undefined && <p>Try again in {complaint.retryAfter} seconds.</p>}
      {complaint.more > 0 && <p>The answer lists {complaint.more} more.</p>}
    </div>
  );
}

function Missing({ scope }: { scope: string }) {
  const held = nearest(useWorkbench().person.scopes, scope);
  return (
    <p>
      Needed: <code>{scope}</code>. {held ? <>You hold <code>{held}</code>, which only reads.</> : 'You hold no scope of that kind.'} Whoever
      looks after staff roles can grant it.
    </p>
  );
}

function SchemaNote({ complaint }: { complaint: Complaint }) {
  return (
    <div className="note" role="note">
      <strong>Working without the schema.</strong> You can still write and run questions; completion and documentation stay empty.{' '}
      {complaint.requiredScope ? (
        <>
          To see the schema takes <code>{complaint.requiredScope}</code>.
        </>
      ) : (
        (complaint.detail ?? complaint.title)
      )}
    </div>
  );
}
