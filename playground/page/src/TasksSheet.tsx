import type { Question } from './questions';
import { Sheet } from './Sheet';
import { useQuestionOpener } from './workbench';

interface Props {
  title: string;
  tasks: Question[];
  /** Values that the tasks start with. */
  known: Record<string, string>;
  onClose: () => void;
}

/** A dialog with the tasks for one entry of a list. */
export function TasksSheet({ title, tasks, known, onClose }: Props) {
  const open = useQuestionOpener();
  return (
    <Sheet title={title} onClose={onClose}>
      <ul className="tasks">
        {tasks.map((task, index) => (
          <li key={task.name}>
            <button
              type="button"
              data-first={index === 0 || undefined}
              onClick={() => {
                onClose();
                open(task, known);
              }}
            >
              <strong>{task.title}</strong>
              <span>{task.sentence}</span>
            </button>
          </li>
        ))}
      </ul>
    </Sheet>
  );
}
