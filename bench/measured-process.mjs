// One sample, taken in a separate process, so that memory and garbage of contenders are separate. Started by
// `measureInProcess` below; run as a program, it takes the sample and reports it. Its servers end with it, because
// their stdin closes.

import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { loadScenario } from './scenarios.mjs';

const LIMIT_MS = 120_000;
const ownPath = fileURLToPath(import.meta.url);

/** Resolves to `{ sample }` or `{ failed: reason }`; never rejects. */
export function measureInProcess(job, profileFolder) {
  const execArgv = ['--no-warnings'];
  if (profileFolder) {
    const folder = `${profileFolder}/${job.scenario}/${job.case.label}/${job.contender}`;
    execArgv.push('--cpu-prof', `--cpu-prof-dir=${folder}`);
  }
  const child = fork(ownPath, [JSON.stringify(job)], {
    execArgv,
    env: shortEnvironment(),
    stdio: ['ignore', 2, 2, 'ipc'],
  });
  return new Promise((resolve) => {
    let outcome;
    const timer = setTimeout(() => {
      outcome ??= { failed: `no figure within ${LIMIT_MS / 1000} s` };
      child.kill('SIGKILL');
    }, LIMIT_MS);
    child.once('message', (message) => {
      outcome = message;
    });
    child.once('close', (code, signal) => {
      clearTimeout(timer);
      resolve(outcome ?? { failed: `its process ended with ${signal ?? `exit code ${code}`}` });
    });
  });
}

/**
 * Keeps few variables: contenders pass different ones on to their servers, and some variables slow each start of Node
 * (certificates, options).
 */
function shortEnvironment() {
  const kept = ['PATH', 'HOME', 'TMPDIR', 'TEMP', 'SYSTEMROOT'];
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => kept.includes(name.toUpperCase())));
}

async function takeSample(job) {
  const scenario = await loadScenario(job.scenario);
  const contender = scenario.contenders.find(({ name }) => name === job.contender);
  try {
    return { sample: await scenario.measure(contender, job.case, job.shared) };
  } catch (error) {
    return { failed: String(error?.message ?? error).slice(0, 200) };
  }
}

if (process.argv[1] === ownPath) {
  // Without the parent, the sample cannot be reported. The channel is unreferenced, so that a sample whose server died
  // ends before its time limit.
  process.once('disconnect', () => process.exit());
  process.channel.unref();
  const outcome = await takeSample(JSON.parse(process.argv[2]));
  process.send(outcome, () => process.disconnect());
}
