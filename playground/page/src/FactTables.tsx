import type { FactTable, Field } from './facts';
import { Shown } from './Parts';
import { Steps } from './Steps';
import type { Step } from './steps';

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

interface TableProps {
  table: FactTable;
  title: string;
  /** Returns the tasks for a row. */
  stepsOf?: (index: number) => Step[];
}

/** A list of objects. A narrow window scrolls it sideways. */
export function ListTable({ table: { label, columns, rows }, title, stepsOf }: TableProps) {
  if (rows.length === 0) return <p className="nothing">None.</p>;
  const steps = rows.map((_, index) => stepsOf?.(index) ?? []);
  const hasSteps = steps.some((one) => one.length > 0);
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
            {hasSteps && (
              <th scope="col">
                <span className="hidden">Tasks</span>
              </th>
            )}
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
              {hasSteps && (
                <td>
                  <Steps steps={steps[index] ?? []} label={`Tasks: row ${index + 1}`} entry={`row ${index + 1}`} />
                </td>
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
