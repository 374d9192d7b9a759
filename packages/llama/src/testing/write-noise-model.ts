import { type MetadataValue, writeGguf } from "./gguf.ts";
import type { Tensor, TensorType } from "./tensor.ts";
import { controlTokens, vocabulary } from "./vocabulary.ts";

/** Dimensions of a model of Llama's architecture. */
export interface ModelShape {
  /** Width of its layers. */
  readonly width: number;
  readonly layers: number;
  readonly heads: number;
  /** Heads of keys and values, which groups of heads share. */
  readonly keyValueHeads: number;
  readonly feedForward: number;
  readonly vocabulary: number;
  /** Tokens it says it was trained on. */
  readonly context: number;
  readonly ropeBase: number;
}

export const shapes = {
  /** Half a megabyte: for tests. */
  tiny: {
    width: 64,
    layers: 2,
    heads: 4,
    keyValueHeads: 2,
    feedForward: 128,
    vocabulary: 512,
    context: 8_192,
    ropeBase: 10_000,
  },
  /** The shape of [SmolLM2 135M](https://huggingface.co/HuggingFaceTB/SmolLM2-135M): for measurements. */
  smol135m: {
    width: 576,
    layers: 30,
    heads: 9,
    keyValueHeads: 3,
    feedForward: 1_536,
    vocabulary: 49_152,
    context: 8_192,
    ropeBase: 100_000,
  },
} as const satisfies Record<string, ModelShape>;

export interface NoiseModelOptions {
  /** Default `tiny`. */
  readonly shape?: keyof typeof shapes | ModelShape;
  /** How weights are stored. Default `f32`. */
  readonly type?: TensorType;
  /** Decides every weight. Default 1. */
  readonly seed?: number;
  /** The chat template, in Jinja. Default ChatML. */
  readonly template?: string;
  /**
   * Tokens that it says more often than the others, with how much their logits are raised: about 5 makes a token of
   * the tiny model one in ten. Default: it ends its turns, and closes quotes. Only where weights are stored as `f32`.
   */
  readonly habits?: { readonly [token: string]: number };
}

/** Ends of turns and of strings: without them noise never comes to an end. */
const defaultHabits = { "<|im_end|>": 4.5, '"': 5 };

const chatMl = `{% for message in messages %}<|im_start|>{{ message.role }}
{{ message.content }}<|im_end|>
{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant
{% endif %}`;

/**
 * Writes a model with random weights, as a GGUF file: what it says is noise, and everything around that is real. The
 * tiny one takes some milliseconds and half a megabyte.
 *
 * ```ts
 * writeNoiseModel("noise.gguf");
 * const model = llama("noise.gguf", { threads: 1 });
 * ```
 */
export function writeNoiseModel(path: string, options: NoiseModelOptions = {}): void {
  const { shape: named = "tiny", type = "f32", seed = 1, template = chatMl } = options;
  const shape = typeof named === "string" ? shapes[named] : named;
  const words = vocabulary(shape.vocabulary);
  const habits = new Map(
    Object.entries(options.habits ?? defaultHabits).map(([token, raised]) => [
      words.tokens.indexOf(token),
      raised,
    ]),
  );
  const tensors = type === "f32" ? withHabits(tensorsOf(shape, type), habits) : tensorsOf(shape, type);
  writeGguf(path, { metadata: metadataOf(shape, type, words, template), tensors }, seed);
}

function metadataOf(
  shape: ModelShape,
  type: TensorType,
  { tokens, kinds, merges }: ReturnType<typeof vocabulary>,
  template: string,
): Record<string, MetadataValue> {
  const count = (value: number): MetadataValue => ({ type: "u32", value });
  const real = (value: number): MetadataValue => ({ type: "f32", value });
  const string = (value: string): MetadataValue => ({ type: "string", value });
  const [text, , end, pad] = controlTokens.map((token) => tokens.indexOf(token)) as [
    number,
    number,
    number,
    number,
  ];
  return {
    "general.architecture": string("llama"),
    "general.name": string("noise"),
    "general.file_type": count({ f32: 0, f16: 1, q4_0: 2, q8_0: 7 }[type]),
    "llama.context_length": count(shape.context),
    "llama.embedding_length": count(shape.width),
    "llama.block_count": count(shape.layers),
    "llama.feed_forward_length": count(shape.feedForward),
    "llama.attention.head_count": count(shape.heads),
    "llama.attention.head_count_kv": count(shape.keyValueHeads),
    "llama.attention.layer_norm_rms_epsilon": real(1e-5),
    "llama.rope.dimension_count": count(shape.width / shape.heads),
    "llama.rope.freq_base": real(shape.ropeBase),
    "llama.vocab_size": count(shape.vocabulary),
    "tokenizer.ggml.model": string("gpt2"),
    "tokenizer.ggml.pre": string("gpt-2"),
    "tokenizer.ggml.tokens": { type: "strings", value: tokens },
    "tokenizer.ggml.token_type": { type: "i32s", value: kinds },
    "tokenizer.ggml.merges": { type: "strings", value: merges },
    "tokenizer.ggml.bos_token_id": count(text),
    "tokenizer.ggml.eos_token_id": count(end),
    "tokenizer.ggml.padding_token_id": count(pad),
    "tokenizer.ggml.add_bos_token": { type: "bool", value: false },
    "tokenizer.chat_template": string(template),
  };
}

const embedding = "token_embd.weight";

function tensorsOf(shape: ModelShape, type: TensorType): Tensor[] {
  const { width, feedForward } = shape;
  const keyValues = (width / shape.heads) * shape.keyValueHeads;
  const matrix = (name: string, from: number, to: number, deviation: number): Tensor => ({
    name,
    shape: [from, to],
    type,
    values: { deviation },
  });
  const ones = (name: string): Tensor => ({ name, shape: [width], type: "f32", values: "ones" });
  const even = 1 / Math.sqrt(width);
  // What a layer adds is small beside what it was given, as in a trained model.
  const small = 0.3;
  const tensors = [matrix(embedding, width, shape.vocabulary, 0.05), ones("output_norm.weight")];
  for (let layer = 0; layer < shape.layers; layer++) {
    const at = `blk.${layer}`;
    tensors.push(
      ones(`${at}.attn_norm.weight`),
      matrix(`${at}.attn_q.weight`, width, width, even),
      matrix(`${at}.attn_k.weight`, width, keyValues, even),
      matrix(`${at}.attn_v.weight`, width, keyValues, even),
      matrix(`${at}.attn_output.weight`, width, width, even * small),
      ones(`${at}.ffn_norm.weight`),
      matrix(`${at}.ffn_gate.weight`, width, feedForward, even),
      matrix(`${at}.ffn_up.weight`, width, feedForward, even),
      matrix(`${at}.ffn_down.weight`, feedForward, width, small / Math.sqrt(feedForward)),
    );
  }
  return tensors;
}

/**
 * Every token's embedding gets the same large first value, which nothing later changes much, so that it stands in the
 * last layer's output too; and in a matrix of its own for the output, the rows of the favoured tokens answer to it.
 */
function withHabits(tensors: readonly Tensor[], habits: ReadonlyMap<number, number>): Tensor[] {
  const large = 0.4;
  // What the last norm makes of it: the other values have deviation 0.05, and layers add about as much again.
  const normed = 5;
  return tensors.flatMap((tensor): Tensor[] => {
    if (tensor.name !== embedding) return [tensor];
    const output: Tensor = {
      ...tensor,
      name: "output.weight",
      values: { deviation: 0.1 },
      first: (row) => (habits.get(row) ?? 0) / normed,
    };
    return [{ ...tensor, first: () => large }, output];
  });
}
