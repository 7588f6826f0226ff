#!/usr/bin/env node
import { StringDecoder } from 'node:string_decoder';
import { pathToFileURL } from 'node:url';

const session_id = 'nuum_check';

/** Parts of a small resident agent; agents in `broken/nuum` replace one of them. */
export const parts = {
  write: (frame) => void process.stdout.write(`${JSON.stringify(frame)}\n`),
  init: { type: 'system', subtype: 'init', session_id, version: '1.0.0', tools: ['read'] },
  textOf: (content) => (typeof content === 'string' ? content : content.map(({ text }) => text).join('\n')),
  accepted: (agent) => agent.system('turn_accepted', { session_id, timestamp: new Date().toISOString() }),
  assistant: (agent, text) =>
    agent.write({
      type: 'assistant',
      message: { role: 'assistant', content: [{ type: 'text', text }], model: 'none' },
      session_id,
    }),
  result: (agent, text, subtype = 'success') =>
    agent.write({
      type: 'result',
      subtype,
      duration_ms: 1,
      is_error: false,
      num_turns: 1,
      session_id,
      result: text,
      usage: { output_tokens: 2 },
    }),
  system(subtype, fields = {}) {
    this.write({ type: 'system', subtype, ...fields });
  },
  workMs: 20,
  controls: {
    heartbeat: (agent) => agent.system('heartbeat_ack'),
    status: (agent) => agent.system('status_response', { running: agent.running !== undefined, session_id }),
    interrupt(agent) {
      if (agent.running === undefined) agent.system('error', { message: 'No turn is running.' });
      else agent.end('cancelled');
    },
  },
  complain: (agent, message) => agent.system('error', { message }),
  onEnd: (agent) => agent.running === undefined && process.exit(0),
  begin(content) {
    const text = this.textOf(content);
    this.accepted(this, text);
    this.running = setTimeout(() => {
      this.assistant(this, `${text.length} characters`);
      this.end('success', text);
    }, this.workMs);
  },
  end(subtype, text = '') {
    clearTimeout(this.running);
    this.running = undefined;
    this.result(this, `${text.length} characters`, subtype, text);
    const next = this.queue.shift();
    if (next !== undefined) this.begin(next);
    else if (this.over) process.exit(0);
  },
  receive(line) {
    if (line.trim() === '') return;
    const { type, action, message } = JSON.parse(line);
    if (type === 'control') {
      if (this.controls[action] === undefined) throw new Error('That action is not known.');
      this.controls[action](this);
    } else if (type === 'user') this.admit(message.content);
    else throw new Error('That type is not known.');
  },
  admit(content) {
    if (this.running === undefined) return this.begin(content);
    this.queue.push(content);
    this.system('queued', { position: this.queue.length });
  },
  read(line) {
    try {
      this.receive(line);
    } catch (error) {
      this.complain(this, error.message);
    }
  },
};

/** Runs the agent; `replaced` overrides some of `parts`. */
export async function run(replaced = {}) {
  const agent = { ...parts, ...replaced, queue: [], running: undefined, over: false };
  const decoder = new StringDecoder('utf8');
  let rest = '';
  agent.write(agent.init);
  for await (const piece of process.stdin) {
    const lines = (rest + decoder.write(piece)).split('\n');
    rest = lines.pop();
    for (const line of lines) agent.read(line);
  }
  agent.over = true;
  agent.read(rest);
  agent.onEnd(agent);
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) await run();
