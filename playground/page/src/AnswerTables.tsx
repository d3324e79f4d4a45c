import { useMemo, useState } from 'react';
import access from 'virtual:access';
import { mayRun } from './access';
import { labelOf } from './form/shape';
import { rootsByAlias } from './operation';
import { Moment } from './Parts';
import { questionsAbout } from './questions';
import { parentOf, tablesOfEntry, type Cell, type Table } from './table';
import { TasksSheet } from './TasksSheet';
import { thingAt, type Thing } from './things';
import { useAnswered, useThingOpener, useWorkbench } from './workbench';

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;

/** A response as tables, in which every id opens its resource. */
export function AnswerTables({ tables }: { tables: Table[] }) {
  const query = useAnswered()?.asked.query ?? '';
  const roots = useMemo(() => rootsByAlias(query), [query]);
  const [first] = tables;
  const shown = tables.length === 1 && first && !first.isThing && first.rows.length === 1 ? tablesOfEntry(first) : tables;
  return (
    <div className="tables" tabIndex={0} role="region" aria-label="Response as a table">
      {shown.map((table) => (
        <AnswerTable key={table.path.join('.')} table={table} root={roots.get(table.path[0] ?? '') ?? ''} isAlone={shown.length === 1} />
      ))}
    </div>
  );
}

function AnswerTable({ table: { path, columns, rows, isThing }, root, isAlone }: { table: Table; root: string; isAlone: boolean }) {
  if (rows.length === 0) return <p className="empty">{path.join('.')}: no entries.</p>;
  return (
    <table className={isThing ? 'thing' : undefined}>
      <caption className={isAlone ? 'hidden' : undefined}>
        <span>{path.join('.')}</span>
      </caption>
      <thead className={isThing ? 'hidden' : undefined}>
        <tr>
          {columns.map((column) => (
            <th key={column} scope="col">
              {column}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row, index) => (
          <tr key={index}>
            {row.map((cell, column) => (isThing && column === 0 ? <th key={column} scope="row">{cell.text}</th> : <Value key={column} root={root} above={path.slice(1)} cell={cell} isShort={!isThing} />))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Value({ root, above, cell, isShort }: { root: string; above: string[]; cell: Cell; isShort: boolean }) {
  const openerOf = useThingOpener();
  const thing = thingAt(access, { root, path: [...above, ...cell.path], holder: parentOf(cell) }, cell.text);
  const open = thing && openerOf(thing);
  if (open) return <Link cell={cell} isShort={isShort} title={`Open ${cell.text}`} onClick={open} />;
  if (thing) return <WithTasks thing={thing} cell={cell} isShort={isShort} />;
  if (TIME.test(cell.text)) {
    return (
      <td>
        <Moment at={cell.text} isExact />
      </td>
    );
  }
  // A long text is one line high, so its title shows more of it.
  return isShort ? <td title={cell.text.length > 60 ? cell.text.slice(0, 500) : undefined}>{cell.text}</td> : <td>{cell.text}</td>;
}

/** An id that no query reads, but that tasks take: a click offers them, with the ids next to it. */
function WithTasks({ thing: { variable, id }, cell, isShort }: { thing: Thing; cell: Cell; isShort: boolean }) {
  const { scopes } = useWorkbench().person;
  const answered = useAnswered();
  const [isOpen, setIsOpen] = useState(false);
  const tasks = questionsAbout(variable).filter(({ operation }) => mayRun(access, scopes, operation));
  if (tasks.length === 0) return <td>{cell.text}</td>;
  const near = Object.entries({ ...answered?.asked.variables, ...parentOf(cell) }).flatMap(([name, value]) => (name.endsWith('_uuid') && typeof value === 'string' ? [[name, value]] : []));
  const known = { ...Object.fromEntries(near), [variable]: id };
  return (
    <>
      <Link cell={cell} isShort={isShort} title={`Tasks for ${cell.text}`} onClick={() => setIsOpen(true)} />
      {isOpen && <TasksSheet title={`Tasks: ${labelOf(variable).toLowerCase()}`} tasks={tasks} known={known} onClose={() => setIsOpen(false)} />}
    </>
  );
}

function Link({ cell, isShort, title, onClick }: { cell: Cell; isShort: boolean; title: string; onClick: () => void }) {
  return (
    <td>
      <button type="button" className="thing-link" title={title} onClick={onClick}>
        {isShort ? shortened(cell.text) : cell.text}
      </button>
    </td>
  );
}

/** Shortens an id to its end, because ids of the same time have the same beginning. */
function shortened(id: string): string {
  return id.length > 16 ? `…${id.slice(-12)}` : id;
}
