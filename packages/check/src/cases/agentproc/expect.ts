import { parseJson } from '@plugboard/protocol';
import { createFailure, createSkip, createVerdict, type Expectation, PASS } from '../../case.ts';
import { describeRun, flushesEarly } from '../../expect/process.ts';
import type { Sight } from '../../observe/sight.ts';
import type { Seen } from '../scene.ts';
import { FOREIGN_SESSION } from './starts.ts';

type Kind = 'SESSION' | 'PARTIAL' | 'ERROR';

function payloadsOf({ lines }: Sight, kind: Kind): string[] {
  const prefix = `AGENT_${kind}:`;
  return lines.flatMap(({ text }) => (text.startsWith(prefix) ? [text.slice(prefix.length).trim()] : []));
}

function bodyLinesOf({ lines }: Sight): string[] {
  return lines.flatMap(({ text }) => (/^AGENT_(?:SESSION|PARTIAL|ERROR):/.test(text) ? [] : [text]));
}

function bodyOf(sight: Sight): string {
  return bodyLinesOf(sight).join('\n').trim();
}

function isJsonString(payload: string): boolean {
  const parsed = parseJson(payload);
  return parsed.ok && typeof parsed.value === 'string';
}

/** Stdout has a body, `AGENT_PARTIAL:` or `AGENT_ERROR:`: the user sees an answer. */
export const answers: Expectation<Seen> = {
  name: 'answers',
  look({ last }) {
    const spoken =
      bodyOf(last) !== '' || payloadsOf(last, 'PARTIAL').length > 0 || payloadsOf(last, 'ERROR').length > 0;
    return createVerdict(spoken, 'a reply body, AGENT_PARTIAL: or AGENT_ERROR: on stdout', describeRun(last));
  },
};

/** A session id must fit into `AGENT_SESSION_ID` and on a line: no white space, at most 4096 characters. */
export const givesProperSession: Expectation<Seen> = {
  name: 'gives a proper session id',
  look({ last }) {
    const ids = payloadsOf(last, 'SESSION');
    if (ids.length === 0) return createSkip('it gave no session id');
    const bad = ids.find((id) => id === '' || id.length > 4096 || /[\s\p{Cc}:]/u.test(id));
    return bad === undefined
      ? PASS
      : createFailure(
          'a session id without white space, control characters or a colon',
          bad || 'an empty one',
        );
  },
};

/** The payload of each `AGENT_PARTIAL:` or `AGENT_ERROR:` line is a JSON string. */
export function encodesPayload(kind: 'PARTIAL' | 'ERROR'): Expectation<Seen> {
  return {
    name: `encodes AGENT_${kind}`,
    look({ last }) {
      const found = payloadsOf(last, kind);
      if (found.length === 0) return createSkip(`it wrote no AGENT_${kind}: line`);
      const bad = found.find((payload) => !isJsonString(payload));
      return bad === undefined ? PASS : createFailure(`a JSON string after AGENT_${kind}:`, bad || 'nothing');
    },
  };
}

/** With `AGENT_STREAMING=0` the answer is in the body: hosts that do not stream ignore partials. */
export const answersInBody: Expectation<Seen> = {
  name: 'answers in the body',
  look({ first, last }) {
    if (payloadsOf(last, 'ERROR').length > 0) return createSkip('it answered with an error');
    const answered = bodyOf(first) !== '' || payloadsOf(first, 'PARTIAL').length > 0;
    return createVerdict(
      !answered || bodyOf(last) !== '',
      'a reply body when AGENT_STREAMING is 0',
      describeRun(last),
    );
  },
};

/** `AGENT_ERROR:` and a non-zero exit code come together or not at all. */
export const failsConsistently: Expectation<Seen> = {
  name: 'fails consistently',
  look({ last }) {
    const failed = payloadsOf(last, 'ERROR').length > 0;
    if (last.overdue || failed === (last.ending.exitCode !== 0)) return PASS;
    return failed
      ? createFailure('a non-zero exit code after AGENT_ERROR:', describeRun(last))
      : createFailure('an AGENT_ERROR: line before a non-zero exit', describeRun(last));
  },
};

/** A non-zero exit code without `AGENT_ERROR:` is shown to the user as a failure. */
export const exitsAsItAnswers: Expectation<Seen> = {
  name: 'exits as it answers',
  look({ last }) {
    if (last.overdue) return createSkip('it did not end');
    const failed = payloadsOf(last, 'ERROR').length > 0;
    return createVerdict(
      failed || last.ending.exitCode === 0,
      'exit code 0 without AGENT_ERROR:',
      describeRun(last),
    );
  },
};

const ALMOST_PROTOCOL = /^\uFEFF?agent_(?:session|partial|error)\b/i;

/** Hosts show a misspelled prefix, `agent_session:` for one, as body text. */
export const spellsPrefixes: Expectation<Seen> = {
  name: 'spells its prefixes',
  look({ last }) {
    const stray = bodyLinesOf(last).find((text) => ALMOST_PROTOCOL.test(text));
    return stray === undefined
      ? PASS
      : createFailure('AGENT_SESSION:, AGENT_PARTIAL: or AGENT_ERROR:, as it is', stray);
  },
};

/** Body lines with a prefix of the protocol have a blank in front, or hosts read them as protocol lines. */
export const escapesBody: Expectation<Seen> = {
  name: 'escapes its body',
  look({ last }) {
    const stray = last.lines.find(
      ({ text }) =>
        [`AGENT_SESSION:${FOREIGN_SESSION}`, 'AGENT_ERROR:"not an error"'].includes(text.trim()) &&
        !text.startsWith(' '),
    );
    return stray === undefined
      ? PASS
      : createFailure('a blank before a body line that begins with a prefix', stray.text);
  },
};

/** An `AGENT_PARTIAL:` line comes before the process ends. */
export const flushes: Expectation<Seen> = flushesEarly('partial', (line) =>
  line.startsWith('AGENT_PARTIAL:'),
);
