#!/usr/bin/env node
import { plain, run } from '../../good/agentproc-v4.mjs';

// Uses a path as `session_id`.
await run((turn) => plain({ ...turn, session_id: 'users/check' }));
