// A contender's client, loaded in the process that measures it and in no other.

/** `path` is a module in this folder that exports `connect`; what else it is to be told follows. */
export const clientFrom =
  (path, ...told) =>
  async () => {
    const { connect } = await import(`./${path}.mjs`);
    return { connect: () => connect(...told) };
  };
