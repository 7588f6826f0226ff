import { expect, it } from 'vitest';
import { createPolicy } from '../../src/policy/policy.ts';
import { createTools } from '../../src/tools/create.ts';
import { TOOL_NAME, TOOL_NAMES } from '../../src/tools/names.ts';

it('makes the tools under the names that are announced, in that order', () => {
  const lifetime = new AbortController();
  const tools = createTools({
    policy: createPolicy({}),
    skills: { scan: () => [] },
    lifetime: lifetime.signal,
  });
  expect(tools.map(({ name }) => name)).toEqual([...TOOL_NAMES]);
  expect(TOOL_NAMES.slice(0, 6)).toEqual(['read', 'write', 'edit', 'bash', 'glob', 'grep']);
  for (const { name, description, parameters } of tools) {
    expect(name).toMatch(TOOL_NAME);
    expect(description.length).toBeGreaterThan(20);
    expect(parameters).toMatchObject({ type: 'object', properties: expect.anything() });
  }
  lifetime.abort();
});
