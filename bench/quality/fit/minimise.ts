/** A function of many numbers: its value, and its slope written into `slope`. */
export type Objective = (at: Float64Array, slope: Float64Array) => number;

const memory = 8;
const steps = 200;

/**
 * Where a convex, smooth function is lowest, by L-BFGS with backtracking.
 *
 * Nocedal and Wright, Numerical Optimization (2006), algorithms 7.4 and 3.1.
 */
export function minimise(objective: Objective, start: Float64Array): Float64Array {
  const size = start.length;
  let at = Float64Array.from(start);
  let slope = new Float64Array(size);
  let value = objective(at, slope);
  const moves: { readonly step: Float64Array; readonly bend: Float64Array; readonly scale: number }[] = [];
  for (let count = 0; count < steps; count++) {
    const direction = descent(slope, moves);
    const falling = dot(direction, slope);
    let length = 1;
    let next = at;
    let nextSlope = slope;
    let nextValue = value;
    while (length > 1e-10) {
      next = at.map((each, index) => each + length * direction[index]!);
      nextSlope = new Float64Array(size);
      nextValue = objective(next, nextSlope);
      if (nextValue <= value + 1e-4 * length * falling) break;
      length /= 2;
    }
    const step = next.map((each, index) => each - at[index]!);
    const bend = nextSlope.map((each, index) => each - slope[index]!);
    const curvature = dot(step, bend);
    const gain = value - nextValue;
    [at, slope, value] = [next, nextSlope, nextValue];
    if (gain < 1e-10) break;
    if (curvature > 1e-12) moves.push({ step, bend, scale: 1 / curvature });
    if (moves.length > memory) moves.shift();
  }
  return at;
}

function descent(
  slope: Float64Array,
  moves: readonly { readonly step: Float64Array; readonly bend: Float64Array; readonly scale: number }[],
): Float64Array {
  const direction = slope.map((each) => -each);
  const shares: number[] = [];
  for (const { step, bend, scale } of [...moves].reverse()) {
    const share = scale * dot(step, direction);
    shares.push(share);
    add(direction, bend, -share);
  }
  const last = moves.at(-1);
  const first = last
    ? 1 / (last.scale * dot(last.bend, last.bend))
    : 1 / Math.max(1, Math.sqrt(dot(slope, slope)));
  for (let index = 0; index < direction.length; index++) direction[index]! *= first;
  moves.forEach(({ step, bend, scale }, index) => {
    add(direction, step, shares[shares.length - 1 - index]! - scale * dot(bend, direction));
  });
  return direction;
}

const dot = (left: Float64Array, right: Float64Array): number =>
  left.reduce((sum, each, index) => sum + each * right[index]!, 0);

function add(to: Float64Array, what: Float64Array, times: number): void {
  for (let index = 0; index < to.length; index++) to[index]! += times * what[index]!;
}
