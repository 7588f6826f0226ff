import { isObject, type JsonObject, parseJson } from '@plugboard/protocol';
import { demand, type Expectation, fail, PASS, skip } from '../../case.ts';
import { said } from '../../expect/process.ts';
import type { Sight } from '../../observe/sight.ts';
import type { Seen } from '../scene.ts';

interface Frame {
  readonly frame: JsonObject;
  readonly text: string;
}

function framesOf({ lines }: Sight): Frame[] {
  return lines.flatMap(({ text }) => {
    const parsed = parseJson(text);
    return parsed.ok && isObject(parsed.value) ? [{ frame: parsed.value, text }] : [];
  });
}

function isEnding({ frame }: Frame): boolean {
  return frame.type === 'result' || frame.type === 'error';
}

/** Something is there for the user: a partial, a result, or an error. */
export const answers: Expectation<Seen> = {
  name: 'answers',
  look({ last }) {
    const spoken = framesOf(last).some((one) => isEnding(one) || one.frame.type === 'partial');
    return demand(spoken, 'a partial, a result or an error on stdout', said(last));
  },
};

/** Each line is a frame of a known type with the text that it needs. */
export const saysProperFrames: Expectation<Seen> = {
  name: 'says proper frames',
  look({ last }) {
    const stray = last.lines.find(({ text }) => text.trim() !== '' && !isFrame(text));
    return stray === undefined
      ? PASS
      : fail(
          'nothing but partial, result, error and permission_request objects, each with its text',
          stray.text,
        );
  },
};

function isFrame(text: string): boolean {
  const parsed = parseJson(text);
  if (!parsed.ok || !isObject(parsed.value)) return false;
  const { type, text: words, message, request_id: request } = parsed.value;
  if (type === 'partial' || type === 'result') return typeof words === 'string';
  if (type === 'error') return typeof message === 'string';
  return type === 'permission_request' && typeof request === 'string';
}

/** A turn is answered once. */
export const endsOnce: Expectation<Seen> = {
  name: 'ends once',
  look({ last }) {
    const endings = framesOf(last).filter(isEnding);
    return demand(
      endings.length <= 1,
      'one result or one error',
      `${endings.length}: ${endings.map(({ text }) => text).join(' ')}`,
    );
  },
};

function idsOf(sight: Sight): string[] {
  return framesOf(sight).flatMap(({ frame }) =>
    typeof frame.session_id === 'string' ? [frame.session_id] : [],
  );
}

/** Every session id could be the name of a file. */
export const givesProperSession: Expectation<Seen> = {
  name: 'gives a proper session id',
  look({ last }) {
    const ids = idsOf(last).filter((id) => id !== '');
    if (ids.length === 0) return skip('it gave no session id');
    const bad = ids.find((id) => id === '.' || id === '..' || id.length > 4096 || /[/\\\p{Cc}]/u.test(id));
    return bad === undefined
      ? PASS
      : fail('a session id without slashes and control characters, not `.` or `..`', bad);
  },
};

/** The id does not change within a turn. */
export const keepsSession: Expectation<Seen> = {
  name: 'keeps its session id',
  look({ last }) {
    const ids = new Set(idsOf(last).filter((id) => id !== ''));
    if (ids.size === 0) return skip('it gave no session id');
    return demand(ids.size === 1, 'the same session id in every frame', [...ids].join(', '));
  },
};

/** An agent that says it failed also exits as one that failed, and the other way round. */
export const failsConsistently: Expectation<Seen> = {
  name: 'fails consistently',
  look({ last }) {
    const failed = framesOf(last).some(({ frame }) => frame.type === 'error');
    if (last.overdue || failed === (last.ending.exitCode !== 0)) return PASS;
    return failed
      ? fail('a non-zero exit code after an error', said(last))
      : fail('an error object before a non-zero exit', said(last));
  },
};
