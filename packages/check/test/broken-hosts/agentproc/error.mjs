#!/usr/bin/env node
import { run } from '../../hosts/agentproc.mjs';

// Shows the body beside the error.
await run({ reply: (body, error) => (error === undefined ? body : [...body, error]) });
