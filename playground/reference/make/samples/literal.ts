// Formats a JSON value as a literal of a programming language.

export interface Dialect {
  words: { true: string; false: string; null: string };
  string: (text: string) => string;
  key: (name: string) => string;
}

export function literal(value: unknown, dialect: Dialect, indent: string, step: string): string {
  if (value === null || typeof value === 'boolean') return dialect.words[String(value) as 'true'];
  if (typeof value === 'string') return dialect.string(value);
  if (typeof value !== 'object') return String(value);
  const inner = indent + step;
  const lines = Array.isArray(value)
    ? value.map((one) => literal(one, dialect, inner, step))
    : Object.entries(value as object).map(([name, one]) => `${dialect.key(name)}: ${literal(one, dialect, inner, step)}`);
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}'];
  return lines.length === 0 ? open + close : `${open}\n${lines.map((line) => `${inner}${line},\n`).join('')}${indent}${close}`;
}
