import { expect, it } from 'vitest';
import { withoutSigns } from '../src/observe/environment.ts';

it('hides the turns of other hosts from an agent, and leaves it its own settings', () => {
  const source = {
    AGENT_MESSAGE: 'hi',
    AGENT_SESSION_ID: 's',
    NIB_AGENT_REQUEST_FILE: '/tmp/x',
    NIB_LOCAL_ENDPOINT: 'http://127.0.0.1:1',
    AGENT_KEY: 'k',
    GONE: undefined,
  };
  expect(withoutSigns(source)).toEqual({ NIB_LOCAL_ENDPOINT: 'http://127.0.0.1:1', AGENT_KEY: 'k' });
});
