#!/usr/bin/env node
import { spawn } from 'node:child_process';
import { run } from '../../good/terminal.mjs';

// Starts something and forgets it.
spawn('sleep', ['2'], { stdio: 'ignore', detached: true }).unref();
await run();
