import { createDistiller } from '../src/memory/distil/distiller.ts';
import { distilLimits } from '../src/memory/distil/limits.ts';
import type { Memory, View } from '../src/memory/memory.ts';
import { describeMemory } from '../src/memory/privacy/describe.ts';
import { answerFromMemory } from '../src/memory/reflect/reflect.ts';
import type { Ask } from '../src/model/ask.ts';
import { counting } from './counting.ts';
import { history, PLANTED } from './history.ts';

/** What is measured, and with whom. */
export interface Trial {
  /** Empty; it is filled with the history. */
  readonly memory: Memory;
  readonly distil: Ask;
  readonly reflect: Ask;
  /** About how long the history is. */
  readonly tokens: number;
  readonly seed: number;
  /** What a prompt has room for. */
  readonly view: number;
  readonly log: (text: string) => void;
}

/** What came of it. */
export interface Measured {
  readonly messages: number;
  readonly tokens: number;
  /** In view, at most and at the end. */
  readonly mostInView: number;
  readonly inView: number;
  /** How many times as much as is in view at the end the whole is. */
  readonly ratio: number;
  /** Messages that neither a summary nor the view showed at some moment. */
  readonly omitted: number;
  readonly planted: number;
  readonly foundBySearch: number;
  readonly foundByReflection: number;
  /** Still to be read in what a prompt shows. */
  readonly keptInView: number;
  readonly calls: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** What was not found again. */
  readonly lost: readonly string[];
}

/** Lives through a history, distilling as an agent does, and looks for everything that was planted in it. */
export async function measure(trial: Trial): Promise<Measured> {
  const { memory, log } = trial;
  const distil = counting(trial.distil);
  const asked = counting(trial.reflect);
  const lived = await live(trial, distil.ask);
  const found = await findAll(memory, asked.ask, log);
  const { messages, view } = describeMemory(memory);
  const spent = (name: 'calls' | 'inputTokens' | 'outputTokens'): number =>
    distil.spent[name] + asked.spent[name];
  return {
    ...{ messages: messages.count, tokens: messages.tokens },
    ...{ ...lived, inView: view.tokens, ratio: view.ratio, planted: PLANTED.length },
    ...found,
    keptInView: keptIn(memory.messages.view(trial.view)),
    ...{ calls: spent('calls'), inputTokens: spent('inputTokens'), outputTokens: spent('outputTokens') },
  };
}

async function live(
  { memory, tokens, seed, view: budget, log }: Trial,
  ask: Ask,
): Promise<{ readonly mostInView: number; readonly omitted: number }> {
  const distiller = createDistiller({ memory, ask, now: () => memory.now(), log });
  const limits = distilLimits();
  let mostInView = 0;
  let omitted = 0;
  for (const turn of history(tokens, seed)) {
    memory.messages.appendAll(turn);
    if (memory.summaries.counters.openTokens > limits.trigger - limits.summaries) await distiller.run();
    const view = memory.messages.view(budget);
    mostInView = Math.max(mostInView, view.tokens);
    omitted = Math.max(omitted, view.omitted);
  }
  await distiller.run();
  await distiller.stop();
  return { mostInView, omitted };
}

async function findAll(
  memory: Memory,
  ask: Ask,
  log: (text: string) => void,
): Promise<Pick<Measured, 'foundBySearch' | 'foundByReflection' | 'lost'>> {
  const { signal } = new AbortController();
  const lost: string[] = [];
  let foundBySearch = 0;
  let foundByReflection = 0;
  for (const { query, answer } of PLANTED) {
    const hits = await memory.search.messages({ query });
    const texts = JSON.stringify(hits.map(({ number }) => memory.messages.get(number)));
    if (texts.includes(JSON.stringify(answer).slice(1, -1))) foundBySearch += 1;
    else lost.push(`search: ${query}`);
    if ((await answerFromMemory(query, { memory, ask, signal, log })).includes(answer))
      foundByReflection += 1;
    else lost.push(`reflect: ${query}`);
  }
  return { foundBySearch, foundByReflection, lost };
}

function keptIn(view: View): number {
  const shown = JSON.stringify(view);
  return PLANTED.filter(({ answer, said }) => {
    const [whole, part] = [said, answer].map((text) => JSON.stringify(text).slice(1, -1));
    return shown.includes(whole ?? '') || (isTelling(answer) && shown.includes(part ?? ''));
  }).length;
}

/** Whether an answer can only come from the fact itself, and not from words that many messages have. */
function isTelling(answer: string): boolean {
  return /\d{4}|[A-Z][a-z]{4}|[^\u0000-\u024F]/.test(answer);
}
