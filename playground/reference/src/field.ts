// The page of a field: the operations that accept it and the operations that return it.
import { element } from './dom';
import { loadFields, loadIndex, Missing, type Listed } from './pieces';

export async function showField(name: string): Promise<Node[]> {
  const [index, fields] = await Promise.all([loadIndex(), loadFields()]);
  const found = Object.hasOwn(fields, name) ? fields[name] : undefined;
  if (!found) throw new Missing(name);
  document.title = `${name} · Labs API reference`;
  const listed = (places: number[]) => places.map((place) => index.operations[place]).filter((one) => one !== undefined);
  return [element('article', {},
    element('p', { class: 'crumbs' }, 'Field'),
    element('h1', { tabindex: '-1' }, element('code', {}, name)),
    ...section('Operations that accept it', listed(found[0])),
    ...section('Operations that return it', listed(found[1])))];
}

function section(title: string, operations: Listed[]): Node[] {
  if (operations.length === 0) return [];
  return [element('h2', {}, `${title} `, element('span', { class: 'count' }, String(operations.length))), element('ul', { class: 'operations' }, ...operations.map(item))];
}

function item([id, method, , title]: Listed): HTMLElement {
  return element('li', {}, element('a', { href: `/reference/operations/${id}` }, element('span', { class: `method ${method.toLowerCase()}` }, method), ' ', element('span', {}, title)));
}
