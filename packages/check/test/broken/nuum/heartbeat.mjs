#!/usr/bin/env node
import { parts, run } from '../../good/nuum.mjs';

// Has no heart.
await run({ controls: { ...parts.controls, heartbeat: () => {} } });
