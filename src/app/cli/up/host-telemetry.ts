// OpenTelemetry of a host, if the environment asks for it. Nothing is loaded otherwise.

import { toError } from '../../../base/errors.ts';
import type { TelemetrySettings } from '../../../host/telemetry/settings.ts';
import type { Telemetry } from '../../../host/telemetry/telemetry.ts';
import { errorLine } from './view.ts';

/** The prefix of the variables that a background host gets. */
const PREFIX = 'OTEL_';

interface HostTelemetry {
  telemetry?: Telemetry;
  /** Texts for the start of the host. */
  notes: readonly string[];
}

/** Variables that cannot be used are reported, and the host runs without telemetry: they may be meant for other programs. */
export async function hostTelemetry(note: (text: string) => void): Promise<HostTelemetry> {
  if (!hasVariables()) return { notes: [] };
  const { telemetrySettings, wantsTelemetry } = await import('../../../host/telemetry/settings.ts');
  if (!wantsTelemetry(process.env)) return { notes: [] };
  let settings: TelemetrySettings;
  try {
    settings = telemetrySettings(process.env);
  } catch (error) {
    return { notes: [`No telemetry is sent. ${errorLine(toError(error))}`] };
  }
  const { Telemetry } = await import('../../../host/telemetry/telemetry.ts');
  const urls = [settings.traces?.url, settings.metrics?.url].filter((url) => url !== undefined);
  if (urls.length === 0) return { notes: [] };
  return {
    telemetry: new Telemetry(settings, { note }),
    notes: [`Telemetry is sent to ${urls.map((url) => url.replace(/\?.*/s, '')).join(' and ')}`],
  };
}

function hasVariables(): boolean {
  return Object.keys(process.env).some((name) => name.startsWith(PREFIX));
}

export function telemetryVariables(): Record<string, string> {
  return Object.fromEntries(
    Object.entries(process.env).filter(
      (entry): entry is [string, string] => entry[1] !== undefined && entry[0].startsWith(PREFIX),
    ),
  );
}
