import { parseJson } from '@plugboard/protocol';
import { demand, type Expectation, fail, PASS, skip } from '../../case.ts';
import { flushesEarly, said } from '../../expect/process.ts';
import type { Sight } from '../../observe/sight.ts';
import type { Seen } from '../scene.ts';
import { FOREIGN_SESSION } from './starts.ts';

type Kind = 'SESSION' | 'PARTIAL' | 'ERROR';

function payloads({ lines }: Sight, kind: Kind): string[] {
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

/** Only failures are worth another exit code than 0. */
export const exitsAsItAnswers: Expectation<Seen> = {
  name: 'exits as it answers',
  look({ last }) {
    if (last.overdue) return skip('it did not end');
    const failed = payloads(last, 'ERROR').length > 0;
    return demand(failed || last.ending.exitCode === 0, 'exit code 0 without AGENT_ERROR:', said(last));
  },
};

const ALMOST_PROTOCOL = /^\uFEFF?agent_(?:session|partial|error)\b/i;

/** A line that nearly has a prefix is shown to the user with all that is in it. */
export const spellsPrefixes: Expectation<Seen> = {
  name: 'spells its prefixes',
  look({ last }) {
    const stray = bodyLinesOf(last).find((text) => ALMOST_PROTOCOL.test(text));
    return stray === undefined
      ? PASS
      : fail('AGENT_SESSION:, AGENT_PARTIAL: or AGENT_ERROR:, as it is', stray);
  },
};

/** A body line of the message that begins with a prefix has a blank before it. */
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
      : fail('a blank before a body line that begins with a prefix', stray.text);
  },
};

/** Partials come while the agent works. */
export const flushes: Expectation<Seen> = flushesEarly('partial', (line) =>
  line.startsWith('AGENT_PARTIAL:'),
);
