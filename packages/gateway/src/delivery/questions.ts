import { reasonOf } from '@plugboard/protocol';
import type { Delivery, Store } from '@plugboard/store';
import { endedText } from '../asks/question-text.ts';
import { type Channel, type Outgoing, SendError, type Sent } from '../channels/channel.ts';
import { platformPlace } from '../channels/places.ts';
import type { Clock } from '../clock.ts';
import { bodyOf } from './body.ts';
import { runWithin } from './timeout.ts';
import { SEND_MS } from './times.ts';

const PAGE = 50;

/** The delivery that has put a question to the people of a session. */
export async function findQuestionDelivery(
  { outbox }: Pick<Store, 'outbox'>,
  sessionId: string,
  ask: string,
): Promise<Delivery | undefined> {
  for (let before: string | undefined; ; ) {
    const page = await outbox.list({ sessionId, limit: PAGE, ...(before === undefined ? {} : { before }) });
    const found = page.find((delivery) => {
      const body = bodyOf(delivery);
      return body.ask === ask && body.ended !== true;
    });
    if (found !== undefined || page.length < PAGE) return found;
    before = page.at(-1)?.id;
  }
}

/**
 * Shows in the message of a question how it has ended, and takes its buttons away. A channel that cannot edit sends a new
 * message. A question that no person has seen needs neither.
 */
export async function showEnded(
  { store, channel, clock }: { readonly store: Store; readonly channel: Channel; readonly clock: Clock },
  { id, sessionId, place: at, attempts: attempt }: Delivery,
  ask: string,
): Promise<Sent> {
  const [stored, shown] = await Promise.all([
    store.asks.get(ask),
    findQuestionDelivery(store, sessionId, ask),
  ]);
  const platformId = shown?.state === 'sent' ? shown.platformId : undefined;
  if (stored === undefined || platformId === undefined) return {};
  const place = platformPlace(at);
  const text = endedText(stored);
  if (channel.edit === undefined) {
    const body: Outgoing = { kind: 'notice', text, media: [] };
    return runWithin(clock, SEND_MS, (signal) =>
      channel.send(place, body, { id, sessionId, attempt, signal }),
    );
  }
  const body: Outgoing = { kind: 'question', text, media: [], buttons: [] };
  try {
    await runWithin(clock, SEND_MS, async () => channel.edit?.(place, platformId, body));
  } catch (error) {
    if (!(error instanceof SendError) || error.problem === 'unknown')
      throw new SendError('later', reasonOf(error), { cause: error });
    // Somebody has deleted the question.
    if (error.problem === 'later' || error.stopsChannel) throw error;
  }
  return { platformId };
}
