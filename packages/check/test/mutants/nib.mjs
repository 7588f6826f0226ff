// A nib agent from the text of the protocol; the first argument names the one rule that it breaks.
import { spawn } from 'node:child_process';
import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { StringDecoder } from 'node:string_decoder';
import { setTimeout as sleep } from 'node:timers/promises';

const mutant = process.argv[2] ?? 'none';
const breaks = (name) => mutant === name;
const INDEX = {
  scene: { pov: 'bo', scene_type: 'regular', summary: 'Bo waits.' },
  facts: [{ category: 'event', summary: 'Bo waits.' }],
};
const DATA = {
  'data-of-wrong-enum': { ...INDEX, facts: [{ category: 'rumour', summary: 'x' }] },
  'data-without-required': { scene: INDEX.scene },
  'data-of-wrong-type': { ...INDEX, facts: 'none' },
  'data-is-list': [INDEX],
  'data-is-string': JSON.stringify(INDEX),
};

/** Proofreading removes doubled words only. */
function proof({ dir, paths }) {
  for (const path of breaks('proofs-other-scenes') ? ['scenes/one.md', 'scenes/two.md'] : paths) {
    const file = join(dir, path);
    const text = readFileSync(file, 'utf8');
    if (breaks('proof-empties-scene')) writeFileSync(file, '');
    else if (breaks('proof-deletes-scene')) rmSync(file);
    else if (breaks('proof-rewrites-scene'))
      writeFileSync(file, '# One\n\nA woman shuts a gate while it pours.\n');
    else if (breaks('proof-cuts-scene')) writeFileSync(file, `${text.slice(0, 24)}\n`);
    else if (breaks('proof-adds-prose')) appendFileSync(file, `${'And then it rained again. '.repeat(10)}\n`);
    else
      writeFileSync(
        file,
        `${text.replace(/\b(\w+) \1\b/g, '$1').trimEnd()}${breaks('proofs-other-scenes') ? '\n\n' : '\n'}`,
      );
  }
  return { text: '1 doubled word.' };
}

function scaffold({ dir }) {
  mkdirSync(join(dir, '.agent'), { recursive: true });
  for (const name of ['AGENT.md', '.agent/style.md']) writeFileSync(join(dir, name), '# How to write\n');
  if (breaks('scaffold-unlisted')) writeFileSync(join(dir, 'EXTRA.md'), '');
  if (breaks('scaffold-edits-scene')) appendFileSync(join(dir, 'scenes/one.md'), 'The end.\n');
  const files = ['AGENT.md', '.agent/style.md'];
  if (breaks('files-absolute')) return { files: files.map((name) => join(dir, name)) };
  if (breaks('files-not-written')) return { files: [...files, 'STYLE.md'] };
  if (breaks('files-outside')) return { files: [...files, '../scratch'] };
  if (breaks('files-is-string')) return { files: 'AGENT.md' };
  if (breaks('files-of-objects')) return { files: [{ path: 'AGENT.md' }] };
  return breaks('files-missing') ? {} : { files };
}

function touchScene({ dir = '.', operation }) {
  if (breaks(`${operation}-edits-scene`)) appendFileSync(join(dir, 'scenes/two.md'), 'And so on.\n');
}

const ANSWERS = {
  'scene-proof': proof,
  'chapter-proof': proof,
  'voice-check': () => ({ text: 'The voice is steady.' }),
  'continuity-check': () => ({ text: 'Nothing contradicts.' }),
  'continuity-ask': ({ question }) => ({ text: `You ask: ${question}` }),
  'continuity-index': () => ({ data: DATA[mutant] ?? INDEX }),
  'project-scaffold': scaffold,
};

function demandFields(request) {
  const { operation, question = '', range, dir } = request;
  const known = [
    'operation',
    'dir',
    'paths',
    'character_slug',
    'question',
    'range',
    'context',
    'schema',
    'session',
  ];
  if (
    breaks('refuses-unknown-fields') &&
    Object.keys(request).some((key) => ![...known, 'project_name'].includes(key))
  )
    throw new Error('There is a field too many.');
  if (breaks('refuses-non-ascii') && /[^\0-\x7f]/.test(question)) throw new Error('What is that?');
  if (breaks('dies-without-fields') && !dir) process.exit(1);
  if (breaks('silent-on-large') && (request.context ?? '').length > 100_000) process.exit(0);
  if (breaks('claims-unknown-operation') && ANSWERS[operation] === undefined) return { text: 'Done.' };
  return void range;
}

const SHAPES = {
  'type-missing': ({ type: _, ...rest }) => rest,
  'type-unknown': (answer) => ({ ...answer, type: 'ok' }),
  'operation-missing': ({ operation: _, ...rest }) => rest,
  'operation-wrong': (answer) => ({ ...answer, operation: 'scene-proof-2' }),
  'text-missing': ({ text: _, ...rest }) => rest,
  'text-is-list': (answer) => ({ ...answer, text: [answer.text] }),
  'answer-is-list': (answer) => [answer],
  'answer-in-text': (answer) => JSON.stringify(answer),
};

function answer(request) {
  const claimed = demandFields(request);
  touchScene(request);
  const { operation } = request;
  if (claimed === undefined && ANSWERS[operation] === undefined) throw new Error(`There is no ${operation}.`);
  const content = claimed ?? ANSWERS[operation](request);
  return (SHAPES[mutant] ?? ((same) => same))({ type: 'success', operation, ...content });
}

async function readStdin() {
  const decoder = new StringDecoder(breaks('reads-latin1') ? 'latin1' : 'utf8');
  let input = '';
  for await (const piece of process.stdin) {
    input += decoder.write(piece);
    if (breaks('reads-one-piece')) break;
  }
  return breaks('splits-at-u2028') ? input.split('\u2028')[0] : input;
}

function refuse(error) {
  if (breaks('fails-without-words')) process.exit(1);
  if (breaks('refuses-by-exit-code')) {
    process.stderr.write(`${error.message}\n`);
    process.exit(1);
  }
  if (breaks('error-is-object')) return { type: 'error', error: { message: error.message } };
  if (breaks('error-is-empty')) return { type: 'error', error: '' };
  return breaks('error-missing')
    ? { type: 'error', message: error.message }
    : { type: 'error', error: error.message };
}

function print(value) {
  const text = `${JSON.stringify(value)}\n`;
  if (breaks('logs-to-stdout')) process.stdout.write('Reading…\n');
  if (breaks('byte-order-mark')) process.stdout.write('\uFEFF');
  if (breaks('half-answer')) return process.stdout.write(text.slice(0, -9));
  if (breaks('fenced-answer')) return process.stdout.write(`\`\`\`json\n${text}\`\`\`\n`);
  process.stdout.write(breaks('latin1') ? Buffer.from(text.replace('You', 'Yoü'), 'latin1') : text);
  if (breaks('answers-twice')) process.stdout.write(text);
}

/** The conversation ends when stdin ends. */
async function talk(file) {
  const { operation, session = {}, context } = JSON.parse(readFileSync(file, 'utf8'));
  if (!breaks('leaves-request-file')) rmSync(file);
  if (breaks('needs-context') && operation === 'character-talk' && !context) throw new Error('No context.');
  if (breaks('refuses-new-session') && session.new) throw new Error('What is new?');
  if (breaks('fails-talk-without-words')) process.exit(1);
  if (breaks('answers-talk-in-json')) return print({ type: 'success', operation, text: 'Hello.' });
  process.stdout.write(`This is ${operation}.\n`);
  for await (const _ of process.stdin);
  if (breaks('talks-for-ever')) await sleep(1e9);
}

async function main() {
  const file = process.env.NIB_AGENT_REQUEST_FILE;
  if (file && (existsSync(file) || breaks('trusts-the-variable')) && !breaks('ignores-request-file'))
    return talk(file);
  const input = await readStdin();
  let result;
  try {
    result = answer(JSON.parse(input));
  } catch (error) {
    result = refuse(error);
  }
  if (breaks('silent')) return;
  print(result);
  if (breaks('never-ends')) await sleep(1e9);
  if (breaks('writes-for-ever')) for (;;) if (!process.stdout.write('more\n'.repeat(1000))) await sleep(1);
  if (breaks('leaves-a-child')) spawn('sleep', ['3'], { stdio: 'ignore', detached: true }).unref();
  if (breaks('success-exits-3')) {
    process.stderr.write('Done.\n');
    process.exitCode = 3;
  }
}

if (breaks('ignores-sigterm')) process.on('SIGTERM', () => {});
await main();
