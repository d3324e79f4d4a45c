import access from 'virtual:access';
import { parentOf, type Cell, type Table } from './table';
import { thingAt } from './things';
import { useThingOpener } from './workbench';

/** A response as tables, in which every id opens its resource. */
export function AnswerTables({ tables }: { tables: Table[] }) {
  return (
    <div className="tables" tabIndex={0} role="region" aria-label="Response as a table">
      {tables.map((table) => (
        <AnswerTable key={table.path.join('.')} table={table} isAlone={tables.length === 1} />
      ))}
    </div>
  );
}

function AnswerTable({ table: { path, columns, rows, isThing }, isAlone }: { table: Table; isAlone: boolean }) {
  if (rows.length === 0) return <p className="empty">{path.join('.')}: no entries.</p>;
  return (
    <table className={isThing ? 'thing' : undefined}>
      <caption className={isAlone ? 'hidden' : undefined}>{path.join('.')}</caption>
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
            {row.map((cell, column) => (isThing && column === 0 ? <th key={column} scope="row">{cell.text}</th> : <Value key={column} root={path[0] ?? ''} above={path.slice(1)} cell={cell} isShort={!isThing} />))}
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
  if (!open) return <td>{cell.text}</td>;
  return (
    <td>
      <button type="button" className="thing-link" title={`Open ${cell.text}`} onClick={open}>
        {isShort ? shortened(cell.text) : cell.text}
      </button>
    </td>
  );
}

/** Shortens an id to its end, because ids of the same time have the same beginning. */
function shortened(id: string): string {
  return id.length > 16 ? `…${id.slice(-12)}` : id;
}
