#!/usr/bin/env node
import { spawn } from 'node:child_process';
import { run } from '../../good/terminal.mjs';

// Leaves a detached `sleep 2` running.
spawn('sleep', ['2'], { stdio: 'ignore', detached: true }).unref();
await run();
