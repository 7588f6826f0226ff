import { isObject } from '@plugboard/protocol';
import { objectsOf, type Probe } from '../../detect/probe.ts';

const INITIALIZE = {
  jsonrpc: '2.0',
  id: 'plugboard-detect',
  method: 'initialize',
  params: { protocolVersion: 1, clientCapabilities: {}, clientInfo: { name: 'plugboard', version: '1' } },
};

/** Recognizes agents of ACP by their answer to `initialize`, which asks no model. */
export const acpProbe: Probe = {
  dialect: 'acp',
  start: () => ({
    steps: [
      { send: `${JSON.stringify(INITIALIZE)}\n` },
      // Some agents end without an answer when their input ends at once. The end of input brings an agent of another kind
      // to its end.
      { pauseMs: 1_000 },
      { close: true },
      {
        wait: {
          what: 'an answer to initialize',
          done: (lines) => lines.some(({ text }) => text.includes('"protocolVersion"')),
        },
      },
      { stop: true },
    ],
  }),
  sign(sight) {
    const isAnswered = objectsOf(sight).some(
      ({ id, result }) =>
        id === INITIALIZE.id && isObject(result) && typeof result.protocolVersion === 'number',
    );
    return isAnswered ? 'it answered an initialize request of ACP' : undefined;
  },
};
