// Creates DOM elements. Text is inserted as text, never as HTML.

type Child = Node | string;

/** Creates an element with attributes and children. It omits attributes with the value false. */
export function element<Name extends keyof HTMLElementTagNameMap>(name: Name, attributes: Record<string, string | boolean> = {}, ...children: Child[]): HTMLElementTagNameMap[Name] {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) if (value !== false) made.setAttribute(key, value === true ? '' : value);
  made.append(...children);
  return made;
}

/** Returns the element of index.html with this id. */
export function byId<T extends HTMLElement>(id: string): T {
  const found = document.getElementById(id);
  if (!found) throw new Error(`#${id} is missing`);
  return found as T;
}
