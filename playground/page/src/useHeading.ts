import { useEffect, useRef, type RefObject } from 'react';

/** Moves the focus to the heading of a view when it opens, so that a screen reader reads it and the keyboard starts there. */
export function useHeading(): RefObject<HTMLHeadingElement> {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);
  return heading;
}
