import type { Step } from './steps';
import { useOrder } from './workbench';

interface Props {
  steps: Step[];
  label: string;
  isMain?: boolean;
  /** Whether the buttons show only the actions, because the place says what they concern. */
  isShort?: boolean;
  /** The entry of a list that the steps concern. The buttons then show only the actions. */
  entry?: string;
}

/** Buttons that open the tasks in the editor. */
export function Steps({ steps, label, isMain = false, isShort = false, entry }: Props) {
  const order = useOrder();
  if (steps.length === 0) return null;
  return (
    <ul className="steps" aria-label={label}>
      {steps.map((step) => (
        <li key={step.title}>
          <button
            type="button"
            className={isMain ? 'strong' : undefined}
            title={step.sentence}
            aria-label={entry && `${step.short}: ${entry}`}
            onClick={() => order(step.order)}
          >
            {entry || isShort ? step.short : step.title}
          </button>
        </li>
      ))}
    </ul>
  );
}
