// The Inspector of a host, and its socket for other programs of the same user. The host works without them; failures are reported.

import { resolve } from 'node:path';
import { toError } from '../../../base/errors.ts';
import type { Redact } from '../../../base/secrets/redact.ts';
import type { FleetStatus } from '../../../host/fleet/fleet-status.ts';
import type { Host } from '../../../host/host.ts';
import { type Announced, announce } from '../../../observe/live/announce.ts';
import type { Question } from '../../inspector/api.ts';
import { inspectorInputs, type Questions } from '../../inspector/calls/questions.ts';
import type { Inspector } from '../../inspector/server.ts';
import { hostSource } from '../../inspector/sources/source.ts';

interface ViewersOptions {
  inspector: boolean;
  port?: number;
  record?: string;
  fleet?: (() => Promise<FleetStatus>) | undefined;
}

export class Viewers {
  readonly questions: Questions;
  #inspector: Inspector | undefined;
  #announced: Announced | undefined;

  constructor(tell: (text: string) => void) {
    this.questions = inspectorInputs({
      needsPage: true,
      onUnanswered: (question) => tell(unanswered(question)),
    });
  }

  get url(): string | undefined {
    return this.#inspector?.url;
  }

  /** Resolves to the messages of failures. */
  async open(
    host: Host,
    name: string,
    control: string,
    redact: Redact,
    cliOptions: readonly string[],
    { inspector, port, record, fleet }: ViewersOptions,
  ): Promise<string[]> {
    const trouble: string[] = [];
    const attempt = async (what: string, work: () => Promise<void>) => {
      try {
        await work();
      } catch (error) {
        trouble.push(`${what}: ${toError(error).message}`);
      }
    };
    if (inspector) {
      await attempt('No Inspector', async () => {
        const reach = (server: string) => ({ server, options: cliOptions });
        const source = hostSource(host, {
          title: name,
          questions: this.questions,
          redact,
          reach,
          ...(fleet && { fleet }),
        });
        const { startInspector } = await import('../../inspector/server.ts');
        this.#inspector = await startInspector(source, { port });
      });
    }
    await attempt('Other programs cannot watch this host', async () => {
      this.#announced = await announce(
        host.flow,
        { kind: 'host', name, control, cwd: process.cwd(), cliOptions, record: record && resolve(record) },
        { redact },
      );
    });
    return trouble;
  }

  async close(): Promise<void> {
    await this.#announced?.close();
    await this.#inspector?.close();
  }
}

/** Leaves out the URL: it contains the token, and others may read the log. */
function unanswered({ server, kind, params }: Question): string {
  const asks = kind === 'elicit' ? `asks: ${params.message}` : 'requests text from a model';
  return `${server} ${asks} — cancelled: the Inspector is not open. Open it and call again.`;
}
