import { demand, type Expectation, skip } from '../case.ts';
import type { Seen } from '../cases/scene.ts';
import { NON_ASCII, TEXTS } from '../cases/texts.ts';
import type { Sight } from '../observe/sight.ts';

/** The texts of `message` events and of `delta` events with kind `output`, joined. */
function replyOf({ events }: Sight): string {
  const texts = events.flatMap((event) =>
    event.type === 'message' || (event.type === 'delta' && event.kind === 'output') ? [event.text] : [],
  );
  return texts.join('');
}

/** An agent that repeats the plain text of the first process also repeats the text outside ASCII of the last one. */
export const keepsText: Expectation<Seen> = {
  name: 'keeps text outside ASCII',
  look({ first, last }) {
    if (!replyOf(first).includes(TEXTS.plain)) return skip('it does not repeat what it is told');
    const seen = replyOf(last);
    return demand(seen.includes(NON_ASCII), `${NON_ASCII} in an answer that repeats the text`, seen);
  },
};
