import { useCallback, useSyncExternalStore } from 'react';

interface TextEditor {
  getValue(): string;
  onDidChangeModelContent(listener: () => void): { dispose(): void };
}

/** Returns the current text of an editor. */
export function useEditorText(editor: TextEditor | undefined): string {
  const subscribe = useCallback(
    (listener: () => void) => {
      const listening = editor?.onDidChangeModelContent(listener);
      return () => listening?.dispose();
    },
    [editor],
  );
  return useSyncExternalStore(subscribe, () => editor?.getValue() ?? '');
}
