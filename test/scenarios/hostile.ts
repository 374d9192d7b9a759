export const revoked = (): object => {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
};

export function no(): never {
  throw new Error("no");
}

/** Something that can be awaited as it says itself. */
export const thenable = (
  then: (yes: (value: unknown) => void, reject: (error: unknown) => void) => void,
): object =>
  // biome-ignore lint/suspicious/noThenProperty: hostile on purpose
  Object.defineProperty({}, "then", { value: then });

// biome-ignore lint/suspicious/noThenProperty: hostile on purpose
export const unreadable = (): object => Object.defineProperty({}, "then", { get: no });

export const deep = (depth: number): string => `${"[".repeat(depth)}${"]".repeat(depth)}`;
