import { type ExtractiveWeights, extractiveFeatures } from "@agentpool/models";
import type { Example } from "./examples.ts";
import { minimise, type Objective } from "./minimise.ts";

/** What weights of one in every feature cost, beside one question whose answer is as likely as 1 in e. */
export const ridge = 0.001;

/**
 * The weights under which sentences that hold an answer are likeliest: maximum likelihood of a softmax over the
 * sentences of each question, several of which may hold it, with a ridge. Examples in which nothing holds it say
 * nothing.
 */
export function fitWeights(examples: readonly Example[], penalty = ridge): ExtractiveWeights {
  const useful = examples.filter(({ holds }) => holds.includes(true));
  const found = minimise(objectiveOf(useful, penalty), new Float64Array(extractiveFeatures.length).fill(1));
  return Object.fromEntries(
    extractiveFeatures.map((name, at) => [name, Math.round(found[at]! * 100) / 100]),
  ) as ExtractiveWeights;
}

/** The negative logarithm of the likelihood, on average over examples, and the ridge. */
export const objectiveOf =
  (examples: readonly Example[], penalty: number): Objective =>
  (weights, slope) => {
    let value = 0;
    for (const example of examples) value += add(example, weights, slope);
    for (let at = 0; at < slope.length; at++) {
      slope[at] = slope[at]! / examples.length + 2 * penalty * weights[at]!;
      value += examples.length * penalty * weights[at]! ** 2;
    }
    return value / examples.length;
  };

/** One example's share of the value; its slope is added. */
function add({ features, holds }: Example, weights: Float64Array, slope: Float64Array): number {
  const size = weights.length;
  const powers = holds.map((_, row) => {
    let score = 0;
    for (let at = 0; at < size; at++) score += weights[at]! * features[row * size + at]!;
    return score;
  });
  const highest = Math.max(...powers);
  let all = 0;
  let right = 0;
  for (let row = 0; row < powers.length; row++) {
    powers[row] = Math.exp(powers[row]! - highest);
    all += powers[row]!;
    if (holds[row]) right += powers[row]!;
  }
  right = Math.max(right, 1e-12);
  for (let row = 0; row < powers.length; row++) {
    const pull = powers[row]! / all - (holds[row] ? powers[row]! / right : 0);
    for (let at = 0; at < size; at++) slope[at]! += pull * features[row * size + at]!;
  }
  return Math.log(all) - Math.log(right);
}
