// The reference's "try it" form would keep the token that is typed into it in local storage, for ever and
// readable by every page of this origin. Without local storage it keeps it in memory.
Object.defineProperty(window, 'localStorage', { value: undefined });

export {};
