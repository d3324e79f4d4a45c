/** Pictures of the side bar, in the strokes of the editor's own. */
export const QuestionsIcon = () => (
  <Icon d="M5 4h14a1 1 0 0 1 1 1v15l-3-2H5a1 1 0 0 1-1-1V5a1 1 0 0 1 1-1Zm4 5h6m-6 4h4" />
);
export const ScopesIcon = () => <Icon d="M9.5 14.5a5 5 0 1 1 4.6-3.1L21 18.3V21h-3.5v-2.5H15V16l-2-2a5 5 0 0 1-3.5.5ZM8.5 8.5h.01" />;
export const BuildIcon = () => <Icon d="M9 5H5v4h4V5Zm10 2h-6m6 6h-4m4 6h-4M7 9v10h4M7 13h4" />;

function Icon({ d }: { d: string }) {
  return (
    <svg viewBox="0 0 24 24" width="20" height="20" fill="none" stroke="currentColor" strokeWidth="1.6" strokeLinecap="round" strokeLinejoin="round" aria-hidden="true">
      <path d={d} />
    </svg>
  );
}
