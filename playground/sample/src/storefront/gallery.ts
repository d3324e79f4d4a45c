// The images of a listing: a row of one height with arrows, and a dialog that shows one image large.
import { type Schemas } from '../api';
import { h } from '../dom';
import { texts } from '../language';
import { openDialog, picture } from '../parts';
import { pictogram } from '../pictograms';

type Image = Schemas['ListingMedia'];

/** The row. The arrows scroll it; they are hidden if all images fit. */
export function gallery(media: Image[]): HTMLElement | null {
  const images = media.filter(({ sources }) => sources.length > 0);
  if (images.length === 0) return null;
  const t = texts();
  const row = h('ul', { class: 'strip' }, ...images.map((image, place) => makeShot(image, () => openDialog(makeViewer(images, place)))));
  const page = (direction: -1 | 1) => () => row.scrollBy({ left: direction * row.clientWidth * 0.8 });
  const back = makeArrow('back', t.scrollBack, page(-1));
  const on = makeArrow('on', t.scrollOn, page(1));
  const update = () => {
    const end = row.scrollWidth - row.clientWidth;
    back.hidden = row.scrollLeft < 8;
    on.hidden = row.scrollLeft > end - 8;
  };
  row.addEventListener('scroll', update, { passive: true });
  new ResizeObserver(update).observe(row);
  return h('section', { class: 'gallery', 'aria-label': t.images }, row, back, on);
}

function makeShot(image: Image, enlarge: () => void): HTMLElement {
  const shown = picture(image.sources, describe(image), '(min-width: 48rem) 36rem, 85vw');
  const button = h('button', { type: 'button', class: 'shot', onclick: enlarge }, h('span', { class: 'unseen' }, texts().enlarge, ' '), shown);
  return h('li', {}, h('figure', {}, button, image.caption && h('figcaption', { class: 'small faint' }, image.caption)));
}

/** The dialog. The arrow keys show the other images, Escape closes it. */
function makeViewer(images: Image[], first: number): HTMLDialogElement {
  const t = texts();
  const figure = h('figure', {});
  const said = h('p', { class: 'small', role: 'status' });
  let place = first;
  const show = (next: number) => {
    place = (next + images.length) % images.length;
    const image = images[place];
    if (!image) return;
    figure.replaceChildren(picture(image.sources, describe(image), '100vw', { loading: 'eager' }), ...(image.caption ? [h('figcaption', {}, image.caption)] : []));
    said.textContent = t.imageOf(place + 1, images.length);
  };
  const back = makeArrow('back', t.previousImage, () => show(place - 1));
  const on = makeArrow('on', t.nextImage, () => show(place + 1));
  back.hidden = on.hidden = images.length === 1;
  const dialog: HTMLDialogElement = h('dialog', { class: 'viewer', 'aria-label': t.images });
  const close = makeArrow('cross', t.close, () => dialog.close());
  dialog.append(h('div', { class: 'viewer-content' }, h('div', { class: 'bar' }, said, close), figure, back, on));
  dialog.addEventListener('keydown', (event) => {
    const moves: Record<string, number> = { ArrowLeft: place - 1, ArrowRight: place + 1, Home: 0, End: images.length - 1 };
    const next = moves[event.key];
    if (next === undefined || images.length === 1) return;
    event.preventDefault();
    show(next);
  });
  show(first);
  return dialog;
}

function makeArrow(name: 'back' | 'on' | 'cross', label: string, act: () => void): HTMLButtonElement {
  return h('button', { type: 'button', class: `arrow ${name}`, 'aria-label': label, title: label, onclick: act }, pictogram(name));
}

function describe({ alt_text, caption }: Image): string {
  return alt_text ?? caption ?? texts().appImage;
}
