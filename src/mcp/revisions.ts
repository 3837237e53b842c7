// The published revisions of MCP and the features of each. Revisions are dates, so they compare as text.

/** The legacy revisions, newest first. */
export const legacyRevisions = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'] as const;
export const modernRevisions = ['2026-07-28'] as const;

export type LegacyRevision = (typeof legacyRevisions)[number];
export type ModernRevision = (typeof modernRevisions)[number];
export type Revision = LegacyRevision | ModernRevision;

/** A legacy connection is a session opened by `initialize`. In the modern era every request describes itself in `_meta`. */
export type Era = 'legacy' | 'modern';

export const erasOfMcp: readonly Era[] = ['legacy', 'modern'];
/** All revisions, newest first. */
export const revisionsOfMcp: readonly Revision[] = [...modernRevisions, ...legacyRevisions];

export function eraOf(revision: Revision): Era {
  return isModernRevision(revision) ? 'modern' : 'legacy';
}

export const NEWEST_LEGACY: LegacyRevision = legacyRevisions[0];
export const NEWEST_MODERN: ModernRevision = modernRevisions[0];

export function isLegacyRevision(text: unknown): text is LegacyRevision {
  return legacyRevisions.includes(text as LegacyRevision);
}

export function isModernRevision(text: unknown): text is ModernRevision {
  return modernRevisions.includes(text as ModernRevision);
}

/** The first revision that has a feature. */
export const since = {
  toolAnnotations: '2025-03-26',
  audioContent: '2025-03-26',
  progressMessage: '2025-03-26',
  completionsCapability: '2025-03-26',
  titles: '2025-06-18',
  structuredContent: '2025-06-18',
  resourceLinks: '2025-06-18',
  elicitation: '2025-06-18',
  completionContext: '2025-06-18',
  icons: '2025-11-25',
  urlElicitation: '2025-11-25',
  samplingTools: '2025-11-25',
  anyStructuredContent: '2026-07-28',
} as const satisfies Record<string, Revision>;

export type Feature = keyof typeof since;

export function has(revision: Revision, feature: Feature): boolean {
  return revision >= since[feature];
}
