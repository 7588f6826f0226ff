import { DatabaseSync } from 'node:sqlite';

/*
 * The judge of the crash tests. It knows what was asked of the platform, what people saw and what the file holds, and
 * shares no code with the program it judges.
 */

export interface Histories {
  /** What people said, in order. */
  readonly updates: readonly { readonly id: number; readonly place: string; readonly text: string }[];
  /** The platform was told that everything up to this update has arrived. */
  readonly acknowledged: number;
  readonly visible: readonly { readonly place: string; readonly text: string; readonly kind: string }[];
  /** The file of the store. */
  readonly file: string;
  /** What an agent that is not interrupted answers, in the messages that people see. */
  readonly reply: readonly string[];
}

interface EventRow {
  readonly place: string;
  readonly number: number;
  readonly turn: number | null;
  readonly body: string;
}

/** What the file says of a delivery. */
export interface DeliveryRow {
  readonly place: string;
  readonly turn: number | null;
  readonly state: string;
  readonly body: string;
}

/** Everything that is wrong; nothing, when all is well. */
export function judge(histories: Histories): string[] {
  const database = new DatabaseSync(histories.file, { readOnly: true });
  const rows = <Row>(sql: string): Row[] => database.prepare(sql).all() as Row[];
  const events = rows<EventRow>(
    'select place, number, turn, body from events join sessions on sessions.seq = events.session order by events.seq',
  );
  const deliveries = rows<DeliveryRow>('select place, turn, state, body from deliveries order by seq');
  const integrity = rows<{ integrity_check: string }>('pragma integrity_check');
  database.close();
  return [
    ...(integrity[0]?.integrity_check === 'ok' ? [] : ['The file is damaged.']),
    ...lost(histories, events),
    ...disorder(histories, events),
    ...unended(events),
    ...badlyDelivered(histories, deliveries),
    ...unanswered(histories, events, deliveries),
  ];
}

/** What was acknowledged is in the log, once. */
function lost({ updates, acknowledged }: Histories, events: readonly EventRow[]): string[] {
  const said = events
    .map(({ body }) => JSON.parse(body) as { type: string; text: string })
    .filter(({ type }) => type === 'user');
  return updates.flatMap(({ id, text }) => {
    const times = said.filter((one) => one.text === text).length;
    if (times > 1) return [`Update ${id} was taken in ${times} times.`];
    return times === 0 && id <= acknowledged ? [`Update ${id} was acknowledged and is lost.`] : [];
  });
}

/** In every place, numbers go up by one and people's messages stand in the order in which they were said. */
function disorder({ updates }: Histories, events: readonly EventRow[]): string[] {
  const places = new Set(updates.map(({ place }) => place));
  return [...places].flatMap((place) => {
    const own = events.filter((event) => event.place === place);
    const numbers = own.every(({ number }, index) => number === index + 1)
      ? []
      : [`Numbers in ${place} have a gap.`];
    const said = own
      .map(({ body }) => JSON.parse(body) as { type: string; text: string })
      .filter(({ type }) => type === 'user');
    const expected = updates.filter((update) => update.place === place).map(({ text }) => text);
    const inOrder = said.every(({ text }, index) => text === expected[index]);
    return inOrder ? numbers : [...numbers, `Messages in ${place} are out of order.`];
  });
}

/** Each turn has one end, and it is the last thing in it. */
function unended(events: readonly EventRow[]): string[] {
  const turns = Map.groupBy(
    events.filter(({ turn }) => turn !== null),
    ({ turn }) => turn,
  );
  return [...turns].flatMap(([turn, own]) => {
    const types = own.map(({ body }) => (JSON.parse(body) as { type: string }).type);
    const ends = types.filter((type) => type === 'end').length;
    return ends === 1 && types.at(-1) === 'end' ? [] : [`Turn ${turn} has ${ends} ends: ${types.join(' ')}.`];
  });
}

/** Everything in the outbox was seen as often as its state says: once, or not at all, or nobody can tell. */
export function badlyDelivered({ visible }: Histories, deliveries: readonly DeliveryRow[]): string[] {
  const key = (place: string, text: string): string => `${place}: ${text}`;
  const texts = new Set(visible.map(({ place, text }) => key(place, text)));
  for (const { place, body } of deliveries)
    texts.add(key(place, (JSON.parse(body) as { text: string }).text));
  return [...texts].flatMap((text) => {
    const seen = visible.filter((one) => key(one.place, one.text) === text).length;
    const rows = deliveries.filter(
      ({ place, body }) => key(place, (JSON.parse(body) as { text: string }).text) === text,
    );
    const sure = rows.filter(({ state }) => state === 'sent').length;
    const doubtful = rows.filter(({ state }) => state === 'unknown').length;
    const left = rows.filter(({ state }) => state !== 'sent' && state !== 'unknown');
    const problems = left.map(({ state }) => `"${text}" was left ${state}.`);
    if (seen < sure || seen > sure + doubtful)
      problems.push(`"${text}" was seen ${seen} times: ${sure} sent, ${doubtful} unknown.`);
    return problems;
  });
}

/** Every message was answered in full, or people were told that it was not. */
function unanswered(
  { updates, reply }: Histories,
  events: readonly EventRow[],
  deliveries: readonly DeliveryRow[],
): string[] {
  const turns = Map.groupBy(
    events.filter(({ turn }) => turn !== null),
    ({ turn }) => turn,
  );
  const problems = [...turns].flatMap(([turn, own]) => {
    const end = JSON.parse(own.at(-1)?.body ?? '{}') as { outcome?: string };
    const sent = deliveries.filter((delivery) => delivery.turn === turn);
    const bodies = sent.map(({ body }) => JSON.parse(body) as { kind: string; text: string });
    const notices = bodies.filter(({ kind }) => kind !== 'message').length;
    const texts = bodies.filter(({ kind }) => kind === 'message').map(({ text }) => text);
    if (end.outcome === 'success')
      return texts.join() === reply.join() ? [] : [`Turn ${turn} delivered ${texts.join(', ')}.`];
    return notices === 1 ? [] : [`Turn ${turn} was interrupted, and that was told ${notices} times.`];
  });
  return turns.size === updates.length
    ? problems
    : [...problems, `${updates.length} messages, ${turns.size} turns.`];
}
