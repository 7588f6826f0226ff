#!/usr/bin/env node
import { parts, run } from '../../hosts/agentproc.mjs';

// Has no users.
await run({ variables: (message, id) => ({ ...parts.variables(message, id), AGENT_FROM_USER: undefined }) });
