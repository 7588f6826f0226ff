import type { Event } from '@plugboard/host';
import type { StoredTurn } from '@plugboard/store';
import type { RouteRequest } from '../../route.ts';
import { beforeTurn } from '../../routes/turns.ts';
import { OpenaiProblem } from '../problem.ts';
import { originOf } from '../turn/hear.ts';
import { createTelling, type Telling, tell } from '../turn/telling.ts';
import type { InputItem, MessageItem, ResponseBody } from './body.ts';
import { findEarlier } from './earlier.ts';
import { parseItemId } from './output.ts';

type Asking = Pick<RouteRequest, 'gateway' | 'principal' | 'incoming'>;

/** The messages of an input, each at the index of its item; undefined for an item that says nothing. */
export type InputMessages = readonly (MessageItem | undefined)[];

/**
 * Puts the answers of this token in the place of the references to them. An answer may have several items, and a stream
 * parts it into others than the log does: the first reference to a turn stands for its whole answer, further ones for
 * nothing. Throws for a reference to an item that this token was not given.
 */
export async function resolveReferences(
  request: Asking,
  input: ResponseBody['input'],
): Promise<InputMessages> {
  if (typeof input === 'string') return [{ role: 'user', content: input }];
  const turns = await findTurns(request, input);
  const answers = turns.size === 0 ? new Map<string, string>() : await readAnswers(request, turns.values());
  const told = new Set<string>();
  return input.map((item, index) => {
    if (isMessage(item)) return item;
    const id = referenceOf(item);
    const turnId = id === undefined ? undefined : parseItemId(id)?.turnId;
    if (id === undefined || turnId === undefined || told.has(turnId)) return undefined;
    const text = answers.get(turnId);
    if (text === undefined || text === '') throw itemNotFound(id, index);
    told.add(turnId);
    return { role: 'assistant', content: text };
  });
}

function isMessage(item: InputItem): item is MessageItem {
  return (item.type === undefined || item.type === 'message') && item.role !== undefined;
}

/** The id of the message that an item refers to. Thinking is passed over, as `reasoning` items are. */
function referenceOf(item: InputItem): string | undefined {
  if (isMessage(item) || item.type === 'reasoning') return undefined;
  return item.id.startsWith('rs_') ? undefined : item.id;
}

/** The turns that references name, by their ids. */
async function findTurns(
  request: Asking,
  input: readonly InputItem[],
): Promise<ReadonlyMap<string, StoredTurn>> {
  const turns = new Map<string, StoredTurn>();
  for (const [index, item] of input.entries()) {
    const id = referenceOf(item);
    if (id === undefined) continue;
    const turnId = parseItemId(id)?.turnId;
    if (turnId === undefined) throw itemNotFound(id, index);
    if (turns.has(turnId)) continue;
    const earlier = await findEarlier(request, `resp_${turnId}`);
    if (earlier === undefined) throw itemNotFound(id, index);
    turns.set(turnId, earlier.turn);
  }
  return turns;
}

function itemNotFound(id: string, index: number): OpenaiProblem {
  return new OpenaiProblem('not-found', `Item with id "${id}" not found.`, {
    code: 'item_not_found',
    param: `input[${index}].id`,
  });
}

/** The answers of turns by their ids. Reads the log of each session once, however many of its turns are named. */
async function readAnswers(
  request: Asking,
  turns: Iterable<StoredTurn>,
): Promise<ReadonlyMap<string, string>> {
  const tellings = new Map<string, Telling>();
  const oldest = new Map<string, StoredTurn>();
  for (const turn of turns) {
    tellings.set(turn.id, createTelling(false, originOf(request)));
    const known = oldest.get(turn.sessionId);
    if (known === undefined || turn.startedAt < known.startedAt) oldest.set(turn.sessionId, turn);
  }
  for (const turn of oldest.values()) await readSession(request, turn, tellings);
  return new Map([...tellings].map(([id, { text }]) => [id, text]));
}

const PAGE = 1_000;

/** Tells the log of a session from the turn `first` on to the `tellings` of its turns. */
async function readSession(
  { gateway }: Asking,
  first: StoredTurn,
  tellings: ReadonlyMap<string, Telling>,
): Promise<void> {
  for (let after = await beforeTurn(gateway, first); ; ) {
    const page = await gateway.store.log.read(first.sessionId, { after, limit: PAGE });
    for (const { turnId, event } of page) {
      const telling = turnId === undefined ? undefined : tellings.get(turnId);
      if (telling !== undefined && event.type !== 'user') tell(telling, event as Event);
    }
    checkSize(gateway.config.server.bodyBytes, tellings);
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE) return;
    after = last.number;
  }
}

/** Two thousand short references may name answers of gigabytes; sent as messages they would be refused as well. */
function checkSize(most: number, tellings: ReadonlyMap<string, Telling>): void {
  const length = [...tellings.values()].reduce(
    (sum, { text, preview }) => sum + text.length + preview.length,
    0,
  );
  if (length <= most) return;
  throw new OpenaiProblem(
    'too-large',
    `The answers that input refers to are longer than ${most} bytes in all.`,
    {
      code: 'too-large',
      param: 'input',
    },
  );
}
