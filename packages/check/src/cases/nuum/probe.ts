import type { Probe } from '../../detect/probe.ts';
import { framesOf } from '../frames.ts';
import { isSystem } from './frames.ts';

/** Recognizes agents of `nuum`. */
export const nuumProbe: Probe = {
  dialect: 'nuum',
  // The end of input is no hindrance to the first line, and brings an agent of another kind to its end.
  start: () => ({
    steps: [
      { send: '{"type":"control","action":"heartbeat"}\n' },
      { close: true },
      { wait: { what: 'init', done: (lines) => framesOf(lines).some((frame) => isSystem(frame, 'init')) } },
      { stop: true },
    ],
  }),
  sign: ({ missed }) => (missed === undefined ? 'it printed an init line' : undefined),
};
