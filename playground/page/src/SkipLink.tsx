/** The first link of the page for keyboard users. It skips the top bar, the side bar and the panel. */
export function SkipLink() {
  return (
    <a
      className="skip"
      href="#graphiql-session"
      onClick={(event) => {
        // The part of the address after the # holds queries, so the link must not change it.
        event.preventDefault();
        const task = document.querySelector<HTMLElement>('#task :is(input, select, textarea, button)');
        (task ?? document.querySelector<HTMLElement>('.graphiql-query-editor textarea'))?.focus();
      }}
    >
      Skip to the task
    </a>
  );
}
