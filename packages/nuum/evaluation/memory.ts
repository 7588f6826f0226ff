import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { openMemory } from '../src/memory/open.ts';
import { type Ask, createAsk, type Purpose } from '../src/model/ask.ts';
import { chooseModel } from '../src/model/choose.ts';
import { dollars, estimate } from './cost.ts';
import { type Measured, measure } from './measure.ts';
import { forgetful, idle } from './scripted.ts';

/*
 * `node packages/nuum/evaluation/memory.ts [--provider --yes] [--tokens 1300000] [--seed 7] [--json FILE]
 * [--price IN,OUT]`: lives through a long made-up history in which fifty facts are said once each, and measures what of it
 * stays in view and what is found again. By default a script stands in for the model; with `--provider` the one that
 * NUUM_MODEL, NUUM_BASE_URL and NUUM_API_KEY name is asked, for money.
 */
const { values } = parseArgs({
  options: {
    provider: { type: 'boolean', default: false },
    yes: { type: 'boolean', default: false },
    tokens: { type: 'string', default: '1300000' },
    seed: { type: 'string', default: '7' },
    json: { type: 'string' },
    price: { type: 'string', default: '3,15' },
  },
});

/** With fewer there are not turns enough to say every fact in. */
const LEAST_TOKENS = 60_000;
const VIEW = 45_000;

const say = (text: string): boolean => process.stdout.write(`${text}\n`);
const refuse = (text: string): never => {
  process.stderr.write(`${text}\n`);
  process.exit(2);
};

const tokens = Number(values.tokens);
if (!(tokens >= LEAST_TOKENS)) refuse(`--tokens must be a number of ${LEAST_TOKENS} or more.`);
const seed = Number(values.seed);
if (!Number.isSafeInteger(seed)) refuse('--seed must be a whole number.');
const [priceIn = Number.NaN, priceOut = Number.NaN] = values.price.split(',').map(Number);
if (!(priceIn >= 0 && priceOut >= 0)) refuse('--price must be two numbers, such as 3,15.');

const models = values.provider ? provider() : script();
const home = mkdtempSync(join(tmpdir(), 'nuum-evaluation-'));
const memory = openMemory(join(home, 'agent.db'), { now: () => Date.now() });
try {
  const log = (text: string): boolean => process.stderr.write(`${text}\n`);
  const measured = await measure({ memory, ...models, tokens, seed, view: VIEW, log });
  for (const [what, value] of table(measured)) say(`${what.padEnd(32)} ${value}`);
  for (const what of measured.lost) say(`  not found by ${what}`);
  if (values.json !== undefined) {
    const all = { model: values.provider ? process.env.NUUM_MODEL : 'script', seed, ...measured };
    writeFileSync(values.json, `${JSON.stringify(all, undefined, 2)}\n`);
  }
} finally {
  memory.close();
  rmSync(home, { recursive: true });
}

function script(): { readonly distil: Ask; readonly reflect: Ask } {
  say(
    'The model is a script that keeps no fact. This shows the mechanism: how much stays in view, and what a',
  );
  say('search still finds. It does not show how good a summary is; --provider does.\n');
  return { distil: forgetful, reflect: idle };
}

function provider(): { readonly distil: Ask; readonly reflect: Ask } {
  const { NUUM_MODEL: model, NUUM_BASE_URL: baseUrl, NUUM_API_KEY: apiKey } = process.env;
  if (!model || !apiKey)
    return refuse('--provider asks the model that NUUM_MODEL and NUUM_API_KEY name: set both.');
  const about = estimate(tokens);
  const cost = dollars(about, [priceIn, priceOut]).toFixed(2);
  say(
    `${model} will be asked about ${about.calls} times, with about ${about.inputTokens} tokens in and ${about.outputTokens} out: $${cost} at $${priceIn} and $${priceOut} for a million (--price).`,
  );
  if (!values.yes) return refuse('Nothing was asked; --yes goes on.');
  const chosen = chooseModel({ model, apiKey, ...(baseUrl ? { baseUrl } : {}) });
  const ask: (purpose: Purpose) => Ask = createAsk(chosen, { now: () => Date.now() });
  return { distil: ask('distil'), reflect: ask('reflect') };
}

function table(measured: Measured): [string, string][] {
  const of = (count: number): string => `${count} of ${measured.planted}`;
  const spent = `${measured.inputTokens} in, ${measured.outputTokens} out`;
  return [
    ['history', `${measured.tokens} tokens in ${measured.messages} messages`],
    ['in view at most', `${measured.mostInView} tokens`],
    ['in view at the end', `${measured.inView} tokens`],
    ['the whole to what is in view', `${measured.ratio} : 1`],
    ['never shown in any form', `${measured.omitted} messages`],
    ['facts found by search', of(measured.foundBySearch)],
    ['facts found by reflection', of(measured.foundByReflection)],
    ['facts still in view', of(measured.keptInView)],
    ['questions to the model', `${measured.calls}`],
    ['tokens spent', spent],
    ['cost', values.provider ? `$${dollars(measured, [priceIn, priceOut]).toFixed(2)}` : 'nothing: a script'],
  ];
}
