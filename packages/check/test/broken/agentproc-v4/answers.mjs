#!/usr/bin/env node
import { plain, run } from '../../good/agentproc-v4.mjs';

// Does not say hello.
await run((turn) => (turn.message.startsWith('Say hello') ? undefined : plain(turn)));
