import type { JsonValue } from '@plugboard/protocol';
import { StoreError } from '../../../contract/errors.ts';
import { findRow, listRows, NOW, runStatement } from '../connection.ts';
import { type Context, newId } from '../context.ts';
import type { Notice } from './notifications.ts';

/** Questions from node to node: rows of a table, so that no notification has to arrive. */
export interface Questions {
  ask(node: string, question: JsonValue): Promise<JsonValue>;
  /** Takes in a notice about a question or an answer. */
  take(notice: Notice): void;
  /** Answers the questions in the table whose notification was lost. */
  answerOpen(): Promise<void>;
}

export interface QuestionsOptions {
  readonly context: Context;
  readonly name: string;
  notify(notice: Notice): void;
  answer(question: JsonValue): Promise<JsonValue>;
}

const ANSWER_MS = 5_000;

/** The asker looks for its answer at this interval, in case that the notice is lost. */
const LOOK_MS = 500;

const ADD = `insert into node_questions (id, node, question, asked_at) values (:id, :node, :question, ${NOW})`;
const FIND_ANSWER = 'select answer from node_questions where id = :id';
const REMOVE = 'delete from node_questions where id = :id';
// An older question was given up by its asker.
const LIST_OPEN = `
  select id, question from node_questions
  where node = :node and answer is null and asked_at > ${NOW} - ${ANSWER_MS}`;
const ANSWER = 'update node_questions set answer = :answer where id = :id';
const REMOVE_OLD = `delete from node_questions where asked_at < ${NOW} - ${2 * ANSWER_MS}`;

/** The JSON in `node_questions.answer`. */
type Answered = { readonly answer: JsonValue } | { readonly problem: string };

export function createQuestions({ context, name, notify, answer }: QuestionsOptions): Questions {
  /** Called when the answer may be there. */
  const waiting = new Map<string, () => void>();
  const underWay = new Set<string>();

  const answerOne = async (id: string, question: string): Promise<void> => {
    if (underWay.has(id)) return;
    underWay.add(id);
    try {
      const answered: Answered = await answer(JSON.parse(question) as JsonValue).then(
        (given) => ({ answer: given }),
        (error: unknown) => ({ problem: error instanceof Error ? error.message : String(error) }),
      );
      await context.write(id, (transaction) =>
        runStatement(transaction, ANSWER, { id, answer: JSON.stringify(answered) }),
      );
      notify({ answered: id });
    } finally {
      underWay.delete(id);
    }
  };
  const answerOpen = async (): Promise<void> => {
    const open = await context.read((connection) =>
      listRows<{ id: string; question: string }>(connection, LIST_OPEN, { node: name }),
    );
    await Promise.all(open.map(({ id, question }) => answerOne(id, question)));
  };
  const findAnswer = async (id: string): Promise<Answered | undefined> => {
    const found = await context.read((connection) =>
      findRow<{ answer: string | null }>(connection, FIND_ANSWER, { id }),
    );
    return found?.answer == null ? undefined : (JSON.parse(found.answer) as Answered);
  };
  const waitForAnswer = async (node: string, id: string): Promise<Answered> => {
    const deadline = performance.now() + ANSWER_MS;
    for (;;) {
      const notice = Promise.withResolvers<void>();
      waiting.set(id, notice.resolve);
      const found = await findAnswer(id);
      if (found !== undefined) return found;
      const leftMs = deadline - performance.now();
      if (leftMs <= 0)
        throw new StoreError('unavailable', `The gateway ${node} does not answer. Try again in a moment.`);
      const timer = setTimeout(notice.resolve, Math.min(LOOK_MS, leftMs));
      await notice.promise;
      clearTimeout(timer);
    }
  };
  return {
    async ask(node, question) {
      const id = newId(context.server.time());
      await context.write(id, (transaction) =>
        runStatement(transaction, ADD, { id, node, question: JSON.stringify(question) }),
      );
      notify({ asks: node });
      try {
        const answered = await waitForAnswer(node, id);
        if ('problem' in answered) throw new StoreError('unavailable', answered.problem);
        return answered.answer;
      } finally {
        waiting.delete(id);
        await context.write(id, async (transaction) => {
          await runStatement(transaction, REMOVE, { id });
          await runStatement(transaction, REMOVE_OLD);
        });
      }
    },
    take(notice) {
      if ('answered' in notice) waiting.get(notice.answered)?.();
      else if ('asks' in notice && notice.asks === name) answerOpen().catch(() => {});
    },
    answerOpen,
  };
}
