import { expect, it } from 'vitest';
import { describeConfig } from '../../src/config/describe.ts';
import { CODER, ENVIRONMENT, folder, WHOLE } from './folder.ts';

function linesOf(text: string): string[] {
  return text
    .trimEnd()
    .split('\n')
    .map((line) => line.replace(/ +# /, ' # '));
}

it('shows defaults as such', async () => {
  using at = folder('log: { level: warn }');
  const lines = linesOf(describeConfig(await at.read()));
  expect(lines).toContain('server.port: 7420 # default');
  expect(lines).toContain(`store.file: ${at.path}/data/plugboard.db # default`);
  expect(lines).toContain('default_agent: demo # default');
  expect(lines).toContain(`log.level: warn # ${at.config}:1`);
  expect(lines).toContain('agents.demo.park_after_secs: 300 # default');
});

it('shows what was written, with its place, and references instead of what they refer to', async () => {
  using at = folder({ 'plugboard.yaml': WHOLE, 'coder.yaml': CODER });
  const lines = linesOf(describeConfig(await at.read(ENVIRONMENT))).map((line) =>
    line.replace(`${at.path}/`, ''),
  );
  expect(lines).toContain('agents.coder.profile: ./coder.yaml # plugboard.yaml:6');
  expect(lines).toContain('agents.coder.share: false # default');
  expect(lines).toContain('agents.helper.env.TOKEN: ${TOKEN} # plugboard.yaml:13');
  expect(lines).toContain('agents.helper.env.PLAIN: [hidden] # plugboard.yaml:13');
  expect(lines).toContain('agents.helper.env.GREETING: [hidden] # plugboard.yaml:13');
  expect(lines).toContain('server.public_url: https://${NAME}.example.org/ # plugboard.yaml:29');
  expect(lines).toContain('server.proxies: ["10.0.0.1","::1"] # plugboard.yaml:24');
  expect(lines.join('\n')).not.toContain('ada');
});

it('keeps one line for each field, whatever was written', async () => {
  using at = folder('agents: { a: { demo: true, description: "x\\n\\e[31mserver.port: 1" } }');
  const lines = linesOf(describeConfig(await at.read()));
  expect(lines).toContain(`agents.a.description: x\\u000a\\u001b[31mserver.port: 1 # ${at.config}:1`);
});
