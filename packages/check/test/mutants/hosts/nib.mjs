// A nib host that asks one question: MUTANT MESSAGE TIMEOUT. It finds its agent by NIB_AGENT.
import { breaks, leave, messageOf, mutant, show, start, tell, tellLate } from './start.mjs';

const [message, timeout] = process.argv.slice(3);
const dir = process.cwd();
const FIELDS = {
  'operation-missing': { operation: undefined },
  'dir-missing': { dir: undefined },
  'dir-relative': { dir: '.' },
  'paths-absolute': { paths: [`${dir}/scenes/one.md`] },
};
const request = {
  operation: 'continuity-ask',
  dir,
  paths: ['scenes/one.md'],
  question: messageOf(message),
  ...FIELDS[mutant],
};
const env = { ...process.env };
if (!breaks('passes-request-file')) delete env.NIB_AGENT_REQUEST_FILE;
const lines = [];
const ending = await start(`nib-agent-${process.env.NIB_AGENT}`, {
  env,
  cwd: breaks('starts-elsewhere') ? '/' : dir,
  input: JSON.stringify(request),
  timeoutSecs: Number(timeout),
  onLine: (line) => lines.push(line),
});

function parse(text) {
  const last = breaks('reads-last-line') ? text.trim().split('\n').at(-1) : text;
  try {
    return JSON.parse(last);
  } catch (error) {
    if (breaks('shows-what-is-no-json')) return { type: 'success', operation: request.operation, text };
    throw error;
  }
}

function answerOf(text) {
  const answer = parse(text);
  if (answer.type === 'error') throw new Error(breaks('hides-error') ? 'The agent failed.' : answer.error);
  if (answer.type !== 'success' && !breaks('takes-any-type')) throw new Error(`What is ${answer.type}?`);
  if (answer.operation !== request.operation && !breaks('takes-any-operation'))
    throw new Error('That was not asked.');
  return breaks('drops-text') ? 'Done.' : answer.text;
}

let code = 0;
try {
  const said = ending.stderr.trim();
  if (ending.code !== 0 && !breaks('ignores-exit-code'))
    throw new Error(breaks('hides-reason') ? 'It failed.' : said || 'It failed.');
  if (said !== '' && !breaks('hides-stderr')) tell(said);
  show(`${answerOf(lines.join('\n'))}\n`);
} catch (error) {
  if (!breaks('fails-in-silence') && !ending.isLate) tell(error.message);
  code = breaks('fails-in-silence') ? 0 : 1;
}
tellLate(ending);
leave(code);
