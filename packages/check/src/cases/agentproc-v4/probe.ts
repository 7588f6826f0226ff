import { objectsOf, type Probe, QUESTION, startWithRequest } from '../../detect/probe.ts';

/** Recognizes agents of `agentproc/v4`. */
export const agentprocV4Probe: Probe = {
  dialect: 'agentproc/v4',
  start: () => startWithRequest({ type: 'turn', message: QUESTION, session_id: '', protocol_version: '0.4' }),
  sign(sight) {
    const found = objectsOf(sight).find(({ type, text, message }) => {
      if (type === 'partial' || type === 'result') return typeof text === 'string';
      return type === 'error' && typeof message === 'string';
    });
    return found === undefined
      ? undefined
      : `it answered a turn line with an object of type ${String(found.type)}`;
  },
};
