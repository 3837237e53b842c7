// The audit trail of `up`.

import { resolve } from 'node:path';
import type { Redact } from '../../../base/secrets/redact.ts';
import { Audit } from '../../../host/audit/audit-layer.ts';
import { AuditLog } from '../../../host/audit/audit-log.ts';
import { invalidOption } from '../invocation.ts';

export interface AuditFlags {
  audit?: string;
  auditArguments?: boolean;
  auditRequired?: boolean;
}

export interface HostAudit {
  readonly log: AuditLog;
  readonly layers: Audit;
}

interface Surroundings {
  redact: Redact;
  node: string | undefined;
  note(text: string): void;
}

/** The file of the environment is for hosts that another program starts. */
export function auditFile(given: string | undefined): string | undefined {
  return given ?? (process.env.STANDPIPE_AUDIT || undefined);
}

/** Prepares the audit trail of a host; nothing is written yet. Returns undefined if no file is given. */
export function auditHost(flags: AuditFlags, { redact, node, note }: Surroundings): HostAudit | undefined {
  const given = auditFile(flags.audit);
  if (given === undefined) {
    if (flags.auditArguments === undefined && flags.auditRequired === undefined) return undefined;
    throw invalidOption(
      '--audit-arguments and --audit-required need --audit',
      'Name the file of the audit trail: --audit audit.jsonl.',
    );
  }
  const file = resolve(given);
  const log = new AuditLog({
    file,
    node,
    redact,
    keepsArguments: flags.auditArguments,
    isRequired: flags.auditRequired,
    onFailure: ({ message }) => note(`Cannot write the audit trail ${file}: ${message}`),
  });
  return { log, layers: new Audit(log) };
}
