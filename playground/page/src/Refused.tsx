import { useGraphiQL } from '@graphiql/react';
import access from 'virtual:access';
import { openRoots } from './access';
import type { Complaint } from './complaint';
import { operationOf } from './operation';
import { nearest } from './scopes';
import { didYouMean, nearestNames } from './suggest';
import { useWorkbench } from './workbench';

/** Why a question was refused, in the service's own words, and where it is wrong. */
export function Refused({ complaint, query }: { complaint: Complaint; query: string }) {
  return (
    <div className="refusal">
      <strong>{complaint.title}</strong> {complaint.code && <code>{complaint.code}</code>}
      {complaint.place && <At place={complaint.place} query={query} />}
      {complaint.sentences.map((sentence) => (
        <p key={sentence}>
          {sentence} <Suggestion sentence={sentence} query={query} />
        </p>
      ))}
      {complaint.requiredScope && <Missing scope={complaint.requiredScope} />}
      {complaint.allowedActions && <p>Allowed now: {complaint.allowedActions.join(', ') || 'nothing'}.</p>}
      {complaint.retryAfter !== undefined && <p>Try again in {complaint.retryAfter} seconds.</p>}
    </div>
  );
}

/** The place in the text, and the way to it while the text is still the one that was sent. */
function At({ place: { line, column }, query }: { place: NonNullable<Complaint['place']>; query: string }) {
  const queryEditor = useGraphiQL((state) => state.queryEditor);
  function go() {
    if (!queryEditor || queryEditor.getValue() !== query) return;
    queryEditor.setPosition({ lineNumber: line, column });
    queryEditor.revealLineInCenter(line);
    queryEditor.focus();
  }
  return (
    <button type="button" className="place" onClick={go}>
      line {line}, column {column}
    </button>
  );
}

const UNKNOWN_ROOT = /^The schema has no root field `(\w+)`\.$/;

/** The service suggests no names; the page knows which ones the person may ask. */
function Suggestion({ sentence, query }: { sentence: string; query: string }) {
  const { scopes } = useWorkbench().person;
  const wanted = UNKNOWN_ROOT.exec(sentence)?.[1];
  const kind = operationOf(query)?.kind;
  return wanted && kind ? didYouMean(nearestNames(wanted, openRoots(access, scopes, kind))) : null;
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

export function SchemaNote({ complaint }: { complaint: Complaint }) {
  return (
    <div className="note" role="note">
      <strong>Working without the schema.</strong> You can still write and run questions; completion and documentation stay empty.{' '}
      {complaint.requiredScope ? (
        <>
          To see the schema takes <code>{complaint.requiredScope}</code>.
        </>
      ) : (
        (complaint.sentences[0] ?? complaint.title)
      )}
    </div>
  );
}
