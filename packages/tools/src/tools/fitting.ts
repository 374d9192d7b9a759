/** The first items that fit in so many characters of JSON; the first one always does. */
export function fitting<Item>(items: readonly Item[], maxChars: number): Item[] {
  let size = 0;
  const end = items.findIndex((item, index) => {
    size += JSON.stringify(item).length + 1;
    return index > 0 && size > maxChars;
  });
  return end < 0 ? [...items] : items.slice(0, end);
}
