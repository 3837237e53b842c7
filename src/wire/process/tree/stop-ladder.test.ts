import { expect, test } from 'vitest';
import { lacks } from '../../../../test/fixtures/windows.ts';
import { ManualClock } from '../../../base/clock.ts';
import { type Stoppable, stopLadder } from './stop-ladder.ts';

const waits = { stdinMs: 1000, sigtermMs: 1000, sigkillMs: 1000 };

/** A child that reacts only to the given rungs, on a clock that the test controls. */
class ScriptedChild implements Stoppable {
  readonly asked: string[] = [];
  readonly clock = new ManualClock();
  exited = false;
  leftovers = false;
  readonly exit: Promise<void>;
  #end: () => void = () => undefined;
  readonly #obeys: string;

  constructor(obeys: string) {
    this.#obeys = obeys;
    this.exit = new Promise((resolve) => {
      this.#end = resolve;
    });
  }

  leaderEnds(): void {
    this.exited = true;
    this.#end();
  }

  endStdin(): void {
    this.#ask('stdin');
  }

  signalTree(signal: 'SIGTERM' | 'SIGKILL'): void {
    this.#ask(signal);
  }

  treeAlive(): boolean {
    return !this.exited || this.leftovers;
  }

  async stop(): Promise<{ rung: string; ms: number }> {
    let rung: string | undefined;
    void stopLadder(this, waits, this.clock).then((result) => {
      rung = result;
    });
    for (let ms = 0; ms <= 10_000; ms += 5) {
      for (let turn = 0; turn < 5; turn += 1) await Promise.resolve();
      if (rung) return { rung, ms };
      this.clock.advance(5);
    }
    throw new Error('The ladder has no end');
  }

  #ask(how: string): void {
    if (this.asked.at(-1) !== how) this.asked.push(how);
    if (how !== this.#obeys) return;
    this.leftovers = false;
    this.leaderEnds();
  }
}

test('a cooperative child gets one request and no signal', async () => {
  const child = new ScriptedChild('stdin');
  expect(await child.stop()).toEqual({ rung: 'stdin', ms: 0 });
  expect(child.asked).toEqual(['stdin']);
});

test.skipIf(lacks.signals)('each rung waits its time before the next', async () => {
  const term = new ScriptedChild('SIGTERM');
  expect(await term.stop()).toEqual({ rung: 'SIGTERM', ms: 1000 });
  const kill = new ScriptedChild('SIGKILL');
  expect(await kill.stop()).toEqual({ rung: 'SIGKILL', ms: 2000 });
  expect(kill.asked).toEqual(['stdin', 'SIGTERM', 'SIGKILL']);
});

test.skipIf(lacks.signals)('reports a child that survives every rung after the last wait', async () => {
  expect(await new ScriptedChild('nothing').stop()).toEqual({ rung: 'unresponsive', ms: 3000 });
});

test('a child that has exited with all its processes gets no request', async () => {
  const child = new ScriptedChild('nothing');
  child.leaderEnds();
  expect(await child.stop()).toEqual({ rung: 'already-exited', ms: 0 });
  expect(child.asked).toEqual([]);
});

test.skipIf(lacks.signals)(
  'processes that a cooperative leader leaves running get half a second, then the next rung',
  async () => {
    const child = new ScriptedChild('SIGTERM');
    child.leftovers = true;
    child.leaderEnds();
    expect(await child.stop()).toEqual({ rung: 'SIGTERM', ms: 500 });
  },
);

test('leaves no timer', async () => {
  const child = new ScriptedChild('SIGTERM');
  await child.stop();
  expect(child.clock.pending).toBe(0);
});
