// Some programs send ids back as text: "1" for 1. Where ids of one side are all numbers, that names one request for
// certain. Ids are compared as they are first, so that 1 and "1" stay different where both exist.

/** The number whose decimal text this id is; undefined for every other id. */
export function numberInText(id: unknown): number | undefined {
  if (typeof id !== 'string') return undefined;
  const number = Number(id);
  return Number.isSafeInteger(number) && String(number) === id ? number : undefined;
}
