import { useState } from 'react';
import { tabKeep } from '../state/keep.ts';

/** The text that is being written, kept for each session until it is sent. */
export function useDraft(sessionId: string): [string, (text: string) => void] {
  const place = `plugboard.draft.${sessionId}`;
  const [text, setText] = useState(() => tabKeep.read(place) ?? '');
  const write = (next: string): void => {
    setText(next);
    tabKeep.write(place, next);
  };
  return [text, write];
}
