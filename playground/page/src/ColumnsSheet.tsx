import { useHiddenColumns } from './columns';
import { Sheet } from './Sheet';
import type { Table } from './table';

/** A dialog to choose the columns of each table of a response. */
export function ColumnsSheet({ tables, onClose }: { tables: Table[]; onClose: () => void }) {
  const [hiddenOf, hide] = useHiddenColumns();
  return (
    <Sheet title="Columns" onClose={onClose}>
      <p>The choice applies to every response of the same root field, and to the CSV file. This browser remembers it.</p>
      {tables.map((table) => {
        const hidden = hiddenOf(table);
        const [first, ...others] = table.columns;
        return (
          <fieldset className="columns" key={table.path.join('.')}>
            <legend>{table.path.join('.')}</legend>
            <label>
              <input type="checkbox" checked disabled /> {first}
            </label>
            {others.map((column) => (
              <label key={column}>
                <input
                  type="checkbox"
                  checked={!hidden.includes(column)}
                  onChange={(event) => hide(table, event.target.checked ? hidden.filter((one) => one !== column) : [...hidden, column])}
                />
                {column}
              </label>
            ))}
            {hidden.length > 0 && (
              <button type="button" onClick={() => hide(table, [])}>
                Show all
              </button>
            )}
          </fieldset>
        );
      })}
    </Sheet>
  );
}
