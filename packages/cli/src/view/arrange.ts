/**
 * Which agents have a row when there are more agents than rows, and in which: an agent keeps its row while it runs,
 * and one that has ended keeps it until an agent without a row needs it. So a screen of a hundred agents stands still.
 *
 * `order` is every agent in the order of the view, `ended` says who has.
 */
export function arrange(
  previous: readonly string[],
  order: readonly string[],
  ended: (key: string) => boolean,
  rows: number,
): string[] {
  if (order.length <= rows) return [...order];
  const kept = previous.slice(0, rows);
  const shown = new Set(kept);
  const waiting = [
    ...order.filter((key) => !shown.has(key) && !ended(key)),
    ...order.filter((key) => !shown.has(key) && ended(key)).reverse(),
  ];
  const arranged = kept.map((key) =>
    ended(key) && waiting[0] !== undefined && !ended(waiting[0]) ? waiting.shift()! : key,
  );
  while (arranged.length < rows && waiting.length > 0) arranged.push(waiting.shift()!);
  return arranged;
}
