import { expect, it } from 'vitest';
import { detectEarly, detectLine } from '../src/detect.ts';

const early = (
  environment: Record<string, string>,
  argv: string[] = [],
  terminal = false,
  requestFile: string | undefined = undefined,
) => detectEarly({ environment, argv, terminal, requestFile });

it('detects the dialect by environment and arguments', () => {
  expect(early({}, ['--stdio'])).toBe('nuum');
  expect(early({}, ['--stdio', '--', 'agent'])).toBe('nuum');
  expect(early({ AGENT_MESSAGE: 'hi' }, ['serve', '--', 'agent', '--stdio'])).toBe('agentproc');
  expect(early({ AGENT_MESSAGE: 'hi' }, ['--stdio'])).toBe('nuum');
  expect(early({}, [], false, '{}')).toBe('nib');
  // The file is gone: it belonged to the process that this one was started from.
  expect(early({ NIB_AGENT_REQUEST_FILE: '/tmp/x' })).toBeUndefined();
  expect(early({ AGENT_MESSAGE: '' })).toBe('agentproc');
  expect(early({}, [], true)).toBe('text');
  expect(early({})).toBeUndefined();
});

it.each([
  ['{"operation":"scene-proof"}', 'nib'],
  ['{"type":"turn","message":"hi"}', 'agentproc/v4'],
  ['{"version":1,"text":"hi"}', 'terminal'],
  ['{"type":"user","message":{"role":"user","content":"hi"}}', 'nuum'],
  ['{"type":"control","action":"status"}', 'nuum'],
  ['{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1}}', 'acp'],
  ['{"params":{"protocolVersion":2},"method":"initialize","id":"0f7a","jsonrpc":"2.0"}', 'acp'],
  ['{"something":"else"}', 'text'],
  ['hello', 'text'],
  ['[1]', 'text'],
])('detects the dialect by a first line %s', (line, manner) => expect(detectLine(line, false)).toBe(manner));

it('waits for the rest of a JSON document that spans lines', () => {
  expect(detectLine('{', false)).toBeUndefined();
  expect(detectLine('{\n"operation":"voice-check"\n}', true)).toBe('nib');
  expect(detectLine('{ not json', true)).toBe('text');
  expect(detectLine('{"type":"turn","message":"x', true)).toBe('agentproc/v4');
  expect(detectLine('{"jsonrpc":"2.0","id":0,"method":"initialize","par', true)).toBe('acp');
  expect(detectLine('{"half":"of something', true)).toBe('broken');
});
