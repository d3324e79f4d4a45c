import { isRecord, textOf, type Answer } from './answer';

/** Style of the preview, close to the pages of the changelog and the blog. */
const STYLE = 'body{font:16px/1.6 system-ui,sans-serif;margin:1rem;max-width:46rem;color:CanvasText;background:Canvas}img{max-width:100%}pre{overflow:auto}';

/**
 * The texts of a publication item as readers see them. The service has rendered and cleaned the HTML. It is shown in a frame
 * without scripts and without this page's origin.
 */
export function Preview({ answer }: { answer: Answer }) {
  const texts = textsOf(answer.body);
  if (texts.length === 0) return null;
  return (
    <section className="previews" aria-label="Preview">
      {texts.map(([title, html]) => (
        <figure key={title}>
          <figcaption>{title}</figcaption>
          <iframe title={`Preview: ${title}`} sandbox="" srcDoc={`<!doctype html><meta name="color-scheme" content="light dark"><style>${STYLE}</style>${html}`} />
        </figure>
      ))}
    </section>
  );
}

/** Returns whether a resource has a rendered text. */
export function hasPreview(value: Record<string, unknown>): boolean {
  return textOf(value.body_html) !== undefined || textOf(value.migration_html) !== undefined;
}

/** Returns the rendered texts of the first resource that has any. */
function textsOf(body: unknown): [string, string][] {
  const data = isRecord(body) && isRecord(body.data) ? Object.values(body.data).filter(isRecord) : [];
  const item = data.find(hasPreview);
  const texts: [string, string | undefined][] = [
    ['Text', textOf(item?.body_html)],
    ['Migration', textOf(item?.migration_html)],
  ];
  return texts.flatMap(([title, html]) => (html ? [[title, html] as [string, string]] : []));
}
