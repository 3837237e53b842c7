// Work that arrives in bursts, done a slice a frame: however much comes at once, keys and paint get their turn in between,
// and what a slice changes is drawn once.

const SLICE_MS = 8;
/** A page in the background gets no frames. */
const FRAME_AT_LATEST_MS = 100;

export class Inbox {
  #jobs: (() => void)[] = [];
  #running = false;

  put(job: () => void): void {
    this.#jobs.push(job);
    if (!this.#running) void this.#run();
  }

  async #run(): Promise<void> {
    this.#running = true;
    while (this.#jobs.length > 0) {
      await nextFrame();
      const until = performance.now() + SLICE_MS;
      let done = 0;
      do attempt(this.#jobs[done++]!);
      while (done < this.#jobs.length && performance.now() < until);
      this.#jobs = this.#jobs.slice(done);
    }
    this.#running = false;
  }
}

/** One that fails does not keep the others waiting. */
function attempt(job: () => void): void {
  try {
    job();
  } catch (error) {
    reportError(error);
  }
}

function nextFrame(): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(done, FRAME_AT_LATEST_MS);
    const frame = requestAnimationFrame(done);
    function done(): void {
      clearTimeout(timer);
      cancelAnimationFrame(frame);
      resolve();
    }
  });
}
