import { isTalk, type Probe, QUESTION, WORD } from '../../detect/probe.ts';

/** Recognizes agents of `agentproc`. */
export const agentprocProbe: Probe = {
  dialect: 'agentproc',
  start: () => ({
    env: {
      AGENT_MESSAGE: QUESTION,
      AGENT_SESSION_ID: '',
      AGENT_SESSION_NAME: 'default',
      AGENT_FROM_USER: '',
      AGENT_STREAMING: '1',
      AGENT_PROTOCOL_VERSION: '0.1',
    },
    steps: [{ close: true }],
  }),
  sign({ lines }) {
    const line = lines
      .map(({ text }) => /^AGENT_(?:SESSION|PARTIAL|ERROR):/.exec(text)?.[0])
      .find((prefix) => prefix !== undefined);
    if (line !== undefined) return `it printed an ${line} line`;
    return lines.some(({ text }) => text.includes(WORD)) ? 'it repeated a word of AGENT_MESSAGE' : undefined;
  },
  guess: (sight, { silent }) =>
    isTalk(sight) && !isTalk(silent)
      ? 'it printed text when AGENT_MESSAGE was set, and none when nothing was'
      : undefined,
};
