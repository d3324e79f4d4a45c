/** The first link of the page for keyboard users. It skips the top bar and, in the editor, the side bar and the panel. */
export function SkipLink({ isEditor }: { isEditor: boolean }) {
  return (
    <a
      className="skip"
      href={isEditor ? '#graphiql-session' : '#view'}
      onClick={(event) => {
        // The part of the address after the # holds the view, so the link must not change it.
        event.preventDefault();
        if (!isEditor) return document.querySelector<HTMLElement>('.view h2')?.focus();
        const task = document.querySelector<HTMLElement>('#task :is(input, select, textarea, button)');
        (task ?? document.querySelector<HTMLElement>('.graphiql-query-editor textarea'))?.focus();
      }}
    >
      {isEditor ? 'Skip to the task' : 'Skip to the content'}
    </a>
  );
}
