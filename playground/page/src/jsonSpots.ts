import { isRecord } from './answer';
import type { Spot } from './things';

/** A text of a response with its position in the printed JSON. Lines and columns start at 1, without the quotes. */
export interface TextSpot extends Spot {
  value: string;
  line: number;
  from: number;
  until: number;
}

/** Position of a value: the path of keys, the object that contains it, and its first column. */
interface Way {
  keys: string[];
  holder: Record<string, unknown>;
  column: number;
}

/** Returns the positions of all texts in the `data` of a response, printed with an indentation of two spaces. */
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
