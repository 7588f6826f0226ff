import type { TurnIO } from '@plugboard/agent';
import { BackendError } from '../../failure.ts';
import type { SessionRequest } from '../../request.ts';
import { runToolLoop, type ToolLoopInput } from '../tool-loop.ts';
import { getSessionPath, loadSession, moveAside, saveSession, type TalkMessage } from './sessions.ts';

/** A conversation at the terminal. */
export interface Talk {
  readonly input: Omit<ToolLoopInput, 'said' | 'signal' | 'onStep' | 'onText'>;
  readonly said: TalkMessage[];
  readonly save: (said: readonly TalkMessage[]) => void;
}

/** The storage of conversations. */
export interface TalkStore {
  readonly state: string;
  readonly root: string;
  readonly now: () => number;
  readonly log: (text: string) => void;
}

/** A new or a resumed conversation. Without a session it is not stored. */
export function openTalk(given: Talk['input'], session: SessionRequest | undefined, store: TalkStore): Talk {
  if (session === undefined) return { input: given, said: [], save: () => {} };
  const file = getSessionPath(store.state, store.root, session.id);
  const said = session.resume ? loadSession(file) : [];
  if (said === undefined) {
    throw new BackendError(
      'no-session',
      `There is no conversation ${session.id} of this project to resume. Start one without --resume.`,
    );
  }
  let isNew = !session.resume;
  const save = (all: readonly TalkMessage[]): void => {
    // Delayed until the first answer: a conversation that fails to start must not replace the previous one.
    const aside = isNew ? moveAside(file, store.now()) : undefined;
    isNew = false;
    if (aside !== undefined) store.log(`The conversation before this one is kept in ${aside}.`);
    saveSession(file, store.root, all);
  };
  return { input: given, said: [...said], save };
}

/** The last answer, for a person who resumes a conversation. */
export function getLastAnswer({ said }: Talk): string {
  return said.findLast(({ role }) => role === 'assistant')?.text ?? '';
}

/** Sends a message and streams the answer. Both are saved after the answer is complete. */
export async function exchangeMessages(
  talk: Talk,
  text: string,
  io: TurnIO,
  show: (text: string) => string,
): Promise<void> {
  const asked: TalkMessage = { role: 'user', text };
  const output = createOutput(io, show);
  const reply = await runToolLoop({
    ...talk.input,
    ...output,
    said: [...talk.said, asked].map((one) => ({ ...one, calls: [] })),
    signal: io.signal,
  });
  talk.said.push(asked, { role: 'assistant', text: reply.text });
  talk.save(talk.said);
  if (reply.cut) await io.log('The answer was cut off: set NIB_LOCAL_MAX_TOKENS higher for longer ones.');
}

/** Starts a new paragraph for text after a tool call. */
function createOutput(io: TurnIO, show: (text: string) => string): Pick<ToolLoopInput, 'onText' | 'onStep'> {
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
