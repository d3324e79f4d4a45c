// Creates DOM elements. Text is inserted as text, never as HTML.

type Child = Node | string;

/** An element with these attributes and children; an attribute that is false is left out. */
export function element<Name extends keyof HTMLElementTagNameMap>(name: Name, attributes: Record<string, string | boolean> = {}, ...children: Child[]): HTMLElementTagNameMap[Name] {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) if (value !== false) made.setAttribute(key, value === true ? '' : value);
  made.append(...children);
  return made;
}

/** The element with this id, which index.html has. */
export function byId<T extends HTMLElement>(id: string): T {
  const found = document.getElementById(id);
  if (!found) throw new Error(`there is no #${id}`);
  return found as T;
}
