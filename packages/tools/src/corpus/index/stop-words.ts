/** English words that carry no topic: a query leaves them out as long as others remain. */
export const stopWords: ReadonlySet<string> = new Set(
  (
    "a about after all also am an and any are as at be been before being between both but by can could did do does " +
    "doing each for from further had has have having he her here hers him his how i if in into is it its itself let me " +
    "more most my no nor not of on once only or other our out over own s same she should so some such t than that the " +
    "their them then there these they this those through to too under until up very was we were what when where which " +
    "while who whom whose why will with would you your"
  ).split(" "),
);
