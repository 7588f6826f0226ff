import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { HostEffect, HostInput } from '../src/contract/host-side.ts';
import { claude } from '../src/dialects/claude/index.ts';
import type { JsonObject, JsonValue } from '../src/model/json.ts';
import { createTurn, type TurnInput } from '../src/model/turn.ts';
import { text } from './arbitrary.ts';
import { hostEffects, writtenIn } from './one-shot.ts';

/** Claude Code exits at a line that is not JSON, and at a `user` line whose role is not `user`. */
function expectReadable(effects: readonly HostEffect[]): object[] {
  const written = writtenIn(effects);
  expect(written.endsWith('\n')).toBe(true);
  const lines = written.slice(0, -1).split('\n');
  const frames = lines.map((line) => JSON.parse(line));
  for (const frame of frames) {
    expect(['user', 'control_request', 'control_response']).toContain(frame.type);
    if (frame.type === 'user') expectUserLine(frame);
  }
  return frames;
}

function expectUserLine({ message, uuid }: { message: { role: string; content: unknown }; uuid: unknown }) {
  expect(uuid).toMatch(/^[0-9a-f-]{36}$/);
  expect(message.role).toBe('user');
  if (typeof message.content === 'string') return;
  for (const block of message.content as JsonObject[]) {
    expect(['text', 'image', 'document']).toContain(block.type);
    expect(block.type === 'text' ? block.text : block.source).toBeTypeOf(
      block.type === 'text' ? 'string' : 'object',
    );
  }
}

const json = (): fc.Arbitrary<JsonValue> => fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<JsonValue>;

const block = (): fc.Arbitrary<JsonValue> =>
  fc.oneof(
    json(),
    fc.record({
      type: fc.oneof(fc.constantFrom('image', 'document', 'text', 'tool_result', 'user'), text()),
      source: json(),
      role: text(),
    }),
  );

const turn = (): fc.Arbitrary<TurnInput> =>
  fc.record({
    id: text(),
    text: text(),
    attachments: fc.array(fc.record({ kind: fc.constant('file' as const), path: text(), url: text() })),
    session: fc.record({ key: text(), options: fc.record({ mode: text(), model: text() }) }),
    extensions: fc.record({
      other_blocks: fc.oneof(json(), fc.array(block())),
      mcp_servers: json(),
      role: json(),
      message: json(),
    }),
  });

it('no message of a host makes a line that Claude Code cannot read', () => {
  fc.assert(
    fc.property(turn(), (given) => {
      const inputs: HostInput[] = [{ type: 'started' }, { type: 'send', turn: createTurn(given) }];
      const frames = expectReadable(hostEffects(claude.host, claude.defaults, inputs));
      expect(frames.filter((frame) => 'type' in frame && frame.type === 'user')).toHaveLength(1);
    }),
  );
});

it('no answer of a person makes a line that Claude Code cannot read', () => {
  const answer = fc.record({
    by: text(),
    via: fc.constantFrom('person' as const, 'policy' as const, 'withdrawn' as const),
    option: fc.oneof(fc.constantFrom('allow', 'allow-session', 'deny', 'option-1'), text()),
    text: text(),
    data: json(),
    input: json(),
  });
  const request = fc.record({
    subtype: fc.constant('can_use_tool'),
    tool_name: fc.oneof(fc.constantFrom('Bash', 'AskUserQuestion', 'ExitPlanMode'), text()),
    input: fc.oneof(json(), fc.record({ questions: json() })),
    permission_suggestions: json(),
  });
  fc.assert(
    fc.property(request, text(), answer, (asked, id, given) => {
      const line = JSON.stringify({ type: 'control_request', request_id: id, request: asked });
      const inputs: HostInput[] = [
        { type: 'started' },
        { type: 'send', turn: createTurn({ id: 't1', text: 'hi' }) },
        { type: 'line', text: '{"type":"system","subtype":"init","session_id":"s"}' },
        { type: 'line', text: line },
        { type: 'answer', askId: id, answer: given },
      ];
      const frames = expectReadable(hostEffects(claude.host, claude.defaults, inputs));
      const answers = frames.filter((frame) => 'type' in frame && frame.type === 'control_response');
      expect(answers).toMatchObject([{ response: { subtype: 'success', request_id: id } }]);
    }),
  );
});
