import { useGraphiQL } from '@graphiql/react';
import access from 'virtual:access';
import { openRoots } from './access';
import type { Complaint, Fault } from './complaint';
import { placeOfFault } from './form/faults';
import { fieldId } from './form/Field';
import { labelOf } from './form/shape';
import { declaredBy } from './form/uses';
import { operationOf } from './operation';
import { isSavedText } from './questions';
import { nearest } from './scopes';
import { didYouMean, nearestNames } from './suggest';
import { useWorkbench } from './workbench';

/** The error of a query: the text of the service, and the position in the query. */
export function Refused({ complaint, query }: { complaint: Complaint; query: string }) {
  return (
    <div className="refusal">
      <strong>{complaint.title}</strong> {complaint.code && <code>{complaint.code}</code>}
      {/* The text of a task is folded, and the place of a value is its field. */}
      {complaint.place && complaint.faults.length === 0 && !isSavedText(query) && <At place={complaint.place} query={query} />}
      {complaint.sentences.map((sentence) => (
        <p key={sentence}>
          {sentence} <Suggestion sentence={sentence} query={query} />
        </p>
      ))}
      {complaint.faults.length > 0 && <Faults faults={complaint.faults} query={query} />}
      {complaint.requiredScope && <Missing scope={complaint.requiredScope} />}
      {complaint.allowedActions && <p>Allowed actions: {complaint.allowedActions.join(', ') || 'none'}.</p>}
      {complaint.retryAfter !== undefined && <p>Try again in {complaint.retryAfter} seconds.</p>}
    </div>
  );
}

/** The position of the error. A click moves the cursor there, unless the user has changed the query. */
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

/** The rules that single values break, each with a button that focuses the field. */
function Faults({ faults, query }: { faults: Fault[]; query: string }) {
  const declared = declaredBy(query);
  return (
    <ul className="faults">
      {faults.map((fault, index) => {
        const path = placeOfFault(fault, declared);
        const place = fault.pointer ?? fault.parameter;
        return (
          <li key={index}>
            {path ? (
              <button type="button" className="place" title={place} onClick={() => document.getElementById(fieldId(path))?.focus()}>
                {path.map((key) => (typeof key === 'number' ? String(key + 1) : labelOf(key))).join(' ')}
              </button>
            ) : (
              place && <code>{place}</code>
            )}{' '}
            {fault.message}
          </li>
        );
      })}
    </ul>
  );
}

const UNKNOWN_ROOT = /^The schema has no root field `(\w+)`\.$/;

/** Suggests root fields that the user can query. The service makes no suggestions. */
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
      Required scope: <code>{scope}</code>. {held ? <>Your scope <code>{held}</code> allows only reading.</> : 'You have no scope of this kind.'} An
      administrator of staff roles can grant it.
    </p>
  );
}

export function SchemaNote({ complaint }: { complaint: Complaint }) {
  return (
    <div className="note" role="note">
      <strong>Working without the schema.</strong> You can still write and run queries, but without completion and documentation.{' '}
      {complaint.requiredScope ? (
        <>
          The schema requires the scope <code>{complaint.requiredScope}</code>.
        </>
      ) : (
        (complaint.sentences[0] ?? complaint.title)
      )}
    </div>
  );
}
