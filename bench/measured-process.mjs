// One sample, taken in a process of its own, so that the memory and the garbage of one contender are not another's.
// Started by `measureInProcess` below; run as a program, it takes the sample and reports it. It is ended in any case:
// its servers see their stdin end with it.

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
 * Contenders differ in what they hand on to their servers, and some variables make every start of Node slower (more
 * certificates, options): nobody gets them.
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
  // Nobody is left to report to. Unreferenced: a sample whose server died must end, not wait for its time limit.
  process.once('disconnect', () => process.exit());
  process.channel.unref();
  const outcome = await takeSample(JSON.parse(process.argv[2]));
  process.send(outcome, () => process.disconnect());
}
