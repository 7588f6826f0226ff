import { createSkip, createVerdict, type Expectation } from '../case.ts';
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

/** An agent that repeats `TEXTS.plain` in `first` also repeats `NON_ASCII` in `last`. */
export const keepsText: Expectation<Seen> = {
  name: 'keeps text outside ASCII',
  look({ first, last }) {
    if (!replyOf(first).includes(TEXTS.plain)) return createSkip('it does not repeat what it is told');
    const seen = replyOf(last);
    return createVerdict(seen.includes(NON_ASCII), `${NON_ASCII} in an answer that repeats the text`, seen);
  },
};
