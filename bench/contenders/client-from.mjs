// Loads the client of a contender only in the process that measures it.

/** `path`: a module in this folder that exports `connect`; the remaining arguments are passed to it. */
export const clientFrom =
  (path, ...told) =>
  async () => {
    const { connect } = await import(`./${path}.mjs`);
    return { connect: () => connect(...told) };
  };
