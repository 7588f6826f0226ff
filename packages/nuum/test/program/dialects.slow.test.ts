import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { workplace } from '../wire/agent.ts';
import { run } from './program.ts';

const SCRIPT = `
rules:
  - { when: "look", calls: [{ name: read, input: { filePath: a.txt } }] }
  - { after: result, text: "I have read it." }
otherwise: { text: "You said: {message}" }
`;

describe('the same agent answers', () => {
  it('nuum answers a nib host', async () => {
    const { stdout, code } = await run(
      [],
      { script: SCRIPT },
      '{"operation":"continuity-ask","question":"who?"}',
    ).done;
    const answer = JSON.parse(stdout);
    expect(answer).toMatchObject({ type: 'success', operation: 'continuity-ask' });
    // What is asked for reaches the model in words.
    expect(answer.text).toMatch(/^You said: Answer a question about the manuscript[\s\S]*\nwho\?$/);
    expect(code).toBe(0);
  });

  it('nuum answers a nib host with data', async () => {
    const script = `
steps: [{ text: "Here it is, I think." }, { text: '\`\`\`json\\n{"scene":{"pov":"bo"},"facts":[]}\\n\`\`\`' }]
`;
    const request = {
      operation: 'continuity-index',
      context: 'Index it.',
      schema: { type: 'object', required: ['scene'] },
    };
    const { stdout } = await run([], { script }, JSON.stringify(request)).done;
    expect(JSON.parse(stdout)).toMatchObject({ type: 'success', data: { scene: { pov: 'bo' }, facts: [] } });
  });

  it('nuum talks to the user of a nib host that hands over the terminal', async () => {
    const directory = workplace();
    const file = join(directory, 'request.json');
    writeFileSync(file, '{"operation":"character-talk","context":"You are Bo.","session":{"id":"s1"}}\n');
    const started = { script: SCRIPT, directory, env: { NIB_AGENT_REQUEST_FILE: file } };
    const { stdout, code } = await run([], started, 'hello\n/quit\n').done;
    expect(stdout).toContain('You said: You are Bo.');
    expect(stdout).toContain('You said: hello');
    expect(code).toBe(0);
  });

  it('nuum answers an AgentProc host', async () => {
    const { stdout } = await run([], { script: SCRIPT, env: { AGENT_MESSAGE: 'hi', AGENT_SESSION_ID: '' } })
      .done;
    expect(stdout).toContain('AGENT_PARTIAL:');
    expect(stdout).toMatch(/^AGENT_SESSION:nuum_/m);
  });

  it('nuum answers an AgentProc v4 host, and asks it for permission', async () => {
    const script = 'steps: [{ calls: [{ name: bash, input: { command: "echo hi" } }] }, { text: Done. }]';
    const program = run(['--ask', 'bash'], { script }, null);
    program.child.stdin?.write(
      '{"type":"turn","message":"go","session_id":"","protocol_version":"0.4","permission":true}\n',
    );
    await program.printed('permission_request');
    const asked =
      program
        .stdout()
        .split('\n')
        .find((line) => line.includes('permission_request')) ?? '';
    const { request_id, tool_name, input } = JSON.parse(asked);
    expect([tool_name, input]).toEqual(['bash', { command: 'echo hi' }]);
    program.child.stdin?.write(
      `${JSON.stringify({ type: 'permission_response', request_id, behavior: 'allow' })}\n`,
    );
    expect((await program.done).stdout).toContain('"text":"Done."');
  });

  it('nuum answers a Terminal host', async () => {
    const directory = workplace();
    writeFileSync(join(directory, 'a.txt'), 'words');
    const { stdout } = await run(
      [],
      { script: SCRIPT, directory },
      '{"version":1,"text":"look","channel":"cli","chat_id":"d","session_key":"cli:d"}\n',
    ).done;
    expect(
      stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toContainEqual({ type: 'message', text: 'I have read it.' });
  });

  it('nuum answers a question on a pipe', async () => {
    const { stdout } = await run([], { script: SCRIPT }, 'how are you?').done;
    expect(stdout).toBe('You said: how are you?\n');
  });
});
