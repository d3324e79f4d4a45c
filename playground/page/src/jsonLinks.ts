import { useEffect, useRef } from 'react';
import { useGraphiQL, useMonaco } from '@graphiql/react';
import access from 'virtual:access';
import { spotsOf } from './jsonSpots';
import { thingAt, type Thing } from './things';
import { useThingOpener } from './workbench';

/** URI scheme of links to resources, which works only inside the editor. */
const SCHEME = 'labs-thing';

/** Turns every id in the JSON of a response into a link that opens the resource. */
export function useJsonLinks(): void {
  const monaco = useMonaco((state) => state.monaco);
  const responseEditor = useGraphiQL((state) => state.responseEditor);
  const openerOf = useThingOpener();
  const latest = useRef(openerOf);
  latest.current = openerOf;
  useEffect(() => {
    const model = responseEditor?.getModel();
    if (!monaco || !model) return;
    const addressOf = ({ variable, id }: Thing) => monaco.Uri.from({ scheme: SCHEME, path: `/${variable}/${id}` });
    const links = monaco.languages.registerLinkProvider('json', {
      provideLinks: (asked) => {
        if (asked !== model) return { links: [] };
        const found = spotsOf(model.getValue()).flatMap(({ line, from, until, value, ...spot }) => {
          const thing = thingAt(access, spot, value);
          const range = new monaco.Range(line, from, line, until);
          return thing && latest.current(thing) ? [{ range, url: addressOf(thing), tooltip: 'Open in a new tab' }] : [];
        });
        return { links: found };
      },
    });
    const opening = monaco.editor.registerLinkOpener({
      open: ({ scheme, path }) => {
        if (scheme !== SCHEME) return false;
        const [, variable = '', id = ''] = path.split('/');
        latest.current({ variable, id })?.();
        return true;
      },
    });
    return () => {
      links.dispose();
      opening.dispose();
    };
  }, [monaco, responseEditor]);
}
