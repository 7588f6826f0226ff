import { parseJson } from '@plugboard/protocol';
import { demand, type Expectation, fail, PASS, skip } from '../../case.ts';
import { said } from '../../expect/process.ts';
import type { Sight } from '../../observe/sight.ts';
import type { Seen } from '../scene.ts';

type Kind = 'SESSION' | 'PARTIAL' | 'ERROR';

function payloads({ lines }: Sight, kind: Kind): string[] {
  const prefix = `AGENT_${kind}:`;
  return lines.flatMap(({ text }) => (text.startsWith(prefix) ? [text.slice(prefix.length).trim()] : []));
}

function bodyOf({ lines }: Sight): string {
  const body = lines.filter(({ text }) => !/^AGENT_(?:SESSION|PARTIAL|ERROR):/.test(text));
  return body
    .map(({ text }) => text)
    .join('\n')
    .trim();
}

function isJsonString(payload: string): boolean {
  const parsed = parseJson(payload);
  return parsed.ok && typeof parsed.value === 'string';
}

/** Something is there for the user: a body, a partial, or an error. */
export const answers: Expectation<Seen> = {
  name: 'answers',
  look({ last }) {
    const spoken =
      bodyOf(last) !== '' || payloads(last, 'PARTIAL').length > 0 || payloads(last, 'ERROR').length > 0;
    return demand(spoken, 'a reply body, AGENT_PARTIAL: or AGENT_ERROR: on stdout', said(last));
  },
};

/** Every session id could be put into a variable and a line of its own again. */
export const givesProperSession: Expectation<Seen> = {
  name: 'gives a proper session id',
  look({ last }) {
    const ids = payloads(last, 'SESSION');
    if (ids.length === 0) return skip('it gave no session id');
    const bad = ids.find((id) => id === '' || id.length > 4096 || /[\s\p{Cc}:]/u.test(id));
    return bad === undefined
      ? PASS
      : fail('a session id without white space, control characters or a colon', bad || 'an empty one');
  },
};

/** What follows a prefix is a JSON string. */
export function encodes(kind: 'PARTIAL' | 'ERROR'): Expectation<Seen> {
  return {
    name: `encodes AGENT_${kind}`,
    look({ last }) {
      const found = payloads(last, kind);
      if (found.length === 0) return skip(`it wrote no AGENT_${kind}: line`);
      const bad = found.find((payload) => !isJsonString(payload));
      return bad === undefined ? PASS : fail(`a JSON string after AGENT_${kind}:`, bad || 'nothing');
    },
  };
}

/** A host that takes no partials gets the same answer in the body. */
export const answersInBody: Expectation<Seen> = {
  name: 'answers in the body',
  look({ first, last }) {
    if (payloads(last, 'ERROR').length > 0) return skip('it answered with an error');
    const answered = bodyOf(first) !== '' || payloads(first, 'PARTIAL').length > 0;
    return demand(!answered || bodyOf(last) !== '', 'a reply body when AGENT_STREAMING is 0', said(last));
  },
};

/** An agent that says it failed also exits as one that failed, and the other way round. */
export const failsConsistently: Expectation<Seen> = {
  name: 'fails consistently',
  look({ last }) {
    const failed = payloads(last, 'ERROR').length > 0;
    if (last.overdue || failed === (last.ending.exitCode !== 0)) return PASS;
    return failed
      ? fail('a non-zero exit code after AGENT_ERROR:', said(last))
      : fail('an AGENT_ERROR: line before a non-zero exit', said(last));
  },
};
