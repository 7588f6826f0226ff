import { expect, it } from 'vitest';
import { withoutSigns } from '../src/observe/environment.ts';

it('removes variables of other turns from an environment and keeps settings of the agent', () => {
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
