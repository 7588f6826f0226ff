#!/usr/bin/env node
// AgentProc wire 0.4, with the SDK in the npm package `agentproc`.
import agentproc from 'agentproc';

agentproc.createProfile(async ({ message, sessionId, sendPartial }) => {
  if (message === '') throw agentproc.protocolError('Say something.');
  sendPartial('You said ');
  sendPartial(`${message.length} characters.`);
  return { response: `You said ${message.length} characters.`, sessionId: sessionId || 'npm-1' };
});
