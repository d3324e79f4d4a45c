import { isRecord } from './answer';
import type { Spot } from './things';

/** A text of an answer, with its place in the printed JSON: line and columns count from 1, the quotes left out. */
export interface TextSpot extends Spot {
  value: string;
  line: number;
  from: number;
  until: number;
}

/** Where a value stands: the keys that lead to it, the object that holds it, and the column where its print begins. */
interface Way {
  keys: string[];
  holder: Record<string, unknown>;
  column: number;
}

/** Where the texts of an answer's `data` stand, as the response pane prints it: with two spaces a level. */
export function spotsOf(json: string): TextSpot[] {
  const answer = parsed(json);
  const spots: TextSpot[] = [];
  let line = 1;

  function walk(value: unknown, { keys, holder, column }: Way, depth: number): void {
    if (typeof value === 'string' && keys[0] === 'data' && keys[1]) {
      const path = keys.slice(keys[2] === 'data' ? 3 : 2);
      spots.push({ root: keys[1], path, holder, value, line, from: column + 2, until: column + JSON.stringify(value).length });
    }
    const parts: [string | undefined, unknown][] = Array.isArray(value) ? value.map((part) => [undefined, part]) : isRecord(value) ? Object.entries(value) : [];
    for (const [key, part] of parts) {
      line += 1;
      const column = 2 * depth + (key === undefined ? 0 : JSON.stringify(key).length + 2);
      walk(part, { keys: key === undefined ? keys : [...keys, key], holder: isRecord(value) ? value : holder, column }, depth + 1);
    }
    if (parts.length > 0) line += 1;
  }

  walk(answer, { keys: [], holder: {}, column: 0 }, 1);
  return spots;
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return null;
  }
}
