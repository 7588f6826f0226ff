import type { TurnIO } from '@plugboard/agent';
import { BackendError } from '../../failure.ts';
import type { SessionWish } from '../../request.ts';
import { type Work, work } from '../loop.ts';
import { loadSession, type Spoken, saveSession, sessionFile, setAside } from './sessions.ts';

/** A conversation at the terminal. */
export interface Talk {
  readonly work: Omit<Work, 'said' | 'signal' | 'onStep' | 'onText'>;
  readonly said: Spoken[];
  readonly keep: (said: readonly Spoken[]) => void;
}

/** Where conversations are kept. */
export interface Shelf {
  readonly state: string;
  readonly root: string;
  readonly now: () => number;
  readonly log: (text: string) => void;
}

/** A conversation, from its beginning or from where it stopped. One without a session is not kept. */
export function openTalk(given: Talk['work'], wish: SessionWish | undefined, shelf: Shelf): Talk {
  if (wish === undefined) return { work: given, said: [], keep: () => {} };
  const file = sessionFile(shelf.state, shelf.root, wish.id);
  const said = wish.resume ? loadSession(file) : [];
  if (said === undefined) {
    throw new BackendError(
      'no-session',
      `There is no conversation ${wish.id} of this project to resume. Start one without --resume.`,
    );
  }
  let isNew = !wish.resume;
  const keep = (all: readonly Spoken[]): void => {
    // Only now: a conversation that never came about must not cost the author the one before it.
    const aside = isNew ? setAside(file, shelf.now()) : undefined;
    isNew = false;
    if (aside !== undefined) shelf.log(`The conversation before this one is kept in ${aside}.`);
    saveSession(file, shelf.root, all);
  };
  return { work: given, said: [...said], keep };
}

/** What was said last, for a person who comes back to a conversation. */
export function lastWords({ said }: Talk): string {
  return said.findLast(({ role }) => role === 'assistant')?.text ?? '';
}

/** Says something and streams the answer. What was said is kept as soon as it has been answered. */
export async function exchange(
  talk: Talk,
  text: string,
  io: TurnIO,
  show: (text: string) => string,
): Promise<void> {
  const asked: Spoken = { role: 'user', text };
  const voice = voiceOf(io, show);
  const reply = await work({ ...talk.work, ...voice, said: [...talk.said, asked], signal: io.signal });
  talk.said.push(asked, { role: 'assistant', text: reply.text });
  talk.keep(talk.said);
  if (reply.cut) await io.log('The answer was cut off: set NIB_LOCAL_MAX_TOKENS higher for longer ones.');
}

/** What is said before a tool is used and after it are paragraphs of their own. */
function voiceOf(io: TurnIO, show: (text: string) => string): Pick<Work, 'onText' | 'onStep'> {
  let spoken = false;
  let paused = false;
  return {
    onText(text) {
      void io.delta(show(paused ? `\n\n${text}` : text));
      spoken = true;
      paused = false;
    },
    onStep(text) {
      paused = spoken;
      void io.progress(text);
    },
  };
}
