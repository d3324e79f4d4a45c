/** Icons of the side bar, in the style of the editor's icons. */
export const QuestionsIcon = () => (
  <Icon d="M5 4h14a1 1 0 0 1 1 1v15l-3-2H5a1 1 0 0 1-1-1V5a1 1 0 0 1 1-1Zm4 5h6m-6 4h4" />
);
export const ScopesIcon = () => <Icon d="M9.5 14.5a5 5 0 1 1 4.6-3.1L21 18.3V21h-3.5v-2.5H15V16l-2-2a5 5 0 0 1-3.5.5ZM8.5 8.5h.01" />;
export const LinkIcon = () => <Icon d="M10 14a4 4 0 0 0 5.7 0l3.1-3.1a4 4 0 0 0-5.7-5.7L12 6.3M14 10a4 4 0 0 0-5.7 0l-3.1 3.1a4 4 0 0 0 5.7 5.7L12 17.7" />;
export const CrossIcon = () => <Icon d="M6 6l12 12M18 6 6 18" />;

function Icon({ d }: { d: string }) {
  return (
    <svg viewBox="0 0 24 24" width="20" height="20" fill="none" stroke="currentColor" strokeWidth="1.6" strokeLinecap="round" strokeLinejoin="round" aria-hidden="true">
      <path d={d} />
    </svg>
  );
}
