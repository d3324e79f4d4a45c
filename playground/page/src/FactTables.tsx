import type { FactTable, Field } from './facts';
import { Shown } from './Parts';

/** The values of an object. Values without content are left out. */
export function FactList({ fields }: { fields: Field[] }) {
  const shown = fields.filter(({ fact }) => fact.kind !== 'none');
  if (shown.length === 0) return null;
  return (
    <dl className="facts">
      {shown.map(({ path, label, fact }) => (
        <div key={path.join('.')} className={fact.kind === 'text' && fact.text.length > 60 ? 'long' : undefined}>
          <dt>{label}</dt>
          <dd>
            <Shown fact={fact} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** A list of objects. A narrow window scrolls it sideways. */
export function ListTable({ table: { label, columns, rows }, title }: { table: FactTable; title: string }) {
  if (rows.length === 0) return <p className="nothing">None.</p>;
  return (
    <div className="scroll" role="region" aria-label={title} tabIndex={0}>
      <table>
        <caption className="hidden">{label || title}</caption>
        <thead>
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
              {row.map((fact, column) => (
                <td key={column} className={fact.kind === 'text' && fact.text.length > 40 ? 'long' : undefined}>
                  <Shown fact={fact} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
