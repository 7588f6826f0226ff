import { isTalk, objectsOf, type Probe, QUESTION, startWithRequest } from '../../detect/probe.ts';

const TERMINAL_TYPES = ['message', 'progress', 'error', 'log'];

/** Recognizes agents of `terminal`. */
export const terminalProbe: Probe = {
  dialect: 'terminal',
  start: ({ directory }) =>
    startWithRequest({
      version: 1,
      text: QUESTION,
      channel: 'cli',
      chat_id: 'check',
      session_key: 'cli:check',
      workspace: directory,
      user_data_dir: `${directory}/users/check`,
    }),
  sign(sight) {
    const found = objectsOf(sight).find(
      ({ type, text }) => TERMINAL_TYPES.includes(String(type)) && typeof text === 'string',
    );
    return found === undefined
      ? undefined
      : `it answered an envelope with a frame of type ${String(found.type)}`;
  },
  guess: (sight, { found }) =>
    found === 0 && isTalk(sight)
      ? 'it printed text and exited with 0: a weak guess, in plain mode (protocol=plain)'
      : undefined,
  guessIsPlain: true,
};
