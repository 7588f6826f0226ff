import type { Event } from '@plugboard/host';
import type { StoredTurn } from '@plugboard/store';
import { readLogPage } from '../../../live/log-page.ts';
import { findResource } from '../../resources.ts';
import type { RouteRequest } from '../../route.ts';
import { beforeTurn } from '../../routes/turns.ts';
import { OpenaiProblem } from '../problem.ts';
import { type AnswerText, addEvent, createAnswerText } from '../turn/answer-text.ts';
import { originOf } from '../turn/collect-answer.ts';
import type { InputItem, MessageItem, ResponseBody } from './body.ts';
import { parseItemId } from './output.ts';

type Asking = Pick<RouteRequest, 'gateway' | 'principal' | 'incoming'>;

/** Messages by the index of their `input` item; undefined for an item without a message. */
export type InputMessages = readonly (MessageItem | undefined)[];

/**
 * Replaces references by the answers they name. An answer may have several items, and a stream splits it differently
 * than the log: the first reference to a turn is replaced by the whole answer, further ones by none. Throws for an item
 * that was not given to this token.
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

/** Id of the message that an item refers to. `rs_` ids are ignored, as `reasoning` items are. */
function referenceOf(item: InputItem): string | undefined {
  if (isMessage(item) || item.type === 'reasoning') return undefined;
  return item.id.startsWith('rs_') ? undefined : item.id;
}

/** The turns of all references, by turn id. */
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
    const earlier = await findResource(request, 'response', `resp_${turnId}`);
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

/** Answers by turn id. Reads the log of each session once for all its turns. */
async function readAnswers(
  request: Asking,
  turns: Iterable<StoredTurn>,
): Promise<ReadonlyMap<string, string>> {
  const answerTexts = new Map<string, AnswerText>();
  const oldest = new Map<string, StoredTurn>();
  for (const turn of turns) {
    answerTexts.set(turn.id, createAnswerText(false, originOf(request)));
    const known = oldest.get(turn.sessionId);
    if (known === undefined || turn.startedAt < known.startedAt) oldest.set(turn.sessionId, turn);
  }
  for (const turn of oldest.values()) await readSession(request, turn, answerTexts);
  return new Map([...answerTexts].map(([id, { text }]) => [id, text]));
}

const PAGE = 1_000;

/** Feeds the log of a session, from the turn `first` on, to `answerTexts`. */
async function readSession(
  { gateway }: Asking,
  first: StoredTurn,
  answerTexts: ReadonlyMap<string, AnswerText>,
): Promise<void> {
  for (let after = await beforeTurn(gateway, first); ; ) {
    const page = await readLogPage(gateway.store, first.sessionId, { after, limit: PAGE });
    for (const { turnId, event } of page) {
      const answerText = turnId === undefined ? undefined : answerTexts.get(turnId);
      if (answerText !== undefined && event.type !== 'user') addEvent(answerText, event as Event);
    }
    checkSize(gateway.config.server.bodyBytes, answerTexts);
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE) return;
    after = last.number;
  }
}

/**
 * `MOST_MESSAGES` short references may name answers of more than 1 GiB in all; as messages they would exceed the body
 * limit.
 */
function checkSize(most: number, answerTexts: ReadonlyMap<string, AnswerText>): void {
  const length = [...answerTexts.values()].reduce(
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
