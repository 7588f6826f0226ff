import { isObject, parseJson } from '@plugboard/protocol';
import { type Probe, startWithRequest, WORD } from '../../detect/probe.ts';

/** Recognizes agents of `nib`. */
export const nibProbe: Probe = {
  dialect: 'nib',
  start: ({ directory }) => startWithRequest({ operation: WORD, dir: directory }),
  sign({ lines }) {
    const parsed = parseJson(lines.map(({ text }) => text).join('\n'));
    if (!parsed.ok || !isObject(parsed.value)) return undefined;
    const { type, error, operation } = parsed.value;
    if (type === 'error' && typeof error === 'string')
      return 'it refused an unknown operation with an error object';
    return type === 'success' && operation === WORD
      ? 'it answered an operation with a success object'
      : undefined;
  },
};
