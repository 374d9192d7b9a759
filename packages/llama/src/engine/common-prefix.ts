/** How many tokens two texts begin with in common. */
export function commonPrefix(one: readonly number[], other: readonly number[]): number {
  const most = Math.min(one.length, other.length);
  let length = 0;
  while (length < most && one[length] === other[length]) length++;
  return length;
}
